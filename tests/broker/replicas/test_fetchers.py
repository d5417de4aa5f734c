"""What a follower asks its leader for, and when: sessions, pauses after errors, big answers, leaders that go."""

import pytest

from kafkacompat.broker.connection import Connection
from kafkacompat.broker.fetch_session import FollowerState
from kafkacompat.broker.handlers import fetch as handler
from kafkacompat.broker.inspect import Inspection
from kafkacompat.broker.replicas import fetcher, follower_fetch
from kafkacompat.broker.replicas.delayed_follower_fetches import SESSIONS_MAX
from kafkacompat.broker.replicas.fetch_settings import PARTITION_MAX_BYTES
from kafkacompat.broker.replicas.fetchers import ELECTION_WAIT_MS
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.internal.cluster_metadata import ConfigRecord
from kafkacompat.protocol.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ReplicaState,
)
from kafkacompat.replication.following import BACK_OFF
from kafkacompat.replication.metadata.image import TOPIC_RESOURCE
from kafkacompat.replication.metadata.result import Result
from kafkacompat.replication.partition import Partition
from tests.broker.handlers.test_produce_fetch import LEADER, batch, only, produce_request
from tests.broker.replica_node import Cluster


@pytest.fixture
def cluster() -> Cluster:
    """Two brokers; broker 1 leads all three partitions."""
    two = Cluster(1, 2)
    two.create_topic("t", [1, 2], [1, 2], [1, 2])
    two.requests.clear()
    return two


def produce(cluster: Cluster, index: int, *values: bytes, acks: int = LEADER) -> list:
    answers = cluster[1].ask(produce_request((index, batch(*values)), acks=acks), 9)
    cluster.settle()
    return answers


def test_a_session_of_a_follower_is_shown_as_held_and_with_what_is_not_idle(cluster: Cluster) -> None:
    cluster.advance(2_000)
    (session,) = Inspection(cluster[1]).fetch_sessions()
    assert (session.is_follower, session.partition_count) == (True, 3)
    assert (session.due_count, session.waiting_count) == (0, 1)


def end_sessions(cluster: Cluster) -> None:
    """Another client of the leader ends the sessions of its followers."""
    for session in Inspection(cluster[1]).fetch_sessions():
        cluster[1].ask(FetchRequest(session_id=session.id, session_epoch=-1, max_wait_ms=0), 13)


def sessions_of(cluster: Cluster, replica_id: int) -> list[FollowerState]:
    """The sessions of a follower that the leader tells of what moves."""
    return list(cluster[1].delayed_follower_fetches.sessions_of(replica_id))


def named(request) -> dict[int, int]:
    """Partition -> fetch offset of what a request names."""
    return {asked.partition: asked.fetch_offset for topic in request.topics for asked in topic.partitions}


def forgotten(request) -> list[int]:
    return [index for topic in request.forgotten_topics_data for index in topic.partitions]


def test_the_first_request_opens_a_session_as_kafkas_does():
    cluster = Cluster(1, 2)
    cluster.create_topic("t", [1, 2], [1, 2])
    (first,) = [request for follower, leader, request in cluster.requests if (follower, leader) == (2, 1)]
    assert (first.session_id, first.session_epoch) == (0, 0)
    assert (first.replica_id, first.replica_state.replica_id, first.replica_state.replica_epoch) == (-1, 2, 12)
    assert (first.max_wait_ms, first.min_bytes, first.max_bytes) == (500, 1, 10485760)
    assert (first.isolation_level, first.cluster_id, first.rack_id) == (0, None, "")
    (topic,) = first.topics
    assert topic.topic_id == cluster.image.topics["t"].topic_id
    asked = topic.partitions[1]
    assert (asked.current_leader_epoch, asked.fetch_offset, asked.last_fetched_epoch) == (0, 0, -1)
    assert (asked.log_start_offset, asked.partition_max_bytes) == (0, PARTITION_MAX_BYTES)


def test_partitions_are_fetched_on_in_the_order_of_the_response(cluster):
    cluster.cuts.append({1, 2})
    for index in (2, 0, 1):
        produce(cluster, index, b"a")
    cluster.cuts.clear()
    cluster.requests.clear()
    cluster.advance(2_000)
    assert [list(named(request)) for _, _, request in cluster.requests if len(named(request)) == 3][-1] == [0, 1, 2]


def test_so_much_of_a_partition_is_asked_for_as_was_set():
    cluster = Cluster(1, 2, replica_fetch_max_bytes="1048576")
    cluster.create_topic("t", [1, 2])
    assert cluster.requests[0][2].topics[0].partitions[0].partition_max_bytes == 1048576


def test_a_request_names_what_has_changed(cluster):
    cluster.advance(520)
    assert [named(request) for _, _, request in cluster.requests] == [{}]
    cluster.requests.clear()
    produce(cluster, 1, b"a")
    (request,) = [request for _, _, request in cluster.requests]
    assert named(request) == {1: 1}
    assert request.session_id != 0
    assert request.session_epoch == 2
    assert forgotten(request) == []


def test_an_idle_follower_asks_twice_a_second(cluster):
    cluster.advance(5000, 10)
    assert len(cluster.requests) == 10


def test_the_high_watermark_comes_with_the_next_records_or_the_end_of_a_wait(cluster):
    produce(cluster, 0, b"a")
    assert cluster[1].partition("t", 0).high_watermark == 1
    assert cluster[2].partition("t", 0).high_watermark == 0
    cluster.advance(520)
    assert cluster[2].partition("t", 0).high_watermark == 1


def test_a_leader_that_does_not_answer_is_asked_again_after_longer_and_longer(cluster):
    cluster.cuts.append({1, 2})
    cluster.advance(10_000, 10)
    assert 10 < len(cluster.requests) < 20
    cluster.cuts.clear()
    cluster.advance(1_100, 10)
    cluster.requests.clear()
    (answer,) = produce(cluster, 2, b"a", acks=-1)
    assert only(answer).error_code == errors.NONE


def test_after_a_lost_session_all_is_asked_for_anew(cluster):
    end_sessions(cluster)
    cluster.advance(600, 20)
    cluster.requests.clear()
    (answer,) = produce(cluster, 0, b"a", acks=-1)
    assert only(answer).error_code == errors.NONE
    assert [session.partition_count for session in Inspection(cluster[1]).fetch_sessions()] == [3]


def test_without_room_for_a_session_every_request_names_all():
    cluster = Cluster(1, 2, max_incremental_fetch_session_cache_slots="0")
    cluster.create_topic("t", [1, 2], [1, 2], [1, 2])
    cluster.advance(600, 20)
    cluster.requests.clear()
    produce(cluster, 0, b"a")
    cluster.advance(1100)
    for _, _, request in cluster.requests:
        assert (request.session_id, request.session_epoch) == (0, 0)
        assert sorted(named(request)) == [0, 1, 2]
    assert cluster[2].partition("t", 0).log_end_offset == 1


def test_a_partition_that_leaves_is_forgotten(cluster):
    topic = cluster.image.topics["t"]
    moved = topic.partitions[1].but(leader=2, leader_epoch=1, partition_epoch=1)
    changed = topic.but(partitions=(topic.partitions[0], moved, topic.partitions[2]))
    cluster.image = cluster.image.but(topics={"t": changed}, topics_by_id={changed.topic_id: changed})
    cluster.requests.clear()
    cluster.publish()
    cluster.advance(540)
    of_2 = [request for follower, _, request in cluster.requests if follower == 2]
    of_1 = [request for follower, _, request in cluster.requests if follower == 1]
    assert forgotten(of_2[0]) == [1]
    assert named(of_1[0]) == {1: 0}


def test_of_a_partition_that_rested_nothing_is_kept_when_it_leaves(cluster):
    (follower,) = cluster[2].fetchers._fetchers.values()
    partition = cluster[2].partition("t", 1)
    follower._schedule_next(partition, BACK_OFF, cluster.now)
    assert partition in follower._pauses
    follower.remove(partition)
    assert partition not in follower._pauses


def test_an_error_of_one_partition_holds_up_no_other(cluster):
    cluster[2].metadata_is_late = True
    topic = cluster.image.topics["t"]
    moved = topic.partitions[1].but(leader_epoch=1, partition_epoch=1)
    changed = topic.but(partitions=(topic.partitions[0], moved, topic.partitions[2]))
    cluster.image = cluster.image.but(topics={"t": changed}, topics_by_id={changed.topic_id: changed})
    cluster.publish()  # broker 2 does not know of the new epoch: FENCED_LEADER_EPOCH
    cluster.settle()
    (answer,) = produce(cluster, 0, b"a", acks=-1)
    assert only(answer).error_code == errors.NONE
    waiting = produce(cluster, 1, b"a", acks=-1)
    cluster.advance(300)
    assert waiting == []
    cluster[2].metadata_is_late = False
    cluster.publish()
    cluster.advance(600)
    assert only(waiting[0]).error_code == errors.NONE


def test_who_was_at_the_end_of_a_quiet_partition_does_not_lag_at_its_first_record(cluster, monkeypatch):
    monkeypatch.setattr(follower_fetch, "FULL_READ_MS", 1 << 40)
    cluster.advance(100_000, 100)
    cluster.cuts.append({1, 2})
    leader = cluster[1]
    leader.ask(produce_request((0, batch(b"a")), acks=LEADER), 9)
    leader.partitions.check_lag(cluster.now)
    assert leader.partition().in_sync.pending is None
    cluster.advance(31_000, 1000)
    leader.partitions.check_lag(cluster.now)
    cluster.settle()
    assert cluster.image.topics["t"].partitions[0].isr == (1,)
    assert cluster.image.topics["t"].partitions[1].isr == (1, 2)


def test_a_round_looks_at_what_has_moved_alone(cluster, monkeypatch):
    cluster.advance(1100)
    seen = []
    serve = follower_fetch.serve_follower

    def look(partition, *args, **kwargs):
        seen.append(partition.index)
        return serve(partition, *args, **kwargs)

    monkeypatch.setattr(follower_fetch, "serve_follower", look)
    produce(cluster, 1, b"a")
    assert set(seen) == {1}
    seen.clear()
    cluster.advance(6000)
    assert set(seen) == {0, 1, 2}


def test_a_big_answer_is_taken_in_turns(cluster, monkeypatch):
    monkeypatch.setattr(fetcher, "ITERATION_MAX_BYTES", 1)
    cluster.cuts.append({1, 2})
    for index in range(3):
        produce(cluster, index, b"x" * 1000)
    cluster.advance(600)
    cluster.cuts.clear()
    taken = []
    node = cluster[2]
    run = node.timers.run

    def look(now):
        run(now)
        taken.append([node.partition("t", index).log_end_offset for index in range(3)])

    node.timers.run = look
    cluster.advance(1100)
    steps = [step for step, before in zip(taken, [[0, 0, 0], *taken], strict=False) if step != before]
    assert [sum(step) for step in steps] == [2, 3]  # the first with the answer, one more in each turn


def test_what_is_not_registered_fetches_nothing(cluster):
    lifecycle = cluster[2].lifecycle
    epoch, lifecycle.broker_epoch = lifecycle.broker_epoch, -1
    cluster.advance(600)
    cluster.requests.clear()
    waiting = produce(cluster, 0, b"a", acks=-1)
    cluster.advance(600)
    assert (waiting, cluster.requests) == ([], [])
    lifecycle.broker_epoch = epoch
    cluster[2].fetchers.resume(cluster.now)
    cluster.settle()
    assert only(waiting[0]).error_code == errors.NONE


def test_who_resigns_fetches_nothing_until_the_metadata_is_applied_again(cluster):
    cluster[2].partitions.resign(cluster.now)
    assert len(cluster[2].fetchers) == 0
    cluster.requests.clear()
    cluster.advance(1000)
    assert cluster.requests == []
    cluster[2].take(cluster.image)
    (answer,) = produce(cluster, 0, b"a", acks=-1)
    assert only(answer).error_code == errors.NONE


def test_a_follower_below_the_leaders_start_begins_there(cluster):
    cluster.cuts.append({1, 2})
    produce(cluster, 0, b"a", b"b", b"c")
    leader = cluster[1].partition("t", 0)
    leader.log.delete_records_before(2, cluster.now)
    cluster.cuts.clear()
    cluster.advance(1100)
    follower = cluster[2].partition("t", 0)
    assert (follower.log_start_offset, follower.log_end_offset) == (2, 3)


def test_a_leader_that_does_not_say_where_its_log_starts_is_asked(cluster, monkeypatch):
    cluster.cuts.append({1, 2})
    produce(cluster, 0, b"a", b"b", b"c")
    leader = cluster[1].partition("t", 0)
    leader.log.delete_records_before(2, cluster.now)
    cluster.cuts.clear()
    respond = follower_fetch.respond

    def as_kafka_says(answers, *args, **kwargs):
        for _, data in answers:
            if data.error_code == errors.OFFSET_OUT_OF_RANGE:
                data.log_start_offset = -1
        return respond(answers, *args, **kwargs)

    monkeypatch.setattr(follower_fetch, "respond", as_kafka_says)
    cluster.advance(2000)
    follower = cluster[2].partition("t", 0)
    assert (follower.log_start_offset, follower.log_end_offset) == (2, 3)
    assert any(type(request).__name__ == "ListOffsetsRequest" for _, _, request in cluster.requests)


def test_an_answer_that_fails_as_a_whole_is_asked_for_again(cluster, monkeypatch):
    handle = handler.handle
    monkeypatch.setattr(
        handler, "handle", lambda request, context: FetchResponse(error_code=errors.UNKNOWN_SERVER_ERROR)
    )
    cluster.advance(2000)
    monkeypatch.setattr(handler, "handle", handle)
    cluster.advance(1100)
    (answer,) = produce(cluster, 0, b"a", acks=-1)
    assert only(answer).error_code == errors.NONE


def test_a_new_partition_does_not_wait_for_the_end_of_a_long_poll(cluster):
    cluster.create_topic("later", [1, 2])
    answers = cluster[1].ask(produce_request((0, batch(b"a")), topic="later"), 9)
    cluster.settle()
    assert only(answers[0]).error_code == errors.NONE


def test_a_topic_that_the_leader_learns_of_later_is_soon_asked_for_again(cluster):
    cluster[1].metadata_is_late = True
    cluster.create_topic("later", [1, 2])
    cluster.advance(20)
    cluster[1].metadata_is_late = False
    cluster.publish()
    answers = cluster[1].ask(produce_request((0, batch(b"a")), topic="later"), 9)
    cluster.advance(100, 10)
    assert only(answers[0]).error_code == errors.NONE


def test_whose_logs_are_offline_follows_the_next_leader_into_nothing():
    three = Cluster(1, 2, 3)
    three.create_topic("t", [1, 3, 2], [1, 3, 2], [1, 3, 2])
    three[2].logs.metadata_directory.take_offline(OSError("the disk is gone"))
    for index in range(3):
        produce(three, index, b"a")
    three.advance(600)
    three.fence(1)
    assert [each.leader for each in three[2].partitions] == [3, 3, 3]  # the image was applied to all of them
    three.advance(600)
    assert three[3].partition("t", 0).isr == (3, 2)


def test_an_answer_that_trips_over_a_mistake_of_ours_holds_up_no_other(cluster, monkeypatch, caplog):
    partition = cluster[2].partition("t", 0)
    monkeypatch.setattr(type(partition.log), "append_as_follower", lambda *_args, **_more: 1 // 0)
    for index in (0, 1):
        produce(cluster, index, b"a")
    assert "a bug: handling the response of broker 1 for ('t', 0) failed" in caplog.text
    monkeypatch.undo()
    cluster.advance(2_500)
    assert [each.log_end_offset for each in cluster[2].partitions] == [1, 1, 0]


def test_a_mistake_before_an_answer_is_looked_at_does_not_end_the_fetching(cluster, monkeypatch, caplog):
    quota = type(cluster[2].follower_quota)
    record = quota.record

    def fail(self, *args):
        if self is cluster[2].follower_quota:
            monkeypatch.setattr(quota, "record", record)
            raise AssertionError("injected")
        record(self, *args)

    monkeypatch.setattr(quota, "record", fail)
    produce(cluster, 0, b"a")
    assert "a bug: handling the response of broker 1 for ('t', 0) failed" in caplog.text
    cluster.advance(1100)
    assert cluster[2].partition("t", 0).log_end_offset == 1


def test_of_followers_that_do_not_exist_nothing_is_kept(cluster):
    topic_id = cluster.image.topics["t"].topic_id
    asked = FetchTopic("", topic_id, [FetchPartition(0, fetch_offset=0, partition_max_bytes=1 << 20)])
    for replica_id in range(100, 120):
        for epoch in (-1, 0):  # without a session, and with one
            request = FetchRequest(
                replica_state=ReplicaState(replica_id, 1), min_bytes=1, max_wait_ms=500, session_epoch=epoch,
                topics=[asked],
            )  # fmt: skip
            cluster[1].ask(request, 18, Connection(replica_id, "127.0.0.1", "PLAINTEXT"))
    assert {each for each in (2, *range(100, 120)) if sessions_of(cluster, each)} == {2}


def test_of_a_follower_few_sessions_are_kept(cluster):
    topic_id = cluster.image.topics["t"].topic_id
    for index in range(3 * SESSIONS_MAX):
        asked = FetchTopic("", topic_id, [FetchPartition(0, fetch_offset=0, partition_max_bytes=1 << 20)])
        request = FetchRequest(replica_state=ReplicaState(2, 12), min_bytes=1, max_wait_ms=500, topics=[asked])
        cluster[1].ask(request, 18, Connection(index, "127.0.0.1", "PLAINTEXT"))
    assert len(sessions_of(cluster, 2)) == SESSIONS_MAX
    cluster.advance(1_000)
    (answer,) = produce(cluster, 0, b"a", acks=-1)  # the follower itself is not pushed aside
    assert only(answer).error_code == errors.NONE


def test_who_keeps_committed_records_fetches_again_when_the_topic_allows_unclean_elections(cluster, caplog):
    for value in (b"a", b"b", b"c", b"d"):
        produce(cluster, 0, value)
    cluster.advance(1000)
    kept = cluster[2].partition()
    assert kept.high_watermark == 4
    leader = cluster[1].partition()
    leader.log.truncate_to(1)  # a disk that forgot what it had said
    leader.high_watermark = 1
    produce(cluster, 0, b"e")
    cluster.advance(2000)
    assert kept.following is None
    assert (kept.log_end_offset, kept.leader_error(needs_leader=False)) == (4, errors.KAFKA_STORAGE_ERROR)
    assert "unclean.leader.election.enable=true" in caplog.text
    cluster.commit(Result([ConfigRecord(TOPIC_RESOURCE, "t", "unclean.leader.election.enable", "true")], None))
    cluster.advance(2000)
    assert [node.partition().log_end_offset for node in (cluster[1], cluster[2])] == [2, 2]
    assert kept.leader_error(needs_leader=False) == errors.NONE
    cluster.commit(Result([ConfigRecord(TOPIC_RESOURCE, "t", "unclean.leader.election.enable", None)], None))
    produce(cluster, 0, b"f")
    cluster.advance(1000)
    assert (kept.log_end_offset, kept.high_watermark) == (3, 3)


def test_who_leads_no_more_is_asked_no_more():
    three = Cluster(1, 2, 3)
    three.create_topic("t", [1, 2, 3])
    three.advance(600)
    three.fence(1)
    three.unfence(1)
    three.advance(600)
    three.requests.clear()
    three.advance(2000)
    assert {(follower, leader) for follower, leader, _ in three.requests} == {(1, 2), (3, 2)}
    assert len(three[3].fetchers) == 1
    assert {leader for leader, _lane in three[3].fetchers.network._open} == {2}, "the connection is let go"


def test_partitions_that_a_mistake_of_ours_took_out_are_not_asked_for(cluster, monkeypatch):
    apply = Partition.apply

    def fail(partition, *args):
        if partition.node_id == 2:
            raise AssertionError("injected")
        apply(partition, *args)

    monkeypatch.setattr(Partition, "apply", fail)
    cluster.commit(Result([ConfigRecord(TOPIC_RESOURCE, "t", "retention.ms", "1000")], None))
    cluster.advance(600)
    cluster.requests.clear()
    produce(cluster, 0, b"a")
    cluster.advance(1000)
    assert cluster.requests == []
    assert len(cluster[2].fetchers) == 0


def test_a_leader_is_lost_once_when_it_answers_no_more(cluster):
    fetchers = cluster[2].fetchers
    cluster.advance(500, 500)
    assert fetchers.lost_leaders(cluster.now) == {}
    cluster.cuts.append({1, 2})
    cluster.advance(500, 500)
    assert fetchers.lost_leaders(cluster.now) == {1: cluster.now.monotonic_ms + ELECTION_WAIT_MS}
    cluster.advance(ELECTION_WAIT_MS)
    assert fetchers.lost_leaders(cluster.now) == {}, "it was asked again meanwhile, and that is no other loss"
    cluster.advance(5_000)
    assert fetchers.lost_leaders(cluster.now) == {}


def test_who_never_answered_is_not_lost():
    cluster = Cluster(1, 2)
    cluster.cuts.append({1, 2})
    cluster.create_topic("t", [1, 2])
    cluster.advance(1_000)
    assert len([1 for follower, leader, _ in cluster.requests if (follower, leader) == (2, 1)]) > 1
    assert cluster[2].fetchers.lost_leaders(cluster.now) == {}


def test_who_leads_nothing_any_more_is_not_lost(cluster):
    cluster.advance(500, 500)
    cluster.cuts.append({1, 2})
    cluster.advance(500, 500)
    assert cluster[2].fetchers.lost_leaders(cluster.now)
    cluster.fence(1)
    assert cluster[2].fetchers.lost_leaders(cluster.now) == {}
