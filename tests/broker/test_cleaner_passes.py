"""How rounds and passes of the cleaner end, whatever they met: another one follows, and nothing is left of them."""

import errno
import logging
from typing import Any

import pytest

from kafkacompat.broker import log_cleaner
from kafkacompat.broker.log_cleaner import LogCleaner
from kafkacompat.config import TopicConfig
from kafkacompat.now import Now
from kafkacompat.protocol.error_codes import CORRUPT_MESSAGE, KAFKA_STORAGE_ERROR
from kafkacompat.protocol.records.batch import CorruptBatchError
from kafkacompat.steps import Stepped
from kafkacompat.storage.aborted import AbortedTransactions
from kafkacompat.storage.checkpoints import CLEANER_FILE, read_offsets, write_offsets
from kafkacompat.storage.compaction import tail
from kafkacompat.storage.compaction.clean_pass import Pass
from kafkacompat.storage.errors import LogError, UnfinishedError
from kafkacompat.storage.fs import Buffer
from kafkacompat.storage.index import CorruptIndexError
from kafkacompat.storage.log import Log
from kafkacompat.storage.memfs import MemFs
from tests.broker.harness import BrokerHarness
from tests.broker.test_log_cleaner import (
    COMPACTED,
    ROUND_MS,
    _aborted_transactions,
    a_broker,
    cleaner,
    damage_txn_index,
    log_of,
    produce,
    records,
    rounds,
    sealed,
    with_topic,
)

DIRECTORIES = ("/a", "/b", "/c")


class Watched(Pass):
    """Tells whether it was closed."""

    made: list["Watched"]
    is_closed = False

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.made.append(self)

    def close(self) -> None:
        self.is_closed = True
        super().close()


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[Watched]:
    """Those that are made from now on."""
    made: list[Watched] = []
    monkeypatch.setattr(Watched, "made", made, raising=False)
    return made


def watched(kafka: BrokerHarness) -> BrokerHarness:
    kafka.broker.compaction.new_pass = Watched
    return kafka


def left(kafka: BrokerHarness) -> list[str]:
    """Files of results that are not used."""
    return [name for name in kafka.fs.listdir("/data/t-0") if name.endswith((".cleaned", ".swap"))]


def test_a_pass_that_did_its_work_is_closed(passes: list[Watched]) -> None:
    kafka = watched(with_topic())
    produce(kafka)
    rounds(kafka)
    assert cleaner(kafka).passes == 1
    assert [each.is_closed for each in passes] == [True]


def test_a_pass_that_meets_a_damaged_index_is_closed_before_the_next_one(passes: list[Watched]) -> None:
    kafka = watched(with_topic({"internal.segment.bytes": "2000"}))
    produce(kafka, count=4)
    _aborted_transactions(kafka, 14)
    produce(kafka, count=1)
    damage_txn_index(kafka, log_of(kafka).segments.all[0])
    rounds(kafka)
    rounds(kafka)
    assert len(passes) > 1
    assert all(each.is_closed for each in passes)


def test_a_stop_ends_what_a_pass_does_beside_the_loop(passes: list[Watched]) -> None:
    kafka = watched(with_topic())
    produce(kafka)
    kafka.now = Now(kafka.now.monotonic_ms + ROUND_MS, kafka.now.wall_ms + ROUND_MS)
    kafka.broker.timers.run(kafka.now)
    assert [each.is_closed for each in passes] == [False]
    kafka.broker.compaction.stop()
    assert [each.is_closed for each in passes] == [True]


@pytest.mark.parametrize("step", ["index", "clean"])
def test_a_policy_that_keeps_everything_ends_the_pass_that_runs(
    step: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As in Apache Kafka (``LogManager.updateTopicConfig``)."""
    caplog.set_level(logging.INFO, log_cleaner.__name__)
    kafka = with_topic()
    produce(kafka)
    before = records(kafka)
    run = getattr(Pass, step)

    def altered(self: Pass, *given: Any) -> Any:
        result = run(self, *given)
        log_of(kafka).config = TopicConfig.resolve(COMPACTED | {"cleanup.policy": "delete"}, kafka.broker.config)
        return result

    monkeypatch.setattr(Pass, step, altered)
    rounds(kafka)
    assert (records(kafka), cleaner(kafka).passes, cleaner(kafka).uncleanable) == (before, 0, {})
    assert not cleaner(kafka).is_at_work
    assert left(kafka) == []
    ends = "the compaction of t-0 ends: its cleanup.policy keeps all records of a key now"
    assert [text for text in caplog.messages if not text.startswith("compacting")] == [ends]


@pytest.mark.parametrize("why", ["the policy keeps everything", "the batch is damaged"])
def test_names_of_replaced_segments_are_synced_though_the_pass_ends_early(
    why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the old files are removed: else a loss of power could leave neither these nor the new ones."""
    kafka = with_topic()
    produce(kafka)
    clean, cleaned = Pass.clean, []
    replaced: list[str] = []
    synced: list[list[str]] = []

    def altered(self: Pass, group: list[int]) -> Any:
        cleaned.append(group)
        if len(cleaned) == 1:
            return clean(self, group)
        if why == "the batch is damaged":
            raise CorruptBatchError("it is")
        log_of(kafka).config = TopicConfig.resolve(COMPACTED | {"cleanup.policy": "delete"}, kafka.broker.config)
        return clean(self, group)

    fsync_dir, replace_segments = kafka.fs.fsync_dir, Log.replace_segments

    def noted(path: str) -> None:
        if path == log_of(kafka).path:
            synced.append(list(replaced))
        fsync_dir(path)

    def replacing(self: Log, *given: Any) -> bool:
        replaced.append("a group")
        return replace_segments(self, *given)

    monkeypatch.setattr(Pass, "clean", altered)
    monkeypatch.setattr(Log, "replace_segments", replacing)
    monkeypatch.setattr(kafka.fs, "fsync_dir", noted)
    rounds(kafka)
    assert len(cleaned) == 2
    assert replaced == ["a group"]
    assert synced[-1:] == [replaced]
    assert (cleaner(kafka).passes, cleaner(kafka).is_at_work, left(kafka)) == (0, False, [])
    assert bool(cleaner(kafka).uncleanable) == (why == "the batch is damaged")


def test_the_result_for_segments_that_went_meanwhile_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    kafka = with_topic()
    produce(kafka)
    clean = Pass.clean
    has_changed = []

    def late(self: Pass, group: list[int]) -> Any:
        result = clean(self, group)
        if not has_changed:
            has_changed.append(True)
            log_of(kafka).delete_segments(1, kafka.now)
        return result

    monkeypatch.setattr(Pass, "clean", late)
    kafka.advance(ROUND_MS)
    for _ in range(5):
        kafka.advance(0)
    assert has_changed
    assert (cleaner(kafka).passes, left(kafka)) == (0, [])
    rounds(kafka)
    assert (cleaner(kafka).passes, sealed(kafka)) == (1, 2)


# Whatever a round meets, the cleaner goes on.


def test_a_log_that_comes_after_rounds_without_any_is_compacted() -> None:
    kafka = a_broker()
    kafka.create_topic("kept", 1)
    rounds(kafka)
    rounds(kafka)
    kafka.create_topic("t", 1, **COMPACTED)
    produce(kafka)
    rounds(kafka)
    assert (cleaner(kafka).passes, sealed(kafka)) == (1, 2)


def test_a_round_of_many_turns_ends_with_a_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    kafka = with_topic()
    produce(kafka)
    resume = Stepped.resume
    monkeypatch.setattr(Stepped, "resume", lambda self, _budget=0: resume(self, 1))
    rounds(kafka)
    assert cleaner(kafka).passes == 1


def test_nothing_is_looked_at_after_a_stop_before_the_first_round() -> None:
    kafka = with_topic()
    produce(kafka)
    kafka.broker.compaction.stop()
    before = records(kafka)
    rounds(kafka)
    assert (kafka.broker.compaction.cleaner, records(kafka)) == (None, before)


def test_a_tail_that_grew_before_the_start_or_at_a_follower_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    kafka = a_broker()
    kafka.create_topic("__transaction_state", 1, **{"cleanup.policy": "compact"})
    produce(kafka, "__transaction_state", 20)  # not by the coordinator, which would see to it itself
    monkeypatch.setattr(tail, "TAIL_RECORDS", 10)
    rounds(kafka)
    rounds(kafka)  # what the first one has sealed is synced
    assert (cleaner(kafka).passes, sealed(kafka, "__transaction_state")) == (1, 2)


def test_a_log_that_no_plan_can_be_made_for_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_given: Any) -> bool:
        raise LogError(KAFKA_STORAGE_ERROR, "it cannot be rolled")

    kafka = with_topic()
    produce(kafka)
    kafka.create_topic("__transaction_state", 1, **COMPACTED)
    produce(kafka, "__transaction_state")
    monkeypatch.setattr(log_cleaner, "bound_tail", refused)
    rounds(kafka)
    assert list(cleaner(kafka).uncleanable) == [("__transaction_state", 0)]
    assert sealed(kafka) == 2


def test_a_pass_that_cannot_begin_yet_begins_in_a_later_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """An index of aborted transactions that is built anew, in turns."""
    errors = [LogError(CORRUPT_MESSAGE, "damaged"), UnfinishedError("not yet")]
    request = LogCleaner._request

    def refused(self: LogCleaner, *given: Any) -> Any:
        if errors:
            raise errors.pop()
        return request(self, *given)

    monkeypatch.setattr(LogCleaner, "_request", refused)
    kafka = with_topic()
    produce(kafka)
    rounds(kafka)
    assert (errors, list(cleaner(kafka).uncleanable)) == ([], [("t", 0)])  # the second one was damage
    cleaner(kafka).uncleanable.clear()
    rounds(kafka)
    assert sealed(kafka) == 2


@pytest.mark.parametrize("outcome", ["nothing to mend", "an error"])
def test_an_index_that_cannot_be_mended_leaves_the_log_as_it_is(outcome: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def mend(*_given: Any) -> Any:
        yield 1
        if outcome == "an error":
            raise LogError(CORRUPT_MESSAGE, "the log is damaged, too")
        return 0

    def damaged(self: Pass) -> Any:
        raise CorruptIndexError(log_of(kafka).path, "damaged")

    monkeypatch.setattr(AbortedTransactions, "mend", mend)
    monkeypatch.setattr(Pass, "index", damaged)
    kafka = with_topic()
    produce(kafka)
    rounds(kafka)
    assert list(cleaner(kafka).uncleanable) == [("t", 0)]


def test_a_disk_that_fails_in_a_swap_holds_up_no_other_log() -> None:
    kafka = with_topic()
    produce(kafka)
    kafka.fs.fail_next(lambda operation: operation[0] == "rename" and operation[1].endswith(".log.swap"), errno.EIO)
    rounds(kafka)
    assert log_of(kafka).failure is not None
    assert not cleaner(kafka).is_at_work
    kafka.fs.restart()


def test_of_a_log_that_is_cleanable_again_no_bytes_are_told_as_uncleanable(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(self: Pass) -> Any:
        raise CorruptBatchError("damaged")

    kafka = with_topic()
    produce(kafka)
    with monkeypatch.context() as patch:
        patch.setattr(Pass, "index", damaged)
        rounds(kafka)
        rounds(kafka)
    assert cleaner(kafka).uncleanable_bytes["t", 0] > 0
    log_of(kafka).config = TopicConfig.resolve(COMPACTED, kafka.broker.config)
    rounds(kafka)
    assert (cleaner(kafka).passes, cleaner(kafka).uncleanable_bytes) == (1, {})


class Disks(MemFs):
    """Notes which directories name the log as cleaned, whenever a file is written. A directory `full` has no room, and
    one that is `broken` fails.
    """

    full: str | None = None
    broken: str | None = None

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[list[str]] = []

    def write_atomic(self, path: str, data: Buffer, *, sync: bool) -> None:
        if self.full is not None and path.startswith(self.full):
            raise OSError(errno.ENOSPC, "no space", path)
        if self.broken is not None and path.startswith(self.broken):
            raise OSError(errno.EIO, "input/output error", path)
        super().write_atomic(path, data, sync=sync)
        files = {each: f"{each}/{CLEANER_FILE}" for each in DIRECTORIES}
        self.seen.append([
            each for each, file in files.items() if self.exists(file) and ("t", 0) in read_offsets(self, file)
        ])  # fmt: skip


def with_a_log_that_was_elsewhere() -> tuple[BrokerHarness, Disks, str, str]:
    """And where it is, and which other directory still names it."""
    disks = Disks()
    kafka = BrokerHarness(disks, directories=DIRECTORIES)
    kafka.create_topic("t", 1, **COMPACTED)
    (here,) = [each for each in DIRECTORIES if disks.exists(f"{each}/t-0")]
    kafka.close()
    (elsewhere, _) = [each for each in DIRECTORIES if each != here]
    write_offsets(disks, f"{elsewhere}/{CLEANER_FILE}", {("t", 0): 5}, sync=True)
    kafka = BrokerHarness(disks, directories=DIRECTORIES)
    disks.seen.clear()
    produce(kafka)
    return kafka, disks, here, elsewhere


def test_no_other_directory_names_a_log_when_its_cleaner_offset_is_written() -> None:
    kafka, disks, here, elsewhere = with_a_log_that_was_elsewhere()
    rounds(kafka)
    kafka.advance(ROUND_MS)
    assert [elsewhere] in disks.seen
    assert disks.seen[-1] == [here]
    assert max(map(len, disks.seen)) == 1
    assert cleaner(kafka).passes == 1


def test_another_directory_that_names_a_log_and_fails_goes_offline(caplog: pytest.LogCaptureFixture) -> None:
    kafka, disks, _here, elsewhere = with_a_log_that_was_elsewhere()
    disks.broken = elsewhere
    kafka.advance(ROUND_MS)
    assert [each.path for each in kafka.broker.logs.offline_directories] == [elsewhere]
    assert f"data directory {elsewhere} goes offline" in caplog.text
    assert log_of(kafka).failure is None
    rounds(kafka)
    kafka.advance(ROUND_MS)
    assert cleaner(kafka).passes == 1


def test_a_directory_that_is_offline_is_not_written_for_a_log_that_it_names() -> None:
    kafka, disks, _here, elsewhere = with_a_log_that_was_elsewhere()
    (offline,) = [each for each in kafka.broker.logs.directories if each.path == elsewhere]
    offline.take_offline(OSError(errno.EIO, "I/O error"))
    rounds(kafka)
    kafka.advance(ROUND_MS)
    assert cleaner(kafka).passes == 1
    assert read_offsets(disks, f"{elsewhere}/{CLEANER_FILE}") == {("t", 0): 5}


def test_a_log_waits_while_another_directory_that_names_it_is_full(caplog: pytest.LogCaptureFixture) -> None:
    kafka, disks, here, elsewhere = with_a_log_that_was_elsewhere()
    disks.full = elsewhere
    kafka.advance(ROUND_MS)
    says = f"t-0 cannot be compacted now: the cleaner offsets of log directory {elsewhere} cannot be written"
    assert says in caplog.text
    assert not kafka.broker.logs.offline_directories
    assert cleaner(kafka).passes == 0
    assert log_of(kafka).failure is None
    disks.full = None
    rounds(kafka)
    kafka.advance(ROUND_MS)
    assert disks.seen[-1] == [here]
