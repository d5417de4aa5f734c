"""Lives with transactions, and what must be known of them after a crash: open ones, aborted ones, what is stable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import ABORT, COMMIT, encode_end_transaction, encode_key
from kafkacompat.storage.producer_replay import replay
from kafkacompat.storage.producer_state import ProducerState
from tests.crash.check import Checker, must
from tests.crash.life import PRODUCERS, START_MS, Life, at

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.storage.log import Log
    from tests.crash.check import Found


class TransactionLife(Life):
    """All batches with a producer id belong to transactions, which end now and then."""

    is_transactional = True

    def _doings(self) -> list[Callable[[], None]]:
        return [*super()._doings(), *[self._end] * 5]

    def _end(self) -> None:
        kind = self.rng.choice((ABORT, ABORT, COMMIT))
        record = Record(0, START_MS + self.end, encode_key(kind), encode_end_transaction(0))
        batch = build_batch(
            [record], producer_id=self.rng.choice(PRODUCERS), producer_epoch=0, is_transactional=True, is_control=True
        )
        epoch = self._leader_epoch = max(self._leader_epoch, self.log.epochs.latest)
        info = self.log.append_as_leader(
            memoryview(batch), leader_epoch=epoch, now=at(self._now_ms), internal=True
        )  # fmt: skip
        self._keep(info.first_offset, info.last_offset, bytes(batch))
        if info.sync_required:
            self._note()
            self._flush()


class Transactions(Checker):
    """The judge of a life with transactions."""

    def __init__(self, seed: int) -> None:
        life = TransactionLife(seed)
        super().__init__(life)
        self.steps = life.fs.steps
        self.first_step = life.first_step

    def _check_more(self, log: Log, found: Found) -> None:
        """The batches that are there say what is true; of what began before the first of them more may be known."""
        begin = found[0][0].base_offset if found else log.log_end_offset
        model, aborted = ProducerState(), set()
        for header, data in found:
            ended = replay(model, header, data)
            if ended is not None and ended.is_aborted:
                aborted.add((ended.producer_id, ended.first_offset, ended.last_offset))
        known = set()
        for segment in log.segments.all:
            entries = log.segments.aborted.entries(segment)
            must(not entries or segment.base_offset in log.segments.aborted.base_offsets, "an index that nobody reads")
            known |= {entry[:3] for entry in entries}
        earlier = {(producer_id, last) for producer_id, first, last in known if first < begin}
        missing = sorted(each for each in aborted - known if (each[0], each[2]) not in earlier)
        must(not missing, f"aborted were {missing}, too")
        more = {each for each in known - aborted if each[1] >= begin}
        must(not more, f"never aborted were {sorted(more)}")
        first = {producer_id: entry.transaction_first_offset for producer_id, entry in log.producers.entries.items()}
        is_open = {producer_id: offset for producer_id, offset in first.items() if offset >= begin}
        expected = {
            producer_id: entry.transaction_first_offset
            for producer_id, entry in model.entries.items()
            if entry.transaction_first_offset != UNKNOWN_OFFSET
            and not UNKNOWN_OFFSET < first.get(producer_id, UNKNOWN_OFFSET) < begin
            and (entry.transaction_first_offset >= log.log_start_offset or producer_id in is_open)
        }
        must(is_open == expected, f"open are {is_open}, by the batches {expected}")
        end = log.log_end_offset
        log.producers.replicated_to(end)  # else markers count that are not replicated
        stable = log.producers.last_stable_offset(end, log.log_start_offset)
        least = max(
            min([end, *expected.values(), *[offset for offset in first.values() if UNKNOWN_OFFSET < offset < begin]]),
            log.log_start_offset,
        )
        must(stable == least, f"stable below {stable}, by the batches {least}")
