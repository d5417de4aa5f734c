"""Cleaned segments take the place of old ones: for readers, after changes meanwhile, after any crash."""

from functools import partial
from random import Random

import pytest

from kafkacompat.protocol.records.builder import Record
from kafkacompat.storage.compaction.clean_pass import Pass, StoppedError
from kafkacompat.storage.flush import flush_now
from kafkacompat.storage.log import Log
from kafkacompat.storage.memfs import MemFs
from tests.crash import states
from tests.crash.recording import Player, RecordingFs
from tests.storage.compaction.logs import Op, batches, committed, compact, content, request, write
from tests.storage.support import PATH, at, open_log, read_bytes, topic_config

PUT: Op = ("put", None, [(b"a", b"1"), (b"b", b"2")], 0)
Seen = tuple[list[Record], list[Record]]
OPS: list[Op] = [
    PUT, PUT, ("roll",), ("put", 1, [(b"c", b"3")], 1), ("put", 2, [(b"c", b"4")], 0), ("roll",), ("abort", 1),
    ("commit", 2), PUT, ("roll",), PUT, ("put", None, [(b"d", None)], 0), ("roll",), PUT,
]  # fmt: skip


def a_log(fs: MemFs | None = None, ops: list[Op] = OPS, **config: object) -> Log:
    log = open_log(fs or MemFs(), topic_config(**config))
    write(log, ops)
    flush_now(log, None)
    return log


def names(log: Log) -> list[str]:
    return [name for name in log.fs.listdir(PATH) if name.endswith(".log")]


def test_old_files_go_after_the_delay_and_readers_of_them_finish() -> None:
    log = a_log(file_delete_delay_ms=100)
    piece = log.read(0, 1 << 20, end_offset=log.log_end_offset, at_least_one=True)
    piece.file.retain()
    before = piece.read(0, len(piece))
    assert compact(log, ms=1_000) == log.segments.all[-1].base_offset
    assert names(log) == [f"{0:020d}.log", f"{log.segments.all[-1].base_offset:020d}.log"]
    assert not log.pop_deleted(at(1_099))
    for path in log.pop_deleted(at(1_100)):
        if log.fs.exists(path):
            log.fs.remove(path)
    assert not [name for name in log.fs.listdir(PATH) if name.endswith((".deleted", ".cleaned", ".swap"))]
    assert piece.read(0, len(piece)) == before
    piece.file.release()
    piece.release()


def test_a_hole_is_passed_over_by_readers() -> None:
    log = a_log()
    whole = {record.offset for record in content(log)}
    compact(log)
    kept = {record.offset for record in content(log)}
    assert kept < whole
    for offset in range(log.log_end_offset):
        assert read_bytes(log, offset)


@pytest.mark.parametrize("change", ["truncate", "delete", "fail", "close"])
def test_a_result_for_segments_that_changed_meanwhile_is_not_used(change: str) -> None:
    log = a_log()
    asked, segments = request(log)
    running = Pass(log.fs, asked)
    _, groups = running.index()
    cleaned = running.clean(groups[0])
    if change == "truncate":
        log.truncate_to(1)
    elif change == "delete":
        log.delete_records_before(5, at())
    elif change == "fail":
        log.fail(OSError("broken"))
    else:
        log.close(clean=False, now=at())
    before = None if change in ("fail", "close") else content(log)
    assert not log.replace_segments(segments, cleaned, at())
    if before is not None:
        assert content(log) == before


def test_the_active_segment_is_never_replaced() -> None:
    log = a_log()
    asked, _ = request(log)
    running = Pass(log.fs, asked)
    _, groups = running.index()
    assert not log.replace_segments([log.segments.all[-1]], running.clean(groups[0]), at())


def test_a_pass_that_is_closed_or_fails_leaves_nothing() -> None:
    log = a_log()
    asked, _ = request(log)
    running = Pass(log.fs, asked)
    _, groups = running.index()
    running.close()
    with pytest.raises(StoppedError):
        running.clean(groups[0])
    assert isinstance(log.fs, MemFs)
    running = Pass(log.fs, asked)
    running.index()
    log.fs.fail_next(lambda operation: operation[0] == "fsync")
    with pytest.raises(OSError, match="injected"):
        running.clean(groups[0])
    assert not [name for name in log.fs.listdir(PATH) if name.endswith(".cleaned")]


def test_whatever_a_crash_leaves_the_newest_records_are_the_same() -> None:
    assert crash_anywhere(OPS, all_up_to=16, some=4) == 1


@pytest.mark.parametrize("seed", range(10))
def test_whatever_a_crash_leaves_of_a_random_log_readers_see_a_moment_of_the_compaction(seed: int) -> None:
    assert crash_anywhere(random_ops(Random(seed)), all_up_to=2, some=1, share=0.2, segment_bytes=500) > 1


def random_ops(rng: Random) -> list[Op]:
    """As `test_clean_pass.STEP` has them."""
    ops: list[Op] = []
    for _ in range(16):
        kind = rng.choices(("put", "commit", "abort", "roll"), (7, 1, 1, 3))[0]
        if kind == "put":
            keys = rng.choices([None, b"a", b"b", b"c", b"d", b"e"], k=rng.randint(1, 5))
            pairs = [(key, rng.choice([None, b"", b"value", b"x" * 50])) for key in keys]
            ops.append(("put", rng.choice([None, 1, 2, 3]), pairs, rng.randrange(5)))
        else:
            ops.append((kind,) if kind == "roll" else (kind, rng.choice([1, 2, 3])))
    ended: list[Op] = [(rng.choice(["commit", "abort"]), producer) for producer in (1, 2, 3)]
    return [*ops, *ended, ("roll",), PUT]  # what is open would end what is compacted


def seen_by_readers(log: Log) -> Seen:
    """With read_committed, and with read_uncommitted."""
    return committed(log), content(log)


def is_between(found: Seen, before: Seen, after: Seen) -> bool:
    """Whether all that is left afterwards is there, and nothing that was not there before. A result does not tell of
    old segments behind its last batch, of which nothing is left: these stay, as in Apache Kafka.
    """
    return all(
        [each for each in before[level] if each in found[level]] == found[level]
        and [each for each in found[level] if each in after[level]] == after[level]
        for level in (0, 1)
    )


def crash_anywhere(ops: list[Op], *, all_up_to: int, some: int, share: float = 1.0, **config: object) -> int:
    """Compact a log, and open whatever a crash at any step of that may leave, or a share of it. Returns how many groups
    of segments were replaced, one after the other: readers see the log as it was before one of them, or after it.
    """
    fs = RecordingFs()
    log = a_log(fs, ops, **config)
    newest = {record.key: record for record in committed(log) if record.key is not None}
    found = fs.copy()
    del fs.steps[:]
    fs._opened = 0
    log.close(clean=False, now=at())
    log = open_log(fs, log.config, recovery_point=log.log_end_offset)
    log.producers.replicated_to(log.log_end_offset)
    moments = [seen_by_readers(log)]
    asked, segments = request(log)
    running = Pass(fs, asked)
    for group in running.index()[1]:
        old = [each for each in segments if each.base_offset in group]  # type: ignore[attr-defined]
        assert log.replace_segments(old, running.clean(group), at())  # type: ignore[arg-type]
        moments.append(seen_by_readers(log))
    fs.fsync_dir(PATH)
    player, rng, seen = Player(fs.steps, found), Random(1), set()
    while True:
        for state in states.after(player, rng, all_up_to=all_up_to, some=some):
            if rng.random() >= share:
                continue
            again = open_log(state.fs, log.config, recovery_point=log.log_end_offset)
            again.producers.replicated_to(again.log_end_offset)
            records = seen_by_readers(again)
            assert {record.key: record for record in records[0] if record.key is not None} == newest, state.name
            assert again.log_end_offset == log.log_end_offset, state.name
            bases = [header.base_offset for header, _ in batches(again)]
            assert bases == sorted(set(bases)), f"{state.name}: old segments are left beside the new one"
            assert not [name for name in state.fs.listdir(PATH) if name.endswith((".cleaned", ".swap"))]
            if records in moments:
                seen.add(moments.index(records))
            else:
                assert any(map(partial(is_between, records), moments, moments[1:])), state.name
        if player.next is None:
            break
        player.step()
    assert seen == {moments.index(moment) for moment in moments}
    return len(moments) - 1
