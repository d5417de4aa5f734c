"""Sequences in which the brokers once differed, shrunk by hypothesis and kept for ever; see `test_generated.py`."""

from __future__ import annotations

import pytest

from compat_tests.generated.machine import TwoBrokers
from compat_tests.generated.shapes import Batch, Rec

FAR_FUTURE = 1_000_000_000_000


@pytest.mark.api("Produce")
def test_a_topic_without_partitions_is_not_answered(state: TwoBrokers) -> None:
    state.begin(partitions=1, configs={}, batches=[])
    state.write_together(parts=[], topic=0, version=3)


@pytest.mark.api("Produce", "Fetch")
def test_a_partition_written_twice(state: TwoBrokers) -> None:
    state.begin(partitions=1, configs={}, batches=[])
    state.write_together(parts=[(0, [Batch([Rec()])]), (0, [Batch([Rec(), Rec()])])], topic=0, version=5)
    state.read(epoch=-1, isolation=0, max_bytes=1000, partition_max_bytes=1000, spots=[(0, 0)], topic=0, version=12)


@pytest.mark.api("Produce")
def test_zstd_before_version_7(state: TwoBrokers) -> None:
    state.begin(partitions=1, configs={}, batches=[])
    state.write(acks=-1, batches=[Batch([Rec()]), Batch([Rec()], "zstd")], partition=0, topic=0, version=6)
    state.write(acks=0, batches=[Batch([Rec()], "zstd")], partition=0, topic=0, version=6)
    state.write_together(parts=[(0, [Batch([Rec()], "zstd"), Batch([Rec()])])], topic=0, version=4)
    state.write(acks=-1, batches=[Batch([Rec()], "zstd")], partition=0, topic=0, version=7)


@pytest.mark.api("Produce")
@pytest.mark.parametrize("version", [3, 13])
def test_odd_acks_and_something_else_wrong(state: TwoBrokers, version: int) -> None:
    state.begin(partitions=1, configs={}, batches=[])
    for spoiled in ("", "crc", "cut", "magic 1", "control", "base offset"):
        for partition in (0, 7):
            state.write(
                acks=2, batches=[Batch([Rec()], "none", spoiled)], partition=partition, topic=0, version=version
            )
    state.write(acks=2, batches=[Batch([Rec()])], partition=0, topic=1, version=version)
    state.write(acks=-1, batches=[Batch([Rec()])], partition=0, topic=0, version=version)


@pytest.mark.api("Produce", "Fetch")
def test_a_batch_that_is_cut_off_behind_another(state: TwoBrokers) -> None:
    state.begin(partitions=1, configs={}, batches=[])
    cut = Batch([Rec(at=20, key=None, value=None)], "zstd", "cut")
    state.write_together(parts=[(0, [Batch([Rec(), Rec()], "lz4"), cut])], topic=0, version=11)
    state.read(epoch=-1, isolation=0, max_bytes=1000, partition_max_bytes=1000, spots=[(0, 0)], topic=0, version=12)


@pytest.mark.api("Produce")
def test_a_missing_key_and_a_wrong_time(state: TwoBrokers) -> None:
    state.begin(partitions=1, configs={}, batches=[])
    state.alter_configs(changes=[("cleanup.policy", 2, "compact")], dry=False, topic=0, version=0)
    keyless, untimely = Rec(key=None, value=None), Rec(at=FAR_FUTURE, key=b"", value=None)
    both = Rec(at=FAR_FUTURE, key=None)
    for version in (3, 9):
        state.write(
            acks=-1, batches=[Batch([keyless, untimely]), Batch([both]), Batch([untimely]), Batch([keyless])],
            partition=0, topic=0, version=version,
        )  # fmt: skip


@pytest.mark.api("Fetch")
def test_an_unknown_partition_before_a_known_one(state: TwoBrokers) -> None:
    state.begin(partitions=1, configs={}, batches=[])
    state.read(
        epoch=-1,
        isolation=0,
        max_bytes=1048576,
        partition_max_bytes=1048576,
        spots=[(1, 0), (0, 0)],
        topic=0,
        version=4,
    )


@pytest.mark.api("Produce", "Fetch")
def test_a_negative_size(state: TwoBrokers) -> None:
    state.begin(partitions=1, configs={}, batches=[])
    state.write(acks=-1, batches=[Batch([Rec()])], partition=0, topic=0, version=6)
    state.read(epoch=-1, isolation=0, max_bytes=1000, partition_max_bytes=-1, spots=[(0, 0)], topic=0, version=12)


@pytest.mark.api("Fetch")
def test_a_session_that_forgets_what_it_names(state: TwoBrokers) -> None:
    state.begin(partitions=3, configs={}, batches=[])
    for spots, forgotten in (
        ([(0, 0), (2, 0), (7, 12)], [2]),
        ([], []),
        ([(2, 0), (1, 0), (0, 0)], [1, 0]),
        ([], []),
    ):
        state.read_in_session(
            forgotten=forgotten, move="next", partition_max_bytes=61, session=0, spots=spots, topic=0, version=8
        )


@pytest.mark.api("ListOffsets")
def test_a_time_that_the_version_lacks(state: TwoBrokers) -> None:
    state.begin(partitions=1, configs={}, batches=[])
    state.look_up(epoch=1, isolation=0, spots=[(0, -5)], topic=0, version=5)
    state.look_up(epoch=-1, isolation=0, spots=[(0, -7), (7, -5)], topic=1, version=8)


@pytest.mark.api("DescribeTopicPartitions")
def test_a_page_that_is_full_before_an_unknown_topic(state: TwoBrokers) -> None:
    state.begin(partitions=3, configs={}, batches=[])
    state.show_partitions(cursor=None, limit=3, topics=[1, 0])
    state.show_partitions(cursor=None, limit=4, topics=[1, 0])


@pytest.mark.api("DeleteTopics", "DescribeConfigs")
def test_the_configs_of_a_topic_that_is_gone(state: TwoBrokers) -> None:
    state.begin(partitions=1, configs={}, batches=[])
    state.delete(by_id=False, topic=0, version=1)
    state.delete(by_id=False, topic=0, version=1)
    state.show_configs(synonyms=False, topic=0, version=1)


@pytest.mark.api("OffsetCommit", "OffsetDelete", "DeleteGroups")
def test_a_refused_commit_makes_no_group(state: TwoBrokers) -> None:
    state.begin(partitions=1, configs={}, batches=[])
    state.commit(commits=[(0, 12, "x" * 4097)], generation=0, group=0, topic=0, version=9, who=None)
    state.describe(group=0, version=6)
    state.list_groups(version=5)
    state.forget_offsets(group=0, topic=0, partitions=[0])
    state.delete_groups(groups=[1, 0], version=0)
    state.commit(commits=[(0, 12, "note")], generation=0, group=0, topic=0, version=9, who=None)
    state.delete_groups(groups=[0], version=2)


@pytest.mark.api("DeleteRecords")
def test_records_of_a_topic_without_cleanup_policy_can_be_deleted(state: TwoBrokers) -> None:
    state.begin(partitions=1, configs={"cleanup.policy": "compact"}, batches=[])
    state.trim(spots=[(0, 0)], topic=0, version=0)
    state.alter_configs(changes=[("cleanup.policy", 3, "compact")], dry=False, topic=0, version=0)
    state.trim(spots=[(0, 0)], topic=0, version=0)


@pytest.mark.api("Fetch")
def test_an_empty_session_that_forgets_what_it_names(state: TwoBrokers) -> None:
    """The session ends as it was empty, and what was named is served without one."""
    state.begin(partitions=1, configs={}, batches=[])
    state.read_in_session(
        forgotten=[], move="next", partition_max_bytes=1 << 20, session=0, spots=[], topic=0, version=7
    )
    state.read_in_session(
        forgotten=[0], move="next", partition_max_bytes=1 << 20, session=0, spots=[(0, 0)], topic=0, version=7
    )


@pytest.mark.api("Produce")
@pytest.mark.parametrize("version", [3, 9])
@pytest.mark.parametrize("codec", ["none", "gzip"])
def test_a_producer_that_claims_append_times(state: TwoBrokers, codec: str, version: int) -> None:
    """Where the topic's times are the broker's, each record of such a batch is refused."""
    state.begin(partitions=1, configs={"message.timestamp.type": "LogAppendTime"}, batches=[])
    claimed = [Batch([Rec(at=0, key=None, value=b"v", headers=())] * 2, codec, "append time")]
    state.write(acks=-1, batches=claimed, partition=0, topic=0, version=version)


@pytest.mark.api("OffsetCommit")
def test_a_member_that_commits_where_a_commit_was_refused(state: TwoBrokers) -> None:
    state.begin(partitions=1, configs={}, batches=[])
    state.commit(commits=[(0, 0, "x" * 4097)], generation=0, group=0, topic=0, version=2, who=None)
    state.commit(commits=[(0, 0, "")], generation=0, group=0, topic=0, version=2, who=0)
    state.commit(commits=[(0, 0, "")], generation=0, group=0, topic=0, version=2, who=None)
