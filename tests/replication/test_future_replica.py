"""A future replica follows the current one, whatever that appends, truncates and deletes meanwhile."""

from __future__ import annotations

import random

import pytest

from kafkacompat.now import Now
from kafkacompat.replication.following import FETCH_AGAIN
from kafkacompat.replication.future_replica import FutureReplica
from kafkacompat.replication.partition import HIGH_WATERMARK_MOVED, LOG_START_MOVED, Partition
from kafkacompat.storage.log import Log
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.verification_entries import VERIFICATION_IS_OFF
from tests.replication.test_following import NOW, Replicas
from tests.storage.support import at, batch, open_log, topic_config

CONFIG = topic_config(segment_bytes=700)


def pair(*, log_start_offset: int = 0) -> tuple[Partition, FutureReplica]:
    fs = MemFs()
    fs.mkdir("/data")
    current = open_log(fs, CONFIG)
    if log_start_offset:
        current.truncate_fully_and_start_at(log_start_offset)
    partition = Partition("t", 0, bytes(16), 1, current, 0)
    return partition, FutureReplica(partition, open_log(fs, CONFIG, path="/data/future"))


def append(log: Log, epoch: int, count: int = 1) -> None:
    log.append_as_leader(batch(count), leader_epoch=epoch, now=at())


def step(future: FutureReplica, now: Now, max_bytes: int = 200) -> None:
    future.align(now)
    part = future.read(max_bytes)
    records = bytearray(part.read(0, len(part)))
    part.release()
    if records:
        future.append(memoryview(records), now)


def catch_up(future: FutureReplica) -> None:
    for _ in range(500):
        if future.align(at()) or not future.is_caught_up:
            step(future, at())
        else:
            return
    raise AssertionError(f"it is {future.lag} behind")


def test_a_log_start_that_is_set_back_follows_its_copy() -> None:
    partition, future = pair()
    for _ in range(3):
        append(partition.log, 0)
    catch_up(future)
    future.log.delete_records_before(2, at())
    assert not future.align(at())
    assert future.is_caught_up
    future.log.epochs.adopt(partition.log.epochs, future.log.log_start_offset)
    assert future.log.epochs.entries == [(0, 2)]
    partition.replace_log(future.log)
    assert (partition.log_start_offset, partition.high_watermark) == (2, 2)
    assert partition.effects == LOG_START_MOVED | HIGH_WATERMARK_MOVED


def batches(log: Log) -> list[bytes]:
    """From the log start on, which may lie in the middle of the first one."""
    return [bytes(found) for _, found in log.batches(log.log_start_offset, log.log_end_offset)]


def check_same(partition: Partition, future: FutureReplica) -> None:
    current, copy = partition.log, future.log
    assert (copy.log_start_offset, copy.log_end_offset) == (current.log_start_offset, current.log_end_offset)
    assert batches(copy) == batches(current)
    copy.epochs.adopt(current.epochs, copy.log_start_offset)
    wanted = [entry for entry in current.epochs.entries if entry[1] < current.log_end_offset]
    assert [entry for entry in copy.epochs.entries if entry[1] < copy.log_end_offset] == wanted
    assert copy.epochs.latest == current.epochs.latest


def test_it_copies_all_batches_in_parts() -> None:
    partition, future = pair()
    for epoch in (0, 0, 3, 5):
        append(partition.log, epoch, 4)
    assert future.lag == 16
    step(future, at())
    assert 0 < future.lag < 16
    catch_up(future)
    check_same(partition, future)


def test_it_truncates_what_the_current_one_has_lost() -> None:
    partition, future = pair()
    for epoch in (1, 1, 2, 2):
        append(partition.log, epoch)
    catch_up(future)
    partition.log.truncate_to(1)
    append(partition.log, 3)
    assert future.lag == 2 - 4
    catch_up(future)
    check_same(partition, future)


def test_it_truncates_other_records_at_the_same_offsets() -> None:
    partition, future = pair()
    for epoch in (1, 2):
        append(partition.log, epoch, 2)
    catch_up(future)
    partition.log.truncate_to(2)
    append(partition.log, 4, 2)
    assert future.lag == 0
    catch_up(future)
    check_same(partition, future)


def test_it_begins_anew_behind_what_was_deleted() -> None:
    partition, future = pair()
    append(partition.log, 1, 5)
    step(future, at())
    append(partition.log, 1, 5)
    append(partition.log, 2, 5)
    partition.log.delete_records_before(12, at())
    assert future.align(at())
    assert future.log.log_start_offset == 12
    catch_up(future)
    check_same(partition, future)


def test_an_empty_log_that_starts_late_has_a_copy_that_does() -> None:
    _, future = pair(log_start_offset=40)
    catch_up(future)
    assert (future.log.log_start_offset, future.log.log_end_offset) == (40, 40)


def test_an_epoch_without_records_is_taken_over() -> None:
    partition, future = pair()
    append(partition.log, 1)
    partition.log.epochs.assign(6, 1)
    catch_up(future)
    check_same(partition, future)
    assert future.log.epochs.latest == 6


@pytest.mark.parametrize("seed", range(40))
def test_whatever_happens_to_the_current_one(seed: int) -> None:
    rng = random.Random(seed)
    partition, future = pair(log_start_offset=rng.choice([0, 0, 7]))
    log, epoch = partition.log, 0
    for _ in range(rng.randint(10, 60)):
        what = rng.random()
        if what < 0.45:
            append(log, epoch, rng.randint(1, 6))
        elif what < 0.6 and log.log_end_offset > log.log_start_offset:
            starts = [header.base_offset for header, _ in log.batches(log.log_start_offset, log.log_end_offset)]
            log.truncate_to(max(rng.choice(starts), log.log_start_offset))
            epoch += rng.randint(1, 2)  # what is written behind it is a later leader's
            if rng.random() < 0.3:
                log.epochs.assign(epoch, log.log_end_offset)
        elif what < 0.7:
            log.delete_records_before(rng.randint(log.log_start_offset, log.log_end_offset), at())
        elif what < 0.75:
            log.truncate_fully_and_start_at(log.log_end_offset + rng.randint(0, 9))
            epoch += 1
        else:
            step(future, at(), rng.choice([1, 200, 1000]))
    catch_up(future)
    check_same(partition, future)


def test_a_follower_goes_on_in_the_other_log_with_the_fetch_that_is_on_its_way() -> None:
    replicas = Replicas()
    replicas.write(1, 3)
    assert replicas.fetch(2) == FETCH_AGAIN
    follower = replicas[2]
    fs = MemFs()
    fs.mkdir("/data")
    future = FutureReplica(follower, open_log(fs, path="/data/future"))
    catch_up(future)
    replicas.write(1, 2)
    ticket, answer = replicas.ask(2, 1)
    before, future_log = follower.log, future.log
    future_log.epochs.adopt(before.epochs, future_log.log_start_offset)
    future_log.adopt_producers(before)
    follower.replace_log(future_log)
    assert follower.fetch_answered(ticket, answer, NOW) == FETCH_AGAIN
    assert (before.log_end_offset, future_log.log_end_offset) == (3, 5)
    assert batches(future_log) == batches(replicas[1].log)


def test_an_open_transaction_stays_open_in_the_other_log() -> None:
    partition, future = pair()
    records = batch(2, producer_id=7, producer_epoch=0, base_sequence=0, is_transactional=True)
    partition.log.append_as_leader(records, leader_epoch=0, now=at(), guard=VERIFICATION_IS_OFF)
    append(partition.log, 0)
    partition.high_watermark = 3
    catch_up(future)
    current, copy = partition.log, future.log
    assert copy.producers.last_stable_offset(3) == partition.last_stable_offset == 0
    copy.adopt_producers(current)
    partition.replace_log(copy)
    assert partition.last_stable_offset == 0


def test_what_is_copied_anew_behind_a_truncation_was_never_compacted() -> None:
    partition, future = pair()
    for _ in range(3):
        append(partition.log, 0)
    catch_up(future)
    for epoch, (known, lowered) in enumerate(((3, 2), (1, 1), (None, None)), 1):
        future.compacted_offset = known
        partition.log.truncate_to(2)
        append(partition.log, epoch)
        future.align(at())
        assert (future.log.log_end_offset, future.compacted_offset) == (2, lowered)
        catch_up(future)


def test_a_copy_that_begins_anew_is_as_compacted_as_its_log() -> None:
    """As in Apache Kafka, whose future replicas lower nothing (``LogManager.truncateFullyAndStartAt``)."""
    partition, future = pair()
    append(partition.log, 0)
    catch_up(future)
    for _ in range(3):
        append(partition.log, 0)
    partition.log.delete_records_before(2, at())
    future.compacted_offset = 3
    assert future.align(at())
    assert (future.log.log_start_offset, future.compacted_offset) == (2, 3)
