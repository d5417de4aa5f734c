"""Produce in every version, on both brokers."""

from __future__ import annotations

import os
from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.batches import ATTRIBUTES_AT, COUNT_AT, LAST_OFFSET_DELTA_AT, batch, resealed, spoiled
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, versions
from kafkacompat.protocol.messages import find_coordinator, metadata
from kafkacompat.protocol.messages import produce as api
from kafkacompat.protocol.records.builder import Record, build_batch

pytestmark = pytest.mark.api("Produce")

BY_ID_SINCE = 13
OLDEST = 3
OWN = ["topic_id", "host", "port"]


# Null records are left out: Apache Kafka 4.3.1 never answers them, which nobody can want.
CASES: dict[str, bytes] = {
    "good": batch(),
    "another base offset": spoiled(batch(), 0, ">q", 500),
    "a leader epoch of its own": batch(leader_epoch=9),
    "bad checksum": spoiled(batch(), 17, ">I", 1),
    "old magic": spoiled(batch(), 16, ">b", 1),
    "unknown magic": spoiled(batch(), 16, ">b", 5),
    "cut short": batch()[:-3],
    "two batches": batch() + batch(),
    "nothing": b"",
    "too large": batch(20_000),
    "fewer records than said": resealed(batch(), COUNT_AT, ">i", 3),
    "offsets that do not fit": resealed(batch(), LAST_OFFSET_DELTA_AT, ">i", 5),
    "a control batch": batch(is_control=True),
    "log append time": batch(timestamp_type=1),
    "unknown codec": resealed(batch(), ATTRIBUTES_AT, ">h", 6),
    "negative count": resealed(batch(), COUNT_AT, ">i", -2),
    "sequence without producer": batch(base_sequence=4),
    "producer without sequence": batch(producer_id=4_000_000, producer_epoch=0),
    "producer without epoch": batch(producer_id=4_000_001, base_sequence=0),
}


@pytest.mark.parametrize("version", versions(api, OLDEST))
def test_every_case(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topic_id = topics.create(client, topic, 1, max_message_bytes="100000")
        topics.produce(client, topic, 1)  # so that its leader is ready

        def ask(records: bytes, partition: int = 0, acks: int = -1, of: Any = (topic, topic_id)) -> Any:
            data = api.PartitionProduceData(partition, records)
            name, wanted_id = of
            wanted = api.TopicProduceData("" if version >= BY_ID_SINCE else name, wanted_id, [data])
            request = api.ProduceRequest(None, acks, 10_000, [wanted])
            return client.ask(api, version, request, OWN)

        answers = {name: ask(records) for name, records in CASES.items()}
        answers["leader alone"] = ask(batch(), acks=1)
        answers["odd acks"] = ask(batch(), acks=2)
        answers["no such partition"] = ask(batch(), partition=4)
        answers["no such topic"] = ask(batch(), of=(topic + "-not", os.urandom(16)))
        answers["what is stored"] = topics.batches(topics.stored(client, topic))
        return answers

    compare(script)


PICKY = {
    "compacted topic, no key": ({"cleanup_policy": "compact"}, batch()),
    "record too old": ({"message_timestamp_before_max_ms": "1000"}, batch()),
    "record of the future": (
        {"message_timestamp_after_max_ms": "1000"},
        bytes(build_batch([Record(0, topics.BASE_TIMESTAMP_MS * 2, None, b"value")])),
    ),
    "compressed by the broker": ({"compression_type": "lz4"}, batch()),
    "stamped by the broker": ({"message_timestamp_type": "LogAppendTime"}, batch()),
}


@pytest.mark.parametrize("version", [3, 8, 12])
@pytest.mark.parametrize("name", PICKY)
def test_topics_with_rules_of_their_own(compare: Compare, topic: str, name: str, version: int) -> None:
    configs, records = PICKY[name]

    def script(client: RawClient) -> Any:
        topics.create(client, topic, 1, **configs)
        wanted = api.TopicProduceData(topic, partition_data=[api.PartitionProduceData(0, records)])
        return client.ask(api, version, api.ProduceRequest(None, -1, 10_000, [wanted]), [*OWN, "log_append_time_ms"])

    compare(script)


INTERNAL = ("__consumer_offsets", "__transaction_state", "__share_group_state", "__cluster_metadata")


@pytest.mark.parametrize("version", versions(api, OLDEST))
def test_internal_topics_take_records_of_one_client_alone(compare: Compare, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        answers: dict[str, Any] = {}
        here = [*OWN, "base_offset"]  # the topics may hold what other tests have made the brokers write
        for name in INTERNAL:
            topic_id = _internal_topic(client, name)

            def ask(records: bytes, partition: int = 0, acks: int = -1) -> Any:
                data = api.PartitionProduceData(partition, records)
                wanted = api.TopicProduceData("" if version >= BY_ID_SINCE else name, topic_id, [data])  # noqa: B023
                return client.ask(api, version, api.ProduceRequest(None, acks, 10_000, [wanted]), here)

            asked = {
                f"{name}: first": ask(batch()),
                f"{name}: again": ask(batch()),
                f"{name}: leader alone": ask(batch(), acks=1),
                f"{name}: odd acks": ask(batch(), acks=2),
                f"{name}: unanswered": ask(batch(), acks=0),
                f"{name}: spoiled": ask(spoiled(batch(), 17, ">I", 1)),
                f"{name}: nothing": ask(b""),
                f"{name}: no such partition": ask(batch(), partition=70),
            }
            if name != "__consumer_offsets":  # which brokers of other tests read
                keyed = bytes(build_batch([Record(0, 1_700_000_000_000, b"k", b"v")]))  # some of them are compacted
                client.client_id = "__admin_client"
                asked |= {f"{name}: admin": ask(keyed), f"{name}: admin again": ask(keyed)}
                client.client_id = "raw"
                asked[f"{name}: behind the admin"] = ask(keyed)
            answers |= asked
        return answers

    compare(script)


def _internal_topic(client: RawClient, name: str) -> bytes:
    """The id of the topic, which is made if that can be done."""
    if name == "__consumer_offsets":
        request = find_coordinator.FindCoordinatorRequest(key="any")
        client.ask_until(find_coordinator, topics.FIND_COORDINATOR_VERSION, request, 0)
    elif name != "__cluster_metadata":
        known = client.call(3, topics.METADATA_VERSION, _metadata_of(name)).topics[0]
        return bytes(known.topic_id) if known.error_code == 0 else topics.create(client, name)
    return bytes(client.call(3, topics.METADATA_VERSION, _metadata_of(name)).topics[0].topic_id)


def _metadata_of(name: str) -> metadata.MetadataRequest:
    return metadata.MetadataRequest([metadata.MetadataRequestTopic(name=name)], allow_auto_topic_creation=False)
