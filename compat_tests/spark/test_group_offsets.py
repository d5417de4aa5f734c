"""The older way to find offsets: the driver is a member of a group and asks as its consumer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from compat_tests.clients.samples import eventually
from compat_tests.spark.test_stream_starts import chosen
from compat_tests.spark.test_stream_topics import add_partitions
from compat_tests.spark.workbench import WAIT_S, Workbench, rows_of

pytestmark = pytest.mark.api("Fetch", "ListOffsets")

SETTING = "spark.sql.streaming.kafka.useDeprecatedOffsetFetching"
GROUP_APIS = pytest.mark.api("FindCoordinator", "JoinGroup", "SyncGroup")


@pytest.fixture
def older(bench: Workbench) -> Iterator[Workbench]:
    """Spark with the setting that makes it a member."""
    bench.spark.conf.set(SETTING, "true")
    yield bench
    bench.spark.conf.unset(SETTING)


@GROUP_APIS
@pytest.mark.spark_behaviour(53)
def test_a_stream_as_a_member(older: Workbench, topic: str) -> None:
    """New partitions too: the group is rebalanced for them."""
    follow_new_partitions(older, topic, "subscribe")


@GROUP_APIS
@pytest.mark.full
@pytest.mark.spark_behaviour(53)
def test_a_pattern_as_a_member(older: Workbench, topic: str) -> None:
    follow_new_partitions(older, topic, "subscribePattern")


def follow_new_partitions(older: Workbench, topic: str, choice: str) -> None:
    """A stream that starts with three partitions and gets a fourth."""
    older.create(topic, 3)
    for partition in range(3):
        older.send(topic, partition, range(5))
    # what the members hold of a topic's partitions is renewed this often, five minutes unless told otherwise
    often = {"kafka_metadata_max_age_ms": 100}
    query = older.start(older.stream(startingOffsets="earliest", **often, **chosen(choice, topic)))
    query.processAllAvailable()
    older.rows(older.table(query))
    add_partitions(older, topic, 4)
    older.send(topic, 3, ["new"])
    older.send(topic, 0, [5])
    expected = rows_of(0, range(6)) + rows_of(1, range(5)) + rows_of(2, range(5)) + rows_of(3, ["new"])
    # the group hears of the partition some time after it was made, and so do the queries
    eventually(lambda: older.table(query).count() == len(expected), WAIT_S)
    query.processAllAvailable()
    assert older.rows(older.table(query)) == expected


@pytest.mark.full
@pytest.mark.spark_behaviour(53)
def test_assigned_partitions_without_a_group(older: Workbench, topic: str) -> None:
    older.create(topic, 3)
    for partition in range(3):
        older.send(topic, partition, range(5))
    frame = older.read(**chosen("assign", topic))
    assert older.rows(frame) == [row for partition in range(3) for row in rows_of(partition, range(5))]
