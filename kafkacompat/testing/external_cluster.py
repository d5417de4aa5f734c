"""Brokers that run already, behind the fixtures: a test that needs more than a client can do is skipped."""

from __future__ import annotations

from contextlib import contextmanager
from typing import NamedTuple

import pytest

from kafkacompat.client.client import Client
from kafkacompat.client.topic_admin import NewTopic, create_topics, delete_topics, wait_for_leaders
from kafkacompat.cluster import Cluster
from kafkacompat.cluster.client_settings import client_settings, unique_group_id
from kafkacompat.control_api.seeds import parse_topics
from kafkacompat.errors import KafkaCompatError
from kafkacompat.protocol import error_codes as errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any, NoReturn

    from kafkacompat.cluster.cluster import Topics

TIMEOUT_S = 30.0


class ExternalBroker(NamedTuple):
    """A broker as the metadata shows it."""

    id: int
    address: str

    @property
    def is_running(self) -> bool:
        """True: brokers that do not run are not in the metadata."""
        return True


class ExternalCluster:
    """The verbs of `Cluster` that any Kafka serves. The other ones skip the test.

    Raises KafkaCompatError if no broker can be reached, or if one refuses.
    """

    def __init__(self, bootstrap_servers: str) -> None:
        self.bootstrap_servers = bootstrap_servers

    @contextmanager
    def for_test(self, arguments: Mapping[str, Any]) -> Iterator[ExternalCluster]:
        """This cluster with the topics of a test, which are deleted at its end. arguments: those of Cluster."""
        for name, value in arguments.items():
            if name == "brokers":
                if len(self.brokers) < value:
                    self._skip(f"{value} brokers are needed, and there are {len(self.brokers)}")
            elif name != "topics" and value:
                self._skip(f"{name}={value!r} needs brokers that the test starts")
        topics = arguments.get("topics", ())
        created = self._create(topics, may_exist=False)
        try:
            yield self
        finally:
            self.delete_topics(created)

    @property
    def cluster_id(self) -> str:
        """The cluster id, "" if the brokers do not say it."""
        with self._client() as client:
            return client.metadata(()).cluster_id or ""

    @property
    def brokers(self) -> list[ExternalBroker]:
        """The brokers by id."""
        with self._client() as client:
            found = client.metadata(()).brokers
        return sorted(ExternalBroker(each.node_id, f"{each.host}:{each.port}") for each in found)

    def config_for(self, client: str) -> dict[str, Any]:
        """As `Cluster.config_for`."""
        return client_settings(client, self.bootstrap_servers)

    def group_id(self, prefix: str = "group") -> str:
        """As `Cluster.group_id`."""
        return unique_group_id(prefix)

    def create_topics(self, topics: Topics) -> None:
        """As `Cluster.create_topics`. Nobody deletes them; the fixture `kafka_topic` and markers do."""
        self._create(topics, may_exist=True)

    def delete_topics(self, names: Collection[str]) -> None:
        """Delete topics. One that does not exist is no error."""
        if not names:
            return
        with self._client() as client:
            for error in delete_topics(client, names).values():
                if error is not None and error.error_code != errors.UNKNOWN_TOPIC_OR_PARTITION:
                    raise error

    def __enter__(self) -> ExternalCluster:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the brokers as they are."""

    def __getattr__(self, name: str) -> NoReturn:
        if not name.startswith("_") and hasattr(Cluster, name):
            self._skip(f"`{name}` needs brokers that the test starts")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"<ExternalCluster {self.bootstrap_servers}>"

    def _create(self, topics: Topics, *, may_exist: bool) -> list[str]:
        """Create topics; returns the names of those that did not exist."""
        wanted = {name: NewTopic(*shape) for name, shape in parse_topics(topics).items()}
        if not wanted:
            return []
        with self._client() as client:
            results = create_topics(client, wanted)
            created = [name for name, error in results.items() if error is None]
            refused = {
                name: error
                for name, error in results.items()
                if error is not None and not (may_exist and error.error_code == errors.TOPIC_ALREADY_EXISTS)
            }
            if not refused:
                wait_for_leaders(client, wanted)
                return created
        self.delete_topics(created)
        name, error = refused.popitem()
        if error.error_code == errors.TOPIC_ALREADY_EXISTS:
            raise KafkaCompatError(
                f"topic {name!r} exists already at {self.bootstrap_servers}: delete it, or use the fixture "
                "kafka_topic, whose names are new"
            )
        raise error

    def _client(self) -> Client:
        return Client(self.bootstrap_servers, timeout_s=TIMEOUT_S, client_id="kafkacompat-pytest")

    def _skip(self, why: str) -> NoReturn:
        pytest.skip(f"{why} (--kafkacompat-external {self.bootstrap_servers})")
