"""What is read for an answer and not sent is released: else its file stays open when its segment is long gone."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest

from kafkacompat.broker import consumer_fetch
from kafkacompat.protocol import error_codes as errors
from kafkacompat.replication import serving
from tests.broker.harness import BrokerHarness
from tests.broker.test_consumer_fetch import A_BATCH, FINAL, INITIAL, abort, broker, committed, of_many, produce

if TYPE_CHECKING:
    from kafkacompat.storage.log import Log

__all__ = ["broker"]  # a fixture
LONG_MS = 60_000


def is_read(kafka: BrokerHarness) -> list[str]:
    """The files that somebody reads."""
    return [
        segment.file.path
        for partition in kafka.broker.partitions
        for segment in partition.log.segments.all
        if segment.file.is_referenced
    ]


@pytest.mark.parametrize("epoch", [FINAL, INITIAL])
@pytest.mark.parametrize("read_again_max", [0, consumer_fetch.READ_AGAIN_MAX])
def test_a_fetch_that_waits_for_more_reads_no_file(
    broker: BrokerHarness, monkeypatch: pytest.MonkeyPatch, epoch: int, read_again_max: int
) -> None:
    monkeypatch.setattr(consumer_fetch, "READ_AGAIN_MAX", read_again_max)
    produce(broker, 1)
    waiting = broker.begin(of_many(broker, 0, epoch, 1, 2, max_wait_ms=LONG_MS, min_bytes=4 * A_BATCH), 17)
    assert not is_read(broker)
    produce(broker, 1, 2)
    assert not waiting.is_there
    assert not is_read(broker)


def with_aborted(count: int) -> tuple[BrokerHarness, Log]:
    kafka = BrokerHarness()
    kafka.create_topic("t", 1)
    partition = kafka.broker.partitions.get("t", 0)
    abort(kafka, partition, count)
    return kafka, partition.log


def references(log: Log) -> int:
    return sum(segment.file._references for segment in log.segments.all)


def test_where_too_many_were_aborted_only_what_is_sent_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    kafka, log = with_aborted(6)
    kafka.ask(committed(0), 12)
    before = references(log)
    monkeypatch.setattr(serving, "MAX_FOUND", 5)
    found = kafka.ask(committed(0), 12).responses[0].partitions[0]
    assert len(found.aborted_transactions) == 6
    assert references(log) == 2 * before


def test_what_is_not_sent_as_its_aborted_transactions_are_not_known_is_not_read() -> None:
    kafka, log = with_aborted(3)
    segment = log.segments.all[0]
    segment.txn_index.flush()
    segment._txn_index = None  # as after a start
    kafka.fs.fail_next(lambda operation: operation[1] == f"{log.path}/{0:020d}.txnindex", errno.EIO)
    found = kafka.ask(committed(0), 12).responses[0].partitions[0]
    assert found.error_code != errors.NONE
    assert references(log) == 0
