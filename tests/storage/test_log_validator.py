"""Checks of a client's batch by topic config: size, timestamps, and recompression before the append."""

import pytest

from kafkacompat.protocol.error_codes import INVALID_TIMESTAMP, MESSAGE_TOO_LARGE
from kafkacompat.protocol.records.batch import read_header
from kafkacompat.storage.errors import LogError, RecordsRefusedError
from kafkacompat.storage.log_validator import LogValidator
from tests.storage.support import START_MS, at, batch, topic_config

LARGE = b"x" * (1 << 20)


def refused(validator: LogValidator, records: memoryview) -> int:
    with pytest.raises((LogError, RecordsRefusedError)) as caught:
        validator.validate(records, at(), None)
    return caught.value.error_code


def test_a_batch_that_the_topic_allows_stays_as_it_is() -> None:
    records, fields = LogValidator(topic_config()).validate(batch(3), at(), None)
    assert bytes(records) == bytes(batch(3))
    assert (fields[6], fields[8]) == (2, START_MS + 2)  # last offset delta, max timestamp


def test_a_batch_larger_than_the_topic_allows_is_refused() -> None:
    assert refused(LogValidator(topic_config(max_message_bytes=100)), batch(value=bytes(100))) == MESSAGE_TOO_LARGE


def test_old_timestamps_are_refused_unless_they_are_the_brokers() -> None:
    limits = {"message_timestamp_before_max_ms": 1000}
    old = batch(timestamp_ms=START_MS - 1001)
    assert refused(LogValidator(topic_config(**limits)), old) == INVALID_TIMESTAMP
    stamping = LogValidator(topic_config(message_timestamp_type="LogAppendTime", **limits))
    assert stamping.stamps_append_time
    assert stamping.validate(old, at(), None)[1][8] == START_MS - 1001


def test_large_batches_alone_are_recompressed_ahead_and_only_where_the_topic_compresses() -> None:
    plain, zipped = LogValidator(topic_config()), LogValidator(topic_config(compression_type="gzip"))
    assert not plain.opens_batches
    assert zipped.opens_batches
    assert plain.recompression(batch(value=LARGE), at()) is None
    assert zipped.recompression(batch(), at()) is None
    large = LogValidator(topic_config(compression_type="gzip", max_message_bytes=1 << 21))
    ahead = large.recompression(batch(value=LARGE), at())
    assert ahead is not None
    ahead.run()
    records, _ = large.validate(batch(value=LARGE), at(), ahead)
    assert read_header(records, 0).compression == 1
    assert bytes(records) == bytes(large.validate(batch(value=LARGE), at(), None)[0])
