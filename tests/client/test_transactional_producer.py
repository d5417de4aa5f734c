"""Transactions of the client's producer: records and offsets come together or not at all, and fences hold."""

from __future__ import annotations

import pytest

from kafkacompat import Cluster
from kafkacompat.client.client import Client
from kafkacompat.client.consuming import Fetcher
from kafkacompat.client.errors import BrokerError
from kafkacompat.client.group_admin import committed_offsets
from kafkacompat.client.partition_offsets import READ_COMMITTED
from kafkacompat.client.producing import OutgoingRecord
from kafkacompat.client.transactional_producer import TransactionalProducer
from kafkacompat.protocol import error_codes as errors
from tests.waiting import wait_until

PLACE = ("orders", 1)


def record(value: bytes) -> OutgoingRecord:
    return OutgoingRecord(None, value, partition=1)


def seen(client: Client, count: int) -> list[bytes | None]:
    """So many committed records, and what else is there with them."""
    found: list[bytes | None] = []
    with Fetcher(client, {PLACE: 0}, isolation=READ_COMMITTED) as fetcher:
        while len(found) < count:
            found += [each.value for piece in fetcher.poll(5) for each in piece.records]
    return found


def test_records_and_offsets_are_committed_together() -> None:
    with Cluster(topics={"orders": 2}) as kafka, Client(kafka.bootstrap_servers) as client:
        producer = TransactionalProducer(client, "it", compression="gzip")
        for number in range(3):
            producer.send("orders", record(b"%d" % number))
            assert [each.offset for each in producer.flush()] == [2 * number], "a marker took the offset between"
            producer.commit("progress", {PLACE: (number + 1, f"at {number}")})
        wait_until(lambda: len(committed_offsets(client, "progress", require_stable=True)) == 1)
        (kept,) = committed_offsets(client, "progress", require_stable=True).values()
        assert (kept.offset, kept.metadata) == (3, "at 2")
        assert seen(client, 3) == [b"0", b"1", b"2"]


def test_a_newer_producer_aborts_what_is_open_and_fences() -> None:
    with Cluster(topics={"orders": 2}) as kafka, Client(kafka.bootstrap_servers) as client:
        old = TransactionalProducer(client, "it")
        old.send("orders", record(b"never seen"))
        old.flush()
        new = TransactionalProducer(client, "it")
        new.start()
        new.start()  # once is enough
        assert committed_offsets(client, "progress", require_stable=True) == {}
        old.send("orders", record(b"too late"))
        with pytest.raises(BrokerError) as caught:
            old.commit("progress", {PLACE: (1, "")})
        assert caught.value.error_code in (errors.PRODUCER_FENCED, errors.INVALID_PRODUCER_EPOCH)
        new.send("orders", record(b"seen"))
        new.commit("progress", {PLACE: (1, "")})
        assert seen(client, 1) == [b"seen"]


def test_a_partition_that_is_not_there_is_an_error() -> None:
    with Cluster(topics={"orders": 2}) as kafka, Client(kafka.bootstrap_servers, timeout_s=1) as client:
        producer = TransactionalProducer(client, "it")
        producer.send("orders", record(b"x"))
        with pytest.raises(BrokerError) as caught:
            producer.commit("progress", {("none", 0): (1, "")})
        assert caught.value.error_code == errors.UNKNOWN_TOPIC_OR_PARTITION
        with pytest.raises(BrokerError) as caught:
            TransactionalProducer(client, "").start()
        assert caught.value.error_code == errors.INVALID_REQUEST
