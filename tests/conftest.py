"""What holds for all tests."""

import os
import signal
import socket
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from compat_tests.report import sampling

# A busy machine makes any single example slow: what takes how long is measured by the benchmarks.
settings.register_profile("busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", settings.get_profile("busy machine"), max_examples=2_000)
settings.load_profile("busy machine")

# A job in the background of a script ignores SIGINT, one of nohup SIGHUP, and so would the processes that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_addoption(parser: pytest.Parser) -> None:
    sampling.add_option(parser)


def pytest_configure(config: pytest.Config) -> None:
    sampling.add_marker(config)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = sampling.of_another_run(items, config)
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session", autouse=True)
def _variables_of_tests_alone() -> Iterator[None]:
    """Brokers, verbs and the plugin read the environment, here and in processes that tests start: what the shell or CI
    has set is not a test's.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("KAFKACOMPAT_", "KAFKA_"))]:
            patch.delenv(name)
        yield


@pytest.fixture
def has_ipv6() -> bool:
    if not socket.has_ipv6:
        return False
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True
