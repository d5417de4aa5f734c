"""Settings of topics, and the broker's that stand in for them: each is changed, and the effect is seen."""

import random
from collections.abc import Callable

import pytest

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from kafkacompat.protocol.records.batch import read_header
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.compression import GZIP, LZ4, ZSTD
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage.log import Log
from tests.broker.harness import BrokerHarness
from tests.config.effects.registry import SHOWN

NOW_MS = 1_700_000_000_000
HOUR_MS = 3_600_000


class World:
    """A broker with a topic of one partition."""

    def __init__(self, configs: dict[str, str], settings: dict[str, str]) -> None:
        self.broker = BrokerHarness(**settings)
        self.broker.create_topic("t", 1, **configs)

    @property
    def log(self) -> Log:
        partition = self.broker.broker.partitions.get("t", 0)
        assert partition is not None
        return partition.log

    def produce(self, *, size_bytes: int = 10, at_ms: int = NOW_MS, value: bytes | None = None) -> int:
        """Append a record with `value`, or zeros; the error code."""
        batch = bytes(build_batch([Record(0, at_ms, b"k", bytes(size_bytes) if value is None else value)]))
        data = TopicProduceData("t", partition_data=[PartitionProduceData(0, batch)])
        answer = self.broker.ask(ProduceRequest(acks=1, timeout_ms=1000, topic_data=[data]), 9)
        code: int = answer.responses[0].partition_responses[0].error_code
        return code

    def segments(self) -> int:
        return len(self.log.segments.all)

    def stored(self) -> bytes:
        return self.broker.fs.read_bytes(f"/data/t-0/{0:020d}.log")


def _codec(world: World) -> object:
    world.produce()
    return read_header(world.stored(), 0).compression


def _size_of_text(world: World) -> object:
    """Whether a batch of words is stored smaller than at the default level (0), larger, or as large."""
    chosen = random.Random(1)
    words = [bytes(chosen.choices(range(97, 123), k=chosen.randint(2, 9))) for _ in range(500)]
    text = b" ".join(chosen.choices(words, k=9_000))
    codec = {"gzip": GZIP, "lz4": LZ4, "zstd": ZSTD}[world.log.config.compression_type]
    assert world.produce(value=text) == errors.NONE
    stored = world.stored()
    ((record),) = read_records(stored)
    assert record.value == text
    usual = len(build_batch([Record(0, NOW_MS, b"k", text)], compression=codec))
    return (len(stored) > usual) - (len(stored) < usual)


def _deleted_files_after_a_while(world: World) -> object:
    world.produce(size_bytes=700_000)
    world.produce(size_bytes=700_000)
    world.broker.broker.partitions.get("t", 0).log.delete_records_before(1, world.broker.now)  # type: ignore[union-attr]
    world.broker.advance(11_000)
    world.broker.advance(11_000)
    return any(name.endswith(".deleted") for name in world.broker.fs.listdir("/data/t-0"))


def _flushed_at_once(world: World) -> object:
    world.produce()
    return world.log.flushed_offset


def _flushed_later(world: World) -> object:
    world.produce()
    world.broker.advance(3_500)
    world.broker.advance(3_500)
    return world.log.flushed_offset


def _entries_of_small_batches(world: World) -> object:
    for _ in range(5):
        world.produce()
    return world.log.segments.all[0].grow()[0].count > 0


def _segments_of_large_batches(world: World) -> object:
    for _ in range(4):
        world.produce(size_bytes=500_000)
    return world.segments() > 1


def _segments_of_small_batches(world: World) -> object:
    for _ in range(40):
        world.produce(size_bytes=5_000)
    return world.segments() > 1


def _segments_of_two_hours(world: World) -> object:
    world.produce(at_ms=NOW_MS - 3 * HOUR_MS)
    world.produce(at_ms=NOW_MS - HOUR_MS)
    return world.segments()


def _segments_of_six_days(world: World) -> object:
    world.produce(at_ms=NOW_MS - 6 * 24 * HOUR_MS)
    world.produce()
    return world.segments()


def _of_two_kilobytes(world: World) -> object:
    return world.produce(size_bytes=2_000)


def _of_a_minute_ahead(world: World) -> object:
    return world.produce(at_ms=NOW_MS + 60_000)


def _of_a_minute_ago(world: World) -> object:
    return world.produce(at_ms=NOW_MS - 60_000)


def _time_of_a_record(world: World) -> object:
    world.produce(at_ms=NOW_MS - 60_000)
    return read_header(world.stored(), 0).max_timestamp - NOW_MS


# topic's name and value, the broker's with theirs, what is looked at, without the setting and with it
EFFECTS: list[tuple[str, str, dict[str, str], Callable[[World], object], object, object]] = [
    ("compression.type", "gzip", {"compression.type": "gzip"}, _codec, 0, 1),
    ("flush.messages", "1", {"log.flush.interval.messages": "1"}, _flushed_at_once, 0, 1),
    ("flush.ms", "1000", {"log.flush.interval.ms": "1000"}, _flushed_later, 0, 1),
    ("index.interval.bytes", "0", {"log.index.interval.bytes": "0"}, _entries_of_small_batches, False, True),
    ("segment.bytes", "1048576", {"log.segment.bytes": "1048576"}, _segments_of_large_batches, False, True),
    ("internal.segment.bytes", "1000000", {}, _segments_of_large_batches, False, True),
    ("segment.index.bytes", "48", {"log.index.size.max.bytes": "48"}, _segments_of_small_batches, False, True),
    ("segment.ms", str(HOUR_MS), {"log.roll.ms": str(HOUR_MS), "log.roll.hours": "1"}, _segments_of_two_hours, 1, 2),
    (
        "segment.jitter.ms", "604800000", {"log.roll.jitter.ms": "604800000", "log.roll.jitter.hours": "168"},
        _segments_of_six_days, 1, 2,
    ),
    (
        "max.message.bytes", "1000", {"message.max.bytes": "1000"},
        _of_two_kilobytes, errors.NONE, errors.MESSAGE_TOO_LARGE,
    ),
    (
        "message.timestamp.after.max.ms", "1000", {"log.message.timestamp.after.max.ms": "1000"},
        _of_a_minute_ahead, errors.NONE, errors.INVALID_TIMESTAMP,
    ),
    (
        "message.timestamp.before.max.ms", "1000", {"log.message.timestamp.before.max.ms": "1000"},
        _of_a_minute_ago, errors.NONE, errors.INVALID_TIMESTAMP,
    ),
    (
        "message.timestamp.type", "LogAppendTime", {"log.message.timestamp.type": "LogAppendTime"},
        _time_of_a_record, -60_000, 0,
    ),
]  # fmt: skip

CASES = []
for _name, _value, _stand_ins, _look, _without, _with in EFFECTS:
    SHOWN["topic", _name] = f"{__name__}.test_a_setting_of_a_topic_is_obeyed"
    CASES.append(pytest.param({_name: _value}, {}, _look, _without, _with, id=_name))
    for _stand_in, _same in _stand_ins.items():
        SHOWN["broker", _stand_in] = f"{__name__}.test_a_setting_of_a_topic_is_obeyed"
        CASES.append(pytest.param({}, {_stand_in: _same}, _look, _without, _with, id=f"broker's {_stand_in}"))


def _underscored(configs: dict[str, str]) -> dict[str, str]:
    return {name.replace(".", "_"): value for name, value in configs.items()}


@pytest.mark.parametrize(("configs", "settings", "look", "without", "with_it"), CASES)
def test_a_setting_of_a_topic_is_obeyed(
    configs: dict[str, str],
    settings: dict[str, str],
    look: Callable[[World], object],
    without: object,
    with_it: object,
) -> None:
    assert look(World({}, {})) == without
    assert look(World(_underscored(configs), _underscored(settings))) == with_it


for _codec_name in ("gzip", "lz4", "zstd"):
    for _scope in ("topic", "broker"):
        SHOWN[_scope, f"compression.{_codec_name}.level"] = f"{__name__}.test_batches_are_recompressed_at_the_level"


@pytest.mark.parametrize("scope", ["topic", "broker"])
@pytest.mark.parametrize(
    ("codec", "level", "size"),
    [
        ("gzip", "1", 1),
        ("gzip", "-1", 0),
        ("lz4", "1", -1),
        ("lz4", "9", 0),
        ("lz4", "17", -1),
        ("zstd", "-5", 1),
        ("zstd", "3", 0),
        ("zstd", "19", -1),
    ],
)
def test_batches_are_recompressed_at_the_level(scope: str, codec: str, level: str, size: int) -> None:
    setting, codec_alone = {f"compression_{codec}_level": level}, {"compression_type": codec}
    world = World(codec_alone | setting, {}) if scope == "topic" else World(codec_alone, setting)
    assert _size_of_text(world) == size


SHOWN["topic", "file.delete.delay.ms"] = f"{__name__}.test_deleted_segments_wait_as_long_as_is_said"
SHOWN["broker", "log.segment.delete.delay.ms"] = f"{__name__}.test_deleted_segments_wait_as_long_as_is_said"


@pytest.mark.parametrize("scope", ["topic", "broker"])
def test_deleted_segments_wait_as_long_as_is_said(scope: str) -> None:
    small = {"segment_bytes": "1048576"}
    assert _deleted_files_after_a_while(World(small, {})) is True
    short = {"file_delete_delay_ms": "1000"} if scope == "topic" else {}
    settings = {} if scope == "topic" else {"log_segment_delete_delay_ms": "1000"}
    assert _deleted_files_after_a_while(World(small | short, settings)) is False
