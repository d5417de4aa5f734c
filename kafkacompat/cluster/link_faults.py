"""Faulty links and disks of brokers."""

from __future__ import annotations

from kafkacompat.cluster.leadership import Leadership
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    from kafkacompat.cluster.joined_processes import JoinedProcesses
    from kafkacompat.server.broker_server import BrokerServer

    End: TypeAlias = int | str | Sequence[int]

CLIENTS, CONTROLLERS, EVERYBODY = "clients", "controllers", "*"
FULL_TIMEOUT_S = 10.0
"""How long a disk may take to be noticed as having room again; brokers check twice a second."""


class LinkFaults(Leadership):
    """The verbs for links and disks that `Cluster` offers."""

    def cut(self, from_: End, to: End, *, both: bool = False) -> None:
        """Let no byte from one end arrive at the other, until `heal`; the other direction works, unless `both` is set.

        from_, to: node ids, "clients", "controllers", or "*" for all of them. Connections stay open, and new ones are
        accepted; what is held back is delivered at the end, unless its connection has closed: requests time out, as
        behind a firewall that drops packets. Nodes are recognized by their client ids: clients must not use a plain
        number as theirs. A stop or restart of a broker ends the faults of its links.

        With isolation=True the proxies do it, which cannot tell clients apart: those raise KafkaCompatError.
        """
        self._add_links(from_, to, None, both=both)

    def delay(self, from_: End, to: End, delay_ms: int, *, both: bool = False) -> None:
        """Let everything from one end arrive `delay_ms` later at the other until `heal`; with `both` also the way back.

        Order is kept, and several requests of a connection may be on their way at once, as on a long line. A link has
        one fault, a cut or a delay: the last one that it was given. For the rest see `cut`. Raises KafkaCompatError,
        also for a delay that is not from 1 ms to an hour.
        """
        from kafkacompat.control_api.faults.node_links import check_delay

        self._add_links(from_, to, check_delay(delay_ms), both=both)

    def isolate(self, broker: int, from_: End = EVERYBODY, *, direction: str = "both") -> None:
        """Isolate one broker from "controllers", "clients", other nodes by id, or from everybody ("*").

        direction: "to" the broker, "from" it, or "both". See `cut`; `heal` ends it. Isolated from controllers or from
        everybody, it is fenced after `broker.session.timeout.ms` (9 s), and its partitions get other leaders.
        """
        if direction not in ("to", "from", "both"):
            raise KafkaCompatError(f"direction={direction!r}: use to, from or both")
        if self._links is not None and from_ == EVERYBODY and direction == "both":
            self._links.isolate(broker)
            return
        if direction in ("to", "both"):
            self.cut(from_, broker)
        if direction in ("from", "both"):
            self.cut(broker, from_)

    def heal(self, broker: int | None = None) -> None:
        """End the cuts, delays and isolation of a broker (None: of all). Held bytes are delivered."""
        if broker is not None:
            self._ends(broker)
        if self._links is not None:
            self._links.heal(broker)
        else:
            self._heal_links(broker)

    def disk(
        self,
        broker: int,
        *,
        fsync_delay_ms: float | None = None,
        free_bytes: int | None = None,
        error: str | None = None,
        directory: str | None = None,
    ) -> None:
        """Make a broker's disk slow, full or broken, in place of its earlier faults; without any it is sound again.

        fsync_delay_ms: each fsync takes so much longer, beside the event loop; needs a data_dir. With flush.messages=1
        acks=all waits for it. free_bytes: so much can still be written; then appends fail with KAFKA_STORAGE_ERROR, and
        everything else goes on, until it is lifted. Returns then when appends are accepted; raises after 10 s.
        error: "EIO" or another name of `errno`: writes fail, and the broker stops as Kafka's does; restart it.
        directory: one of the broker's `log_dirs`, whose disk it is; None for all of them. A broker goes on without a
        directory that fails, unless it is the first one, with the metadata log.

        A restart ends it. Raises KafkaCompatError.
        """
        given = {
            "fsync_delay_ms": fsync_delay_ms, "free_bytes": free_bytes, "error": error, "directory": directory
        }  # fmt: skip
        if (joined := self._joined) is not None:
            self._check_running(broker)
            body = {name: value for name, value in given.items() if value is not None}
            joined.ask("machine_faults:put_disk", path={"broker_id": broker}, body=body)
            if free_bytes is None and error is None:
                self._await(lambda: not self._is_disk_full(joined, broker), FULL_TIMEOUT_S, "the disk has no room")
            return
        from kafkacompat.control_api.faults import disks

        self._call(broker, lambda server: disks.disk(server, **given))  # type: ignore[arg-type]
        if free_bytes is None and error is None:
            self._await(lambda: not self._call(broker, disks.is_full), FULL_TIMEOUT_S, "the disk has no room")

    # Parts

    def _is_disk_full(self, joined: JoinedProcesses, broker: int) -> bool:
        """Whether a broker in another process refuses appends because its disk is full."""
        nodes = joined.ask("node_resources:nodes")["nodes"]
        return any(node["is_disk_full"] for node in nodes if node["node_id"] == broker)

    def _ends(self, end: End) -> list[int | str]:
        """Node ids, and "clients". Raises KafkaCompatError for others."""
        nodes = self._running()
        ids = nodes.node_ids()
        controllers = [each.node_id for each in self._layout.controllers] if self._layout else ids
        if end == CLIENTS:
            return [CLIENTS]
        if end == CONTROLLERS:
            return list(controllers)
        if end == EVERYBODY:
            return [*ids, CLIENTS]
        wanted: Iterable[object] = [end] if isinstance(end, (int, str)) else end
        found: list[int | str] = []
        for each in wanted:
            if not isinstance(each, int) or each not in ids:
                known = ", ".join(map(str, ids))
                raise KafkaCompatError(f"{each!r} is no node: use one of {known}, {CLIENTS}, {CONTROLLERS} or *")
            found.append(each)
        return found

    def _add_links(self, from_: End, to: End, delay_ms: int | None, *, both: bool) -> None:
        pairs = {(a, b) for a in self._ends(from_) for b in self._ends(to) if a != b}
        if both:
            pairs |= {(b, a) for a, b in pairs}
        if self._links is not None:
            if any(CLIENTS in pair for pair in pairs):
                raise KafkaCompatError("the proxies of isolation=True cannot tell clients apart: use isolate(broker)")
            self._links.add(dict.fromkeys(pairs, delay_ms))
            return
        if (joined := self._joined) is not None:
            joined.add_links(dict.fromkeys(pairs, delay_ms))
            return
        from kafkacompat.control_api.faults import node_links

        def add(server: BrokerServer) -> None:
            node_id = server.broker.node_id
            incoming = {sender: delay_ms for sender, receiver in pairs if receiver == node_id}
            outgoing = {receiver: delay_ms for sender, receiver in pairs if sender == node_id}
            node_links.add_links(server, incoming, outgoing)

        self._on_running_nodes(add)

    def _heal_links(self, broker: int | None) -> None:
        """End the faults of a broker's links, or of all links. Proxies have their own."""
        if (joined := self._joined) is not None:
            joined.heal_links(broker)
            return
        from kafkacompat.control_api.faults import node_links

        def heal(server: BrokerServer) -> None:
            node_links.heal_links(server, None if server.broker.node_id == broker else broker)

        self._on_running_nodes(heal)

    def _on_running_nodes(self, operation: Callable[[BrokerServer], None]) -> None:
        """Call it on each node that runs."""
        for node_id in self._running_nodes():
            self._call(node_id, operation)
