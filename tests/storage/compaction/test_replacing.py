"""Cleaned segments take the place of old ones: for readers, after changes meanwhile, after any crash."""

from random import Random

import pytest

from kafkacompat.storage.compaction.clean_pass import Pass, StoppedError
from kafkacompat.storage.flush import flush_now
from kafkacompat.storage.log import Log
from kafkacompat.storage.memfs import MemFs
from tests.crash import states
from tests.crash.recording import Player, RecordingFs
from tests.storage.compaction.logs import Op, batches, committed, compact, content, request, write
from tests.storage.support import PATH, at, open_log, read_bytes, topic_config

PUT: Op = ("put", None, [(b"a", b"1"), (b"b", b"2")], 0)
OPS: list[Op] = [
    PUT, PUT, ("roll",), ("put", 1, [(b"c", b"3")], 1), ("put", 2, [(b"c", b"4")], 0), ("roll",), ("abort", 1),
    ("commit", 2), PUT, ("roll",), PUT, ("put", None, [(b"d", None)], 0), ("roll",), PUT,
]  # fmt: skip


def a_log(fs: MemFs | None = None, **config: object) -> Log:
    log = open_log(fs or MemFs(), topic_config(**config))
    write(log, OPS)
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
    fs = RecordingFs()
    log = a_log(fs)
    before, newest = committed(log), {record.key: record for record in committed(log)}
    found = fs.copy()
    del fs.steps[:]
    fs._opened = 0
    log.close(clean=False, now=at())
    log = open_log(fs, topic_config(), recovery_point=log.log_end_offset)
    log.producers.replicated_to(log.log_end_offset)
    compact(log)
    fs.fsync_dir(PATH)
    after = committed(log)
    player, rng, seen = Player(fs.steps, found), Random(1), set()
    while True:
        for state in states.after(player, rng, all_up_to=16, some=4):
            again = open_log(state.fs, topic_config(), recovery_point=log.log_end_offset)
            again.producers.replicated_to(again.log_end_offset)
            records = committed(again)
            assert {record.key: record for record in records} == newest, state.name
            assert again.log_end_offset == log.log_end_offset, state.name
            bases = [header.base_offset for header, _ in batches(again)]
            assert bases == sorted(set(bases)), f"{state.name}: old segments are left beside the new one"
            assert not [name for name in state.fs.listdir(PATH) if name.endswith((".cleaned", ".swap"))]
            assert records in (before, after), state.name
            seen.add(len(records))
        if player.next is None:
            break
        player.step()
    assert seen == {len(before), len(after)}
