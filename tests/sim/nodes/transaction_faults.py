"""Faults where transactions are: coordinators die as they write, markers and their answers are lost, clocks jump."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.protocol.messages import (
    add_offsets_to_txn,
    add_partitions_to_txn,
    end_txn,
    init_producer_id,
    produce,
    txn_offset_commit,
    write_txn_markers,
)
from tests.sim.nodes.faults import Faults
from tests.sim.nodes.node import Node
from tests.sim.nodes.transaction_changes import CHANGES
from tests.sim.nodes.transaction_clients import Instance, LateRequests
from tests.sim.nodes.transaction_story import COMPLETED, PREPARED
from tests.sim.world import MS, SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sim.nodes.internet import End
    from tests.sim.nodes.transaction_invariants import TransactionInvariants
    from tests.sim.nodes.transaction_ledger import Ledger
    from tests.sim.nodes.transaction_story import Row

JUMPS_MS = (300, 5_000, 300_000)
"""None so long that an id expires."""
STRIKE_EVERY_US = 2_500 * MS
MARKERS = write_txn_markers.API_KEY.to_bytes(2, "big")
DELAYED = frozenset(
    api.API_KEY.to_bytes(2, "big")
    for api in (add_offsets_to_txn, add_partitions_to_txn, end_txn, init_producer_id, produce, txn_offset_commit)
)
LATE = "a request arrived late"

FAILOVER_AT_PREPARE, FAILOVER_AT_COMPLETE = "a failover met PREPARE", "a failover met COMPLETE"
MARKER_LOST, MARKER_DOUBLED = "a marker was lost", "a marker was doubled"
MIN_ISR_LOST, JUMP = "the minimum in sync was lost in a transaction", "a jump of the clock met a transaction"
MEETINGS = (
    FAILOVER_AT_PREPARE, FAILOVER_AT_COMPLETE, MARKER_LOST, MARKER_DOUBLED, MIN_ISR_LOST, JUMP, LATE,
    "a fence met a producer", "a new instance met an open transaction", "a time-out met an open transaction",
    "a client vanished from an open transaction", "a zombie was refused", "a reader was told to wait for an offset",
    *CHANGES,
)  # fmt: skip
"""What has to happen in some of many seeds, or they prove less than they seem to."""


class TransactionFaults(Faults):
    """The faults of whole nodes, and those of the moments that count for transactions."""

    def __init__(self, invariants: TransactionInvariants, ledger: Ledger) -> None:
        super().__init__(invariants.cluster)
        self._ledger = ledger
        self._invariants = invariants
        self._may_strike_us = 0
        self._struck: str | None = None
        self._loses_answer: End | None = None
        self.turns_clocks = self._turn_clock in self._kinds
        """Whether a transaction may have a start in the future, so that it does not time out within the run."""
        self._late_rate = self._rng.choice((0, 0.01, 0.05))
        self._marker_rate = self._rng.choice((0, 0.05, 0.2))
        self._strike_rate = self._rng.choice((0, 0.05, 0.2))
        self._is_on = False
        self.late_requests = LateRequests(self._cluster, "late")
        invariants.row_written = self._row_written
        invariants.coordinator_elected = self._coordinator_elected
        self._cluster.internet.tap = self._is_lost

    def _all_kinds(self) -> list[Callable[[], None]]:
        return [*super()._all_kinds(), self._jump, self._lose_min_isr]

    def start(self, end_us: int) -> None:
        self._is_on = True
        super().start(end_us)

    def stop(self) -> None:
        self._is_on = False
        super().stop()

    def _jump(self) -> None:
        jumps = self._cluster.internet.jumps
        way_ms = self._rng.choice(JUMPS_MS)
        jumps.wall_ms += way_ms
        jumps.life_ms += way_ms
        self._world.note(f"the clocks jump by {way_ms} ms")
        self._meets(JUMP)
        for node in self._cluster.nodes.values():
            if node.loop is not None and node.is_ready and node.server is not None:
                node.loop.inject(node.server.after_event)

    def _meets(self, fault: str) -> None:
        if not self._invariants.is_settled():
            self._ledger.met[fault] += 1

    def _lose_min_isr(self) -> None:
        """Pause two of three nodes, for longer than sessions or not."""
        self._meets(MIN_ISR_LOST)
        for node_id in self._rng.sample(self._cluster.node_ids, k=2):
            node = self._cluster.nodes[node_id]
            node.pause()
            self._world.after(self._rng.choice((1_000, 5_000)) * MS, node.resume)

    # --- coordinators ---

    def _row_written(self, row: Row, node: Node) -> None:
        """A coordinator has appended a record, and has done nothing else in this event."""
        at = FAILOVER_AT_PREPARE if row.state in PREPARED else FAILOVER_AT_COMPLETE if row.state in COMPLETED else None
        if at is None or not self._is_on or self._world.now_us < self._may_strike_us:
            return
        if self._rng.random() < self._strike_rate:
            self._may_strike_us = self._world.now_us + STRIKE_EVERY_US
            self._world.after(self._rng.choice((1, 1_000, 5_000, 30_000)), self._strike_coordinator, node, at)

    def _strike_coordinator(self, node: Node, at: str) -> None:
        if not self._is_on:
            return
        self.count += 1
        self._struck = at
        self._world.note(f"{node.name} is struck: {at}")
        kind = self._rng.randrange(4)
        self._cluster.settle()
        if kind == 0 and self._cluster.unsure is None and self._cluster.is_whole():
            self._cluster.unsure = node.id
            node.lose_power()
            self._later(4 * SECOND, node.start)
        elif kind == 1:
            node.pause()
            self._later(8 * SECOND, node.resume)
        elif kind == 2:
            self._cut([node.name], self._everybody_but(node))
        else:
            node.kill()
            self._later(self._rng.choice((50, 4000)) * MS, node.start)

    def _coordinator_elected(self) -> None:
        if self._struck is not None:
            self._ledger.met[self._struck] += 1
            self._struck = None

    # --- requests ---

    def _is_lost(self, end: End, data: bytes) -> bool:
        if end is self._loses_answer:
            self._loses_answer = None
            self._world.after(0, end.reset)
            return True
        if not self._is_on:
            return False
        if isinstance(end.host, Instance):
            return data[4:6] in DELAYED and self._is_late(end, data)
        if data[4:6] != MARKERS or not isinstance(end.host, Node) or not isinstance(end.peer.host, Node):
            return False
        if self._rng.random() >= self._marker_rate:
            return False
        if self._rng.random() < 0.5:
            self._ledger.met[MARKER_LOST] += 1
            self._world.note(f"a marker of {end.host.name} is lost")
            self._world.after(0, end.reset)
            return True
        self._ledger.met[MARKER_DOUBLED] += 1
        self._world.note(f"the answer to a marker of {end.host.name} will be lost")
        self._loses_answer = end.peer
        return False

    def _is_late(self, end: End, data: bytes) -> bool:
        """Whether a client's request is lost with its connection; it arrives when the client has gone on."""
        node = end.peer.host
        if not isinstance(node, Node) or self._rng.random() >= self._late_rate:
            return False
        self._ledger.met[LATE] += 1
        delay_us = self._rng.choice((50, 1_000, 6_000)) * MS
        self._world.note(f"a request of {end.host.name} to {node.name} is late by {delay_us // MS} ms")
        self.late_requests.deliver(node.id, data, delay_us)
        self._world.after(0, end.reset)
        return True
