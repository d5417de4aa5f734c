import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.protocol.records import batch as b
from kafkacompat.protocol.records.builder import build_batch
from tests.protocol.records.oracles import KafkaPythonBatch
from tests.protocol.records.samples import sample

# What Apache Kafka 4.3.1's console producer sent: five records with values 1 to 5, no keys, idempotent.
CONSOLE_PRODUCER = bytes.fromhex(
    "000000000000000000000059ffffffff0243b294ab000000000004000001a1fd51e242000001a1fd51e261000000000000000000000000"
    "0000000000050e00000001023100" "0e003e0201023200" "0e003e0401023300" "0e003e0601023400" "0e003e0801023500"
)  # fmt: skip


def test_parses_a_batch_of_apache_kafka():
    header = b.read_header(CONSOLE_PRODUCER)
    assert {name: getattr(header, name) for name in b.HEADER_FIELDS} == {
        "base_offset": 0,
        "size_bytes": len(CONSOLE_PRODUCER),
        "leader_epoch": -1,
        "magic": 2,
        "crc": 0x43B294AB,
        "attributes": 0,
        "last_offset_delta": 4,
        "base_timestamp": 0x01A1FD51E242,
        "max_timestamp": 0x01A1FD51E261,
        "producer_id": 0,
        "producer_epoch": 0,
        "base_sequence": 0,
        "record_count": 5,
    }
    assert (header.last_offset, header.next_offset, header.last_sequence) == (4, 5, 4)
    assert b.check_crc(CONSOLE_PRODUCER, 0, header.size_bytes)


def test_attribute_bits():
    for compression in range(8):
        for bits in range(16):
            header = b.BatchHeader(0, 61, 0, 2, 0, bits << 3 | compression, 0, 0, 0, 0, 0, 0, 1)
            assert header.compression == compression
            flags = header.is_log_append_time, header.is_transactional, header.is_control, header.has_delete_horizon
            assert flags == tuple(bool(bits >> n & 1) for n in range(4))


@given(st.integers(0, 2**31 - 1), st.integers(0, 2**31 - 1))
def test_sequences_wrap_as_in_kafka_python(sequence, delta):
    header = b.BatchHeader(0, 61, 0, 2, 0, 0, delta, 0, 0, 0, 0, sequence, 1)
    assert header.last_sequence == KafkaPythonBatch._increment_sequence(KafkaPythonBatch, sequence, delta)
    assert 0 <= header.last_sequence < 2**31


def test_no_sequence_stays_none():
    assert b.BatchHeader(0, 61, 0, 2, 0, 0, 9, 0, 0, -1, -1, -1, 10).last_sequence == -1


def test_stamp_leaves_the_checksum_right():
    buf = bytearray(7) + build_batch(sample())
    b.stamp(buf, 7, 2**40 + 5, 77)
    header = b.read_header(buf, 7)
    assert (header.base_offset, header.leader_epoch, header.last_offset) == (2**40 + 5, 77, 2**40 + 9)
    assert b.check_crc(buf, 7, header.size_bytes)


def test_stamp_log_append_time_agrees_with_kafka_python():
    buf = bytearray(3) + build_batch(sample(), compression=1) + b"next"
    before = b.read_header(buf, 3)
    b.stamp_log_append_time(memoryview(buf), 3, 1_800_000_000_000)
    header = b.read_header(buf, 3)
    assert header.is_log_append_time
    assert (header.max_timestamp, header.base_timestamp) == (1_800_000_000_000, before.base_timestamp)
    assert header.compression == 1
    assert b.check_crc(buf, 3, header.size_bytes)
    oracle = KafkaPythonBatch(bytes(buf[3:-4]))
    assert oracle.validate_crc()
    assert oracle.timestamp_type == 1
    assert oracle.max_timestamp == 1_800_000_000_000


def test_every_flipped_bit_that_the_checksum_covers_is_seen():
    whole = build_batch(sample(2))
    for pos in range(len(whole)):
        for bit in range(8):
            damaged = bytearray(whole)
            damaged[pos] ^= 1 << bit
            covered = pos >= b.CRC_OFFSET
            assert b.check_crc(damaged, 0, len(damaged)) is not covered, (pos, bit)


def test_check_crc_of_what_is_not_whole():
    whole = build_batch(sample())
    assert not b.check_crc(whole, 1, len(whole))
    assert not b.check_crc(whole[:-1], 0, len(whole))
    assert not b.check_crc(whole, 0, 60)
    assert not b.check_crc(b"", 0, 0)


def test_split_finds_every_batch():
    batches = [build_batch(sample(n), base_offset=0, compression=n % 5) for n in range(1, 8)]
    joined = b"".join(batches)
    found = b.split(memoryview(joined))
    assert [joined[pos : pos + header.size_bytes] for pos, header in found] == batches
    assert b.split(b"") == []


def test_split_refuses_every_truncation():
    joined = build_batch(sample(1)) + build_batch(sample(2))
    boundary = b.read_header(joined).size_bytes
    for end in range(1, len(joined)):
        if end == boundary:
            continue
        with pytest.raises(b.CorruptBatchError) as caught:
            b.split(memoryview(joined)[:end])
        assert caught.value.error_code == 2


@pytest.mark.parametrize("magic", [0, 1])
def test_old_formats_are_named(magic):
    old = bytearray(34)
    old[16] = magic
    with pytest.raises(b.UnsupportedMagicError, match=f"v{magic}") as caught:
        b.split(old)
    assert caught.value.error_code == 87


@pytest.mark.parametrize("magic", [3, 127, 128, 255])
def test_unknown_magic_is_corrupt(magic):
    batch = build_batch(sample())
    batch[16] = magic
    with pytest.raises(b.CorruptBatchError, match="magic"):
        b.read_header(batch)


@pytest.mark.parametrize("length", [-(2**31), -1, 0, 48, 2**31 - 1])
def test_lying_lengths(length):
    batch = build_batch(sample())
    batch[8:12] = length.to_bytes(4, "big", signed=True)
    with pytest.raises(b.CorruptBatchError):
        b.split(batch)


def header_with(**changes):
    header = b.read_header(CONSOLE_PRODUCER)
    for name, value in changes.items():
        setattr(header, name, value)
    return header


@pytest.mark.parametrize(
    ("changes", "error_code"),
    [
        ({"last_offset_delta": -1}, 87),
        ({"record_count": 0}, 87),
        ({"record_count": -1}, 87),
        ({"record_count": 4}, 87),
        ({"attributes": b.CONTROL_BIT}, 87),
        ({"base_sequence": -1}, 87),
        ({"attributes": 5}, 76),
    ],
)
def test_what_a_producer_must_not_send(changes, error_code):
    with pytest.raises(b.RecordBatchError) as caught:
        b.check_produced(header_with(**changes))
    assert caught.value.error_code == error_code


@pytest.mark.parametrize(
    "changes", [{}, {"producer_id": -1, "base_sequence": -1}, {"attributes": 4}, {"attributes": b.TIMESTAMP_TYPE_BIT}]
)
def test_what_a_producer_may_send(changes):
    b.check_produced(header_with(**changes))


@given(st.binary(max_size=200))
def test_garbage_gets_a_typed_error(data):
    try:
        batches = b.split(data)
    except b.RecordBatchError:
        return
    assert sum(header.size_bytes for _, header in batches) == len(data)
