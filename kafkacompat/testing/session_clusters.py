"""The clusters of one pytest run, or of one xdist worker: made for the plugin's fixtures, and stopped after them."""

from __future__ import annotations

import logging
import os
from contextlib import ExitStack, contextmanager, suppress

import pytest

from kafkacompat.cluster import Cluster
from kafkacompat.errors import KafkaCompatError
from kafkacompat.testing.external_cluster import ExternalCluster
from kafkacompat.testing.failure_report import keep_data, sections_of
from kafkacompat.testing.plugin_options import PluginOptions, read_options
from kafkacompat.testing.unique_names import topic_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

SESSION_FIXTURES = frozenset(("kafka_cluster", "kafka_topic"))
"""The fixtures that use the session's cluster."""
RESTING_MAX = 4
"""Clusters that wait for a test with the same arguments, with `--kafkacompat-reuse`."""


class SessionClusters:
    """Clusters by the options of a pytest run. Its context managers are the fixtures.

    make_directory(name): returns a new directory that outlives the run, for `--kafkacompat-keep`.
    """

    def __init__(self, config: pytest.Config, make_directory: Callable[[str], os.PathLike[str]]) -> None:
        self.options: PluginOptions = read_options(config, os.environ)
        self._make_directory = make_directory
        self._worker: str = getattr(config, "workerinput", {}).get("workerid", "main")  # as xdist calls it
        self._session: Cluster | None = None
        self._in_use: list[Cluster] = []
        self._resting: dict[str, Cluster] = {}  # by their arguments, the one that was used last at the end
        self._ended = ExitStack()
        self._ended.callback(self._stop_resting)
        if self.options.log_level:
            self._set_log_level(self.options.log_level)

    def close(self) -> None:
        """Undo what lasts longer than the fixtures."""
        self._ended.close()

    # The fixtures

    @contextmanager
    def for_test(self, item: pytest.Item) -> Iterator[Cluster]:
        """The fixture `kafka`."""
        made = self._reused if self.options.reuse and not self.options.external else self._cluster
        with made(self._arguments(item)) as cluster, self._used(cluster):
            yield cluster

    @contextmanager
    def for_session(self) -> Iterator[Cluster]:
        """The fixture `kafka_cluster`."""
        with self._cluster({} if self.options.external else self.options.arguments()) as cluster:
            self._session = cluster
            try:
                yield cluster
            finally:
                self._session = None

    @contextmanager
    def topic(self, item: pytest.Item, cluster: object) -> Iterator[str]:
        """The fixture `kafka_topic`. cluster: the value of the fixture whose topic it is, which may be another plugin's
        or the user's.
        """
        if not isinstance(cluster, (Cluster, ExternalCluster)):
            raise KafkaCompatError(
                f"the fixture `kafka` of this test is a {type(cluster).__name__} of another plugin: request "
                "kafka_cluster instead of it, or define a fixture `kafka` in conftest.py that returns kafka_factory()"
            )
        name = topic_name(item.name, self._worker)
        cluster.create_topics([name])
        try:
            yield name
        finally:
            if isinstance(cluster, ExternalCluster):
                cluster.delete_topics([name])

    @contextmanager
    def factory(self, item: pytest.Item) -> Iterator[Callable[..., Cluster]]:
        """The fixture `kafka_factory`."""
        with ExitStack() as started:

            def make(**arguments: Any) -> Cluster:
                cluster = started.enter_context(self._cluster(self._arguments(item, arguments)))
                started.enter_context(self._used(cluster))
                return cluster

            yield make

    # What tests are told

    def check(self, item: pytest.Item) -> None:
        """Fail the test if a fault rule with must_hit=True never matched a request."""
        for cluster in self._clusters_of(item):
            for fault in cluster.faults.unmet():
                try:
                    fault.check()
                except AssertionError as error:
                    pytest.fail(str(error), pytrace=False)

    def end(self, item: pytest.Item) -> None:
        """End what a test has left in the session's cluster: fault rules, cut links, slow disks, a frozen clock."""
        for cluster in self._clusters_of(item):
            if cluster is self._session:
                cluster.faults.clear()
                with suppress(KafkaCompatError):  # it has stopped, or runs in processes of its own
                    cluster.heal_all()
                    cluster.clock.resume()

    def sections(self, item: pytest.Item) -> list[tuple[str, str]]:
        """Titles and texts for the report of a failing test, of its clusters that still run."""
        clusters = self._clusters_of(item)
        notes = [""] * len(clusters)
        if self.options.keep:
            name = topic_name(item.name, self._worker)
            notes = [keep_data(cluster, lambda: self._make_directory(name)) for cluster in clusters]
        return sections_of(clusters, notes)

    def _clusters_of(self, item: pytest.Item) -> list[Cluster]:
        uses_session = not SESSION_FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))
        session = [self._session] if self._session is not None and uses_session else []
        return [each for each in (*session, *self._in_use) if isinstance(each, Cluster)]

    # Small parts

    def _arguments(self, item: pytest.Item, given: dict[str, Any] | None = None) -> dict[str, Any]:
        """The arguments of Cluster: those of options, overridden by the markers of module, class and test, overridden
        by the given ones.
        """
        arguments = {} if self.options.external else self.options.arguments()
        for marker in reversed(list(item.iter_markers("kafka"))):
            if marker.args:
                raise KafkaCompatError(
                    f"@pytest.mark.kafka{marker.args}: give named arguments, as to kafkacompat.Cluster"
                )
            arguments.update(marker.kwargs)
        return {**arguments, **(given or {})}

    @contextmanager
    def _cluster(self, arguments: dict[str, Any]) -> Iterator[Cluster]:
        if self.options.external:
            with ExternalCluster(self.options.external).for_test(arguments) as external:
                yield external  # type: ignore[misc]  # tests that use what it has not are skipped
        else:
            with Cluster(**arguments) as cluster:
                _journal(cluster)
                yield cluster

    @contextmanager
    def _reused(self, arguments: dict[str, Any]) -> Iterator[Cluster]:
        """A cluster that was started with these arguments, apart from topics, and is as right after its start."""
        if arguments.get("data_dir") is not None:  # its data is to be there after the test
            with self._cluster(arguments) as cluster:
                yield cluster
            return
        has_records = bool(arguments.get("records"))  # which are written into its topics at the start
        shape = {name: value for name, value in arguments.items() if name != "topics" or has_records}
        topics = {} if has_records else arguments.get("topics", {})
        key = repr(sorted(shape.items()))
        again = self._fresh_again(self._resting.pop(key, None), topics)
        cluster = again or Cluster(**shape).start()
        try:
            if again is None and topics:
                cluster.create_topics(topics)
            _journal(cluster)
            yield cluster
        finally:
            cluster.faults.clear()
            self._resting[key] = cluster
            while len(self._resting) > RESTING_MAX:
                self._resting.pop(next(iter(self._resting))).stop()

    def _fresh_again(self, cluster: Cluster | None, topics: Any) -> Cluster | None:
        """The cluster after a reset, with these topics. None if it cannot be reset: a broker was stopped, or they run
        in processes of their own.
        """
        if cluster is None:
            return None
        try:
            cluster.reset_with(topics)
        except KafkaCompatError:
            cluster.stop()
            return None
        except BaseException:  # an interrupt: nobody would stop it
            cluster.stop()
            raise
        return cluster

    def _stop_resting(self) -> None:
        while self._resting:
            self._resting.popitem()[1].stop()

    @contextmanager
    def _used(self, cluster: Cluster) -> Iterator[None]:
        self._in_use.append(cluster)
        try:
            yield
        finally:
            self._in_use.remove(cluster)

    def _set_log_level(self, level: str) -> None:
        log = logging.getLogger("kafkacompat")
        self._ended.callback(log.setLevel, log.level)
        try:
            log.setLevel(level.upper())
        except ValueError:
            raise KafkaCompatError(
                f"--kafkacompat-log-level {level}: use debug, info, warning, error or critical"
            ) from None


def _journal(cluster: Cluster) -> None:
    """Let the brokers keep their last requests, for the report of a failing test."""
    if cluster.keeps_journal:  # a reset leaves it on, and empty
        return
    with suppress(KafkaCompatError):  # brokers in processes of their own cannot be asked
        cluster.journal()
