"""aiokafka: producing with every acks and codec, reading from every kind of position."""

from __future__ import annotations

import asyncio

import pytest
from aiokafka import TopicPartition

from compat_tests.broker_process import Broker
from compat_tests.clients.aiokafka.using import administering, consuming, create, in_loop, producing, read, send, values
from compat_tests.clients.samples import (
    CODECS,
    EDGE_SAMPLES,
    MEGABYTE,
    Patience,
    Sample,
    incompressible,
    numbered,
)


@pytest.mark.api("Produce", "Fetch")
@pytest.mark.parametrize("acks", [pytest.param(0, marks=pytest.mark.unanswered("Produce")), 1, "all"])
@in_loop
async def test_acks(broker: Broker, topic: str, acks: int | str) -> None:
    async with administering(broker) as admin, producing(broker, acks=acks) as producer:
        await create(admin, topic)
        sent = await send(producer, topic, numbered(50))
        if acks != 0:  # nothing is answered, so no offset is known
            assert [record.offset for record in sent] == list(range(50))
        async with consuming(broker, topic) as consumer:
            received = await read(consumer, 50)
    assert values(received) == numbered(50)
    assert [record.offset for record in received] == list(range(50))


@pytest.mark.api("Produce", "Fetch")
@pytest.mark.parametrize("codec", CODECS)
@in_loop
async def test_codec(broker: Broker, topic: str, codec: str | None) -> None:
    payloads = [value * 10 for value in numbered(200)]
    header = ("codec", str(codec).encode())
    async with producing(broker, compression_type=codec, linger_ms=50) as producer:
        await send(producer, topic, payloads, headers=[header])
    async with consuming(broker, topic) as consumer:
        received = await read(consumer, 200)
    assert values(received) == payloads
    assert {tuple(record.headers) for record in received} == {(header,)}


@pytest.mark.api("Produce", "Fetch")
@in_loop
async def test_codecs_mixed_in_one_partition(broker: Broker, topic: str) -> None:
    expected = []
    for codec in CODECS:
        payloads = numbered(20, prefix=str(codec))
        async with producing(broker, compression_type=codec, linger_ms=20) as producer:
            await send(producer, topic, payloads, partition=0)
        expected += payloads
    async with consuming(broker, topic) as consumer:
        assert values(await read(consumer, 100)) == expected


@pytest.mark.api("Produce", "Fetch")
@in_loop
async def test_edge_records(broker: Broker, topic: str) -> None:
    async with producing(broker) as producer:
        for sample in EDGE_SAMPLES:
            await producer.send_and_wait(topic, sample.value, key=sample.key, headers=list(sample.headers))
    async with consuming(broker, topic) as consumer:
        received = await read(consumer, len(EDGE_SAMPLES))
    assert [Sample(r.key, r.value, tuple(r.headers)) for r in received] == list(EDGE_SAMPLES)


@pytest.mark.api("Produce", "Fetch")
@in_loop
async def test_megabyte_records(broker: Broker, topic: str) -> None:
    payloads = [incompressible(MEGABYTE + n) for n in range(5)]
    async with producing(broker, max_request_size=2 * MEGABYTE) as producer:
        for payload in payloads:
            await producer.send_and_wait(topic, payload)
    async with consuming(broker, topic) as consumer:
        assert values(await read(consumer, 5)) == payloads


@pytest.mark.api("ListOffsets")
@in_loop
async def test_timestamps_and_lookup(broker: Broker, topic: str) -> None:
    base = 1_700_000_000_000
    part = TopicPartition(topic, 0)
    async with producing(broker) as producer:
        for n, value in enumerate(numbered(10)):
            await producer.send_and_wait(topic, value, timestamp_ms=base + n * 1000)
    async with consuming(broker) as consumer:
        consumer.assign([part])
        found = (await consumer.offsets_for_times({part: base + 3500}))[part]
        assert (found.offset, found.timestamp) == (4, base + 4000)
        assert (await consumer.offsets_for_times({part: base + 10_000}))[part] is None
        consumer.seek(part, found.offset)
        received = await read(consumer, 6)
    assert [record.timestamp for record in received] == [base + n * 1000 for n in range(4, 10)]
    assert {record.timestamp_type for record in received} == {0}


@pytest.mark.api("ListOffsets", "Fetch")
@in_loop
async def test_positions(broker: Broker, topic: str) -> None:
    part = TopicPartition(topic, 0)
    async with producing(broker) as producer, consuming(broker) as consumer:
        await send(producer, topic, numbered(30), partition=0)
        consumer.assign([part])
        assert await consumer.beginning_offsets([part]) == {part: 0}
        assert await consumer.end_offsets([part]) == {part: 30}
        consumer.seek(part, 17)
        assert values(await read(consumer, 13)) == numbered(30)[17:]
        assert await consumer.position(part) == 30
        assert consumer.highwater(part) == 30
        await consumer.seek_to_beginning(part)
        assert (await read(consumer, 1))[0].offset == 0
        await consumer.seek_to_end(part)
        assert await consumer.position(part) == 30
        await producer.send_and_wait(topic, b"after the end", partition=0)
        assert values(await read(consumer, 1)) == [b"after the end"]


@pytest.mark.api("ListOffsets", "Fetch")
@in_loop
async def test_latest_sees_only_what_comes_after(broker: Broker, topic: str) -> None:
    async with producing(broker) as producer:
        await producer.send_and_wait(topic, b"before")
        async with consuming(broker, auto_offset_reset="latest") as consumer:
            part = TopicPartition(topic, 0)
            consumer.assign([part])
            assert await consumer.position(part) == 1
            await producer.send_and_wait(topic, b"after")
            assert (await asyncio.wait_for(consumer.getone(), Patience.wait_s)).value == b"after"


@pytest.mark.api("InitProducerId", "Produce")
@in_loop
async def test_idempotent_producer_keeps_order(broker: Broker, topic: str) -> None:
    async with administering(broker) as admin, producing(broker, enable_idempotence=True) as producer:
        await create(admin, topic, 3)
        sent = await asyncio.gather(*(send(producer, topic, numbered(200), partition=p) for p in range(3)))
        assert [[record.offset for record in each] for each in sent] == [list(range(200))] * 3
    async with consuming(broker, topic) as consumer:
        received = await read(consumer, 600)
    for partition in range(3):
        assert [r.value for r in received if r.partition == partition] == numbered(200)


@pytest.mark.api("Produce", "Fetch")
@in_loop
async def test_batch_made_by_hand(broker: Broker, topic: str) -> None:
    async with producing(broker) as producer:
        await producer.send_and_wait(topic, b"first", partition=0)
        batch = producer.create_batch()
        for value in numbered(20):
            assert batch.append(key=None, value=value, timestamp=1_700_000_000_000) is not None
        sent = await (await producer.send_batch(batch, topic, partition=0))
        assert sent.offset == 1
    async with consuming(broker, topic) as consumer:
        assert values(await read(consumer, 21)) == [b"first", *numbered(20)]
