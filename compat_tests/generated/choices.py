"""What hypothesis may choose from: plain values, so that a sequence that it prints reads well and can be pasted."""

from __future__ import annotations

from types import ModuleType

from hypothesis import strategies as st

from compat_tests.generated.shapes import ALL_SPOILS, NO_TIME, Batch, Rec
from kafkacompat.broker.registry import APIS
from kafkacompat.protocol.records.compression import NAMES

TOPICS, GROUPS, SESSIONS, PRODUCERS = 2, 2, 2, 2
FAR_FUTURE = 10**12
SPECIAL_TIMES = (-1, -2, -3, -4, -5, -6, -7)

topic_numbers = st.sampled_from((0, 0, 0, 0, 0, 0, 0, 1))
fleeting_topic_numbers = st.sampled_from((1, 1, 1, 0))
"""The topic that a sequence begins with stays for most of it."""
group_numbers = st.sampled_from((0, 0, 1))
partition_numbers = st.sampled_from((0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 7))
epochs = st.sampled_from((-1, -1, -1, -1, -1, 0, 0, 1))
sequence_moves = st.sampled_from(("next", "next", "next", "again", "gap", 0, 1, 5, 2**31 - 1))
session_moves = st.sampled_from(("next", "next", "next", "first", "end", 1, 9))
isolation_levels = st.sampled_from((0, 0, 1))
sizes = st.sampled_from((1 << 20, 1 << 20, 0, 1, 30, 61, 70, 100, 150, 200, 300, 500, 1000))
odd_sizes = st.one_of(sizes, sizes, st.just(-1))

_CONFIGS: tuple[dict[str, str], ...] = (
    {"max.message.bytes": "200"},
    {"message.timestamp.type": "LogAppendTime"},
    {"segment.ms": "10"},
    {"segment.ms": "3", "index.interval.bytes": "0"},
    {"index.interval.bytes": "1"},
    {"cleanup.policy": "compact"},
    {"cleanup.policy": "compact,delete", "max.message.bytes": "300"},
    {"compression.type": "uncompressed"},
    {"compression.type": "gzip"},
    {"compression.type": "snappy", "cleanup.policy": "compact"},
    {"compression.type": "lz4", "message.timestamp.type": "LogAppendTime"},
    {"compression.type": "zstd"},
    {"min.insync.replicas": "2"},
)
_ODD_CONFIGS: tuple[dict[str, str], ...] = (
    {"message.timestamp.before.max.ms": "1000"},
    {"max.message.bytes": "-1"},
    {"no.such.config": "1"},
    {"segment.bytes": "100"},
)
good_configs: st.SearchStrategy[dict[str, str]] = st.one_of(st.just({}), st.sampled_from(_CONFIGS))
topic_configs: st.SearchStrategy[dict[str, str]] = st.one_of(st.just({}), st.sampled_from(_CONFIGS + _ODD_CONFIGS))
config_changes = st.lists(
    st.sampled_from(
        (
            ("max.message.bytes", 0, "150"),
            ("max.message.bytes", 0, "100000"),
            ("max.message.bytes", 0, "many"),
            ("max.message.bytes", 1, None),
            ("message.timestamp.type", 0, "LogAppendTime"),
            ("message.timestamp.type", 0, "CreateTime"),
            ("message.timestamp.type", 1, None),
            ("message.timestamp.after.max.ms", 0, "9223372036854775807"),
            ("compression.type", 0, "uncompressed"),
            ("compression.type", 0, "producer"),
            ("compression.type", 0, "zstd"),
            ("cleanup.policy", 2, "compact"),
            ("cleanup.policy", 3, "compact"),
            ("segment.ms", 0, "5"),
            ("segment.ms", 1, None),
            ("min.insync.replicas", 0, "2"),
            ("min.insync.replicas", 1, None),
            ("no.such.config", 0, "1"),
        )
    ),
    min_size=1,
    max_size=2,
    unique_by=lambda change: change[0],
)

offsets: st.SearchStrategy[int | str] = st.one_of(
    st.integers(0, 4),
    st.integers(0, 12),
    st.sampled_from(("start", "start+1", "start+3", "end-1", "end-2", "end-3", "end-5")),
    st.sampled_from(("end", "end+1", "start-1", -1)),
)
times = st.one_of(st.sampled_from(SPECIAL_TIMES), st.integers(0, 30))

_names = st.sampled_from(("h", "", "trace", "ü"))
_small = st.sampled_from((b"", b"v", b"value", b"x" * 40, b"\x00\xff"))
_bytes = st.one_of(st.none(), _small, st.just(b"large" * 40))
_headers = st.lists(st.tuples(_names, st.one_of(st.none(), _small)), max_size=2).map(tuple)
_times = st.one_of(st.integers(0, 30), st.integers(0, 30), st.sampled_from((NO_TIME, 0, FAR_FUTURE)))
_keys = st.one_of(st.none(), _small)
_records = st.builds(Rec, at=_times, key=_keys, value=_bytes, headers=_headers)
_good_times = st.integers(0, 30)
_good_records = st.builds(Rec, at=_good_times, key=_keys, value=_bytes, headers=_headers)
_ascending = st.tuples(st.integers(0, 20), st.integers(1, 8), _keys).map(
    lambda made: [Rec(made[0] + n, made[2]) for n in range(made[1])]
)
_codecs = st.sampled_from(NAMES)
good_batches = st.builds(
    Batch, st.one_of(_ascending, _ascending, st.lists(_good_records, min_size=1, max_size=4)), _codecs, st.just("")
)
odd_batches = st.builds(
    Batch,
    st.one_of(_ascending, st.lists(_records, min_size=1, max_size=3)),
    _codecs,
    st.one_of(st.just(""), st.sampled_from(ALL_SPOILS)),
)
batches = st.one_of(good_batches, good_batches, good_batches, odd_batches)


def versions(api: ModuleType, first: int | None = None) -> st.SearchStrategy[int]:
    """Any version of an API that both brokers advertise."""
    offered = APIS[api.API_KEY]
    return st.integers(max(api.MIN_VERSION, offered.min_version) if first is None else first, offered.max_version)
