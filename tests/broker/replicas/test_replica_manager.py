"""Several replicas on several brokers: acks=all, in-sync sets, changes of leaders, restarts, removal."""

import errno
from random import Random

import pytest

from kafkacompat.broker.control.lifecycle import RECOVERY
from kafkacompat.broker.replicas.alter_isr import AlterIsr
from kafkacompat.broker.replicas.replica_manager import view_of
from kafkacompat.config import BrokerConfig, ConfigError
from kafkacompat.now import LONG_AGO, Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.replication.metadata.image import MetadataImage
from kafkacompat.replication.partition import Partition
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.memfs import MemFs
from tests.broker.handlers.test_produce_fetch import ALL, LEADER, batch, only, produce_request
from tests.broker.harness import BrokerHarness
from tests.broker.replica_node import Cluster
from tests.storage.support import append, checkpoint


@pytest.fixture
def cluster() -> Cluster:
    three = Cluster(1, 2, 3)
    three.create_topic("t", [1, 2, 3], min_insync_replicas="2")
    return three


def log_bytes(cluster: Cluster, node_id: int, topic: str = "t") -> bytes:
    log = cluster[node_id].partition(topic).log
    with_slice = log.read(log.log_start_offset, 1 << 20, end_offset=log.log_end_offset, at_least_one=True)
    data = with_slice.read(0, len(with_slice))
    with_slice.release()
    return data


def produce(cluster: Cluster, node_id: int, *values: bytes, acks: int = ALL) -> list:
    answers = cluster[node_id].ask(produce_request((0, batch(*values)), acks=acks), 9)
    cluster.settle()
    return answers


def test_acks_all_waits_for_every_replica_in_sync(cluster):
    cluster.cuts.append({1, 3})
    answers = produce(cluster, 1, b"a")
    assert answers == []
    assert cluster[2].partition().log_end_offset == 1
    assert cluster[1].partition().high_watermark == 0
    cluster.cuts.clear()
    cluster.advance(1100)
    assert only(answers[0]).error_code == errors.NONE
    assert cluster[1].partition().high_watermark == 1


def test_followers_hold_the_same_bytes(cluster):
    for n in range(20):
        (answer,) = produce(cluster, 1, b"%d" % n, b"x" * n)
        assert only(answer).base_offset == 2 * n
    assert log_bytes(cluster, 1) == log_bytes(cluster, 2) == log_bytes(cluster, 3) != b""
    cluster.advance(600)
    assert [cluster[n].partition().high_watermark for n in (1, 2, 3)] == [40, 40, 40]


def test_all_of_a_turn_goes_to_a_follower_in_one_answer(cluster):
    cluster.advance(40)
    before = len(cluster.requests)
    node = cluster[1]
    answers = [node.ask(produce_request((0, batch(b"a"))), 9) for _ in range(10)]
    cluster.settle()
    assert all(len(answer) == 1 for answer in answers)
    assert len(cluster.requests) - before <= 4  # a follower asks once for the next, and was held before


def test_a_follower_that_lags_leaves_and_comes_back(cluster):
    cluster.cuts += [{1, 3}]
    answers = produce(cluster, 1, b"a")
    for _ in range(3):
        cluster.advance(15_000, 500)
        cluster[1].partitions.check_lag(cluster.now)
    cluster.settle()
    assert cluster.image.topics["t"].partitions[0].isr == (1, 2)
    assert only(answers[0]).error_code == errors.REQUEST_TIMED_OUT
    assert cluster[1].partition().high_watermark == 1
    cluster.cuts.clear()
    cluster.advance(2000)
    assert cluster.image.topics["t"].partitions[0].isr == (1, 2, 3)
    assert cluster[3].partition().log_end_offset == 1
    assert [proposal.broker_id for proposal in cluster.proposals] == [1, 1]


def test_under_the_minimum_nothing_is_written(cluster):
    for node_id in (2, 3):
        cluster.fence(node_id)
    (answer,) = produce(cluster, 1, b"a")
    assert only(answer).error_code == errors.NOT_ENOUGH_REPLICAS
    assert cluster[1].partition().log_end_offset == 0


def test_a_new_leader_has_the_tail_of_the_old_one_cut(cluster):
    produce(cluster, 1, b"a")
    cluster.cuts += [{1, 2}, {1, 3}]
    cluster[1].metadata_is_late = True
    lost = produce(cluster, 1, b"only here", acks=LEADER)
    assert only(lost[0]).error_code == errors.NONE
    cluster.fence(1)
    leader = cluster.image.topics["t"].partitions[0].leader
    assert leader == 2
    (answer,) = produce(cluster, 2, b"b")
    assert only(answer).base_offset == 1
    cluster.cuts.clear()
    cluster[1].metadata_is_late = False
    cluster.unfence(1)
    cluster.advance(1500)
    assert log_bytes(cluster, 1) == log_bytes(cluster, 2) == log_bytes(cluster, 3)
    assert cluster.image.topics["t"].partitions[0].isr == (1, 2, 3)


def test_who_waits_at_a_leader_that_is_none_any_more_is_told(cluster):
    cluster.cuts += [{1, 2}, {1, 3}]
    answers = produce(cluster, 1, b"a")
    assert answers == []
    cluster.fence(1)
    assert only(answers[0]).error_code == errors.NOT_LEADER_OR_FOLLOWER


def test_after_a_kill_the_high_watermark_is_learned_anew(cluster):
    produce(cluster, 1, b"a", b"b")
    cluster.advance(600)
    fs = cluster.kill(2)
    cluster.fence(2)
    node = cluster.restart(2, fs)
    assert node.logs.previous_broker_epoch == -1
    cluster.advance(1500)
    assert node.partition().high_watermark == 2
    assert log_bytes(cluster, 1) == log_bytes(cluster, 2)
    assert cluster.image.topics["t"].partitions[0].isr == (1, 2, 3)


def test_without_a_proof_the_checkpoint_counts_for_a_single_replica_alone(monkeypatch):
    cluster = Cluster(1, 2)
    cluster.create_topic("t", [2, 1])
    cluster.create_topic("alone", [2])
    produce(cluster, 2, b"a")
    cluster[2].ask(produce_request((0, batch(b"a")), topic="alone"), 9)
    cluster.settle()
    node = cluster[2]
    marks = {(each.topic, each.index): each.high_watermark for each in node.partitions}
    checkpoint(node.logs, cluster.now, marks)
    assert sorted(marks.values()) == [1, 1]
    fs = cluster.kill(2)
    cluster.fence(2)
    found = {}
    opened = type(node.partitions)._open

    def look_first(self, *what):
        partition = opened(self, *what)
        found[partition.topic] = partition.high_watermark
        return partition

    monkeypatch.setattr(type(node.partitions), "_open", look_first)
    cluster.restart(2, fs)
    assert found == {"t": 0, "alone": 1}


def test_a_replica_that_lives_elsewhere_now_deletes_its_log(cluster):
    produce(cluster, 1, b"a")
    topic = cluster.image.topics["t"]
    image = topic.partitions[0]
    moved = topic.but(partitions=(image.but(replicas=(1, 2), isr=(1, 2), partition_epoch=image.partition_epoch + 1),))
    cluster.image = cluster.image.but(topics={"t": moved}, topics_by_id={moved.topic_id: moved})
    cluster.publish()
    cluster.settle()
    node = cluster[3]
    assert node.partitions.get("t", 0) is None
    assert len(node.fetchers) == 0
    assert not node.fs.exists("/data/t-0")
    assert [name for name in node.fs.listdir("/data") if name.endswith("-delete")] != []
    (answer,) = produce(cluster, 1, b"b")
    assert only(answer).error_code == errors.NONE


def test_what_was_moved_while_a_broker_was_down_is_set_aside(cluster):
    cluster.create_topic("kept", [3, 1])
    produce(cluster, 1, b"a")
    fs = cluster.kill(3)
    fs.mkdir("/data/__cluster_metadata-0")
    topic = cluster.image.topics["t"]
    moved = topic.but(partitions=(topic.partitions[0].but(replicas=(1, 2), isr=(1, 2), partition_epoch=9),))
    cluster.image = cluster.image.but(
        topics={**cluster.image.topics, "t": moved}, topics_by_id={**cluster.image.topics_by_id, moved.topic_id: moved}
    )
    cluster.restart(3, fs)
    names = [name for name in fs.listdir("/data") if fs.is_dir(f"/data/{name}")]
    assert sorted(name for name in names if "stray" not in name) == ["__cluster_metadata-0", "kept-0"]
    (stray,) = [name for name in names if "stray" in name]
    assert stray.startswith("t-0.")
    assert stray.endswith("-stray")


def test_with_flush_messages_a_follower_tells_what_is_synced_alone():
    cluster = Cluster(1, 2, log_flush_interval_messages="1")
    cluster.create_topic("t", [1, 2])
    cluster[2].syncs_are_late = True
    answers = produce(cluster, 1, b"a")
    assert cluster[2].partition().log_end_offset == 1
    assert answers == []
    cluster[2].syncs_are_late = False
    cluster.settle()
    assert only(answers[0]).error_code == errors.NONE


@pytest.mark.parametrize("text", ["acks01", "all", "off"])
def test_the_lease_is_enforced_as_the_setting_says(text):
    config = BrokerConfig.from_sources({"leader.lease.enforce": text}, {"node.id": "1"})
    assert view_of(config).enforce == text


def test_without_a_setting_a_lease_refuses_nothing():
    assert view_of(BrokerConfig.from_sources({}, {"node.id": "1"})).enforce == "off"


def test_a_lease_setting_that_does_not_exist_stops_the_start():
    with pytest.raises(ConfigError, match="off, acks01, all"):
        BrokerConfig.from_sources({"leader.lease.enforce": "never"}, {"node.id": "1"}).get("leader.lease.enforce")


def unseen_topic(cluster: Cluster, *assignments: list[int]) -> MetadataImage:
    """The image with a new topic m, of which no broker has heard yet."""
    for node in cluster.nodes.values():
        node.metadata_is_late = True
    cluster.create_topic("m", *assignments)
    return cluster.image


def test_of_many_partitions_some_are_opened_a_turn():
    cluster = Cluster(1, 2)
    node = cluster[1]
    node.partitions.max_per_iteration = 2
    node.take(unseen_topic(cluster, *[[1, 2]] * 5))
    assert [node.partitions.get("m", index) is not None for index in range(5)] == [True, True, False, False, False]
    assert node.partitions.find(cluster.image, "m", 4) == errors.NOT_LEADER_OR_FOLLOWER
    node.timers.run(cluster.now)
    assert node.partitions.get("m", 3) is not None
    assert node.partitions.get("m", 4) is None
    node.timers.run(cluster.now)
    assert len(node.partitions) == 5
    assert all(partition.is_leader for partition in node.partitions)


def test_where_the_disk_is_slow_less_is_done_a_turn() -> None:
    cluster = Cluster(1, 2)
    node = cluster[1]
    node.partitions.max_per_iteration = 3
    late = [False, True, True, False]
    node.partitions.is_long = lambda _now: late.pop(0) if late else False
    image = unseen_topic(cluster, *[[1, 2]] * 6)
    opened = []
    node.take(image)
    opened.append(len(node.partitions))
    while node.partitions.is_behind:
        node.timers.run(cluster.now)
        opened.append(len(node.partitions))
    assert opened == [2, 3, 6]
    late += [True]
    node.take(image.but(topics={}, topics_by_id={}))
    assert sum(node.fs.exists(f"/data/m-{index}") for index in range(6)) == 5
    while late or any(node.fs.exists(f"/data/m-{index}") for index in range(6)):
        node.timers.run(cluster.now)


def test_a_partition_that_waits_gets_what_the_newest_metadata_says_or_nothing():
    cluster = Cluster(1, 2)
    node = cluster[1]
    node.partitions.max_per_iteration = 1
    before = unseen_topic(cluster, [1, 2], [1, 2], [1, 2])
    node.take(before)
    topic = before.topics["m"]
    moved = topic.partitions[1].but(leader=2, leader_epoch=1, partition_epoch=1)
    node.take(before.but(topics={"m": topic.but(partitions=(topic.partitions[0], moved, topic.partitions[2]))}))
    assert node.partition("m", 1).leader == 2
    node.take(before.but(topics={}, topics_by_id={}))
    node.timers.run(cluster.now)
    assert len(node.partitions) == 0


def test_a_broker_that_has_to_register_again_takes_no_role_that_waited():
    cluster = Cluster(1, 2)
    node = cluster[1]
    node.partitions.max_per_iteration = 1
    node.take(unseen_topic(cluster, [1, 2], [1, 2]))
    node.partitions.resign(cluster.now)
    node.timers.run(cluster.now)
    assert [partition.is_leader for partition in node.partitions] == [False]
    node.take(cluster.image)
    node.timers.run(cluster.now)
    assert [partition.is_leader for partition in node.partitions] == [True, True]


def test_the_controller_is_told_of_metadata_that_all_partitions_follow():
    cluster = Cluster(1, 2)
    node = cluster[1]
    before = node.partitions.applied_offset
    assert before == node.image.offset
    node.partitions.max_per_iteration = 2
    told = []
    node.partitions.events.caught_up = lambda now: told.append(node.partitions.applied_offset)
    image = unseen_topic(cluster, *[[1, 2]] * 5)
    node.take(image)
    assert node.partitions.applied_offset == before
    newer = image.but(offset=image.offset + 1)  # something else was committed
    node.take(newer)
    assert (node.partitions.applied_offset, told) == (before, [])
    node.timers.run(cluster.now)
    assert (node.partitions.applied_offset, told) == (newer.offset, [newer.offset])
    node.partitions.resign(cluster.now)
    assert node.partitions.applied_offset == -1


def test_a_controller_that_waits_for_a_broker_is_told_at_once_that_all_partitions_follow():
    cluster = Cluster(1, 2)
    node = cluster[1]
    node.partitions.max_per_iteration = 2
    cluster.fence(1)  # it waits to be let in
    node.lifecycle.state = RECOVERY
    offsets = []

    def note(_channel, _key, _version, request, _done, **_more):
        if isinstance(request, BrokerHeartbeatRequest):
            offsets.append(request.current_metadata_offset)

    node.channel.request = note
    node.take(unseen_topic(cluster, *[[1, 2]] * 5))
    while node.partitions.is_behind:
        assert offsets == []
        node.timers.run(cluster.now)
    assert offsets == [cluster.image.offset]


def break_once(monkeypatch, error: Exception, index: int = 1) -> None:
    """One partition fails when it is told of its role."""
    apply = Partition.apply

    def fail(self, image, *args):
        if self.topic == "m" and self.index == index:
            monkeypatch.setattr(Partition, "apply", apply)
            raise error
        apply(self, image, *args)

    monkeypatch.setattr(Partition, "apply", fail)


def test_a_mistake_of_ours_in_one_partition_takes_out_that_one_alone(monkeypatch, caplog):
    cluster = Cluster(1, 2)
    node = cluster[1]
    image = unseen_topic(cluster, [1, 2], [1, 2], [1, 2])
    break_once(monkeypatch, AssertionError("injected"))
    node.take(image)
    assert "a bug: m-1 cannot follow the metadata" in caplog.text
    assert [node.partition("m", index).leader_error() for index in range(3)] == [0, errors.KAFKA_STORAGE_ERROR, 0]
    assert node.partitions.applied_offset == image.offset
    topic = image.topics["m"]
    again = topic.partitions[1].but(leader_epoch=1, partition_epoch=1)
    node.take(image.but(topics={"m": topic.but(partitions=(topic.partitions[0], again, topic.partitions[2]))}))
    assert node.partition("m", 1).leader_error() == errors.KAFKA_STORAGE_ERROR  # nobody knows in what state it is


def test_a_mistake_of_ours_in_a_partition_that_goes_holds_up_no_other(monkeypatch, caplog):
    cluster = Cluster(1, 2)
    node = cluster[1]
    node.take(unseen_topic(cluster, [1, 2], [1, 2], [1, 2]))
    left = []

    def fail(partition, _now):
        left.append(partition.index)
        raise AssertionError("injected")

    monkeypatch.setattr(node.partitions.events, "moved", fail)
    image = cluster.image.but(topics={}, topics_by_id={}, offset=cluster.image.offset + 1)
    node.take(image)
    assert {0, 1, 2} == set(left)
    assert len(node.partitions) == 0
    assert node.partitions.applied_offset == image.offset
    assert "a bug: m-2 cannot follow the metadata" in caplog.text


def test_a_log_that_trips_over_a_mistake_of_ours_at_the_start_holds_up_no_other(monkeypatch, caplog):
    cluster = Cluster(1, 2)
    cluster.create_topic("m", [1, 2], [1, 2])
    opened = LogManager.open_log

    def fail(self, topic, topic_id, index, *args):
        assert index, "injected"
        return opened(self, topic, topic_id, index, *args)

    monkeypatch.setattr(LogManager, "open_log", fail)
    node = cluster.start(1, cluster.kill(1))
    assert "a bug: m-0 cannot follow the metadata" in caplog.text
    assert node.partition("m", 1).is_leader
    assert node.partitions.find(cluster.image, "m", 0) == errors.KAFKA_STORAGE_ERROR


def test_a_disk_that_fails_under_a_new_role_takes_the_directory_offline(monkeypatch, caplog):
    cluster = Cluster(1, 2)
    node = cluster[1]
    break_once(monkeypatch, OSError(5, "I/O error"))
    node.take(unseen_topic(cluster, [1, 2], [1, 2], [1, 2]))
    assert node.logs.metadata_directory.offline == "I/O error"
    assert "a bug" not in caplog.text


def test_who_is_at_rest_is_not_looked_at(monkeypatch):
    cluster = Cluster(1, 2, 3)
    cluster.create_topic("t", *[[1, 2, 3]] * 20)
    cluster.advance(2_000)
    leader = cluster[1]
    leader.partitions.check_lag(cluster.now)
    check, seen = Partition.check_lag, []
    monkeypatch.setattr(Partition, "check_lag", lambda self, now: [seen.append(self.index), check(self, now)])
    leader.partitions.check_lag(cluster.now)
    assert not seen
    cluster.cuts.append({1, 3})
    produce(cluster, 1, b"a", acks=LEADER)
    leader.partitions.check_lag(cluster.now)
    assert seen == [0]


def test_a_follower_that_comes_back_with_less_is_looked_at(cluster):
    produce(cluster, 1, b"a")
    cluster.advance(2_000)
    leader = cluster[1]
    leader.partitions.check_lag(cluster.now)
    cluster.cuts.append({1, 2})
    leader.partition().follower_fetched(2, 0, cluster.image.brokers[2].epoch, cluster.now)
    leader.partitions.carry_out(leader.partition(), cluster.now)
    cluster.advance(31_000, 500)
    leader.partitions.check_lag(cluster.now)
    cluster.settle()
    assert cluster.image.topics["t"].partitions[0].isr == (1, 3)


def killed_without_topic_ids(cluster: Cluster, node_id: int) -> MemFs:
    """The files of a broker that was killed; of `partition.metadata` a loss of power left nothing."""
    fs = cluster.kill(node_id)
    for name in ("t-0", "alone-0"):
        if fs.exists(f"/data/{name}"):
            fs.write_atomic(f"/data/{name}/partition.metadata", b"", sync=True)
    return fs


def test_a_log_that_does_not_say_its_topic_is_fetched_anew_where_another_broker_leads(cluster):
    produce(cluster, 1, b"a")
    fs = killed_without_topic_ids(cluster, 2)
    cluster.restart(2, fs)
    cluster.settle()
    assert [name.partition(".")[0] for name in fs.listdir("/data") if name.endswith("-stray")] == ["t-0"]
    cluster.advance(2_000)
    assert log_bytes(cluster, 2) == log_bytes(cluster, 1)


def test_a_log_that_does_not_say_its_topic_is_kept_where_no_other_broker_has_it(cluster):
    cluster.create_topic("alone", [2])
    log = cluster[2].partition("alone").log
    append(log, memoryview(batch(b"a")))
    fs = killed_without_topic_ids(cluster, 2)
    cluster.restart(2, fs)
    cluster.settle()
    assert cluster[2].partition("alone").log_end_offset == 1
    assert not [name for name in fs.listdir("/data") if name.startswith("alone-0.")]


def test_a_proposal_that_is_not_answered_is_made_again(cluster, monkeypatch):
    cluster.fence(2)
    cluster.advance(2_000)
    leader = cluster[1]
    leader.partitions.check_lag(cluster.now)
    submit, lost = AlterIsr.submit, []
    monkeypatch.setattr(AlterIsr, "submit", lambda _, partition, __: lost.append(partition))
    cluster.unfence(2)
    cluster.advance(2_000)
    assert leader.partition() in lost
    monkeypatch.setattr(AlterIsr, "submit", submit)
    leader.partitions.check_lag(cluster.now)
    cluster.settle()
    assert cluster.image.topics["t"].partitions[0].isr == (1, 2, 3)


@pytest.mark.parametrize("seed", range(10))
def test_all_that_moves_is_looked_at(seed):
    """Whatever happens, what is passed over would not change, and the next checkpoint has every high watermark."""
    rng = Random(seed)
    cluster = Cluster(1, 2, 3)
    cluster.create_topic("t", [1, 2, 3], [2, 3, 1], [3, 1, 2], min_insync_replicas="2")

    def event() -> None:
        kind = rng.randrange(8)
        if kind < 3:
            index, node = rng.randrange(3), rng.choice([1, 2, 3])
            cluster[node].ask(produce_request((index, batch(b"a")), acks=rng.choice([LEADER, ALL])), 9)
        elif kind == 3:
            cluster.cuts.append(set(rng.sample([1, 2, 3], 2)))
        elif kind == 4:
            cluster.cuts.clear()
        elif kind == 5:
            broker = rng.choice([1, 2, 3])
            (cluster.unfence if cluster.image.brokers[broker].fenced else cluster.fence)(broker)
        else:
            cluster.advance(rng.choice([10, 700, 16_000]), 500)
            for node in (1, 2, 3):
                cluster[node].partitions.check_lag(cluster.now)
        cluster.settle()

    for _ in range(60):
        event()
        for node in (cluster[1], cluster[2], cluster[3]):
            told = node.logs.metadata_directory.checkpoints._high_watermarks | node.partitions.moved_high_watermarks
            for partition in node.partitions:
                assert told[partition.watch_key] == partition.high_watermark
                assert partition.watch_key in node.partitions._lagging or not partition.may_lag
            if rng.random() < 0.3:
                checkpoint(node.logs, cluster.now, node.partitions.moved_high_watermarks)
                node.partitions.moved_high_watermarks.clear()


def test_who_has_failed_takes_no_healthy_replica_out(cluster, monkeypatch):
    """Its followers do not get on; taken out, they could not take over."""
    leader = cluster[1]
    cluster.cuts += [{1, 2}, {1, 3}]
    produce(cluster, 1, b"a", acks=LEADER)
    leader.logs.metadata_directory.take_offline(OSError(5, "I/O error"))
    cluster.cuts.clear()
    cluster.advance(40_000, step_ms=500)
    leader.partitions.check_lag(cluster.now)
    cluster.settle()
    assert not cluster.proposals
    assert cluster.image.topics["t"].partitions[0].isr == (1, 2, 3)


def test_an_answer_to_a_proposal_that_trips_over_a_mistake_of_ours_holds_up_no_other(monkeypatch, caplog):
    cluster = Cluster(1, 2)
    cluster.create_topic("m", [1, 2], [1, 2])
    cluster.fence(2)
    answered = Partition.proposal_answered

    def fail(self, *args):
        if self.index == 0:
            monkeypatch.setattr(Partition, "proposal_answered", answered)
            raise AssertionError("injected")
        answered(self, *args)

    monkeypatch.setattr(Partition, "proposal_answered", fail)
    cluster.unfence(2)
    cluster.advance(6_000, step_ms=500)
    assert "a bug: handling the response to an ISR proposal of m-0 failed" in caplog.text
    assert [partition.isr for partition in cluster.image.topics["m"].partitions] == [(1, 2), (1, 2)]
    assert [cluster[1].partition("m", index).isr for index in range(2)] == [(1, 2), (1, 2)]
    assert all(partition.in_sync.pending is None for partition in cluster[1].partitions)


def test_a_log_that_cannot_be_read_for_a_new_role_is_no_mistake_of_ours(monkeypatch, caplog):
    cluster = Cluster(1, 2)
    node = cluster[1]
    break_once(monkeypatch, LogError(errors.CORRUPT_MESSAGE, "a bad batch"))
    node.take(unseen_topic(cluster, [1, 2], [1, 2]))
    assert "m-1 is offline: a bad batch" in caplog.text
    assert "a bug" not in caplog.text
    assert [node.partition("m", index).leader_error() for index in range(2)] == [0, errors.KAFKA_STORAGE_ERROR]


def test_partitions_for_which_the_disk_has_no_room_are_opened_when_it_has():
    broker = BrokerHarness()
    broker.advance(1_000)
    for _ in range(2):  # once more when the reserve is given up
        broker.fs.fail_next(lambda operation: operation[0] == "mkdir" and "/t-0" in operation[1], errno.ENOSPC)
    broker.begin(CreateTopicsRequest([CreatableTopic("t", 1, 1)], timeout_ms=1_000), 7)
    assert only(broker.ask(produce_request((0, batch(b"a"))), 9)).error_code == errors.KAFKA_STORAGE_ERROR
    broker.now = Now(broker.now.monotonic_ms + 2_000, broker.now.wall_ms + 2_000)
    broker.broker.timers.run(broker.now)
    broker.broker.background.run_inline(broker.now)  # the disk is looked at beside the loop
    assert only(broker.ask(produce_request((0, batch(b"a"))), 9)).error_code == errors.NONE


def test_when_brokers_change_the_next_fetch_of_a_follower_looks_at_everything(cluster):
    node = cluster[1]
    cluster.advance(1_000)
    (state,) = node.delayed_follower_fetches.sessions_of(2)
    assert state.full_read_ms > LONG_AGO
    brokers = {broker.id: broker.but(rack="elsewhere") for broker in cluster.image.brokers.values()}
    node.take(cluster.image.but(brokers=brokers, offset=cluster.image.offset + 1))
    assert state.full_read_ms == LONG_AGO
