"""A client of one cluster: connections by broker, metadata, and routing to leaders, the controller and coordinators."""

from __future__ import annotations

import time

from kafkacompat.client.connection import Connection
from kafkacompat.client.errors import (
    AddressError,
    BrokerError,
    ClientError,
    ExpiredError,
    SecurityError,
    UnreachableError,
)
from kafkacompat.client.texts import partition_of
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import NO_NODE
from kafkacompat.protocol.messages import metadata as metadata_messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from types import ModuleType
    from typing import Any, TypeVar

    from kafkacompat.client.security import Security
    from kafkacompat.protocol.messages.metadata import MetadataResponse

    Value = TypeVar("Value")

Place = tuple[str, int]
"""A partition: topic and number."""

CONNECT_TIMEOUT_S = 10.0
DEFAULT_PORT = 9092
MAX_BOOTSTRAP_SERVERS = 100
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.02, 1.0
"""Between retries; each pause is twice as long as the last."""
UNKNOWN_TOPIC_PATIENCE_S = 0.5
"""A topic may be so new that a broker does not know it yet; after this it does not exist."""
LEFT_OUT = "the broker's answer leaves it out"
SEVERAL_COORDINATORS_VERSION = 4
"""From this version on FindCoordinator has a list of keys."""
GROUP_KEY, TRANSACTION_KEY = 0, 1
"""FindCoordinator's key types, of groups and of transactional ids."""

STALE_METADATA = frozenset(
    {
        errors.NOT_LEADER_OR_FOLLOWER, errors.LEADER_NOT_AVAILABLE, errors.FENCED_LEADER_EPOCH,
        errors.UNKNOWN_LEADER_EPOCH, errors.KAFKA_STORAGE_ERROR, errors.REPLICA_NOT_AVAILABLE,
        errors.OFFSET_NOT_AVAILABLE, errors.BROKER_NOT_AVAILABLE, errors.LISTENER_NOT_FOUND,
    }
)  # fmt: skip
"""Errors after which metadata is asked for again."""
_COORDINATOR_MOVES = frozenset(
    {errors.NOT_COORDINATOR, errors.COORDINATOR_NOT_AVAILABLE, errors.COORDINATOR_LOAD_IN_PROGRESS}
)


def parse_servers(bootstrap_servers: str) -> list[tuple[str, int]]:
    """Hosts and ports of a list like "host:9092,[::1]:9093". Raises AddressError."""
    servers = []
    for text in filter(None, (part.strip() for part in bootstrap_servers.split(","))):
        item = text.rpartition("//")[2]  # PLAINTEXT://host:9092
        host, colon, port = item.rpartition(":")
        if not colon or (":" in host and not host.startswith("[")):
            host, port = item, str(DEFAULT_PORT)
        host = host.strip("[]")
        if not host or not port.isascii() or not port.isdecimal() or not 0 < int(port) < 65_536:
            raise AddressError(f"{item!r} is no address: write HOST:PORT")
        servers.append((host, int(port)))
    if not 0 < len(servers) <= MAX_BOOTSTRAP_SERVERS:
        raise AddressError(f"{bootstrap_servers!r} has {len(servers)} addresses: give 1 to {MAX_BOOTSTRAP_SERVERS}")
    return servers


class Client:
    """A client of the cluster at `bootstrap_servers`. It connects when it is used first; use it in a with block.

    A call ends after `timeout_s`, with retries. Raises AddressError for addresses that are none.
    """

    def __init__(
        self, bootstrap_servers: str, *, security: Security | None = None, client_id: str = "kafkacompat",
        timeout_s: float = 30.0,
    ) -> None:  # fmt: skip
        self.servers = parse_servers(bootstrap_servers)
        self.timeout_s = timeout_s
        self._security = security
        self._client_id = client_id
        self._bootstrap: Connection | None = None
        self._connections: dict[int, Connection] = {}
        self._brokers: dict[int, tuple[str, int]] = {}
        self._leaders: dict[Place, int] = {}
        self._coordinators: dict[tuple[int, str], int] = {}
        self._was_connected = False
        self.controller_id = NO_NODE

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        for connection in (*self._connections.values(), *filter(None, [self._bootstrap])):
            connection.close()
        self._bootstrap = None
        self._connections.clear()

    # -- connections

    def connect(self, host: str, port: int, timeout_s: float | None = None) -> Connection:
        """Open a connection that the caller closes."""
        within_s = min(CONNECT_TIMEOUT_S, self.timeout_s if timeout_s is None else timeout_s)
        return Connection(host, port, security=self._security, client_id=self._client_id, timeout_s=within_s)

    def any_connection(self) -> Connection:
        """A connection to the first broker that can be reached. Raises UnreachableError with each one's reason."""
        if self._bootstrap is not None:
            return self._bootstrap
        deadline_s = time.monotonic() + self.timeout_s
        failures: list[ClientError] = []
        for host, port in dict.fromkeys([*self.servers, *self._brokers.values()]):
            try:
                self._bootstrap = self.connect(host, port, max(deadline_s - time.monotonic(), 0.001))
            except SecurityError:
                raise
            except ClientError as error:
                failures.append(error)
            else:
                self._was_connected = True
                return self._bootstrap
        if len(failures) == 1:
            raise failures[0]
        raise UnreachableError("no broker can be reached: " + "; ".join(map(str, failures)))

    def address_of(self, node_id: int) -> tuple[str, int]:
        """The advertised address of a broker. Raises UnreachableError if it is not in the metadata."""
        if node_id not in self._brokers:
            self.metadata(())
        if node_id not in self._brokers:
            raise UnreachableError(f"broker {node_id} is not in the cluster's metadata: it is down")
        return self._brokers[node_id]

    def node(self, node_id: int) -> Connection:
        """The connection to a broker. Raises ClientError."""
        connection = self._connections.get(node_id)
        if connection is None:
            address = self.address_of(node_id)
            if self._bootstrap is not None and self._bootstrap.is_at(*address):
                connection = self._bootstrap
            else:
                connection = self.connect(*address)
            self._connections[node_id] = connection
        return connection

    def forget(self, connection: Connection) -> None:
        """Close a connection that failed: the next use opens another."""
        connection.close()
        if self._bootstrap is connection:
            self._bootstrap = None
        for node_id, other in list(self._connections.items()):
            if other is connection:
                del self._connections[node_id]

    # -- calls

    def call(
        self, messages: ModuleType, request: object, *, timeout_s: float | None = None, max_version: int | None = None
    ) -> Any:
        """Ask any broker. A connection that was lost is tried again once."""
        for attempt in (1, 2):
            was_open = self._bootstrap is not None
            try:
                return self._call(self.any_connection(), messages, request, timeout_s, max_version)
            except UnreachableError:
                if attempt == 2 or not was_open:
                    raise
        raise AssertionError

    def call_node(
        self, node_id: int, messages: ModuleType, request: object, *, timeout_s: float | None = None,
        max_version: int | None = None,
    ) -> Any:  # fmt: skip
        """Ask one broker, once."""
        return self._call(self.node(node_id), messages, request, timeout_s, max_version)

    def call_controller(
        self, messages: ModuleType, request: object, error_of: Callable[[Any], int], *,
        max_version: int | None = None,
    ) -> Any:  # fmt: skip
        """Ask the controller, or the broker that forwards to it; again while `error_of(response)` is NOT_CONTROLLER."""

        def once() -> Any:
            self.metadata(())
            node_id = self.controller_id
            if node_id in self._brokers:
                return self.call_node(node_id, messages, request, max_version=max_version)
            return self.call(messages, request, max_version=max_version)

        return self._retrying(once, lambda response: error_of(response) == errors.NOT_CONTROLLER)

    def coordinator(self, key: str, key_type: int = GROUP_KEY) -> int:
        """The broker that coordinates a group (or what `key_type` stands for). Raises BrokerError, ExpiredError."""
        found = self._coordinators.get((key_type, key))
        if found is not None:
            return found
        from kafkacompat.protocol.messages import find_coordinator as messages

        def request(version: int) -> messages.FindCoordinatorRequest:
            if version >= SEVERAL_COORDINATORS_VERSION:
                return messages.FindCoordinatorRequest(key_type=key_type, coordinator_keys=[key])
            return messages.FindCoordinatorRequest(key, key_type)

        def once() -> Any:
            response = self.call(messages, request)
            return response.coordinators[0] if response.coordinators else response

        answer = self._retrying(once, lambda response: response.error_code in _COORDINATOR_MOVES)
        if answer.error_code != errors.NONE:
            raise BrokerError(answer.error_code, f"coordinator of {key!r}", answer.error_message)
        self._brokers[answer.node_id] = (answer.host, answer.port)
        self._coordinators[key_type, key] = int(answer.node_id)
        return int(answer.node_id)

    def call_coordinator(
        self, key: str, messages: ModuleType, request: object, error_of: Callable[[Any], int], *,
        key_type: int = GROUP_KEY, timeout_s: float | None = None, max_version: int | None = None,
    ) -> Any:  # fmt: skip
        """Ask the coordinator of a group; again while `error_of(response)` says that it moves or loads."""

        def once() -> Any:
            try:
                node_id = self.coordinator(key, key_type)
                return self.call_node(node_id, messages, request, timeout_s=timeout_s, max_version=max_version)
            except UnreachableError:
                self._coordinators.pop((key_type, key), None)
                raise

        def moves(response: Any) -> bool:
            try:
                error_code = error_of(response)
            except IndexError:
                raise BrokerError(errors.UNKNOWN_SERVER_ERROR, f"group {key!r}", LEFT_OUT) from None
            if error_code not in _COORDINATOR_MOVES:
                return False
            self._coordinators.pop((key_type, key), None)
            return True

        return self._retrying(once, moves, retry_unreachable=True)

    def _call(
        self, connection: Connection, messages: ModuleType, request: object, timeout_s: float | None,
        max_version: int | None,
    ) -> Any:  # fmt: skip
        try:
            return connection.call(
                messages, request, timeout_s=self.timeout_s if timeout_s is None else timeout_s, max_version=max_version
            )
        except ClientError:
            self.forget(connection)
            raise

    def _retrying(
        self, once: Callable[[], Any], is_stale: Callable[[Any], bool], *, retry_unreachable: bool = False
    ) -> Any:
        """The first response that is not stale, or the last one when the time is over. With `retry_unreachable` brokers
        that go away are waited for, but not before one was there.
        """
        deadline_s = time.monotonic() + self.timeout_s
        for pause_s in pauses_s(deadline_s):
            try:
                response = once()
                if pause_s is None or not is_stale(response):
                    return response
            except UnreachableError:
                if pause_s is None or not (retry_unreachable and self._was_connected):
                    raise
            time.sleep(pause_s)
        raise AssertionError

    # -- metadata

    def metadata(
        self, topics: Collection[str] | None, *, auto_create: bool = False, authorized_operations: bool = False
    ) -> MetadataResponse:
        """Ask for brokers and topics (None: all topics, (): none), and remember who leads.

        A topic that the answer leaves out does not exist, as far as that broker tells.
        """
        request = metadata_messages.MetadataRequest(
            topics=None if topics is None else [metadata_messages.MetadataRequestTopic(name=name) for name in topics],
            allow_auto_topic_creation=auto_create,
            include_topic_authorized_operations=authorized_operations,
        )
        response: MetadataResponse = self.call(metadata_messages, request)
        brokers = {broker.node_id: (broker.host, broker.port) for broker in response.brokers}
        for node_id, address in brokers.items():
            if self._brokers.get(node_id, address) != address and node_id in self._connections:
                self.forget(self._connections[node_id])
        self._brokers = brokers
        self.controller_id = response.controller_id
        left_out = set(topics or ()).difference(topic.name for topic in response.topics)
        if left_out:
            kind, code = metadata_messages.MetadataResponseTopic, errors.UNKNOWN_TOPIC_OR_PARTITION
            response.topics = [*response.topics, *(kind(code, name) for name in sorted(left_out))]
        for topic in response.topics:
            for partition in topic.partitions:
                self._leaders[topic.name or "", partition.partition_index] = partition.leader_id
        return response

    def partitions(self, topic: str, *, auto_create: bool = False) -> list[int]:
        """The partitions of a topic. Raises BrokerError if there is no such topic."""
        started_s = time.monotonic()
        for pause_s in pauses_s(started_s + self.timeout_s):
            (found,) = self.metadata([topic], auto_create=auto_create).topics
            if found.error_code == errors.NONE:
                return sorted(partition.partition_index for partition in found.partitions)
            is_new = found.error_code == errors.LEADER_NOT_AVAILABLE or (
                found.error_code == errors.UNKNOWN_TOPIC_OR_PARTITION
                and (auto_create or time.monotonic() - started_s < UNKNOWN_TOPIC_PATIENCE_S)
            )
            if pause_s is None or not is_new:
                raise BrokerError(found.error_code, f"topic {topic!r}")
            time.sleep(pause_s)
        raise AssertionError

    def leader(self, place: Place) -> int:
        """The leader of a partition as last heard of, -1 without one. Raises BrokerError if the topic lacks it."""
        if place not in self._leaders:
            self.partitions(place[0])
        if place not in self._leaders:
            raise BrokerError(errors.UNKNOWN_TOPIC_OR_PARTITION, partition_of(place))
        return self._leaders[place]

    def is_stale(self, code: int, place: Place) -> bool:
        """Whether a leader's error says that metadata have moved on, and it should be asked again.

        A leader may not have heard yet of a topic so new that others know it.
        """
        if code != errors.UNKNOWN_TOPIC_OR_PARTITION:
            return code in STALE_METADATA
        try:
            return place[1] in self.partitions(place[0])
        except BrokerError:
            return False

    def refresh_leaders(self, places: Iterable[Place]) -> None:
        """Ask again who leads these partitions."""
        self.metadata(sorted({topic for topic, _ in places}))

    def by_leader(self, places: Iterable[Place]) -> dict[int, list[Place]]:
        """Partitions by their leaders; those without one are under -1."""
        led: dict[int, list[Place]] = {}
        for place in places:
            led.setdefault(self.leader(place), []).append(place)
        return led

    def call_leaders(
        self,
        places: Iterable[Place],
        call: Callable[[int, list[Place]], Mapping[Place, tuple[int, Value]]],
    ) -> dict[Place, Value]:
        """Call `call(leader, places)` for each leader, and again for partitions whose leader moved.

        `call` returns an error code and a value for each partition. Raises BrokerError for the first partition with
        another error, or without a leader when the time is over.
        """
        todo = list(places)
        done: dict[Place, Value] = {}
        for pause_s in pauses_s(time.monotonic() + self.timeout_s):
            failed: dict[Place, int] = {}
            for leader, led in self.by_leader(todo).items():
                for place, (code, value) in self._answers(leader, led, call).items():
                    if code == errors.NONE:
                        assert value is not None
                        done[place] = value
                    elif pause_s is None or not self.is_stale(code, place):
                        raise BrokerError(code, partition_of(place))
                    else:
                        failed[place] = code
            todo = list(failed)
            if not todo:
                break
            if pause_s is not None:
                time.sleep(pause_s)
                self.refresh_leaders(todo)
        return done

    def _answers(
        self,
        leader: int,
        led: list[Place],
        call: Callable[[int, list[Place]], Mapping[Place, tuple[int, Value]]],
    ) -> Mapping[Place, tuple[int, Value | None]]:
        """What `call` returns; a leader that is missing or not reached is an error of each partition."""
        if leader < 0:
            return dict.fromkeys(led, (errors.LEADER_NOT_AVAILABLE, None))
        try:
            return call(leader, led)
        except UnreachableError:
            return dict.fromkeys(led, (errors.BROKER_NOT_AVAILABLE, None))


def pauses_s(deadline_s: float) -> Iterable[float | None]:
    """Pauses between attempts, each twice as long; None before the last attempt, when the deadline has passed."""
    pause_s = FIRST_PAUSE_S
    while (left_s := deadline_s - time.monotonic()) > 0:
        yield min(pause_s, left_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
    yield None


def expired(what: str, timeout_s: float) -> ExpiredError:
    """The error of a wait that took too long."""
    return ExpiredError(f"{what} within {timeout_s:g} s")
