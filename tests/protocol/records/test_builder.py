import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.protocol.records import batch as b
from kafkacompat.protocol.records.builder import Record, build_batch, build_pair_batch, build_value_batch
from tests.protocol.records.oracles import AioBatch, AioBuilder, KafkaPythonBatch, KafkaPythonBuilder
from tests.protocol.records.samples import CODECS, record_lists, sample

producers = st.tuples(st.integers(0, 2**63 - 1), st.integers(0, 2**15 - 1), st.integers(0, 2**31 - 1))


def seen_by(oracle):
    return [(r.offset, r.timestamp, r.key, r.value, [tuple(h) for h in r.headers]) for r in oracle]


def plain(records, base_offset=0):
    return [(base_offset + r.offset, r.timestamp, r.key, r.value, list(r.headers)) for r in records]


@given(record_lists(consecutive=True), producers, st.booleans())
def test_same_bytes_as_kafka_python_and_aiokafka(records, producer, transactional):
    ours = build_batch(
        records,
        leader_epoch=0,
        producer_id=producer[0],
        producer_epoch=producer[1],
        base_sequence=producer[2],
        is_transactional=transactional,
    )
    for builder_class in (KafkaPythonBuilder, AioBuilder):
        builder = builder_class(
            magic=2,
            compression_type=0,
            is_transactional=transactional,
            producer_id=producer[0],
            producer_epoch=producer[1],
            base_sequence=producer[2],
            batch_size=10**9,
        )
        for r in records:
            builder.append(r.offset, r.timestamp, r.key, r.value, list(r.headers))
        theirs = bytearray(builder.build())
        b.stamp(theirs, 0, 0, 0)
        assert ours == theirs


@given(record_lists(), st.integers(0, 2**40))
def test_kafka_python_reads_what_was_built(records, base_offset):
    shifted = [Record(base_offset + r.offset, r.timestamp, r.key, r.value, r.headers) for r in records]
    oracle = KafkaPythonBatch(bytes(build_batch(shifted, base_offset=base_offset, leader_epoch=5)))
    assert oracle.validate_crc()
    assert (oracle.base_offset, oracle.leader_epoch) == (base_offset, 5)
    assert seen_by(oracle) == plain(records, base_offset)


@pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS)
@pytest.mark.parametrize("value", [b"", b"v" * 30_000, bytes(range(256)) * 1000], ids=len)
def test_aiokafka_reads_every_codec(codec, value):
    records = sample(9, value=value)
    oracle = AioBatch(bytes(build_batch(records, compression=codec)))
    assert oracle.validate_crc()
    assert oracle.compression_type == codec
    assert seen_by(oracle) == plain(records)


def test_attributes_and_timestamps():
    late_first = [Record(0, 900, None, b"a"), Record(1, 100, None, b"b")]
    header = b.read_header(build_batch(late_first, timestamp_type=1, is_transactional=True, is_control=True))
    assert header.is_log_append_time
    assert header.is_transactional
    assert header.is_control
    assert (header.base_timestamp, header.max_timestamp, header.record_count) == (900, 900, 2)


def test_unknown_codec():
    with pytest.raises(b.UnsupportedCodecError):
        build_batch(sample(), compression=5)


def test_our_own_mistakes_are_assertions():
    with pytest.raises(AssertionError):
        build_batch([])
    with pytest.raises(AssertionError):
        build_batch(sample(), base_offset=1)


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=200))
def test_values_alone_make_the_same_batch(values):
    records = [Record(40 + delta, 1_700, None, value) for delta, value in enumerate(values)]
    expected = build_batch(records, base_offset=40, leader_epoch=3)
    assert build_value_batch(values, 1_700, base_offset=40, leader_epoch=3) == expected


def test_more_values_than_two_bytes_can_count():
    values = [b"v"] * 9_000 + [b"long" * 5_000]
    expected = build_batch([Record(delta, 5, None, value) for delta, value in enumerate(values)])
    assert build_value_batch(values, 5) == expected


@given(
    st.lists(st.tuples(st.none() | st.binary(max_size=300), st.none() | st.binary(max_size=300)), min_size=1),
    st.sampled_from((-1, 0)),
)
def test_keys_and_values_alone_make_the_same_batch(pairs, base_sequence):
    expected = build_batch(
        [Record(delta, 1_700, key, value) for delta, (key, value) in enumerate(pairs)], base_sequence=base_sequence
    )
    assert build_pair_batch(pairs, 1_700, base_sequence=base_sequence) == expected
