"""What a fetcher passes on of the batches that a broker sends: transactions, control records, checksums."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from kafkacompat.client.client import Client
from kafkacompat.client.consuming import CorruptRecordsError, Fetcher
from kafkacompat.protocol.messages.fetch import (
    AbortedTransaction,
    FetchableTopicResponse,
    FetchResponse,
    PartitionData,
)
from kafkacompat.protocol.messages.metadata import MetadataResponsePartition, MetadataResponseTopic
from kafkacompat.protocol.records import control
from kafkacompat.protocol.records.builder import Record, build_batch
from tests.client.fake_broker import cluster, fake_broker

PLACE = ("orders", 0)
ABORTED, COMMITTED = 7, 8
"""Producer ids."""


def written(offset: int, producer_id: int, *values: bytes) -> bytearray:
    records = [Record(offset + at, 0, None, value) for at, value in enumerate(values)]
    return build_batch(
        records, base_offset=offset, producer_id=producer_id, producer_epoch=0, base_sequence=0, is_transactional=True
    )


def marker(offset: int, producer_id: int, kind: int) -> bytearray:
    record = Record(offset, 0, control.encode_key(kind), control.encode_end_transaction(0))
    return build_batch(
        [record], base_offset=offset, producer_id=producer_id, producer_epoch=0, is_transactional=True, is_control=True
    )


LOG = b"".join(
    [
        written(0, ABORTED, b"a0", b"a1"), written(2, COMMITTED, b"c2"), written(3, ABORTED, b"a3"),
        marker(4, ABORTED, control.ABORT), written(5, ABORTED, b"next5"), marker(6, COMMITTED, control.COMMIT),
        marker(7, ABORTED, control.COMMIT),
    ]
)  # fmt: skip


@contextmanager
def fetcher_of(records: bytes, position: int = 0, **named: Any) -> Iterator[Fetcher]:
    def metadata(request: Any) -> object:
        partitions = [MetadataResponsePartition(leader_id=1)]
        topics = [MetadataResponseTopic(name=topic.name, partitions=partitions) for topic in request.topics]
        return cluster("c", (1, "127.0.0.1", port), topics=topics)

    def fetch(request: Any) -> object:
        aborted = [AbortedTransaction(ABORTED, 0)] if request.isolation_level else None
        data = PartitionData(high_watermark=8, aborted_transactions=aborted, records=memoryview(records))
        return FetchResponse(responses=[FetchableTopicResponse("orders", partitions=[data])])

    with (
        fake_broker({"metadata": metadata, "fetch": fetch}) as port, Client(f"127.0.0.1:{port}") as client,
        Fetcher(client, {PLACE: position}, **named) as fetcher,
    ):  # fmt: skip
        yield fetcher


def values(records: bytes, position: int = 0, **named: Any) -> list[bytes | None]:
    with fetcher_of(records, position, **named) as fetcher:
        (piece,) = fetcher.poll(20)
        assert piece.next_offset == fetcher.positions[PLACE] == 8
        return [record.value for record in piece.records]


def test_all_records_are_read_without_isolation() -> None:
    assert values(LOG) == [b"a0", b"a1", b"c2", b"a3", b"next5"]


def test_only_records_of_the_aborted_transaction_are_left_out() -> None:
    assert values(LOG, isolation=1) == [b"c2", b"next5"]


def test_control_records_come_on_demand() -> None:
    assert len(values(LOG, with_control=True)) == 8


def test_records_before_the_position_are_left_out_of_their_batch() -> None:
    assert values(LOG, 1)[0] == b"a1"


def test_a_batch_that_is_cut_off_is_read_the_next_time() -> None:
    whole = written(0, COMMITTED, b"x")
    with fetcher_of(bytes(whole) + bytes(written(1, COMMITTED, b"y"))[:-1]) as fetcher:
        (piece,) = fetcher.poll(20)
        assert ([record.value for record in piece.records], piece.next_offset) == ([b"x"], 1)


def test_without_partitions_there_is_nothing_to_wait_for() -> None:
    with fetcher_of(LOG) as fetcher:
        fetcher.stop(PLACE)
        assert fetcher.poll(3600) == []


def test_a_wrong_checksum_is_named() -> None:
    spoilt = bytearray(LOG)
    spoilt[-1] ^= 1
    with fetcher_of(bytes(spoilt)) as fetcher, pytest.raises(CorruptRecordsError, match="the batch at offset 7"):
        fetcher.poll(20)
