"""Lives with transactions, and what must be known of them after a crash: open ones, aborted ones, what is stable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import ABORT, COMMIT, encode_end_transaction, encode_key
from kafkacompat.storage.producer_replay import replay
from kafkacompat.storage.producer_state import ProducerState
from tests.crash.check import Checker, must
from tests.crash.life import PRODUCERS, START_MS, Life
from tests.crash.life import at as moment

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
            memoryview(batch), leader_epoch=epoch, now=moment(self._now_ms), internal=True
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
        check_transactions(log, found)


def check_transactions(log: Log, found: Found) -> None:
    """What is known is what the batches say, as far as records of it are there and above the log start."""
    end, model, aborted = log.log_end_offset, ProducerState(), set()
    for header, data in found:
        ended = replay(model, header, data)
        if ended is not None and ended.is_aborted:
            aborted.add((ended.producer_id, ended.first_offset, ended.last_offset))

    def visible(producer_id: int, first: int, last: int) -> tuple[int, ...]:
        here = [
            header.base_offset
            for header, _ in found
            if header.producer_id == producer_id and not header.is_control
            and header.next_offset > log.log_start_offset and first <= header.base_offset < last
        ]  # fmt: skip
        return (producer_id, here[0], last) if here else ()

    known = set()
    for segment in log.segments.all:
        entries = log.segments.aborted.entries(segment)
        must(not entries or segment.base_offset in log.segments.aborted.base_offsets, "an index that nobody reads")
        known |= {visible(*entry[:3]) for entry in entries}
    told = {visible(*each) for each in aborted}
    must(known - {()} == told - {()}, f"aborted are {known}, by the batches {told}")
    first = [(each, entry.transaction_first_offset) for each, entry in log.producers.entries.items()]
    is_open = {visible(producer_id, at, end) for producer_id, at in first if at != UNKNOWN_OFFSET}
    of_model = [(each, entry.transaction_first_offset) for each, entry in model.entries.items()]
    expected = {visible(producer_id, at, end) for producer_id, at in of_model if at != UNKNOWN_OFFSET}
    must(is_open - {()} == expected - {()}, f"open are {is_open}, by the batches {expected}")
    log.producers.replicated_to(end)  # else markers count that are not replicated
    stable = log.producers.last_stable_offset(end, log.log_start_offset)
    least = max(min([end, *[at for _, at in first if at != UNKNOWN_OFFSET]]), log.log_start_offset)
    must(stable == least, f"stable below {stable}, by the batches {least}")
