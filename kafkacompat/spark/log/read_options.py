"""The options of `format("kafkacompat-log")`, checked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from kafkacompat.protocol.constants import EARLIEST_TIMESTAMP, LATEST_TIMESTAMP
from kafkacompat.spark.log.log_files import LogReadError, TopicPartition
from kafkacompat.spark.log.read_damage import FAIL, SKIP
from kafkacompat.storage.foreign import KEPT, METADATA_TOPIC

EARLIEST, LATEST = EARLIEST_TIMESTAMP, LATEST_TIMESTAMP
"""What stands for both ends of a partition in offsets given as JSON, as in Spark's Kafka source."""

SPLIT_BYTES = 64 * 1024 * 1024
"""Bytes of a segment that one task reads, about."""
INTERNAL = frozenset({*KEPT, METADATA_TOPIC})
"""Topics of Kafka's own: they are read if they are named. Others may begin with two underscores, too."""

NAMES = (
    "path", "paths", "topics", "subscribe", "subscribePattern", "assign", "startingOffsets", "endingOffsets",
    "startingTimestamp", "endingTimestamp", "startingOffsetsByTimestamp", "endingOffsetsByTimestamp",
    "startingOffsetsByTimestampStrategy", "level", "includeHeaders", "includeBatchFields", "includeBatchBytes",
    "isolation", "checkCrcs", "bounds", "splitBytes", "onDamage", "damageReport", "failOnDataLoss", "pushdown",
    "maxOffsetsPerTrigger", "maxBytesPerTrigger",
)  # fmt: skip

Offsets = int | dict[TopicPartition, int]
"""One of the ends for all partitions, or an offset for each that is named."""
Times = int | dict[TopicPartition, int] | None
"""ms for all partitions, or for each that is named."""


class LogOptions(NamedTuple):
    """What the options say. Limits of None: none.

    `starts_at_latest`: a partition without a record at or after the time that was given, which is an error otherwise.
    """

    paths: tuple[str, ...]
    topics: Callable[[str, int], bool]
    named: frozenset[str]
    assigned: frozenset[TopicPartition]
    starting: Offsets
    ending: Offsets
    starting_at_ms: Times
    ending_at_ms: Times
    starts_at_latest: bool
    is_by_batch: bool
    include_headers: bool
    include_batch_fields: bool
    include_batch_bytes: bool
    is_read_committed: bool
    check_crcs: bool
    is_bounded: bool
    split_bytes: int
    on_damage: str
    damage_report: str | None
    fail_on_data_loss: bool
    pushdown: bool
    max_offsets_per_trigger: int | None
    max_bytes_per_trigger: int | None


def parse(options: Mapping[str, str], *, is_stream: bool = False) -> LogOptions:
    """Raises LogReadError, which names the option."""
    given = {name.lower(): value for name, value in options.items()}
    unknown = sorted(given.keys() - {name.lower() for name in NAMES})
    if unknown:
        raise LogReadError(f"unknown option {unknown[0]}: there are {', '.join(NAMES)}")
    topics, named, assigned = _topics(given)
    starting = _offsets(given, "startingOffsets", "latest" if is_stream else "earliest")
    ending = _offsets(given, "endingOffsets", "latest")
    if ending == EARLIEST:
        raise LogReadError("endingOffsets is latest, or offsets as JSON")
    if starting == LATEST and not is_stream:
        raise LogReadError("startingOffsets of a batch is earliest, or offsets as JSON")
    if is_stream and {"endingoffsets", "endingtimestamp", "endingoffsetsbytimestamp"} & given.keys():
        raise LogReadError("a stream has no end: endingOffsets, endingTimestamp and the like are for batches")
    if not is_stream and {"maxoffsetspertrigger", "maxbytespertrigger"} & given.keys():
        raise LogReadError("maxOffsetsPerTrigger and maxBytesPerTrigger are for streams")
    if {"maxoffsetspertrigger", "maxbytespertrigger"} <= given.keys():
        raise LogReadError("maxOffsetsPerTrigger and maxBytesPerTrigger exclude each other")
    return LogOptions(
        _paths(given), topics, named, assigned, starting, ending,
        _times(given, "startingTimestamp", "startingOffsetsByTimestamp"),
        _times(given, "endingTimestamp", "endingOffsetsByTimestamp"),
        _one_of(given, "startingOffsetsByTimestampStrategy", ("error", "latest")) == "latest",
        _one_of(given, "level", ("records", "batches")) == "batches",
        _flag(given, "includeHeaders", default=False),
        _flag(given, "includeBatchFields", default=False),
        _flag(given, "includeBatchBytes", default=False),
        _one_of(given, "isolation", ("read_uncommitted", "read_committed")) == "read_committed",
        _flag(given, "checkCrcs", default=True),
        _one_of(given, "bounds", ("hw", "all")) == "hw",
        _number(given, "splitBytes", SPLIT_BYTES) or SPLIT_BYTES,
        _one_of(given, "onDamage", (FAIL, SKIP)),
        given.get("damagereport"),
        _flag(given, "failOnDataLoss", default=True),
        _flag(given, "pushdown", default=False),
        _number(given, "maxOffsetsPerTrigger", None),
        _number(given, "maxBytesPerTrigger", None),
    )  # fmt: skip


def _paths(given: Mapping[str, str]) -> tuple[str, ...]:
    """`load(path)` gives `path`, `load([path, ...])` gives `paths` as JSON."""
    found = [path.strip() for path in given.get("path", "").split(",") if path.strip()]
    if "paths" in given:
        found += json.loads(given["paths"])
    if not found:
        raise LogReadError("which log directory? load(path), with a comma between several")
    return tuple(found)


def _topics(
    given: Mapping[str, str],
) -> tuple[Callable[[str, int], bool], frozenset[str], frozenset[TopicPartition]]:
    """Which partitions are wanted, and the topics and partitions that have to be there."""
    chosen = [name for name in ("topics", "subscribe", "subscribePattern", "assign") if name.lower() in given]
    if len(chosen) > 1:
        raise LogReadError(f"{' and '.join(chosen)} exclude each other")
    if chosen == ["subscribe"]:
        named = frozenset(name.strip() for name in given["subscribe"].split(",") if name.strip())
        if not named:
            raise LogReadError("subscribe names no topic")
        return _Named(named), named, frozenset()
    if chosen == ["assign"]:
        assigned = _assigned(given["assign"])
        return _Assigned(assigned), frozenset(topic for topic, _ in assigned), assigned
    pattern = given.get("topics") or given.get("subscribepattern") or ".*"
    try:
        return _Matching(pattern, is_whole="subscribepattern" not in given), frozenset(), frozenset()
    except re.error as error:
        raise LogReadError(f"{pattern!r} is no regular expression: {error}") from None


class _Named:
    """Topics by name. Classes, and not functions, because Spark sends them to its workers."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names

    def __call__(self, topic: str, _partition: int) -> bool:
        return topic in self._names


class _Assigned:
    """Partitions by topic and number."""

    def __init__(self, partitions: frozenset[TopicPartition]) -> None:
        self._partitions = partitions

    def __call__(self, topic: str, partition: int) -> bool:
        return (topic, partition) in self._partitions


class _Matching:
    """Topics that match, of all but internal ones."""

    def __init__(self, pattern: str, *, is_whole: bool) -> None:
        compiled = re.compile(pattern)
        self._matches = compiled.fullmatch if is_whole else compiled.search

    def __call__(self, topic: str, _partition: int) -> bool:
        return topic not in INTERNAL and self._matches(topic) is not None


def _assigned(text: str) -> frozenset[TopicPartition]:
    try:
        found = {(topic, int(each)) for topic, partitions in json.loads(text).items() for each in partitions}
    except (ValueError, AttributeError, TypeError):
        found = set()
    if not found:
        raise LogReadError(f'assign is partitions as in {{"orders": [0, 2]}}: {text!r}')
    return frozenset(found)


def _offsets(given: Mapping[str, str], name: str, default: str) -> Offsets:
    text = given.get(name.lower(), default)
    if text in ("earliest", "latest"):
        return EARLIEST if text == "earliest" else LATEST
    found = _by_partition(text)
    if found is None:
        raise LogReadError(
            f'{name} is earliest, latest, or offsets as in {{"orders": {{"0": 23, "1": -2}}}}, where -2 is the '
            f"earliest and -1 the latest: {text!r}"
        )
    return found


def _times(given: Mapping[str, str], name: str, name_by_partition: str) -> Times:
    """One time wins over those by partition, and both over offsets, as in Spark's Kafka source."""
    text = given.get(name_by_partition.lower())
    if name.lower() in given or text is None:
        return _number(given, name, None)
    found = _by_partition(text)
    if found is None or min(found.values(), default=0) < 0:
        raise LogReadError(f'{name_by_partition} is times in ms as in {{"orders": {{"0": 1700000000000}}}}: {text!r}')
    return found


def _by_partition(text: str) -> dict[TopicPartition, int] | None:
    """A number for each partition; None if it is not that."""
    try:
        return {
            (topic, int(partition)): int(number)
            for topic, numbers in json.loads(text).items()
            for partition, number in numbers.items()
        }
    except (ValueError, AttributeError, TypeError):
        return None


def _one_of(given: Mapping[str, str], name: str, values: tuple[str, ...]) -> str:
    value = given.get(name.lower(), values[0])
    if value not in values:
        raise LogReadError(f"{name} is {' or '.join(values)}: {value!r}")
    return value


def _flag(given: Mapping[str, str], name: str, *, default: bool) -> bool:
    text = given.get(name.lower(), str(default)).lower()
    if text not in ("true", "false"):
        raise LogReadError(f"{name} is true or false: {text!r}")
    return text == "true"


def _number(given: Mapping[str, str], name: str, default: int | None) -> int | None:
    text = given.get(name.lower())
    if text is None:
        return default
    if not text.isdecimal() or not int(text):
        raise LogReadError(f"{name} is a number above 0: {text!r}")
    return int(text)
