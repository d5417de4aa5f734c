"""Several nodes' members of one metadata quorum in one thread: disks in memory, messages as bytes, time by hand."""

from __future__ import annotations

import heapq
import random
from typing import TYPE_CHECKING, Any

from kafkacompat.broker.broker import Broker
from kafkacompat.broker.connection import CONTROLLER, Connection
from kafkacompat.broker.network import OPEN, REFUSED, Address
from kafkacompat.config import BrokerConfig
from kafkacompat.now import Now
from kafkacompat.protocol import messages
from kafkacompat.protocol.headers import (
    RequestHeader,
    decode_response_header,
    encode_request_header,
    response_header_is_flexible,
)
from kafkacompat.replication.metadata.format import NewNode, format_cluster, format_node
from kafkacompat.replication.metadata.image import Endpoint
from kafkacompat.replication.metadata.quorum import MetadataQuorum
from kafkacompat.storage.memfs import MemFs

if TYPE_CHECKING:
    from collections.abc import Callable

WALL_MS = 1_700_000_000_000
DELAY_MS = 1
DATA_DIR = "/data"


def encoded(message: Any, version: int) -> bytes:
    """The message as bytes."""
    module = messages.load(message.API_KEY) if hasattr(message, "API_KEY") else _module_of(message)
    parts: list[Any] = []
    kind = "request" if type(message).__name__.endswith("Request") else "response"
    getattr(module, f"encode_{kind}")(message, version, parts)
    return joined(parts)


def joined(parts: list[Any]) -> bytes:
    """All of it, with slices of a log read and released."""
    data = bytearray()
    for part in parts:
        if hasattr(part, "release"):
            data += part.read(0, len(part))
            part.release()
        else:
            data += part
    return bytes(data)


def _module_of(message: Any) -> Any:
    return __import__(type(message).__module__, fromlist=["_"])


class Node:
    """A node: between `start` and `kill` a whole broker that speaks in the quorum, and begins nothing else."""

    def __init__(self, cluster: Cluster, node_id: int, **static: str) -> None:
        self.cluster = cluster
        self.node_id = node_id
        self.fs = MemFs()
        self.address = Address("n", node_id)
        self.static = {"node.id": str(node_id), **static}
        self.incarnation = 0
        self.is_running = False
        self.is_cut_off = False
        self.broker: Broker = None  # type: ignore[assignment]
        self.quorum: MetadataQuorum = None  # type: ignore[assignment]

    def start(self) -> None:
        now = self.cluster.now
        self.incarnation += 1
        self.is_running = True
        self.broker = broker = Broker.open(
            config=BrokerConfig.from_sources(self.static), fs=self.fs, data_dir=DATA_DIR, now=now,
            endpoints=[Endpoint("PLAINTEXT", "b", self.node_id)],
            rng=random.Random(self.node_id * 1000 + self.incarnation),
            controller_endpoints=[Endpoint("CONTROLLER", "n", self.node_id)],
        )  # fmt: skip
        self.timers, self.quorum, self.cluster_id = broker.timers, broker.quorum, broker.cluster_id
        self.changes: list[tuple[str, int]] = []
        quorum = self.quorum
        quorum.on_active.append(lambda _now: self.changes.append(("active", quorum.raft.leader_epoch)))
        quorum.on_inactive.append(lambda _now: self.changes.append(("inactive", quorum.raft.leader_epoch)))
        quorum.on_more = lambda at: self.timers.set("metadata changes", at.monotonic_ms, quorum.resume)
        broker.network = self
        broker._start_quorum_channel(self, now)
        assert broker._quorum_channel is not None
        self.channel = broker._quorum_channel
        quorum.flush(now)

    def kill(self, *, power: bool = True) -> None:
        self._end(clean=False)
        if power:
            self.fs.restart()
        else:
            self.fs.crash(random.Random(self.incarnation))

    def stop(self) -> None:
        """A clean stop: what it has to say gets out."""
        self.quorum.raft.resign(self.cluster.now)
        self.cluster.run(10)
        self._end(clean=True)
        self.fs.restart()

    def _end(self, *, clean: bool) -> None:
        self.is_running = False
        self.broker.close(self.cluster.now, clean=clean)

    def turn(self) -> None:
        """What the shell does after each event."""
        self.timers.run(self.cluster.now)
        self.broker.background.run_inline(self.cluster.now)

    def serve(self, key: int, version: int, data: bytes, reply: Callable[[bytes], None]) -> None:
        """A request from the network."""
        frame = encode_request_header(RequestHeader(key, version, 1, "test")) + data

        def answered(parts: list[Any] | None) -> None:
            answer = joined(parts or [])
            reply(answer[decode_response_header(answer, response_header_is_flexible(key, version))[1] :])

        self.broker.dispatch(frame, Connection(1, "n", "CONTROLLER", CONTROLLER), self.cluster.now, answered)

    def format_anew(self) -> None:
        """The directory is lost; another one is made, which says nothing of who votes."""
        self.fs = MemFs()
        now, directory_id = self.cluster.now, random.Random(self.incarnation).randbytes(16)
        format_node(
            self.fs, DATA_DIR, self.node_id, cluster_id=self.cluster_id, directory_id=directory_id, voters=[], now=now
        )  # fmt: skip
        self.fs.fsync_dir("/")

    # --- Network ---

    def send(
        self, to: Address, channel: str, client_id: str, key: int, version: int, request: object, timeout_ms: int,
        done: Callable[[object | None, Now], None],
    ) -> None:  # fmt: skip
        self.cluster.carry(self, to, key, version, encoded(request, version), timeout_ms, done)

    def dial(self, to: Address, done: Callable[[str, Now], None]) -> None:
        other = self.cluster.at(to)
        if other is not None and not (self.is_cut_off or other.is_cut_off):
            self.cluster.later(DELAY_MS, lambda: done(OPEN if other.is_running else REFUSED, self.cluster.now), self)


class Cluster:
    """`voters` nodes from 1 on, then `observers`; every voter knows all others from its log.

    joins: the observers are controllers that make themselves voters.
    """

    def __init__(
        self, voters: int, observers: int = 0, *, is_static: bool = False, joins: bool = False, **static: str
    ) -> None:
        self.now = Now(1000, WALL_MS)
        self._events: list[tuple[int, int, Callable[[], None]]] = []
        self._sequence = 0
        ids = range(1, voters + 1)
        places = [f"n:{node_id}" for node_id in ids]
        known = {"controller.quorum.voters": ",".join(f"{n}@n:{n}" for n in ids)} if is_static else {}
        known |= {"controller.listener.names": "CONTROLLER", **{k.replace("_", "."): v for k, v in static.items()}}
        self.nodes = {node_id: Node(self, node_id, **known) for node_id in ids}
        for node_id in range(voters + 1, voters + observers + 1):
            told = known if is_static else {**known, "controller.quorum.bootstrap.servers": ",".join(places)}
            told |= {"process.roles": "controller" if joins else "broker"}
            told |= {"controller.quorum.auto.join.enable": "true"} if joins else {}
            self.nodes[node_id] = Node(self, node_id, **told)
        self._format(voters, is_static=is_static)

    def _format(self, voters: int, *, is_static: bool) -> None:
        shared = MemFs()
        shared.mkdir("/all")
        nodes = [
            NewNode(
                node_id, f"/all/{node_id}",
                Endpoint("CONTROLLER", "n", node_id) if node_id <= voters and not is_static else None,
            )
            for node_id in self.nodes
        ]  # fmt: skip
        format_cluster(shared, nodes, now=self.now, rng=random.Random(7))
        for node_id, node in self.nodes.items():
            node.fs.mkdir(DATA_DIR)
            node.fs.fsync_dir("/")
            _copy(shared, f"/all/{node_id}", node.fs, DATA_DIR)

    def at(self, address: Address) -> Node | None:
        return self.nodes.get(address.port)

    def later(self, delay_ms: int, call: Callable[[], None], node: Node) -> None:
        """An event for a node, if it is still in this life then."""
        incarnation = node.incarnation

        def due() -> None:
            if node.is_running and node.incarnation == incarnation:
                call()

        self._sequence += 1
        heapq.heappush(self._events, (self.now.monotonic_ms + delay_ms, self._sequence, due))

    def carry(
        self, sender: Node, to: Address, key: int, version: int, data: bytes, timeout_ms: int,
        done: Callable[[object | None, Now], None],
    ) -> None:  # fmt: skip
        """A request to another node, and its answer back; None after a time-out, or at once where nobody listens."""
        other = self.at(to)
        is_open = [True]

        def finish(response: object | None) -> None:
            if is_open[0]:
                is_open[0] = False
                done(response, self.now)

        def back(answer: bytes) -> None:
            if not (sender.is_cut_off or (other is not None and other.is_cut_off)):
                decode = messages.load(key).decode_response
                self.later(DELAY_MS, lambda: finish(decode(answer, 0, version)), sender)

        self.later(timeout_ms, lambda: finish(None), sender)
        if other is None or not other.is_running:
            self.later(DELAY_MS, lambda: finish(None), sender)
        elif not (sender.is_cut_off or other.is_cut_off):
            self.later(DELAY_MS, lambda: other.serve(key, version, data, back), other)

    def run(self, duration_ms: int, until: Callable[[], bool] = lambda: False) -> bool:
        """Let time pass; whether `until` came true."""
        end_ms = self.now.monotonic_ms + duration_ms
        while self.now.monotonic_ms <= end_ms:
            if until():
                return True
            self._step()
        return until()

    def _step(self) -> None:
        running = [node for node in self.nodes.values() if node.is_running]
        for node in running:
            node.turn()
        due = [self.now.monotonic_ms + 100]
        due += [at for node in running if (at := node.timers.next_deadline_ms()) is not None]
        due += [self._events[0][0]] if self._events else []
        if min(due) > self.now.monotonic_ms:
            passed = min(due) - self.now.monotonic_ms
            self.now = Now(self.now.monotonic_ms + passed, self.now.wall_ms + passed)
        while self._events and self._events[0][0] <= self.now.monotonic_ms:
            heapq.heappop(self._events)[2]()

    # --- what tests ask ---

    @property
    def active(self) -> Node | None:
        """The active controller of the newest epoch."""
        found = [node for node in self.nodes.values() if node.is_running and node.quorum.is_active]
        return max(found, key=lambda node: node.quorum.raft.leader_epoch, default=None)

    def elect(self, within_ms: int = 5_000) -> Node:
        """Wait for an active controller whom all follow."""

        def is_settled() -> bool:
            active = self.active
            return active is not None and all(
                node.quorum.raft.leader_id == active.node_id
                and node.quorum.raft.leader_epoch == active.quorum.raft.leader_epoch
                for node in self.nodes.values()
                if node.is_running and not node.is_cut_off
            )

        assert self.run(within_ms, is_settled), "no controller whom all follow"
        assert self.active is not None
        return self.active

    def catch_up(self, within_ms: int = 2_000) -> None:
        """Wait until every running node has applied what the active controller has committed by now."""
        active = self.active
        assert active is not None
        offset = active.quorum.image.offset
        running = [node for node in self.nodes.values() if node.is_running]
        assert self.run(within_ms, lambda: all(node.quorum.image.offset >= offset for node in running))


def _copy(source: MemFs, path: str, target: MemFs, target_path: str) -> None:
    for name in source.listdir(path):
        if name.startswith("__"):
            target.mkdir(f"{target_path}/{name}")
            _copy(source, f"{path}/{name}", target, f"{target_path}/{name}")
        else:
            target.write_atomic(f"{target_path}/{name}", source.read_bytes(f"{path}/{name}"), sync=True)
    target.fsync_dir(target_path)
