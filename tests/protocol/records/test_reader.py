import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.protocol.records import batch as b
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.reader import read_records
from tests.protocol.records.oracles import AioBuilder
from tests.protocol.records.samples import CODECS, record_lists, sample
from tests.protocol.records.test_batch import CONSOLE_PRODUCER


@given(record_lists(), st.sampled_from(list(CODECS.values())), st.integers(0, 2**40))
def test_round_trip(records, codec, base_offset):
    records = [Record(base_offset + r.offset, r.timestamp, r.key, r.value, r.headers) for r in records]
    buf = b"ahead" + build_batch(records, base_offset=base_offset, compression=codec) + b"behind"
    assert list(read_records(buf, 5)) == records
    assert list(read_records(memoryview(buf), 5, b.read_header(buf, 5))) == records


@given(record_lists(consecutive=True), st.sampled_from([1, 2, 3, 4]))
def test_reads_what_aiokafka_compressed(records, codec):
    builder = AioBuilder(
        magic=2, compression_type=codec, is_transactional=0, producer_id=-1, producer_epoch=-1, base_sequence=-1,
        batch_size=10**9,
    )  # fmt: skip
    for r in records:
        builder.append(r.offset, r.timestamp, r.key, r.value, list(r.headers))
    assert list(read_records(builder.build())) == records


def test_reads_a_batch_of_apache_kafka():
    found = [(r.offset, r.timestamp - 0x01A1FD51E242, r.key, r.value) for r in read_records(CONSOLE_PRODUCER)]
    assert found == [(0, 0, None, b"1"), *((i, 31, None, b"%d" % (i + 1)) for i in range(1, 5))]


def test_log_append_time_counts_for_every_record():
    batch = build_batch(sample(), compression=4)
    b.stamp_log_append_time(batch, 0, 42)
    assert [r.timestamp for r in read_records(batch)] == [42] * 5


def test_header_keys_keep_bytes_that_are_no_text():
    batch = build_batch([Record(0, 0, None, None, (("\udcff\udc00x".replace("\udc00", "é"), None),))])
    assert b"\xff\xc3\xa9x" in batch
    assert build_batch(list(read_records(batch))) == batch


def with_body(body, count=1, **header_fields):
    """An uncompressed batch that says it holds ``count`` records, with ``body`` in their place."""
    batch = build_batch([Record(0, 0, None, None)])[: b.BATCH_OVERHEAD] + body
    batch[8:12] = (len(batch) - 12).to_bytes(4, "big")
    batch[57:61] = count.to_bytes(4, "big", signed=True)
    return batch


GOOD = bytes.fromhex("0c 00 00 00 01 01 00")


def test_the_smallest_record():
    assert list(read_records(with_body(GOOD))) == [Record(0, 0, None, None)]


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("", 1),
        ("0c 00 00 00 01 01 00", -1),
        ("0c 00 00 00 01 01 00", 2),
        ("0c 00 00 00 01 01 00", 0),
        ("0c 00 00 00 01 01 00", 2**31 - 1),
        ("0c 00 00 00 01 01 00 00", 1),
        ("0e 00 00 00 01 01 00 00", 1),  # longer than its fields
        ("0a 00 00 00 01 01 00", 1),  # shorter than its fields
        ("01 00 00 00 01 01 00", 1),  # negative length
        ("80 80 80 80 80 80 80 80 80 80 00", 1),  # a varint of eleven bytes
        ("fe ff ff ff 0f 00 00 00 01 01 00", 1),  # length 2^31 − 1
        ("0c 00 00 00 03 01 00", 1),  # key length −2
        ("0c 00 00 00 7e 01 00", 1),  # key longer than the record
        ("0c 00 00 00 01 7e 00", 1),  # value longer than the record
        ("0c 00 00 00 01 01 02", 1),  # one header in no bytes
        ("0c 00 00 00 01 01 01", 1),  # −1 headers
        ("10 00 00 00 01 01 02 01 00", 1),  # header without a key
        ("0c 00 00 02 01 01 00", 1),  # offset behind the batch's last
        ("0c 00 00 01 01 01 00", 1),  # offset before the batch's first
    ],
)
def test_lies_are_corrupt(body, count):
    with pytest.raises(b.CorruptBatchError):
        list(read_records(with_body(bytes.fromhex(body), count)))


@pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS)
def test_damage_under_a_checksum_that_fits_gets_a_typed_error(codec):
    """Every byte changed in four ways, every truncation: records or a typed error, nothing else, no large memory."""
    whole = build_batch(sample(3), compression=codec)
    for pos in range(len(whole)):
        for byte in (whole[pos] ^ 0x41, whole[pos] ^ 0x01, 0x00, 0xFF):
            damaged = whole[:]
            damaged[pos] = byte
            read_or_refuse(damaged)
        read_or_refuse(whole[:pos])


def read_or_refuse(batch):
    try:
        records = list(read_records(batch))
    except b.RecordBatchError:
        return
    assert len(records) == b.read_header(batch).record_count


@given(st.binary(max_size=60), st.integers(0, 5), st.integers(0, 7))
def test_garbage_gets_a_typed_error(body, count, codec):
    batch = with_body(body, count)
    batch[22] = codec
    read_or_refuse(batch)
