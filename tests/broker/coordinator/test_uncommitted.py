"""The committed state next to the newest one: by itself, in the shard, and as clients of a broker see it."""

import random

import pytest

from kafkacompat.broker.coordinator import runtime
from kafkacompat.broker.coordinator.coordinators import GROUP_TOPIC
from kafkacompat.broker.coordinator.group.shard import GroupCoordinatorShard
from kafkacompat.broker.coordinator.runtime import EARLY_READ_WAIT_MS, CoordinatorContext
from kafkacompat.broker.coordinator.uncommitted import PRUNED_AT_ONCE, Uncommitted
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.internal.consumer_offsets import GroupMetadataKey, GroupMetadataValue, OffsetCommitKey
from kafkacompat.protocol.internal.consumer_offsets import OffsetCommitValue as Value
from kafkacompat.protocol.messages.delete_groups import DeleteGroupsRequest
from kafkacompat.protocol.messages.describe_groups import DescribeGroupsRequest
from kafkacompat.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from kafkacompat.protocol.messages.list_groups import ListGroupsRequest
from kafkacompat.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from kafkacompat.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from tests.broker.coordinator.world import World
from tests.broker.handlers.group_harness import (
    Answer,
    Kafka,
    commit,
    committed,
    heartbeat,
    stable_pair,
    sync,
    with_coordinator,
)

WAITS = None


def test_what_was_there_before_is_told_until_its_record_is_committed() -> None:
    uncommitted = Uncommitted()
    uncommitted.advance(10)
    for offset, former in ((9, "committed long ago"), (10, "a"), (12, "b"), (12, "never told"), (13, None)):
        uncommitted.note("g", "item", offset, former)
    told = []
    for high_watermark in (10, 11, 12, 13, 14):
        uncommitted.advance(high_watermark)
        told.append(uncommitted.former("g", "item", "newest"))
    assert told == ["a", "b", "b", None, "newest"]
    assert len(uncommitted) == 0
    assert list(uncommitted.groups()) == []


def test_a_long_jump_is_worked_off_little_by_little_and_seen_at_once() -> None:
    uncommitted = Uncommitted()
    count = 3 * PRUNED_AT_ONCE
    for offset in range(count):
        uncommitted.note("g", offset, offset, "former")
    uncommitted.advance(count)
    assert len(uncommitted) == count - PRUNED_AT_ONCE
    assert {uncommitted.former("g", item, "newest") for item in range(count)} == {"newest"}
    for _ in range(2):
        uncommitted.advance(count)
    assert len(uncommitted) == 0


def test_what_is_told_is_what_the_committed_part_of_the_log_holds() -> None:
    """Wherever the high watermark is: a shard that has read the log up to there says the same."""
    world, rng = World(), random.Random(3)
    shard, log, committed_to = GroupCoordinatorShard(world.settings, world.rng), [], 0
    for _ in range(3_000):
        group, topic = rng.choice("abc"), rng.choice("tuv")
        size = rng.randrange(1, 4)
        for _ in range(size):
            tombstone = rng.random() < 0.3
            if rng.random() < 0.2:
                value = None if tombstone else GroupMetadataValue(protocol_type="consumer", generation=len(log))
                record = (GroupMetadataKey(group), value)
            else:
                value = None if tombstone else Value(len(log), -1, "", 1)
                record = (OffsetCommitKey(group, topic, rng.randrange(3)), value)
            log.append((record, len(log)))
        last_offset = len(log) - 1
        log[-size:] = [(record, last_offset) for record, _ in log[-size:]]
        for offset, (record, _) in enumerate(log[-size:], len(log) - size):
            shard.replay(offset, -1, -1, record, last_offset, 1)
        if rng.random() < 0.5:
            ends = [0, *(last + 1 for _, last in log)]
            committed_to = max(committed_to, rng.choice(ends[-20:]))
            shard.on_committed(committed_to)
        if rng.random() < 0.1:
            other = GroupCoordinatorShard(world.settings, world.rng)
            other.on_committed(len(log))
            for offset, (record, last) in enumerate(log):
                if last < committed_to:
                    other.replay(offset, -1, -1, record, last, 1)
            assert told(shard) == told(other)


def told(shard: GroupCoordinatorShard) -> object:
    fetched = {}
    for group in "abc":
        topics = shard.fetch_offsets(group, None, lambda _: bytes(16), newest=False).topics
        fetched[group] = {
            (topic.name, part.partition_index): part.committed_offset for topic in topics for part in topic.partitions
        }
        asked = [OffsetFetchRequestTopics(topic, partition_indexes=[0, 1, 2]) for topic in "tuv"]
        for topic in shard.fetch_offsets(group, asked, lambda _: bytes(16), newest=False).topics:
            for part in topic.partitions:
                assert fetched[group].get((topic.name, part.partition_index), -1) == part.committed_offset
    listed = {(group.group_id, group.protocol_type) for group in shard.list_groups(()) if group is not None}
    states = {group: shard.describe_group(group, 0).group_state for group in "abc"}
    return fetched, listed, states


# As clients see it, at a broker whose disk has not synced yet what it must sync before it counts.


@pytest.fixture
def kafka() -> Kafka:
    return with_coordinator(log_flush_interval_messages="1")


def begin_commit(kafka: Kafka, offset: int, group: str = "g") -> Answer:
    topic = OffsetCommitRequestTopic("t", partitions=[OffsetCommitRequestPartition(0, offset)])
    return kafka.send("offset_commit", 8, OffsetCommitRequest(group, topics=[topic]))


def begin_stable_fetch(kafka: Kafka) -> Answer:
    asked = [OffsetFetchRequestTopic("t", [0])]
    return kafka.send("offset_fetch", 7, OffsetFetchRequest("g", asked, require_stable=True))


def state(kafka: Kafka, group: str = "g") -> str:
    return kafka.ask("describe_groups", 5, DescribeGroupsRequest([group])).groups[0].group_state


def listed(kafka: Kafka) -> list[str]:
    return [group.group_id for group in kafka.ask("list_groups", 5, ListGroupsRequest()).groups]


def release(kafka: Kafka) -> None:
    kafka.disk_is_stuck = False
    kafka.flush()


def test_the_committed_offset_is_told_at_once_and_the_newest_when_it_is_committed(kafka: Kafka) -> None:
    assert commit(kafka, 1) == errors.NONE
    kafka.disk_is_stuck = True
    pending = [begin_commit(kafka, 2), begin_commit(kafka, 3), begin_stable_fetch(kafka)]
    assert [answer.body for answer in pending] == [WAITS] * 3
    assert committed(kafka) == 1
    everything = kafka.ask("offset_fetch", 5, OffsetFetchRequest("g", None))
    assert [part.committed_offset for topic in everything.topics for part in topic.partitions] == [1]
    release(kafka)
    assert pending[2].body.topics[0].partitions[0].committed_offset == 3
    assert committed(kafka) == 3


def test_groups_are_shown_as_they_are_committed(kafka: Kafka) -> None:
    kafka.disk_is_stuck = True
    first_commit = begin_commit(kafka, 2, "simple")
    join = kafka.join(version=3)
    assert (listed(kafka), state(kafka), state(kafka, "simple")) == ([], "Dead", "Dead")
    release(kafka)
    assert first_commit.body.topics[0].partitions[0].error_code == errors.NONE
    assert sorted(listed(kafka)) == ["g", "simple"]
    assert state(kafka) == "CompletingRebalance"
    member_id = join.body.member_id
    kafka.disk_is_stuck = True
    synced = sync(kafka, member_id, 1, **{member_id: b"mine"})
    assert (synced.body, state(kafka)) == (WAITS, "CompletingRebalance")
    release(kafka)
    assert (synced.body.assignment, state(kafka)) == (b"mine", "Stable")
    kafka.disk_is_stuck = True
    left = kafka.send("leave_group", 5, LeaveGroupRequest("g", members=[MemberIdentity(member_id)]))
    kafka.send("delete_groups", 2, DeleteGroupsRequest(["simple"]))
    assert (left.body, state(kafka), sorted(listed(kafka))) == (WAITS, "PreparingRebalance", ["g", "simple"])
    release(kafka)
    assert (state(kafka), listed(kafka)) == ("Empty", ["g"])


def test_members_that_wait_hear_of_their_assignment_once_it_is_committed(kafka: Kafka) -> None:
    first = kafka.join(version=3).body.member_id
    waiting = kafka.join(version=3)
    kafka.join(member_id=first)
    second = waiting.body.member_id
    follower = sync(kafka, second, 2)
    kafka.disk_is_stuck = True
    leader = sync(kafka, first, 2, **{first: b"1", second: b"2"})
    assert (leader.body, follower.body) == (None, None)
    release(kafka)
    assert (leader.body.assignment, follower.body.assignment) == (b"1", b"2")


def test_a_new_leader_waits_a_moment_for_what_its_predecessor_has_committed(kafka: Kafka) -> None:
    assert commit(kafka, 1) == errors.NONE
    kafka.disk_is_stuck = True
    begin_commit(kafka, 2)
    be_elected_again(kafka)
    early = kafka.send("offset_fetch", 5, OffsetFetchRequest("g", [OffsetFetchRequestTopic("t", [0])]))
    shown = kafka.send("list_groups", 5, ListGroupsRequest())
    assert (early.body, shown.body) == (WAITS, WAITS)
    kafka.advance(EARLY_READ_WAIT_MS)
    assert early.body.topics[0].partitions[0].committed_offset == 1, "what it knows to be committed"
    assert [group.group_id for group in shown.body.groups] == ["g"]
    assert committed(kafka) == 1, "nobody waits any more"
    release(kafka)
    assert committed(kafka) == 2


def test_a_new_leader_answers_at_once_where_too_few_replicas_are_in_sync(kafka: Kafka) -> None:
    """Nothing would come of waiting."""
    assert commit(kafka, 1) == errors.NONE
    kafka.disk_is_stuck = True
    begin_commit(kafka, 2)
    kafka.broker.partitions.get(GROUP_TOPIC, kafka.broker.groups.partition_for("g")).in_sync.min_isr = 2
    be_elected_again(kafka)
    assert committed(kafka) == 1
    assert listed(kafka) == ["g"]


def test_no_more_is_written_than_may_wait_for_the_other_replicas(kafka: Kafka, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "MAX_UNCOMMITTED", 3)
    kafka.disk_is_stuck = True
    commits = [begin_commit(kafka, offset) for offset in range(6)]
    codes = [answer.body and answer.body.topics[0].partitions[0].error_code for answer in commits]
    assert codes == [WAITS] * 4 + [errors.COORDINATOR_NOT_AVAILABLE] * 2
    release(kafka)
    assert committed(kafka) == 3
    assert commit(kafka, 7) == errors.NONE


def be_elected_again(kafka: Kafka) -> None:
    partition = kafka.broker.partitions.get(GROUP_TOPIC, kafka.broker.groups.partition_for("g"))
    kafka.broker.groups.on_resigned(partition, kafka.now)
    kafka.broker.groups.on_elected(partition, kafka.now)


def test_a_leader_that_has_lost_its_high_watermark_does_not_say_that_nothing_was_committed(kafka: Kafka) -> None:
    """A consumer would begin anew."""
    assert commit(kafka, 1) == errors.NONE
    kafka.disk_is_stuck = True
    kafka.restart(clean=False)
    early = kafka.send("offset_fetch", 5, OffsetFetchRequest("g", [OffsetFetchRequestTopic("t", [0])]))
    kafka.advance(EARLY_READ_WAIT_MS)
    asked = OffsetFetchRequest("g", [OffsetFetchRequestTopic("t", [0])])
    assert early.body.error_code == errors.COORDINATOR_LOAD_IN_PROGRESS
    assert kafka.ask("offset_fetch", 5, asked).error_code == errors.COORDINATOR_LOAD_IN_PROGRESS
    release(kafka)
    assert committed(kafka) == 1


def test_who_waits_for_that_is_sent_on_when_leadership_goes(kafka: Kafka) -> None:
    kafka.disk_is_stuck = True
    begin_commit(kafka, 2)
    kafka.restart(clean=False)
    early = kafka.send("offset_fetch", 5, OffsetFetchRequest("g", [OffsetFetchRequestTopic("t", [0])]))
    kafka.broker.partitions.resign(kafka.now)
    assert early.body.error_code == errors.NOT_COORDINATOR


# Under min.insync.replicas nothing can be written.


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Kafka:
    """A leader with members, one replica short of what its groups' topic asks for; nothing may be loaded anew."""
    kafka = with_coordinator(offsets_topic_num_partitions="1")
    kafka.members = stable_pair(kafka)
    assert commit(kafka, 5, generation=2, member_id=kafka.members[0]) == errors.NONE
    kafka.broker.partitions.get(GROUP_TOPIC, 0).in_sync.min_isr = 2
    monkeypatch.setattr(CoordinatorContext, "load", lambda *_: pytest.fail("the shard is loaded anew"))
    return kafka


def recover(kafka: Kafka) -> None:
    kafka.broker.partitions.get(GROUP_TOPIC, 0).in_sync.min_isr = 1


def test_reads_are_answered_at_once_without_enough_replicas(alone: Kafka) -> None:
    first, _ = alone.members
    assert commit(alone, 6, generation=2, member_id=first) == errors.COORDINATOR_NOT_AVAILABLE
    assert committed(alone) == 5
    assert begin_stable_fetch(alone).body.topics[0].partitions[0].committed_offset == 5
    assert (listed(alone), state(alone)) == (["g"], "Stable")


def test_a_new_group_is_refused_and_harms_no_other(alone: Kafka) -> None:
    first, second = alone.members
    refused = alone.join("new", version=3).body
    assert (refused.error_code, refused.member_id) == (errors.COORDINATOR_NOT_AVAILABLE, "")
    assert [heartbeat(alone, member, 2) for member in (first, second)] == [errors.NONE, errors.NONE]
    assert listed(alone) == ["g"]
    recover(alone)
    assert alone.join("new", version=3).body.generation_id == 1


def test_an_assignment_that_cannot_be_written_is_asked_for_again(alone: Kafka) -> None:
    first, second = alone.members
    rejoined = [alone.join(version=3, member_id=member) for member in (first, second)]
    assert [answer.body.generation_id for answer in rejoined] == [3, 3]
    follower = sync(alone, second, 3)
    leader = sync(alone, first, 3, **{first: b"1", second: b"2"})
    codes = [answer.body.error_code for answer in (leader, follower)]
    assert codes == [errors.COORDINATOR_NOT_AVAILABLE] * 2
    assert [heartbeat(alone, member, 3) for member in (first, second)] == [errors.REBALANCE_IN_PROGRESS] * 2
    recover(alone)
    rejoined = [alone.join(version=3, member_id=member) for member in (first, second)]
    assert [answer.body.generation_id for answer in rejoined] == [4, 4]
    follower = sync(alone, second, 4)
    assert sync(alone, first, 4, **{first: b"1", second: b"2"}).body.assignment == b"1"
    assert follower.body.assignment == b"2"
    assert state(alone) == "Stable"


def test_members_may_leave_though_it_cannot_be_written(alone: Kafka) -> None:
    leaving = LeaveGroupRequest("g", members=[MemberIdentity(member) for member in alone.members])
    assert alone.ask("leave_group", 5, leaving).error_code == errors.COORDINATOR_NOT_AVAILABLE
    assert state(alone) == "Empty"
    recover(alone)
    assert alone.join(version=3).body.generation_id == 4, "2 was theirs, 3 the empty one"


def test_a_session_is_watched_though_its_commit_cannot_be_written(alone: Kafka) -> None:
    first, _ = alone.members
    shard = alone.shard("g")
    shard.groups["g"].members[first].timer_ms = None
    partition = OffsetCommitRequestPartition(0, 6)
    topics = [OffsetCommitRequestTopic("t", partitions=[partition])]
    request = OffsetCommitRequest("g", 2, first, topics=topics)
    result = shard.commit_offsets(request, [(topics[0], alone.broker.image.topics["t"], 3)], 25, alone.now)
    otherwise = result.otherwise(errors.COORDINATOR_NOT_AVAILABLE)
    assert [effect.key for effect in otherwise.effects] == [("session", "g", first)]


def test_a_static_member_that_cannot_be_replaced_stays_who_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    kafka = with_coordinator(offsets_topic_num_partitions="1")
    first = kafka.join(version=5, group_instance_id="i").body.member_id
    assert sync(kafka, first, 1, **{first: b"mine"}).body.assignment == b"mine"
    kafka.broker.partitions.get(GROUP_TOPIC, 0).in_sync.min_isr = 2
    monkeypatch.setattr(CoordinatorContext, "load", lambda *_: pytest.fail("the shard is loaded anew"))
    refused = kafka.join(version=5, group_instance_id="i").body
    assert refused.error_code == errors.COORDINATOR_NOT_AVAILABLE
    assert heartbeat(kafka, first, 1) == errors.NONE
    kafka.advance(9_000)
    assert heartbeat(kafka, first, 1) == errors.NONE
    recover(kafka)
    kafka.advance(10_000)
    assert heartbeat(kafka, first, 1) == errors.UNKNOWN_MEMBER_ID, "its session is still watched"
