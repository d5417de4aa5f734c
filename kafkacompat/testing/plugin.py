"""The pytest plugin: the fixtures `kafka`, `kafka_cluster`, `kafka_topic` and `kafka_factory`. Every pytest run loads
it where this package is installed, so it imports only pytest until a test requests one of them.
"""

from __future__ import annotations

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from kafkacompat.cluster import Cluster
    from kafkacompat.testing.session_clusters import SessionClusters

MARKER = (
    "kafka(topics=..., config=..., brokers=3, processes=True, ...): the arguments of kafkacompat.Cluster for the "
    "brokers of this test; a test's marker adds to those of its class and module"
)
OPTIONS: tuple[tuple[str, type, str], ...] = (
    ("external", str, "HOST:PORT of brokers that run already: no broker is started, and tests that need more than a "
     "client can do are skipped"),
    ("brokers", int, "the number of brokers of each cluster (default: 1)"),
    ("processes", bool, "run each broker in a process of its own"),
    ("version", str, "the release of Apache Kafka that the brokers offer, for example 3.9"),
    ("reuse", bool, "the fixture `kafka` is a cluster of earlier tests, after reset(), instead of a new one"),
    ("keep", bool, "keep the data directories of the clusters of failing tests"),
    ("log-level", str, "the level of the brokers' log lines, for example debug"),
)  # fmt: skip
"""Name, type and help of each option: `--kafkacompat-NAME`, `kafkacompat_NAME` in the ini file, KAFKACOMPAT_NAME."""

_CLUSTERS: pytest.StashKey[SessionClusters] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, on the command line and in the ini file."""
    group = parser.getgroup("kafkacompat", "Kafka brokers (kafkacompat)")
    for name, kind, text in OPTIONS:
        dest = f"kafkacompat_{name.replace('-', '_')}"
        if kind is bool:
            group.addoption(f"--kafkacompat-{name}", dest=dest, action="store_true", default=None, help=text)
            parser.addini(dest, text, type="bool", default=None)
        else:
            metavar = {"external": "HOST:PORT", "brokers": "N"}.get(name, name.upper())
            group.addoption(f"--kafkacompat-{name}", dest=dest, type=kind, metavar=metavar, default=None, help=text)
            parser.addini(dest, text, type="string", default=None)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", MARKER)


@pytest.fixture
def kafka(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A fresh Kafka cluster for this test. `@pytest.mark.kafka(topics={"orders": 3})` creates topics,
    `@pytest.mark.kafka(brokers=3, processes=True)` starts brokers that can be killed.
    """
    with _clusters(request).for_test(request.node) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def kafka_cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A Kafka cluster that all tests of this process share."""
    with _clusters(request).for_session() as cluster:
        yield cluster


@pytest.fixture
def kafka_topic(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of a new topic for this test alone, in the cluster of the test: `kafka`, or else `kafka_cluster`."""
    name = "kafka" if "kafka" in request.fixturenames else "kafka_cluster"
    with _clusters(request).topic(request.node, request.getfixturevalue(name)) as topic:
        yield topic


@pytest.fixture
def kafka_factory(request: pytest.FixtureRequest) -> Iterator[Callable[..., Cluster]]:
    """Starts clusters: `kafka_factory(brokers=3, topics={"orders": 3})`. The end of the test stops all of them."""
    with _clusters(request).factory(request.node) as make:
        yield make


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test whose fault rule with must_hit=True never matched."""
    result = yield
    if (clusters := item.config.stash.get(_CLUSTERS, None)) is not None:
        clusters.check(item)
    return result


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """End what a test has left in the clusters that it shares with others."""
    if (clusters := item.config.stash.get(_CLUSTERS, None)) is not None:
        clusters.end(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add what the brokers of a failing test know to its report."""
    report = yield
    if report.failed and (clusters := item.config.stash.get(_CLUSTERS, None)) is not None:
        report.sections.extend(clusters.sections(item))
    return report


def _clusters(request: pytest.FixtureRequest) -> SessionClusters:
    """The clusters of this process, one object for each pytest run or xdist worker."""
    config = request.config
    if _CLUSTERS not in config.stash:
        from kafkacompat.testing.session_clusters import SessionClusters

        clusters = config.stash[_CLUSTERS] = SessionClusters(config, request.getfixturevalue("tmp_path_factory").mktemp)
        config.add_cleanup(clusters.close)
    return config.stash[_CLUSTERS]
