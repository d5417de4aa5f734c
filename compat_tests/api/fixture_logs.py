"""Topics whose partitions are each in a state of their own."""

from __future__ import annotations

from compat_tests.api import topics
from compat_tests.api.raw import RawClient
from kafkacompat.protocol.messages import delete_records

FULL, EMPTY, CUT, SPARE = range(4)
"""Partitions of a shelf: 7 and 3 records in two batches; nothing; like the first, with all before offset 5 deleted;
nothing."""
END, CUT_START = 10, 5
NO_PARTITION = 9


def fill(client: RawClient, topic: str, **configs: str) -> bytes:
    """A topic of these four partitions. Returns its id."""
    topic_id = topics.create(client, topic, 4, **configs)
    for partition in (FULL, CUT):
        topics.produce(client, topic, 7, partition)
        topics.produce(client, topic, END - 7, partition)
    cut(client, topic, CUT, CUT_START)
    return topic_id


def cut(client: RawClient, topic: str, partition: int, offset: int) -> None:
    """Delete the records before an offset."""
    wanted = delete_records.DeleteRecordsTopic(topic, [delete_records.DeleteRecordsPartition(partition, offset)])
    request = delete_records.DeleteRecordsRequest([wanted], 10_000)
    answer = client.call(delete_records.API_KEY, 2, request).topics[0].partitions[0]
    assert answer.error_code == 0, answer
