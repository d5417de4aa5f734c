"""Settings of the group coordinator: each is changed, and the effect is seen."""

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.find_coordinator import FindCoordinatorRequest
from tests.broker.handlers.group_harness import Kafka, commit, committed, stable_pair, with_coordinator
from tests.config.effects.registry import shows

MINUTE_MS = 60_000


@shows("group.min.session.timeout.ms", "group.max.session.timeout.ms")
def test_sessions_last_as_long_as_is_allowed() -> None:
    def joined(timeout_ms: int, **settings: str) -> int:
        kafka = with_coordinator(**settings)
        code: int = kafka.join(version=3, session_timeout_ms=timeout_ms).body.error_code  # type: ignore[attr-defined]
        return code

    assert joined(6_000) == errors.NONE
    assert joined(5_999) == errors.INVALID_SESSION_TIMEOUT
    assert joined(5_999, group_min_session_timeout_ms="1000") == errors.NONE
    assert joined(20_000) == errors.NONE
    assert joined(20_000, group_max_session_timeout_ms="10000") == errors.INVALID_SESSION_TIMEOUT


@shows("group.max.size")
def test_a_group_takes_as_many_members() -> None:
    kafka = with_coordinator()
    stable_pair(kafka)
    small = with_coordinator(group_max_size="1")
    first = small.join(version=3).body.member_id  # type: ignore[attr-defined]
    assert first
    second = small.join(version=3)
    small.advance(MINUTE_MS)
    assert second.body.error_code == errors.GROUP_MAX_SIZE_REACHED  # type: ignore[attr-defined]


@shows("group.initial.rebalance.delay.ms")
def test_a_new_group_waits_for_more_members() -> None:
    assert with_coordinator().join(version=3).body is not None
    kafka = with_coordinator(group_initial_rebalance_delay_ms="3000")
    answer = kafka.join(version=3)
    kafka.advance(2_999)
    assert answer.body is None
    kafka.advance(1)
    assert answer.body is not None


@shows("offset.metadata.max.bytes")
def test_so_much_metadata_may_go_with_an_offset() -> None:
    for limit, code in (("4096", errors.NONE), ("3", errors.OFFSET_METADATA_TOO_LARGE)):
        kafka = with_coordinator(offset_metadata_max_bytes=limit)
        assert commit(kafka, 1, committed_metadata="four") == code


@shows("offsets.retention.minutes", "offsets.retention.check.interval.ms")
def test_offsets_are_forgotten_when_they_are_old_and_somebody_looks() -> None:
    def after_five_minutes(minutes: int, interval_ms: int) -> int:
        kafka = with_coordinator(
            offsets_retention_minutes=str(minutes), offsets_retention_check_interval_ms=str(interval_ms)
        )
        assert commit(kafka, 7) == errors.NONE
        kafka.advance(5 * MINUTE_MS)
        return committed(kafka)

    assert after_five_minutes(10, 1_000) == 7
    assert after_five_minutes(1, 1_000) == -1
    assert after_five_minutes(1, 10 * MINUTE_MS) == 7


@shows("offsets.commit.timeout.ms")
def test_a_commit_waits_so_long_for_its_replicas() -> None:
    from kafkacompat.protocol.messages.offset_commit import (
        OffsetCommitRequest,
        OffsetCommitRequestPartition,
        OffsetCommitRequestTopic,
    )

    for timeout_ms in (5_000, 900):
        kafka = with_coordinator(offsets_commit_timeout_ms=str(timeout_ms), log_flush_interval_messages="1")
        kafka.advance(100)
        kafka.disk_is_stuck = True
        topics = [OffsetCommitRequestTopic("t", partitions=[OffsetCommitRequestPartition(0, 1)])]
        answer = kafka.send("offset_commit", 8, OffsetCommitRequest("g", -1, "", topics=topics))
        kafka.advance(timeout_ms - 1)
        assert answer.body is None
        kafka.advance(1)
        assert answer.body is not None
        assert answer.body.topics[0].partitions[0].error_code != errors.NONE  # type: ignore[attr-defined]


@shows("offsets.topic.num.partitions", "offsets.topic.segment.bytes")
def test_the_topic_of_offsets_is_made_as_is_said() -> None:
    for count, segment_bytes in ((3, 104_857_600), (7, 2_000_000)):
        kafka = with_coordinator(
            offsets_topic_num_partitions=str(count), offsets_topic_segment_bytes=str(segment_bytes)
        )
        assert len(kafka.broker.image.topics["__consumer_offsets"].partitions) == count
        assert kafka.broker.topic_config("__consumer_offsets").segment_bytes == segment_bytes


@shows("offsets.topic.replication.factor")
def test_the_topic_of_offsets_has_as_many_replicas() -> None:
    for factor, is_there in (("1", True), ("2", False)):
        kafka = Kafka(offsets_topic_replication_factor=factor)
        kafka.send("find_coordinator", 2, FindCoordinatorRequest("g"))
        kafka.advance(1_000)
        assert ("__consumer_offsets" in kafka.broker.image.topics) is is_there
