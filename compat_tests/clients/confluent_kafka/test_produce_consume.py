"""confluent-kafka: producing with every acks and codec, reading from every kind of position."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, TIMESTAMP_CREATE_TIME, Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from compat_tests.clients.confluent_kafka.using import create, read, send, values
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

Make = Callable[..., Producer]
Read = Callable[..., Consumer]


def reading(consumer: Consumer, topic: str, offset: int = OFFSET_BEGINNING, partition: int = 0) -> Consumer:
    consumer.assign([TopicPartition(topic, partition, offset)])
    return consumer


@pytest.mark.api("Produce", "Fetch")
@pytest.mark.parametrize("acks", [pytest.param(0, marks=pytest.mark.unanswered("Produce")), 1, "all"])
def test_acks(acks: int | str, producer: Make, consumer: Read, admin: AdminClient, topic: str, group: str) -> None:
    create(admin, topic)
    reports = send(producer(acks=acks), topic, numbered(50))
    if acks != 0:  # nothing is answered, so no offset is known
        assert [report.offset() for report in reports] == list(range(50))
    received = read(reading(consumer(group), topic), 50)
    assert values(received) == numbered(50)
    assert [message.offset() for message in received] == list(range(50))


@pytest.mark.api("Produce", "Fetch")
@pytest.mark.parametrize("codec", CODECS)
def test_codec(codec: str | None, producer: Make, consumer: Read, topic: str, group: str) -> None:
    payloads = [value * 10 for value in numbered(200)]
    send(producer(compression_type=codec or "none", linger_ms=50), topic, payloads, headers={"codec": str(codec)})
    received = read(reading(consumer(group, check_crcs=True), topic), 200)
    assert values(received) == payloads
    assert {tuple(message.headers()) for message in received} == {(("codec", str(codec).encode()),)}


@pytest.mark.api("Produce", "Fetch")
def test_codecs_mixed_in_one_partition(producer: Make, consumer: Read, topic: str, group: str) -> None:
    expected = []
    for codec in CODECS:
        payloads = numbered(20, prefix=str(codec) * 10)
        send(producer(compression_type=codec or "none", linger_ms=20), topic, payloads)
        expected += payloads
    assert values(read(reading(consumer(group), topic), 100)) == expected


@pytest.mark.api("Produce", "Fetch")
def test_edge_records(producer: Make, consumer: Read, topic: str, group: str) -> None:
    sender = producer()
    for sample in (*EDGE_SAMPLES, Sample(None, None)):
        send(sender, topic, [sample.value], key=sample.key, headers=list(sample.headers))
    received = read(reading(consumer(group), topic), len(EDGE_SAMPLES) + 1)
    found = [Sample(m.key(), m.value(), tuple(m.headers() or ())) for m in received]
    assert found == [*EDGE_SAMPLES, Sample(None, None)]


@pytest.mark.api("Produce", "Fetch")
def test_megabyte_records(producer: Make, consumer: Read, topic: str, group: str) -> None:
    payloads = [incompressible(MEGABYTE + n) for n in range(5)]
    send(producer(message_max_bytes=2 * MEGABYTE), topic, payloads)
    assert values(read(reading(consumer(group), topic), 5)) == payloads


@pytest.mark.api("ListOffsets")
def test_timestamps_and_lookup(producer: Make, consumer: Read, topic: str, group: str) -> None:
    sender = producer()
    base = 1_700_000_000_000
    for n, value in enumerate(numbered(10)):
        send(sender, topic, [value], timestamp=base + n * 1000)
    reader = consumer(group)
    found = reader.offsets_for_times([TopicPartition(topic, 0, base + 3500)], timeout=Patience.wait_s)[0]
    assert found.offset == 4
    late = reader.offsets_for_times([TopicPartition(topic, 0, base + 10_000)], timeout=Patience.wait_s)[0]
    assert late.offset == OFFSET_END
    received = read(reading(reader, topic, found.offset), 6)
    assert [m.timestamp() for m in received] == [(TIMESTAMP_CREATE_TIME, base + n * 1000) for n in range(4, 10)]


@pytest.mark.api("ListOffsets", "Fetch")
def test_positions(producer: Make, consumer: Read, topic: str, group: str) -> None:
    sender = producer()
    send(sender, topic, numbered(30))
    reader = reading(consumer(group), topic, 17)
    assert reader.get_watermark_offsets(TopicPartition(topic, 0), timeout=Patience.wait_s) == (0, 30)
    assert values(read(reader, 13)) == numbered(30)[17:]
    assert reader.position([TopicPartition(topic, 0)])[0].offset == 30
    reader.seek(TopicPartition(topic, 0, 5))
    assert read(reader, 1)[0].offset() == 5
    last_two = consumer(group)
    last_two.assign([TopicPartition(topic, 0, OFFSET_TAIL_2)])
    assert values(read(last_two, 2)) == numbered(30)[28:]


OFFSET_TAIL_2 = -2000 - 2
"""librdkafka's way of saying: two before the end."""


@pytest.mark.api("ListOffsets", "Fetch")
def test_latest_sees_only_what_comes_after(producer: Make, consumer: Read, topic: str, group: str) -> None:
    sender = producer()
    send(sender, topic, [b"before"])
    reader = reading(consumer(group, enable_partition_eof=True), topic, OFFSET_END)
    eventually(lambda: (message := reader.poll(0.2)) is not None and message.error().code() == -191)  # at the end
    send(sender, topic, [b"after"])
    assert values(read(reader, 1)) == [b"after"]


@pytest.mark.api("InitProducerId", "Produce")
def test_idempotent_producer_keeps_order(
    producer: Make, consumer: Read, admin: AdminClient, topic: str, group: str
) -> None:
    create(admin, topic, 3)
    sender = producer(enable_idempotence=True, batch_num_messages=10, linger_ms=1)
    reports = []
    for partition in range(3):
        reports += send(sender, topic, numbered(200), partition=partition)
    assert [report.offset() for report in reports] == list(range(200)) * 3
    for partition in range(3):
        assert values(read(reading(consumer(group), topic, partition=partition), 200)) == numbered(200)


@pytest.mark.api("Produce")
def test_keys_choose_partitions(producer: Make, consumer: Read, admin: AdminClient, topic: str, group: str) -> None:
    create(admin, topic, 4)
    sender = producer(partitioner="murmur2_random")
    chosen = {}
    for n in range(20):
        reports = send(sender, topic, [b"a", b"b"], key=f"key-{n}".encode())
        assert len({report.partition() for report in reports}) == 1
        chosen[f"key-{n}".encode()] = reports[0].partition()
    assert len(set(chosen.values())) == 4
    reader = consumer(group)
    reader.assign([TopicPartition(topic, partition, 0) for partition in range(4)])
    assert all(message.partition() == chosen[message.key()] for message in read(reader, 40))


@pytest.mark.api("Fetch")
def test_small_fetches_still_deliver_everything(producer: Make, consumer: Read, topic: str, group: str) -> None:
    payloads = [incompressible(5000 + n) for n in range(50)]
    send(producer(), topic, payloads)
    reader = consumer(group, fetch_message_max_bytes=1000, fetch_max_bytes=10_000, message_max_bytes=1000)
    assert values(read(reading(reader, topic), 50)) == payloads
