"""One test body, run on each chosen broker.

`--broker both` (the default) runs every test on kafkacompat and on Apache Kafka. A test that takes the fixture `broker`
shares one broker of each kind with all others and keeps to topics and groups of its own; a test that stops its broker
or needs settings takes `new_broker`. Addresses come from the broker object alone, so that a recorder can stand between.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Mapping

import pytest

from compat_tests.apache_kafka import ApacheKafka
from compat_tests.api import topics
from compat_tests.broker_process import Broker
from compat_tests.external_broker import ExternalBroker
from compat_tests.kafkacompat_broker import KafkacompatBroker

BOTH = ("kafkacompat", "kafka")
_LOG = pytest.StashKey[Callable[[], str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("compat_tests")
    group.addoption("--broker", default="both", metavar="kafkacompat|kafka|both|HOST:PORT", help="what to test")
    group.addoption("--full", action="store_true", help="also run the tests marked `full`, which take long")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "full: takes long; runs only with --full")
    chosen = config.getoption("--broker")
    if chosen != "both" and chosen not in BOTH and not re.search(r":\d+$", chosen):
        raise pytest.UsageError(f"--broker {chosen}: not kafkacompat, kafka, both or HOST:PORT")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--full"):
        return
    left_out = [item for item in items if item.get_closest_marker("full")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "broker_kind" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--broker")
        metafunc.parametrize("broker_kind", BOTH if chosen == "both" else (chosen,), scope="session")


def make_broker(kind: str, config: Mapping[str, str] | None = None, brokers: int = 1) -> Broker:
    """A broker of a kind (or at an address), not yet started."""
    if kind == "kafka":
        return ApacheKafka(config=config, brokers=brokers)
    if kind == "kafkacompat":
        return KafkacompatBroker(config=config, brokers=brokers)
    if config or brokers > 1:
        pytest.skip(f"{kind} cannot be given other settings")
    return ExternalBroker(kind)


@pytest.fixture(scope="session")
def _shared_brokers() -> Iterator[dict[str, Broker]]:
    running: dict[str, Broker] = {}
    yield running
    for broker in running.values():
        broker.close()


@pytest.fixture
def shared_broker(_shared_brokers: dict[str, Broker], request: pytest.FixtureRequest) -> Callable[[str], Broker]:
    """`shared_broker(kind)` is the running broker of that kind that all tests share."""

    def running(kind: str) -> Broker:
        if kind not in _shared_brokers:
            made = make_broker(kind)
            try:
                made.start()
                topics.wait_for_coordinator(made.bootstrap_servers)
            except BaseException:
                made.close()
                raise
            _shared_brokers[kind] = made
        found = _shared_brokers[kind]
        request.node.stash[_LOG] = found.log_tail
        return found

    return running


@pytest.fixture
def broker(broker_kind: str, shared_broker: Callable[[str], Broker]) -> Broker:
    """The running broker of the kind that the test runs on."""
    return shared_broker(broker_kind)


@pytest.fixture
def new_broker(broker_kind: str, request: pytest.FixtureRequest) -> Iterator[Callable[..., Broker]]:
    """`new_broker(config={…}, brokers=1)` starts a broker for this test alone."""
    made: list[Broker] = []

    def start(config: Mapping[str, str] | None = None, brokers: int = 1) -> Broker:
        broker = make_broker(broker_kind, config, brokers)
        made.append(broker)
        request.node.stash[_LOG] = broker.log_tail
        broker.start()
        return broker

    yield start
    for broker in made:
        broker.close()


@pytest.fixture
def topic(request: pytest.FixtureRequest) -> str:
    """A topic name that no other test uses. The topic does not exist yet."""
    return _unique(request)


@pytest.fixture
def group(request: pytest.FixtureRequest) -> str:
    """A group id that no other test uses."""
    return "g-" + _unique(request)


def _unique(request: pytest.FixtureRequest) -> str:
    name = re.sub(r"[^a-zA-Z0-9]+", "-", request.node.originalname)
    return f"{name[:60]}-{secrets.token_hex(4)}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> object:
    report = yield
    if report.failed and _LOG in item.stash:
        report.sections.append(("broker log", item.stash[_LOG]()))
    return report
