"""One test body, run on each chosen broker.

`--broker both` (the default) runs every test on kafkacompat and on Apache Kafka. A test that takes the fixture `broker`
shares one broker of each kind with all others and keeps to topics and groups of its own; a test that stops its broker
or needs settings takes `new_broker`. Addresses come from the broker object alone, so that a recorder can stand between.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from compat_tests.apache_kafka import ApacheKafka
from compat_tests.api import topics
from compat_tests.artifacts import KAFKA_VERSION, MissingToolError, java_program
from compat_tests.broker_process import Broker
from compat_tests.external_broker import ExternalBroker
from compat_tests.kafkacompat_broker import KafkacompatBroker
from compat_tests.recorder.client import Recorder
from compat_tests.releases import RELEASES
from compat_tests.report import files, results, sampling, selection
from compat_tests.report.collector import LEDGER, LEFT_OUT, RECORDER, Collector
from compat_tests.report.ledger import Ledger
from compat_tests.running import closed_at_the_end

BOTH = ("kafkacompat", "kafka")
COLLECTOR = "compat_tests results"
_LOG = pytest.StashKey[Callable[[], str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("compat_tests")
    group.addoption("--broker", default="both", metavar="kafkacompat|kafka|both|HOST:PORT", help="what to test")
    group.addoption("--kafka-version", default=KAFKA_VERSION, choices=RELEASES, help="the Apache Kafka to compare with")
    group.addoption("--reference", metavar="HOST:PORT", help="an Apache Kafka of that release that runs already")
    group.addoption("--seed", metavar="NAME", help="plant a seeded difference in kafkacompat, to see it found")
    group.addoption("--full", action="store_true", help="also run the tests marked `full`, which take long")
    sampling.add_option(parser)
    group.addoption("--report", metavar="DIR", help="write results.csv, results.json, junit.xml and report.html there")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "full(*brokers): takes long, with these brokers or all; runs only with --full")
    sampling.add_marker(config)
    config.addinivalue_line("markers", "once: says the same of each broker; --broker both runs it on kafkacompat")
    config.addinivalue_line("markers", "api(*names): the APIs the test is about; each has to be answered during it")
    config.addinivalue_line("markers", "unanswered(*names): APIs of the test that have no answer by protocol (acks=0)")
    config.addinivalue_line("markers", "since(release, reason): what it says is not so on Apache Kafka before that")
    # clients forget sockets while they try to reconnect, and Python finds them during somebody else's test
    config.addinivalue_line("filterwarnings", "ignore:unclosed <(socket|ssl):ResourceWarning")
    chosen = config.getoption("--broker")
    if chosen != "both" and chosen not in BOTH and not re.search(r":\d+$", chosen):
        raise pytest.UsageError(f"--broker {chosen}: not kafkacompat, kafka, both or HOST:PORT")
    folder = config.getoption("--report")
    if folder and not config.option.xmlpath:
        config.option.xmlpath = str(Path(folder) / files.JUNIT)
    config.stash[LEDGER] = Ledger(config.getoption("--kafka-version"))
    config.stash[RECORDER] = Recorder()
    config.pluginmanager.register(Collector(), COLLECTOR)


def pytest_unconfigure(config: pytest.Config) -> None:
    if RECORDER in config.stash:
        config.stash[RECORDER].close()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    chosen, full = config.getoption("--broker"), config.getoption("--full")
    release = config.getoption("--kafka-version")
    reasons = {item: selection.left_out(item, chosen, full=full) or selection.too_old(item, release) for item in items}
    rest = [item for item, reason in reasons.items() if not reason]
    reasons |= sampling.of_another_run(rest, config, selection.group_of)
    for item, reason in reasons.items():
        if reason:
            item.stash[LEFT_OUT] = reason
            config.hook.pytest_deselected(items=[item])
    items[:] = [item for item in items if not reasons[item]]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what was compared, what was left out, and where the report is."""
    collector = config.pluginmanager.get_plugin(COLLECTOR)
    assert isinstance(collector, Collector)
    terminalreporter.write_sep("-", "compatibility")
    for line in (*config.stash[LEDGER].lines(), *collector.lines()):
        terminalreporter.write_line(line)
    if folder := config.getoption("--report"):
        found = results.of(collector, config.stash[LEDGER], subject=_subject(config), full=config.getoption("--full"))
        files.write(Path(folder), found)
        terminalreporter.write_line(f"report: {Path(folder) / files.PAGE}")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "broker_kind" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--broker")
        both = BOTH[:1] if metafunc.definition.get_closest_marker("once") else BOTH
        metafunc.parametrize("broker_kind", both if chosen == "both" else (chosen,), scope="session")


def make_broker(
    kind: str, pytest_config: pytest.Config, config: Mapping[str, str] | None = None, brokers: int = 1
) -> Broker:
    """A broker of a kind (or at an address), not yet started, with the recorder before it."""
    recorder = pytest_config.stash[RECORDER]

    def stand_in(port: int) -> int:
        return recorder.listen("127.0.0.1", port)

    if kind == "kafka" and (running := pytest_config.getoption("--reference")) and not config:
        return ExternalBroker(running, recorder)
    if kind == "kafka":
        release = pytest_config.getoption("--kafka-version")
        return ApacheKafka(release, config=config, brokers=brokers, stand_in=stand_in)
    if kind == "kafkacompat":
        seed = pytest_config.getoption("--seed")
        return KafkacompatBroker(config=config, brokers=brokers, stand_in=stand_in, seed=seed)
    if config or brokers > 1:
        pytest.skip(f"{kind} cannot be given other settings")
    return ExternalBroker(kind, recorder)


@pytest.fixture(scope="session")
def recorder(pytestconfig: pytest.Config) -> Recorder:
    """What stands between clients and brokers and counts requests."""
    return pytestconfig.stash[RECORDER]


@pytest.fixture(scope="session")
def subject(pytestconfig: pytest.Config) -> str:
    """The kind of broker that is compared with Apache Kafka."""
    return _subject(pytestconfig)


def _subject(config: pytest.Config) -> str:
    chosen = str(config.getoption("--broker"))
    return "kafkacompat" if chosen == "both" else chosen


@pytest.fixture(scope="session")
def _shared_brokers() -> Iterator[dict[str, Broker]]:
    yield from closed_at_the_end()


@pytest.fixture
def shared_broker(_shared_brokers: dict[str, Broker], request: pytest.FixtureRequest) -> Callable[[str], Broker]:
    """`shared_broker(kind)` is the running broker of that kind that all tests share."""

    def running(kind: str) -> Broker:
        if kind not in _shared_brokers:
            made = make_broker(kind, request.config)
            try:
                made.start()
                topics.wait_for_coordinator(made.bootstrap_servers)
                request.config.stash[RECORDER].take()  # the test did not ask for that
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
        broker = make_broker(broker_kind, request.config, config, brokers)
        made.append(broker)
        request.node.stash[_LOG] = broker.log_tail
        broker.start()
        return broker

    yield start
    for broker in made:
        broker.close()


@pytest.fixture
def needs_java(pytestconfig: pytest.Config) -> None:
    """Without Java the test skips (and says so) only where this broker alone was asked for; otherwise it fails."""
    try:
        java_program()
    except MissingToolError as missing:
        if pytestconfig.getoption("--broker") != "kafkacompat":
            raise
        pytest.skip(str(missing))


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
