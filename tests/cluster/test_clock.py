"""Tests move the clock of a cluster: what clients have in memory and what is old becomes due, what is real goes on."""

import time
from pathlib import Path

import pytest
from confluent_kafka import Consumer, ConsumerGroupState, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from kafkacompat import Cluster, KafkaCompatError
from tests.control_api.harness import Api
from tests.waiting import wait_until

DAY_MS = 86_400_000
SESSION_MS = 45_000


def joined(kafka: Cluster, group: str = "g") -> Consumer:
    """A consumer that is a member of the group."""
    consumer = Consumer(
        {
            "bootstrap.servers": kafka.bootstrap_servers, "group.id": group, "auto.offset.reset": "earliest",
            "session.timeout.ms": SESSION_MS, "heartbeat.interval.ms": SESSION_MS // 3,
        }
    )  # fmt: skip
    consumer.subscribe(["t"])
    wait_until(lambda: consumer.poll(0.05) is not None or consumer.assignment(), timeout_s=20)
    return consumer


def members(kafka: Cluster, group: str = "g") -> int:
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    return len(admin.describe_consumer_groups([group])[group].result(10).members)


@pytest.mark.parametrize(("brokers", "processes"), [(1, False), (3, False), (2, True)])
def test_a_member_that_is_silent_leaves_when_its_session_ends(brokers: int, processes: bool) -> None:
    with Cluster(topics=["t"], brokers=brokers, processes=processes) as kafka:
        consumer = joined(kafka)
        assert members(kafka) == 1
        assert kafka.clock.advance(ms=SESSION_MS // 2).fired == ()
        assert members(kafka) == 1
        began_s = time.monotonic()
        fired = kafka.clock.advance(minutes=1).fired
        assert time.monotonic() - began_s < 10
        sessions = [line for line in fired if line.startswith("session of member")]
        assert len(sessions) == 1
        assert "in group g on node" in sessions[0]
        assert members(kafka) == 0
        consumer.close()


@pytest.mark.parametrize("processes", [False, True])
def test_members_keep_their_time_through_a_year_without_sessions(processes: bool) -> None:
    with Cluster(topics=["t"], brokers=3, processes=processes) as kafka:
        consumer = joined(kafka)
        before = kafka.clock.now
        assert kafka.clock.advance(days=365, sessions=False).fired == ()
        assert (kafka.clock.now - before).days == 365
        admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
        described = admin.describe_consumer_groups(["g"])["g"].result(10)
        assert (len(described.members), described.state) == (1, ConsumerGroupState.STABLE)
        producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
        producer.produce("t", b"after")
        assert producer.flush(10) == 0
        found = []
        wait_until(lambda: found or found.append(consumer.poll(0.1)) or found[-1] or found.clear(), timeout_s=20)
        assert found[-1].value() == b"after"
        consumer.close()


def test_committed_offsets_of_an_empty_group_expire_after_their_retention() -> None:
    with Cluster(topics=["t"], config={"offsets.retention.minutes": 60}) as kafka:
        consumer = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": "g"})
        consumer.commit(offsets=[TopicPartition("t", 0, 5)], asynchronous=False)

        def committed() -> int:
            return consumer.committed([TopicPartition("t", 0)], timeout=10)[0].offset

        assert committed() == 5
        kafka.clock.advance(minutes=59)
        assert committed() == 5
        kafka.clock.advance(minutes=2)
        assert committed() < 0
        consumer.close()


@pytest.mark.parametrize(("brokers", "processes"), [(1, False), (3, False), (2, True)])
def test_retention_removes_what_the_moved_clock_made_old_on_every_replica(brokers: int, processes: bool) -> None:
    with Cluster(topics={"t": (1, brokers)}, brokers=brokers, processes=processes) as kafka:
        producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
        producer.produce("t", b"x")
        assert producer.flush(10) == 0
        consumer = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": "g"})

        def committed() -> list[int]:
            return [log.high_watermark for log in kafka.topics()["t"].partitions[0].logs]

        wait_until(lambda: committed() == [1] * brokers, timeout_s=20)  # each replica removes what it knows to be
        assert not [line for line in kafka.clock.advance(days=6).fired if line.startswith("retention of t-0")]
        assert consumer.get_watermark_offsets(TopicPartition("t", 0), 10) == (0, 1)
        gone = [line for line in kafka.clock.advance(days=2).fired if line.startswith("retention of t-0: 1 segments")]
        assert [line.rpartition(" on ")[2] for line in gone] == [f"node {node}" for node in range(1, brokers + 1)]
        assert consumer.get_watermark_offsets(TopicPartition("t", 0), 10) == (1, 1)
        producer.produce("t", b"y")
        assert producer.flush(10) == 0
        assert consumer.get_watermark_offsets(TopicPartition("t", 0), 10) == (1, 2)
        consumer.close()


def test_a_restored_snapshot_keeps_old_records_until_the_clock_is_moved(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "snapshot.tar"
    with Cluster(topics={"t": 1}) as kafka:
        producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
        producer.produce("t", b"x", timestamp=1_500_000_000_000)
        assert producer.flush(10) == 0
        kafka.snapshot(path)
    with Cluster.restore(path, config={"log.initial.task.delay.ms": 0, "log.retention.check.interval.ms": 5}) as kafka:
        wait_until(lambda: any("retention has not run" in each.getMessage() for each in caplog.records), timeout_s=20)
        assert len(kafka.records("t")) == 1
        assert [line for line in kafka.clock.advance(ms=1).fired if line.startswith("retention of t-0: 1 segments")]
        assert kafka.records("t") == []


def test_append_time_is_the_moved_clock() -> None:
    with Cluster(topics=["t"], config={"log.message.timestamp.type": "LogAppendTime"}) as kafka:
        kafka.clock.advance(days=100)
        producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
        times: list[int] = []
        producer.produce("t", b"x", on_delivery=lambda _, message: times.append(message.timestamp()[1]))
        assert producer.flush(10) == 0
        assert abs(times[0] - (time.time() * 1000 + 100 * DAY_MS)) < 60_000


def test_no_broker_is_fenced_and_no_controller_elected_by_a_jump() -> None:
    with Cluster(topics={"t": (1, 3)}, brokers=3) as kafka:

        def epochs() -> list[object]:
            return [kafka._call(node_id, lambda server: (server.view.quorum.leader_epoch, server.view.partitions("t")))
                    for node_id in (1, 2, 3)]  # fmt: skip

        before = epochs()
        kafka.clock.advance(days=30)
        assert epochs() == before


@pytest.mark.parametrize(("brokers", "processes"), [(1, False), (2, True)])
def test_a_frozen_clock_stands_still_while_clients_are_served(brokers: int, processes: bool) -> None:
    config = {"log.message.timestamp.type": "LogAppendTime"}
    with Cluster(topics=["t"], brokers=brokers, processes=processes, config=config) as kafka:
        kafka.clock.freeze()
        frozen = kafka.clock.view
        assert frozen.is_frozen
        producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
        for _ in range(3):
            producer.produce("t", b"x")
            assert producer.flush(10) == 0
        reader = Consumer({"bootstrap.servers": kafka.bootstrap_servers, "group.id": "r"})
        reader.assign([TopicPartition("t", 0, 0)])
        assert {message.timestamp()[1] for message in reader.consume(3, 10)} == {frozen.wall_ms}
        reader.close()
        assert kafka.clock.advance(seconds=1).wall_ms == frozen.wall_ms + 1000
        kafka.clock.resume()
        assert not kafka.clock.view.is_frozen
        wait_until(lambda: kafka.clock.view.wall_ms > frozen.wall_ms + 1000, timeout_s=5)
        assert kafka.clock.view.wall_ms < frozen.wall_ms + 60_000


@pytest.mark.parametrize(("brokers", "processes"), [(1, False), (2, True)])
def test_a_restarted_node_keeps_the_moved_clock(brokers: int, processes: bool) -> None:
    with Cluster(topics=["t"], brokers=brokers, processes=processes) as kafka:
        kafka.clock.advance(days=3)
        kafka.restart(1, clean=False)
        assert kafka.clock.view.offset_ms >= 3 * DAY_MS - 60_000


def test_a_process_that_starts_again_stands_still_with_the_others() -> None:
    with Cluster(brokers=2, processes=True) as kafka:
        kafka.clock.freeze()
        kafka.restart(2)
        api = Api(kafka.control_urls[2])
        wait_until(lambda: api.get("/v1/clock")["is_frozen"], what="the frozen clock")
        api.close()


@pytest.mark.parametrize("processes", [False, True])
def test_the_clock_goes_forward_only(processes: bool) -> None:
    with Cluster(processes=processes) as kafka:
        with pytest.raises(KafkaCompatError, match="cannot be advanced by -60000 ms"):
            kafka.clock.advance(minutes=-1)
        with pytest.raises(KafkaCompatError, match="cannot be advanced"):
            kafka.clock.advance(days=1_000_000)
