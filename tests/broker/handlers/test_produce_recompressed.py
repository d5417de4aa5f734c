"""Large batches that a topic wants stored otherwise than they come: they are opened beside the loop, in their order."""

import pytest

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from kafkacompat.protocol.records.batch import read_header
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.compression import GZIP, LZ4
from kafkacompat.storage.background import RECOMPRESSION
from kafkacompat.storage.recompress import LARGE_BYTES, LARGE_RECORDS
from tests.broker.handlers.test_produce_fetch import ALL, batch, fetch_request, only, produce_request, values
from tests.broker.harness import Answer, BrokerHarness

LARGE = bytes(range(256)) * (LARGE_BYTES // 256)


def broker_with(**config: str) -> BrokerHarness:
    harness = BrokerHarness()
    harness.create_topic("t", 2, **config)
    return harness


def begun(broker: BrokerHarness, *partitions: tuple[int, object], acks: int = ALL, connection=None) -> Answer:
    """A produce request; nothing is done beside the loop yet."""
    broker.settle = lambda: None  # type: ignore[method-assign]
    try:
        return broker.begin(produce_request(*partitions, acks=acks), 9, connection)
    finally:
        del broker.settle


def end_offset(broker: BrokerHarness, partition: int = 0) -> int:
    found = broker.broker.partitions.get("t", partition)
    assert found is not None
    return found.log.log_end_offset


def stored_codec(broker: BrokerHarness) -> int:
    return read_header(bytes(only(broker.ask(fetch_request((0, 0)), 11)).records)).compression


@pytest.mark.parametrize("acks", [ALL, 1])
def test_a_large_batch_is_recompressed_beside_the_loop(acks: int) -> None:
    broker = broker_with(compression_type="gzip")
    answer = begun(broker, (0, batch(LARGE)), (1, batch(b"small")), acks=acks)
    assert not answer.is_there
    assert (end_offset(broker), end_offset(broker, 1)) == (0, 0)
    assert not broker.broker.complete_early(b"\0\0\0\x09", broker.connection, broker.now), "what comes behind it waits"
    broker.settle()
    answers = answer.message.responses[0].partition_responses
    assert [(each.error_code, each.base_offset) for each in answers] == [(errors.NONE, 0)] * 2
    assert values(broker.ask(fetch_request((0, 0), (1, 0)), 11)) == [LARGE, b"small"]
    assert stored_codec(broker) == GZIP
    assert broker.view.waiting_count == 0


def test_a_small_one_and_one_that_nobody_waits_for_are_appended_at_once() -> None:
    broker = broker_with(compression_type="gzip")
    assert begun(broker, (0, batch(b"small"))).is_there
    begun(broker, (0, batch(LARGE)), acks=0)
    assert end_offset(broker) == 2


def test_what_is_wrong_in_it_is_answered_as_at_once() -> None:
    broker = broker_with(cleanup_policy="compact")
    records = [Record(n, 1_700_000_000_000, b"k" if n else None, b"v") for n in range(LARGE_RECORDS + 1)]
    large, small = begun(broker, (0, build_batch(records))), begun(broker, (1, build_batch(records[:9])))
    assert (large.is_there, small.is_there) == (False, True)
    broker.settle()
    found, expected = only(large.message), only(small.message)
    assert found.error_code == expected.error_code == errors.INVALID_RECORD
    assert [each.batch_index for each in found.record_errors] == [each.batch_index for each in expected.record_errors]
    assert end_offset(broker) == 0


def test_the_config_of_the_moment_of_the_append_counts() -> None:
    broker = broker_with(compression_type="gzip")
    answer = begun(broker, (0, batch(LARGE)))
    resource = AlterConfigsResource(2, "t", [AlterableConfig("compression.type", 0, "lz4")])
    job = broker.broker.background.next_job(RECOMPRESSION)
    assert job is not None
    outcome = job.execute()
    broker.ask(IncrementalAlterConfigsRequest(resources=[resource]), 1)
    assert not answer.is_there
    broker.broker.background.finish(job, outcome, broker.now)
    assert only(answer.message).error_code == errors.NONE
    assert stored_codec(broker) == LZ4


def test_who_has_gone_has_nothing_appended() -> None:
    broker = broker_with(compression_type="gzip")
    connection = broker.connect()
    begun(broker, (0, batch(LARGE)), connection=connection)
    broker.broker.disconnected(connection, broker.now)
    broker.settle()
    assert end_offset(broker) == 0
    assert broker.view.waiting_count == 0


def test_acks_all_times_out_after_the_append_as_ever() -> None:
    broker = broker_with(compression_type="gzip", flush_messages="1")
    answer = begun(broker, (0, batch(LARGE)))
    broker.broker.background.run_inline(broker.now, (RECOMPRESSION,))
    assert (end_offset(broker), answer.is_there) == (1, False)
    broker.settle = lambda: None  # type: ignore[method-assign]
    broker.advance(1_000)
    assert only(answer.message).error_code == errors.REQUEST_TIMED_OUT


def test_a_batch_that_is_not_opened_in_time_is_not_appended() -> None:
    broker = broker_with(compression_type="gzip")
    answer = begun(broker, (0, batch(LARGE)))
    broker.settle = lambda: None  # type: ignore[method-assign]
    broker.advance(30_000)
    assert only(answer.message).error_code == errors.REQUEST_TIMED_OUT
    del broker.settle
    broker.settle()
    assert end_offset(broker) == 0
