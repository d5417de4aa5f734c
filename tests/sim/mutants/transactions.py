"""Mistakes in transactions, which runs of whole nodes with transactions show."""

from __future__ import annotations

from kafkacompat.broker.coordinator.group.shard import GroupCoordinatorShard
from kafkacompat.broker.coordinator.held_notices import HeldNotices
from kafkacompat.broker.coordinator.txn import shard
from kafkacompat.broker.coordinator.txn.shard import TransactionCoordinatorShard
from kafkacompat.broker.coordinator.txn.state import Transaction
from kafkacompat.storage.producer_state import ProducerState
from kafkacompat.storage.segments import Segments
from tests.sim.mutants import Mutant

MUTANTS = (
    Mutant(
        "the last stable offset is the high watermark",
        ProducerState.last_stable_offset,
        "if not self._unstable:",
        "if True:",
        range(1, 2),
    ),
    Mutant(
        "a marker that is not replicated makes stable",
        ProducerState.end_transaction,
        "self.ended[offset] = first_offset",
        "self._unstable.pop(first_offset, None)",
        range(1, 2),
    ),
    Mutant(
        "a marker is never taken twice",
        ProducerState.check_marker,
        "epoch == entry.epoch and is_open and",
        "epoch == entry.epoch and",
        range(3, 4),
    ),
    Mutant(
        "the list of aborted ones ends with its first segment",
        Segments.aborted_in,
        "if self._aborted.overlapping(segment, offset, behind, search):",
        "if self._aborted.overlapping(segment, offset, behind, search) or True:",
        range(1, 2),
    ),
    Mutant(
        "offsets in a transaction count at once",
        GroupCoordinatorShard.replay,
        "if value is None or producer_id == NO_PRODUCER_ID:",
        "if True:",
        range(1, 2),
    ),
    Mutant(
        "an abort commits offsets",
        GroupCoordinatorShard.replay_end_transaction,
        "if is_commit:",
        "if True:",
        range(1, 2),
    ),
    Mutant(
        "the epoch of a producer is not compared",
        shard._check_producer,
        "errors.NONE if row.epoch == epoch else errors.PRODUCER_FENCED",
        "errors.NONE",
        range(2, 5),
    ),
    Mutant(
        "COMPLETE is written before the last marker",
        TransactionCoordinatorShard.markers_written,
        "return Result() if row.unmarked else self._complete(row, now)",
        "return self._complete(row, now)",
        range(1, 2),
    ),
    Mutant(
        "markers are sent before PREPARE is committed",
        HeldNotices._has_committed,
        "self._held[0][0] <= high_watermark",
        "True",
        range(1, 2),
    ),
    Mutant(
        "loading forgets PREPARE",
        TransactionCoordinatorShard.on_loaded,
        "if row.state in PREPARED:",
        "if False:",
        range(1, 2),
    ),
    Mutant(
        "epochs never end",
        Transaction.is_exhausted.fget,
        "return self.epoch >= LAST_CLIENT_EPOCH",
        "return False",
        range(2, 3),
    ),
    Mutant(
        "the second answer to EndTxn has no epoch",
        TransactionCoordinatorShard.end,
        "(row.producer_id, row.epoch) if bumps else NOBODY",
        "NOBODY",
        range(1, 2),
    ),
)
