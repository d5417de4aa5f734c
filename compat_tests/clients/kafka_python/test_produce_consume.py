"""kafka-python: producing with every acks and codec, reading from every kind of position."""

from __future__ import annotations

from collections.abc import Callable

import confluent_kafka
import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import OffsetSpec

from compat_tests.broker_process import Broker
from compat_tests.clients.kafka_python.reading import read, values
from compat_tests.clients.samples import (
    CODECS,
    EDGE_SAMPLES,
    MEGABYTE,
    Patience,
    Sample,
    eventually,
    incompressible,
    numbered,
)

Make = Callable[..., KafkaProducer]
Read = Callable[..., KafkaConsumer]


@pytest.mark.api("Produce", "Fetch")
@pytest.mark.parametrize("acks", [pytest.param(0, marks=pytest.mark.unanswered("Produce")), 1, "all"])
def test_acks(acks: int | str, producer: Make, consumer: Read, topic: str) -> None:
    sender = producer(acks=acks, enable_idempotence=False)
    sent = [sender.send(topic, value, partition=0) for value in numbered(50)]
    sender.flush()
    offsets = [future.get(Patience.wait_s).offset for future in sent]
    if acks != 0:  # without an answer the client makes offsets up
        assert offsets == list(range(50))
    received = read(consumer(topic), 50)
    assert values(received) == numbered(50)
    assert [record.offset for record in received] == list(range(50))


@pytest.mark.api("Produce", "Fetch")
@pytest.mark.parametrize("codec", CODECS)
def test_codec(codec: str | None, producer: Make, consumer: Read, topic: str) -> None:
    sender = producer(compression_type=codec, linger_ms=50, batch_size=100_000)
    for value in numbered(200):
        sender.send(topic, value * 10, headers=[("codec", str(codec).encode())])
    sender.flush()
    received = read(consumer(topic), 200)
    assert values(received) == [value * 10 for value in numbered(200)]
    assert {record.headers[0] for record in received} == {("codec", str(codec).encode())}


@pytest.mark.api("Produce", "Fetch")
def test_codecs_mixed_in_one_partition(producer: Make, consumer: Read, topic: str) -> None:
    expected = []
    for codec in CODECS:
        sender = producer(compression_type=codec, linger_ms=20)
        expected += numbered(20, prefix=str(codec))
        for value in numbered(20, prefix=str(codec)):
            sender.send(topic, value, partition=0)
        sender.flush()
    assert values(read(consumer(topic), 100)) == expected


@pytest.mark.api("Produce", "Fetch")
def test_edge_records(producer: Make, consumer: Read, topic: str) -> None:
    sender = producer()
    samples = [s for s in EDGE_SAMPLES if all(value is not None for _, value in s.headers)]  # it sends no null header
    for sample in samples:
        sender.send(topic, key=sample.key, value=sample.value, headers=list(sample.headers), partition=0)
    sender.flush()
    received = read(consumer(topic), len(samples))
    assert [Sample(r.key, r.value, tuple(tuple(h) for h in r.headers)) for r in received] == samples


@pytest.mark.api("Fetch")
def test_null_header_of_another_client(broker: Broker, consumer: Read, topic: str) -> None:
    other = confluent_kafka.Producer({"bootstrap.servers": broker.bootstrap_servers})
    other.produce(topic, b"value", headers=[("nothing", None), ("empty", b"")])
    assert other.flush(Patience.wait_s) == 0
    assert [tuple(h) for h in read(consumer(topic), 1)[0].headers] == [("nothing", None), ("empty", b"")]


@pytest.mark.api("Produce", "Fetch")
def test_megabyte_records(producer: Make, consumer: Read, topic: str) -> None:
    sender = producer(max_request_size=2 * MEGABYTE)
    payloads = [incompressible(MEGABYTE + n) for n in range(5)]
    for payload in payloads:
        sender.send(topic, payload, partition=0)
    sender.flush()
    assert values(read(consumer(topic), 5)) == payloads


@pytest.mark.api("ListOffsets")
def test_timestamps_and_lookup(producer: Make, consumer: Read, admin: KafkaAdminClient, topic: str) -> None:
    sender = producer()
    base = 1_700_000_000_000
    for n, value in enumerate(numbered(10)):
        sender.send(topic, value, partition=0, timestamp_ms=base + n * 1000)
        sender.flush()
    part = TopicPartition(topic, 0)
    reader = consumer()
    reader.assign([part])
    found = reader.offsets_for_times({part: base + 3500})[part]
    assert (found.offset, found.timestamp) == (4, base + 4000)
    assert reader.offsets_for_times({part: base + 10_000})[part] is None
    reader.seek(part, found.offset)
    received = read(reader, 6)
    assert [record.timestamp for record in received] == [base + n * 1000 for n in range(4, 10)]
    assert {record.timestamp_type for record in received} == {0}
    newest = admin.list_partition_offsets({part: OffsetSpec.MAX_TIMESTAMP})[part]
    assert (newest.offset, newest.timestamp) == (9, base + 9000)


@pytest.mark.api("ListOffsets", "Fetch")
def test_positions(producer: Make, consumer: Read, topic: str) -> None:
    sender = producer()
    for value in numbered(30):
        sender.send(topic, value, partition=0)
    sender.flush()
    part = TopicPartition(topic, 0)
    reader = consumer(max_poll_records=10)
    reader.assign([part])
    assert reader.beginning_offsets([part]) == {part: 0}
    assert reader.end_offsets([part]) == {part: 30}
    reader.seek(part, 17)
    assert values(read(reader, 13)) == numbered(30)[17:]
    assert reader.position(part) == 30
    reader.seek_to_beginning(part)
    assert read(reader, 1)[0].offset == 0
    reader.seek_to_end(part)
    assert reader.position(part) == 30
    sender.send(topic, b"after the end", partition=0)
    sender.flush()
    assert values(read(reader, 1)) == [b"after the end"]


@pytest.mark.api("ListOffsets", "Fetch")
def test_latest_sees_only_what_comes_after(producer: Make, consumer: Read, topic: str) -> None:
    sender = producer()
    sender.send(topic, b"before", partition=0).get(Patience.wait_s)
    part = TopicPartition(topic, 0)
    reader = consumer(auto_offset_reset="latest")
    reader.assign([part])
    assert reader.position(part) == 1
    sender.send(topic, b"after", partition=0).get(Patience.wait_s)
    assert values(read(reader, 1)) == [b"after"]


@pytest.mark.api("InitProducerId", "Produce")
def test_idempotent_producer_keeps_order(producer: Make, consumer: Read, admin: KafkaAdminClient, topic: str) -> None:
    admin.create_topics({topic: {"num_partitions": 3, "replication_factor": 1}}, wait_for_metadata=True)
    sender = producer(enable_idempotence=True, acks="all", batch_size=200)
    sent = [sender.send(topic, value, partition=n % 3) for n, value in enumerate(numbered(600))]
    sender.flush()
    assert [future.get(Patience.wait_s).offset for future in sent] == [n // 3 for n in range(600)]
    received = read(consumer(topic), 600)
    for partition in range(3):
        mine = [record.value for record in received if record.partition == partition]
        assert mine == numbered(600)[partition::3]
    state = admin.describe_producers([TopicPartition(topic, 0)])[TopicPartition(topic, 0)]
    assert len(state.active_producers) == 1
    assert state.active_producers[0].last_sequence == 199


@pytest.mark.api("Fetch")
def test_several_partitions_and_pause(producer: Make, consumer: Read, admin: KafkaAdminClient, topic: str) -> None:
    admin.create_topics({topic: {"num_partitions": 2, "replication_factor": 1}}, wait_for_metadata=True)
    sender = producer()
    assert sender.partitions_for(topic) == {0, 1}
    for n, value in enumerate(numbered(40)):
        sender.send(topic, value, partition=n % 2)
    sender.flush()
    parts = [TopicPartition(topic, 0), TopicPartition(topic, 1)]
    reader = consumer()
    reader.assign(parts)
    reader.pause(parts[1])
    assert {record.partition for record in read(reader, 20)} == {0}
    assert reader.highwater(parts[0]) == 20
    reader.resume(parts[1])
    assert {record.partition for record in read(reader, 20)} == {1}


@pytest.mark.api("Metadata")
def test_auto_created_topic_appears_in_metadata(producer: Make, admin: KafkaAdminClient, topic: str) -> None:
    sender = producer()
    sender.send(topic, b"makes the topic").get(Patience.wait_s)
    eventually(lambda: topic in admin.list_topics())
    described = admin.describe_topics([topic])[0]
    assert [p["partition_index"] for p in described["partitions"]] == [0]
    assert described["is_internal"] is False
