"""Sample records shared by the tests of this folder."""

from hypothesis import strategies as st

from kafkacompat.protocol.records.builder import Record

CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}

payloads = st.none() | st.binary(max_size=200)
headers = st.lists(st.tuples(st.text(max_size=20), payloads), max_size=4).map(tuple)
timestamps = st.integers(-1, 2**45)


@st.composite
def record_lists(draw, *, consecutive=False):
    """Ascending offsets from 0, with gaps as compaction leaves them unless ``consecutive``."""
    count = draw(st.integers(1, 12))
    gaps = [1] * count if consecutive else draw(st.lists(st.integers(1, 300), min_size=count, max_size=count))
    offset = -1
    records = []
    for gap in gaps:
        offset += gap
        records.append(Record(offset, draw(timestamps), draw(payloads), draw(payloads), draw(headers)))
    return records


def sample(count=5, *, value=b"value", start_ms=1_700_000_000_000):
    return [Record(i, start_ms + i, b"key%d" % i, value, (("h", b"%d" % i),)) for i in range(count)]
