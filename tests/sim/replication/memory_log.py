"""A partition's log as a list of batches of one record, with the rules of the real log and its durability."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.protocol.error_codes import CORRUPT_MESSAGE, OFFSET_OUT_OF_RANGE
from kafkacompat.storage.append_info import AppendInfo
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.leader_epochs import LeaderEpochs
from kafkacompat.storage.producer_state import ProducerState

if TYPE_CHECKING:
    import random
    from typing import Any

    from kafkacompat.now import Now
    from tests.sim.replication.invariants import Invariants

NEVER = 2**63 - 1
MAX_READ = 16
"""Batches in one answer: few, so that replicas are often partly caught up."""


class Batch:
    """One record of a producer. `epoch` is the leader's, stamped at the append."""

    __slots__ = ("epoch", "producer_epoch", "producer_id", "sequence", "value")

    def __init__(self, value: str, producer_id: int, producer_epoch: int, sequence: int, epoch: int = -1) -> None:
        self.value = value
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.sequence = sequence
        self.epoch = epoch

    def __len__(self) -> int:
        """Its size in bytes, which a partition counts."""
        return len(self.value)

    def stamped(self, epoch: int) -> Batch:
        return Batch(self.value, self.producer_id, self.producer_epoch, self.sequence, epoch)


class MemoryEpochs(LeaderEpochs):
    """The real LeaderEpochs without a file."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(None, "")  # type: ignore[arg-type]

    def _replace(self, epochs: list[int], starts: list[int]) -> None:
        self._epochs, self._starts = epochs, starts


class Config:
    """The topic configs that a partition reads."""

    __slots__ = ("flush_messages", "unclean_leader_election_enable")

    def __init__(self, flush_messages: int) -> None:
        self.flush_messages = flush_messages
        self.unclean_leader_election_enable = False  # a replica that may not truncate stops, which the run detects


class MemoryLog:
    """The part of `storage.log.Log` that `Partition` uses."""

    def __init__(self, node_id: int, invariants: Invariants, flush_messages: int = NEVER) -> None:
        self.node_id = node_id
        self.invariants = invariants
        self.config = Config(flush_messages)
        self.batches: list[Batch] = []
        self.epochs = MemoryEpochs()
        self.producers = ProducerState()
        self.log_start_offset = 0
        self.flushed_offset = 0
        self.failure = None
        self.offline = False
        self.has_unflushed_truncation = False
        self.ghosts: list[Batch] = []
        """Durable batches that were truncated, while no sync has made the truncation durable."""

    @property
    def log_end_offset(self) -> int:
        return len(self.batches)

    def append_as_leader(
        self, records: Any, *, leader_epoch: int, now: Now, internal: bool = False, recompression: object = None,
        guard: object = None, transaction_version: int = 0,
    ) -> AppendInfo:  # fmt: skip
        batch: Batch = records
        if batch.producer_id >= 0:
            told = batch.producer_id, batch.producer_epoch, batch.sequence, batch.sequence
            duplicate = self.producers.check(*told, is_transactional=False)
            if duplicate is not None:
                return self._info(duplicate.first_offset, duplicate=True)
        offset = len(self.batches)
        self._write(batch.stamped(leader_epoch), now)
        return self._info(offset)

    def _info(self, offset: int, *, duplicate: bool = False) -> AppendInfo:
        needs_sync = self.config.flush_messages == 1 and self.flushed_offset <= offset
        return AppendInfo(offset, offset, -1, -1, 0, duplicate=duplicate, sync_required=needs_sync)

    def append_as_follower(self, records: Any, *, leader_epoch: int, now: Now) -> None:
        base_offset, batches = records
        if base_offset != len(self.batches):
            raise LogError(CORRUPT_MESSAGE, f"fetched batch at {base_offset}, the log ends at {len(self.batches)}")
        last = self.epochs.latest
        for batch in batches:
            if not last <= batch.epoch <= leader_epoch:
                raise LogError(CORRUPT_MESSAGE, f"epoch {batch.epoch} not in {last}..{leader_epoch}")
            last = batch.epoch
        for batch in batches:
            self._write(batch, now)

    def _write(self, batch: Batch, now: Now) -> None:
        offset = len(self.batches)
        if batch.epoch != self.epochs.latest:
            self.epochs.assign(batch.epoch, offset)
        self.batches.append(batch)
        self.note_producer(batch, offset, now.wall_ms)
        self.invariants.appended(self.node_id, offset, batch)

    def note_producer(self, batch: Batch, offset: int, wall_ms: int) -> None:
        if batch.producer_id >= 0:
            self.producers.update(
                batch.producer_id, batch.producer_epoch, batch.sequence, batch.sequence, offset, offset, wall_ms,
                is_transactional=False,
            )  # fmt: skip

    def read(self, offset: int, max_bytes: int, *, end_offset: int, at_least_one: bool, whole: bool = False) -> Any:
        if not 0 <= offset <= len(self.batches):
            raise LogError(OFFSET_OUT_OF_RANGE, f"offset {offset} is not in 0..{len(self.batches)}")
        found = self.batches[offset : min(end_offset, offset + MAX_READ)]
        return (offset, found) if found else ()

    def truncate_to(self, offset: int) -> None:
        removed = self.batches[offset:]
        self.epochs.truncate_from_end(min(offset, len(self.batches)))
        if not removed:
            return
        if offset < self.flushed_offset:
            self.ghosts = removed[: self.flushed_offset - offset] + self.ghosts
            self.flushed_offset = offset
        del self.batches[offset:]
        self.invariants.cut(self.node_id, offset)
        self.rebuild_producers()

    def truncate_fully_and_start_at(self, offset: int) -> None:
        raise AssertionError("no log starts later than at 0 here")

    def delete_records_before(self, offset: int, now: Now) -> None:
        raise AssertionError("nothing is deleted here")

    def rebuild_producers(self) -> None:
        self.producers = ProducerState()
        for offset, batch in enumerate(self.batches):
            self.note_producer(batch, offset, 0)

    def synced(self, offset: int) -> None:
        """Everything below `offset` is durable, and so is each truncation up to now."""
        self.flushed_offset = max(self.flushed_offset, min(offset, len(self.batches)))
        self.ghosts = []

    def reopened(self) -> MemoryLog:
        """The log that a new process opens: epochs and producers are read from the batches."""
        log = MemoryLog(self.node_id, self.invariants, self.config.flush_messages)
        log.batches, log.ghosts, log.flushed_offset = self.batches, self.ghosts, self.flushed_offset
        for offset, batch in enumerate(self.batches):
            if batch.epoch != log.epochs.latest:
                log.epochs.assign(batch.epoch, offset)
        log.rebuild_producers()
        return log

    def lose_power(self, rng: random.Random) -> None:
        """A power loss: a prefix of the unsynced batches is left, or a truncation is undone."""
        tail = self.ghosts if self.ghosts and rng.random() < 0.5 else self.batches[self.flushed_offset :]
        kept = tail[: rng.randint(0, len(tail))]
        self.batches = self.batches[: self.flushed_offset] + kept
        self.ghosts = []
        self.flushed_offset = len(self.batches)
        self.invariants.found(self.node_id, self.batches)
