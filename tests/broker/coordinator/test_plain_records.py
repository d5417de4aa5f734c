"""Records that are read at once are those that `read_records` reads, and what is unusual is left to it."""

from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.broker.coordinator.plain_records import MAX_RECORDS, plain_content
from kafkacompat.broker.coordinator.plain_records import plain_records as plain_records_of
from kafkacompat.protocol.records.batch import BatchHeader, RecordBatchError, read_header
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.reader import read_records

START_MS = 1_700_000_000_000
RECORDS = st.lists(
    st.tuples(
        st.binary(max_size=200), st.none() | st.binary(max_size=200), st.integers(-20_000, 20_000),
        st.sampled_from([(), (), (), (("h", b"1"),)]),
    ),
    min_size=1, max_size=100,
)  # fmt: skip


def batch(records: list[tuple], compression: int = 0) -> bytes:
    made = [Record(i, START_MS + ms, key, value, headers) for i, (key, value, ms, headers) in enumerate(records)]
    return bytes(build_batch(made, compression=compression))


def plain_records(data: bytes, position: int, header: BatchHeader) -> list | None:
    """Of a batch in a buffer."""
    content = plain_content(data, position, header)
    return None if content is None else plain_records_of(content, header)


@given(records=RECORDS, compression=st.sampled_from([0, 1]))
def test_the_same_records_or_none(records: list[tuple], compression: int) -> None:
    data = batch(records, compression)
    header = read_header(data, 0)
    found = plain_records(data, 0, header)
    if found is None:
        deltas = [ms - records[0][2] for _, _, ms, _ in records]
        assert any(headers for *_, headers in records) or max(map(abs, deltas)) >= 2**13
    else:
        assert found == [
            (each.key, (each.value, each.timestamp, each.offset)) for each in read_records(data, 0, header)
        ]


@given(records=RECORDS, data=st.data())
def test_damage_is_never_read_as_something_else(records: list[tuple], data: st.DataObject) -> None:
    damaged = bytearray(batch(records))
    damaged[data.draw(st.integers(61, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    header = read_header(damaged, 0)
    found = plain_records(bytes(damaged), 0, header)
    if found is not None:
        assert found == [
            (each.key, (each.value, each.timestamp, each.offset)) for each in read_records(damaged, 0, header)
        ]


def test_a_batch_of_very_many_records_is_read_in_parts() -> None:
    data = batch([(b"k", b"v", 0, ())] * (MAX_RECORDS + 1))
    assert plain_records(data, 0, read_header(data, 0)) is None


def test_a_batch_that_is_cut_off_is_left_to_the_reader() -> None:
    data = batch([(b"k", b"v", 0, ())] * 3)
    header = read_header(data, 0)
    assert plain_records(data[:-1], 0, header) is None
    try:
        list(read_records(data[:-1], 0, header))
    except RecordBatchError:
        return
    raise AssertionError
