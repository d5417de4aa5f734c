"""Start on what a crash has left, and see that it is right."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage.checkpoints import CLEAN_SHUTDOWN_FILE
from kafkacompat.storage.durability_marker import BOOT_ID_PATH, UNPROVED
from kafkacompat.storage.producer_replay import replay
from kafkacompat.storage.producer_state import ProducerState
from kafkacompat.storage.swap_files import DELETED_SUFFIX
from tests.crash.life import DIR, START_MS, at, open_log, open_manager

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.storage.log import Log
    from kafkacompat.storage.memfs import MemFs
    from tests.crash.life import Life, Moment
    from tests.crash.states import State

OTHER_BOOT = b"b002\n"
Found = list[tuple["BatchHeader", bytes]]


class CrashError(AssertionError):
    """What must hold after a crash does not."""


def must(condition: bool, failure: str) -> None:
    if not condition:
        raise CrashError(failure)


class Checker:
    """Knows a life, and judges the states that a crash in it may leave."""

    close_looks: Container[int] = frozenset()

    def __init__(self, life: Life) -> None:
        self.life = life
        self._steps = [moment.steps for moment in life.moments]

    def around(self, steps: int) -> tuple[int, int]:
        """The numbers of the last moment before a step, and of the one that it leads to."""
        before = max(0, bisect_right(self._steps, steps) - 1)
        return before, min(before + 1, len(self._steps) - 1)

    def check(self, state: State, fs: MemFs | None = None) -> None:
        """Recover, twice. Raises CrashError, and whatever recovery raises that it should not."""
        fs = fs or state.fs
        if not state.is_kill:
            lose_boot(fs)
        was_clean = fs.exists(f"{DIR}/{CLEAN_SHUTDOWN_FILE}")
        first = self._recover(state, fs)
        if was_clean:  # that was none: the marker is gone, and perhaps the proof with it
            again = self._recover(state, fs)
            must(again[:2] == first[:2], f"without the marker {again[:2]} is found after {first[:2]}")
            must(again[2] in (first[2], UNPROVED), f"without the marker {again[2]} is claimed after {first[2]}")
            first = again
        files = _lasting(fs)
        second = self._recover(state, fs)
        must(second == first, f"a second recovery finds {second} after {first}")
        changed = _changed(files, _lasting(fs))
        must(not changed, f"a second recovery changes {changed}")

    def _recover(self, state: State, fs: MemFs) -> tuple[int, int, int]:
        fs.restart()
        manager, _ = open_manager(fs, self.life.config)
        log = open_log(manager, self.life.topic_config)
        number, following = self.around(state.steps)
        before, then = self.life.moments[number], self.life.moments[following]
        found = [
            (header, bytes(data))
            for header, data in log.batches(_first_offset(log), log.log_end_offset)
        ]  # fmt: skip
        least = min(before.end, then.end) if state.is_kill else min(before.durable, then.durable)
        must(log.log_end_offset >= least, f"the log ends at {log.log_end_offset}, {least} is durable")
        oldest = number if state.is_kill else min(before.since, number)
        candidates = self.life.moments[oldest : following + 1]
        _check_batches(log, found, candidates)
        _check_start(log, before, then)
        _check_epochs(log, found)
        check_producers(log, found)
        check_lookups(log, found)
        self._check_more(log, found)
        self._check_claim(state, manager.previous_broker_epoch, log, before, then)
        manager.close(clean=False, high_watermarks={}, broker_epoch=-1, now=at())
        return log.log_end_offset, log.log_start_offset, manager.previous_broker_epoch

    def _check_more(self, log: Log, found: Found) -> None:
        """What else must hold in this kind of life."""

    def _check_claim(self, state: State, claim: int, log: Log, before: Moment, then: Moment) -> None:
        """§2.8: a kill is no loss of data, and a power cut is one, but for a clean stop or with group commit."""
        known = {before.epoch, then.epoch}
        if claim != UNPROVED:
            must(claim in known, f"claims {claim}, which is none of {known}")
            least = min(before.end, then.end)
            is_whole = log.log_end_offset >= least
            must(is_whole or self.life.is_group_commit, f"claims {claim}, and {least - log.log_end_offset} are gone")
        elif state.is_kill:
            must(UNPROVED in known, f"claims nothing after a kill, was {known}")


def lose_boot(fs: MemFs) -> None:
    """The machine has another boot id now."""
    fs.mkdir(BOOT_ID_PATH.rpartition("/")[0])
    fs.write_atomic(BOOT_ID_PATH, OTHER_BOOT, sync=True)


def _lasting(fs: MemFs) -> dict[str, bytes]:
    """What the next start finds: it removes what recovery has only renamed, before it looks at anything."""
    gone = (".lock", DELETED_SUFFIX)
    return {path: data for path, data in fs.files().items() if path.startswith(DIR) and not path.endswith(gone)}


def _changed(one: Mapping[str, bytes], other: Mapping[str, bytes]) -> list[str]:
    return [path for path in sorted({*one, *other}) if one.get(path) != other.get(path)]


def _first_offset(log: Log) -> int:
    return log.segments.all[0].base_offset if log.segments.all else log.log_end_offset


def _check_batches(log: Log, found: Found, candidates: list[Moment]) -> None:
    """Dense, and as far as it goes what the log held at one of the moments."""
    expected = found[0][0].base_offset if found else log.log_end_offset
    for header, _ in found:
        must(header.base_offset == expected, f"offset {header.base_offset} where {expected} belongs")
        expected = header.next_offset
    must(expected == log.log_end_offset, f"the log ends at {log.log_end_offset}, its batches at {expected}")
    must(not found or found[0][0].base_offset <= log.log_start_offset, "the first records are not there")
    for moment in reversed(candidates):
        batches = moment.batches
        if all(batches.get(header.base_offset) == (header.next_offset, data) for header, data in found):
            return
    newest = candidates[-1].batches
    wrong = [header.base_offset for header, data in found if newest.get(header.base_offset, (0, b""))[1] != data]
    raise CrashError(f"batches that never were there together; not of the newest log: {wrong}")


def _check_start(log: Log, before: Moment, then: Moment) -> None:
    start = max(before.log_start, then.log_start)
    must(log.log_start_offset <= start, f"the log starts at {log.log_start_offset}, no more than {start} was deleted")


def _check_epochs(log: Log, found: Found) -> None:
    expected: list[tuple[int, int]] = []
    for header, _ in found:
        if header.next_offset > log.log_start_offset and (not expected or header.leader_epoch != expected[-1][0]):
            expected.append((header.leader_epoch, max(header.base_offset, log.log_start_offset)))
    if not expected and len(log.epochs.entries) == 1:  # all is deleted: the last epoch may be known still
        expected = [(log.epochs.latest, log.log_end_offset)]
    must(log.epochs.entries == expected, f"epochs {log.epochs.entries}, by the batches {expected}")


def check_producers(log: Log, found: Found) -> None:
    """Everybody who wrote what is there is known as the batches say; of others nothing that was never true.

    Who wrote only what lies below the log start may be forgotten, as in Kafka.
    """
    rebuilt = ProducerState()
    for header, data in found:
        replay(rebuilt, header, data)
    must(log.producers.end_offset == log.log_end_offset, f"producers are known up to {log.producers.end_offset}")
    for producer_id, entry in rebuilt.entries.items():
        known = log.producers.entries.get(producer_id)
        if known is None:
            must(entry.last_offset < log.log_start_offset, f"producer {producer_id} is forgotten")
            continue
        told = known.epoch, known.last_sequence, known.last_offset
        wrote = entry.epoch, entry.last_sequence, entry.last_offset
        must(told == wrote, f"producer {producer_id} is known as {told}, has written {wrote}")
    for producer_id, entry in log.producers.entries.items():
        must(entry.last_offset < log.log_end_offset, f"producer {producer_id} wrote at {entry.last_offset}")


def check_lookups(log: Log, found: Found) -> None:
    """By offset and by time: the indexes agree with the batches."""
    end = log.log_end_offset
    for header, data in found:
        offset = max(header.base_offset, log.log_start_offset)
        if offset >= header.next_offset:
            continue
        piece = log.read(offset, len(data), end_offset=end, at_least_one=True)
        served = piece.read(0, len(piece))
        piece.release()
        must(served == data, f"a read at {offset} finds something else")
    if found and end > log.log_start_offset:
        header, data = found[len(found) // 2]
        wanted = max(header.base_offset, log.log_start_offset)
        timestamp = next(read_records(data, 0, header)).timestamp if wanted == header.base_offset else START_MS + wanted
        place = log.offset_for_timestamp(timestamp, end_offset=end)
        must(place is not None and place.offset == wanted, f"by time {wanted} is {place and place.offset}")
