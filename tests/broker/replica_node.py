"""Whole brokers that replicate among themselves over a network of frames, time by hand.

The controller is its functions on one image, which reaches each broker when the test lets it.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from kafkacompat.broker.broker import Broker
from kafkacompat.broker.connection import Connection
from kafkacompat.broker.network import Address
from kafkacompat.broker.registry import APIS
from kafkacompat.config import BrokerConfig, development_defaults
from kafkacompat.now import Now
from kafkacompat.protocol.api_keys import ASSIGN_REPLICAS_TO_DIRS
from kafkacompat.protocol.headers import (
    RequestHeader,
    decode_response_header,
    encode_request_header,
    response_header_is_flexible,
)
from kafkacompat.protocol.messages.create_topics import CreatableReplicaAssignment as Assignment
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from kafkacompat.replication.controller import brokers
from kafkacompat.replication.controller.alter_partition import alter_partition
from kafkacompat.replication.controller.topics import create_topics
from kafkacompat.replication.metadata.delta import apply
from kafkacompat.replication.metadata.image import EMPTY_IMAGE, BrokerImage, Endpoint
from kafkacompat.replication.metadata.settings import Settings
from kafkacompat.steps import at_once
from kafkacompat.storage.memfs import MemFs
from tests.broker.starting import assert_effects_carried_out

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.replication.metadata.result import Result
    from kafkacompat.replication.partition import Partition

LISTENER = "PLAINTEXT"
FIRST_BROKER_EPOCH = 10
STEM_TO_API = {api.stem: api for api in APIS.values()}


class Node(Broker):
    """A broker on its disk that never begins: what a controller and a lifecycle would do, the cluster does. Late
    metadata and late syncs do not come while a test says so.
    """

    cluster: Cluster
    fs: MemFs

    @classmethod
    def start(cls, cluster: Cluster, node_id: int, fs: MemFs) -> Node:
        node = cls.open(
            config=cluster.config(node_id), fs=fs, data_dir="/data", endpoints=[Endpoint(LISTENER, "h", node_id)],
            now=cluster.now, rng=random.Random(node_id), cluster_id="c",
        )  # fmt: skip
        assert isinstance(node, Node)
        node.cluster, node.fs = cluster, fs
        node.metadata_is_late = node.syncs_are_late = False
        node.network = node.fetchers.network = cluster.network_of(node_id)
        node.channel.request = Channel(cluster).request  # type: ignore[method-assign]
        assert node.lifecycle is not None
        node.lifecycle.broker_epoch = cluster.image.brokers[node_id].epoch
        node.connection = Connection(node_id, "127.0.0.1", LISTENER)
        node.connections = []
        node.take(cluster.image)
        return node

    def take(self, image: MetadataImage) -> None:
        self._on_metadata(self.image, image, self.cluster.now)

    def partition(self, topic: str = "t", index: int = 0) -> Partition:
        found = self.partitions.get(topic, index)
        assert found is not None
        return found

    def ask(self, request: Any, version: int, connection: Connection | None = None) -> list[Any]:
        """Send a request; what is answered, now or later, is appended to the list."""
        answers: list[Any] = []
        api = STEM_TO_API[type(request).__module__.rpartition(".")[2]]
        connection = connection or Connection(99, "127.0.0.1", LISTENER)
        frame = encode(api, version, request)
        self.dispatch(frame, connection, self.cluster.now, lambda parts: answers.append(decode(api, version, parts)))
        return answers


class Channel:
    """To the controller, which answers in a later turn; `cluster.controller_is_away` loses what is asked."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def request(
        self, _lane: str, api_key: int, version: int, request: Any, done: Callable, *, timeout_ms: int, now: Now
    ) -> None:
        if api_key == ASSIGN_REPLICAS_TO_DIRS:  # directories are as they are
            return
        assert (api_key, version) == (56, 3)
        self._cluster.proposals.append(request)
        self._cluster.later(lambda: done(self._cluster.decide(request), self._cluster.now))


class FakeNetwork:
    """One node's ends of its connections. Requests go as frames; answers of what is cut off do not come."""

    def __init__(self, cluster: Cluster, node_id: int) -> None:
        self._cluster = cluster
        self._node_id = node_id
        self._open: dict[tuple[int, str], Connection] = {}

    def send(
        self,
        to: Address,
        channel: str,
        client_id: str,
        api_key: int,
        version: int,
        request: Any,
        timeout_ms: int,
        done: Callable,
    ) -> None:
        cluster = self._cluster
        api = APIS[api_key]
        frame = encode(api, version, request, client_id)
        cluster.requests.append((self._node_id, to.port, request))
        key = to.port, channel
        node = cluster.nodes.get(to.port)
        connection = self._open.get(key)
        if connection is None or node is None or connection not in node.connections:
            connection = self._open[key] = Connection(1000 + self._node_id, "127.0.0.1", LISTENER)
            if node is not None:
                node.connections.append(connection)

        def arrive() -> None:
            if self._is_cut(to) or node is not cluster.nodes.get(to.port):
                done(None, cluster.now)
            else:
                node.dispatch(frame, connection, cluster.now, answered)

        def answered(parts: list[Any] | None) -> None:
            message = decode(api, version, parts)
            cluster.later(lambda: done(None if self._is_cut(to) else message, cluster.now))

        cluster.later(arrive)

    def _is_cut(self, to: Address) -> bool:
        pair = {self._node_id, to.port}
        return any(pair & cut == pair for cut in self._cluster.cuts) or not pair <= set(self._cluster.nodes)

    def close_channel(self, to: Address, channel: str) -> None:
        connection = self._open.pop((to.port, channel), None)
        node = self._cluster.nodes.get(to.port)
        if connection is not None and node is not None:
            for pending in connection.waiting:
                node.purgatory.discard(pending)

    def dial(self, to: Address, done: Callable) -> None:
        raise NotImplementedError


class Cluster:
    """Some brokers, all registered and unfenced, with a disk each, and the controller's image."""

    def __init__(self, *node_ids: int, racks: dict[int, str] | None = None, **config: str) -> None:
        self.now = Now(1_000_000, 1_700_000_000_000)
        self._config = {name.replace("_", "."): value for name, value in config.items()}
        self.image = EMPTY_IMAGE.but(
            brokers={
                node_id: BrokerImage(
                    node_id, FIRST_BROKER_EPOCH + node_id, bytes([node_id]) * 16, (Endpoint(LISTENER, "h", node_id),),
                    (racks or {}).get(node_id), fenced=False, log_dirs=(bytes([node_id]) * 16,),
                )
                for node_id in node_ids
            },
            offset=100,
        )  # fmt: skip
        self.settings = Settings(node_ids[0], self.config(node_ids[0]))
        self._turns: list[Callable[[], None]] = []
        self.requests: list[tuple[int, int, Any]] = []
        self.proposals: list[Any] = []
        self.cuts: list[set[int]] = []
        self.controller_answer: Any = None
        self.nodes: dict[int, Node] = {}
        for node_id in node_ids:
            self.start(node_id, MemFs())

    def __getitem__(self, node_id: int) -> Node:
        return self.nodes[node_id]

    def config(self, node_id: int) -> BrokerConfig:
        alone = {"node.id": str(node_id), "process.roles": "broker", "controller.quorum.bootstrap.servers": "h:99"}
        return BrokerConfig.from_sources(
            {}, {**alone, "controller.listener.names": "CONTROLLER", **self._config}, development_defaults(3)
        )

    def network_of(self, node_id: int) -> Any:
        return FakeNetwork(self, node_id)

    def start(self, node_id: int, fs: MemFs) -> Node:
        self.nodes[node_id] = Node.start(self, node_id, fs)
        return self.nodes[node_id]

    def kill(self, node_id: int) -> MemFs:
        """kill -9; the disk is what is left."""
        fs = self.nodes.pop(node_id).fs
        fs.restart()
        return fs

    # Turns

    def later(self, action: Callable[[], None]) -> None:
        self._turns.append(action)

    def settle(self, turns: int = 200) -> None:
        """Deliver, fire what is due and sync until nothing moves."""
        for _ in range(turns):
            self.deliver()
            if not self.run_timers():
                for node in self.nodes.values():
                    assert_effects_carried_out(node)
                return
        raise AssertionError("it goes round and round")

    def deliver(self) -> None:
        """The first part of a turn: what was sent arrives."""
        actions, self._turns = self._turns, []
        for action in actions:
            action()

    def run_timers(self) -> bool:
        """The other part of a turn: sync, and fire what is due. Returns whether there is more to do now."""
        for node in list(self.nodes.values()):
            if not node.syncs_are_late:
                node.flusher.background.run_inline(self.now)
            node.timers.run(self.now)
        return bool(self._turns) or any(self._has_work(node) for node in self.nodes.values())

    def _has_work(self, node: Node) -> bool:
        deadline_ms = node.timers.next_deadline_ms()
        is_due = deadline_ms is not None and deadline_ms <= self.now.monotonic_ms
        return is_due or (node.flusher.has_work and not node.syncs_are_late)

    def advance(self, duration_ms: int, step_ms: int = 20) -> None:
        for _ in range(max(1, duration_ms // step_ms)):
            self.now = Now(self.now.monotonic_ms + step_ms, self.now.wall_ms + step_ms)
            self.settle()

    # The controller

    def commit(self, result: Result) -> Any:
        """Append the records; brokers that are not late have the new image at once."""
        if result.records:
            self.image = apply(self.image, result.records, self.image.offset + len(result.records), 1)
            self.later(self.publish)
        return result.response

    def publish(self) -> None:
        for node in list(self.nodes.values()):
            if not node.metadata_is_late and node.image is not self.image:
                node.take(self.image)

    def decide(self, request: Any) -> Any:
        if self.controller_answer is not None:
            return self.controller_answer(request)
        return self.commit(alter_partition(request, self.image, self.settings))

    def create_topic(self, name: str, *assignments: list[int], **configs: str) -> None:
        topic = CreatableTopic(
            name, -1, -1, [Assignment(index, replicas) for index, replicas in enumerate(assignments)],
            [CreatableTopicConfig(key.replace("_", "."), value) for key, value in configs.items()],
        )  # fmt: skip
        request = CreateTopicsRequest(topics=[topic])
        response = self.commit(at_once(create_topics(request, self.image, self.settings, random.Random(1))))
        assert response.topics[0].error_code == 0, response
        self.settle()

    def fence(self, node_id: int) -> None:
        self.commit(brokers.fence(node_id, self.image, self.settings))
        self.settle()

    def unfence(self, node_id: int) -> None:
        self.commit(brokers.unfence(node_id, self.image, self.settings))
        self.settle()

    def restart(self, node_id: int, fs: MemFs, previous_epoch: int = -1) -> Node:
        """Register the next life of a broker, let it in, start it."""
        registration = brokers.Registration(
            node_id, random.Random(self.image.offset).randbytes(16), (Endpoint(LISTENER, "h", node_id),),
            [bytes([node_id]) * 16], rack=self.image.brokers[node_id].rack, previous_epoch=previous_epoch,
        )  # fmt: skip
        self.commit(brokers.register(registration, self.image, self.settings, self.image.offset + 1))
        node = self.start(node_id, fs)
        self.commit(brokers.unfence(node_id, self.image, self.settings))
        self.settle()
        return node


def encode(api: Any, version: int, request: Any, client_id: str = "tests") -> bytes:
    out: list[Any] = []
    api.messages.encode_request(request, version, out)
    return encode_request_header(RequestHeader(api.key, version, 7, client_id)) + b"".join(map(bytes, out))


def decode(api: Any, version: int, parts: list[Any] | None) -> Any:
    """The message; slices are read and released, as the shell does."""
    if parts is None:
        return None
    frame = bytearray()
    for part in parts:
        if hasattr(part, "read"):
            frame += part.read(0, len(part))
            part.release()
        else:
            frame += part
    _, position = decode_response_header(frame, response_header_is_flexible(api.key, version))
    return api.messages.decode_response(frame, position, version)
