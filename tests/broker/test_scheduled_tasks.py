import pytest

from kafkacompat.broker.scheduled_tasks import DISK_CHECK_MS, repeat
from kafkacompat.broker.timers import Timers
from kafkacompat.now import Now
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from kafkacompat.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from kafkacompat.steps import UNITS_PER_ITERATION, UNITS_PER_STEP
from kafkacompat.storage.manager import MOVED_PER_UNIT
from tests.broker.handlers.test_produce_fetch import batch, produce_request
from tests.broker.harness import BrokerHarness

MANY = UNITS_PER_ITERATION * MOVED_PER_UNIT + 7


def test_a_chore_comes_back_even_when_it_fails():
    timers, runs = Timers(), []

    def chore(now: Now) -> None:
        runs.append(now.monotonic_ms)
        if len(runs) == 1:
            raise OSError("disk")

    repeat(timers, "chore", 10, chore, Now(0, 0))
    with pytest.raises(OSError, match="disk"):
        timers.run(Now(10, 0))
    timers.run(Now(19, 0))
    timers.run(Now(20, 0))
    assert runs == [10, 20]


def test_the_disk_is_looked_at_beside_the_loop():
    broker = BrokerHarness()
    operations = broker.fs.record()
    broker.now = Now(broker.now.monotonic_ms + DISK_CHECK_MS, broker.now.wall_ms)
    broker.broker.timers.run(broker.now)
    assert not [operation for operation in operations if operation[0] == "allocate"]
    broker.settle()
    assert [operation[0] for operation in operations].count("allocate") == 1
    broker.advance(DISK_CHECK_MS)
    assert not broker.broker.background.is_busy
    assert [operation[0] for operation in operations].count("allocate") == 1, "there is nothing to look for"


def test_high_watermarks_are_checkpointed():
    broker = BrokerHarness()
    broker.create_topic("t", 2)
    broker.ask(produce_request((1, batch(b"a", b"b"))), 9)
    broker.advance(5_000)
    checkpoint = broker.fs.read_bytes("/data/replication-offset-checkpoint").decode()
    assert "t 0 0\n" in checkpoint
    assert "t 1 2\n" in checkpoint


def test_recovery_points_survive_a_loss_of_power():
    broker = BrokerHarness(log_flush_interval_messages="1")
    broker.create_topic("t", 1)
    broker.ask(produce_request((0, batch(b"a", b"b"))), 9)
    broker.advance(5_000)
    assert b"t 0 2\n" in broker.fs.read_bytes("/data/recovery-point-offset-checkpoint")
    broker.fs.crash()
    assert b"t 0 2\n" in broker.fs.read_bytes("/data/recovery-point-offset-checkpoint")


def test_deleted_topics_leave_the_disk():
    broker = BrokerHarness()
    broker.create_topic("t", 2)
    broker.ask(DeleteTopicsRequest([DeleteTopicState("t")], timeout_ms=1_000), 6)
    names = broker.fs.listdir("/data")
    assert len([name for name in names if name.endswith("-delete")]) == 2
    broker.advance(60_000)
    broker.advance(10_000)
    assert not [name for name in broker.fs.listdir("/data") if name.startswith("t-")]


def test_silent_producers_are_forgotten():
    broker = BrokerHarness(producer_id_expiration_ms="3600000")
    broker.create_topic("t", 1)
    broker.ask(produce_request((0, batch(b"a", producer_id=7, producer_epoch=0, base_sequence=0))), 9)

    def producers():
        answer = broker.ask(DescribeProducersRequest([TopicRequest("t", [0])]), 0)
        return [producer.producer_id for producer in answer.topics[0].partitions[0].active_producers]

    broker.advance(3_000_000)
    assert producers() == [7]
    broker.advance(1_300_000)
    assert producers() == []


def test_what_is_due_is_flushed():
    broker = BrokerHarness(log_flush_interval_ms="10000")
    broker.create_topic("t", 1)
    broker.ask(produce_request((0, batch(b"a", b"b"))), 9)
    log = broker.broker.partitions.get("t", 0).log
    broker.advance(5_000)
    assert log.flushed_offset == 0
    for _ in range(4):
        broker.advance(3_000)
    assert log.flushed_offset == 2


def test_chores_take_turns_when_much_has_moved(steps: list[int]):
    broker = BrokerHarness()
    answer = broker.begin(CreateTopicsRequest([CreatableTopic("t", MANY, 1)], timeout_ms=60_000), 7)
    while not answer.is_there:
        broker.advance(0)
    steps.clear()
    broker.advance(5_000)
    while broker.broker.timers.next_deadline_ms() <= broker.now.monotonic_ms:
        broker.advance(0)
    assert len(steps) > 2
    assert max(steps) <= UNITS_PER_ITERATION + UNITS_PER_STEP
    checkpoint = broker.fs.read_bytes("/data/replication-offset-checkpoint").decode()
    assert len(checkpoint.splitlines()) == 2 + MANY
    steps.clear()
    broker.ask(produce_request((1, batch(b"a"))), 9)
    broker.advance(5_000)
    assert sum(steps) == 1
    assert "t 1 1\n" in broker.fs.read_bytes("/data/replication-offset-checkpoint").decode()


def test_due_flushes_are_looked_for_as_often_as_the_scheduler_says():
    broker = BrokerHarness(log_flush_scheduler_interval_ms="20000")
    broker.create_topic("t", 1, flush_ms="1000")
    broker.ask(produce_request((0, batch(b"a", b"b"))), 9)
    log = broker.broker.partitions.get("t", 0).log
    for _ in range(5):
        broker.advance(3_500)
    assert log.flushed_offset == 0
    broker.advance(3_500)
    assert log.flushed_offset == 2
