"""Seeds: the topics and records that a broker has right after its start and after each reset."""

from __future__ import annotations

import logging

from kafkacompat.errors import KafkaCompatError
from kafkacompat.server.seed import NewTopic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Any

    from kafkacompat.config import BrokerConfig
    from kafkacompat.protocol.records.json_form import JsonRecord
    from kafkacompat.server.broker_server import BrokerServer

log = logging.getLogger(__name__)

TOPIC_FIELDS = ("partitions", "replicas", "configs")
BATCH_BYTES = 256 * 1024
"""The size of a seeded batch, before it is compressed: a quarter of what a topic takes by default."""
RECORD_OVERHEAD_BYTES = 40
RETENTION = "retention.ms"
BROKER_RETENTION = ("log.retention.ms", "log.retention.minutes", "log.retention.hours")
SEED_TIMEOUT_S = 30.0
SEED_POLL_S = 0.001
DEFAULT_RETENTION_MS = 168 * 3_600_000


class Seed:
    """Topics by name, and records by topic. A topic that has records, but is not among `topics`, gets the defaults."""

    def __init__(self, topics: Mapping[str, NewTopic], records: Mapping[str, Sequence[JsonRecord]]) -> None:
        self.topics = {**{name: NewTopic() for name in records}, **topics}
        self.records = {name: list(of_topic) for name, of_topic in records.items()}
        self._batches: dict[tuple[str, int], dict[int, list[bytearray]]] = {}

    def __bool__(self) -> bool:
        return bool(self.topics)

    def joined(self, other: Seed) -> Seed:
        """Both; topics of this one take precedence."""
        records = dict(self.records)
        for name, more in other.records.items():
            records[name] = [*records.get(name, ()), *more]
        return Seed({**other.topics, **self.topics}, records)

    def settled(self, now_ms: int, broker_settings: Iterable[str] = ()) -> dict[str, NewTopic]:
        """The topics to be created: those with records older than the retention get `retention.ms=-1`.

        broker_settings: the names of the settings that the user gave. Who gave a retention keeps it.
        """
        if any(name in BROKER_RETENTION for name in broker_settings):
            return dict(self.topics)
        return {name: self._kept(name, topic, now_ms) for name, topic in self.topics.items()}

    def _kept(self, name: str, topic: NewTopic, now_ms: int) -> NewTopic:
        times = [record.timestamp for record in self.records.get(name, ()) if record.timestamp is not None]
        if RETENTION in topic.configs or not times or min(times) >= now_ms - DEFAULT_RETENTION_MS:
            return topic
        from datetime import UTC, datetime

        since = datetime.fromtimestamp(min(times) / 1000, UTC).date()
        log.info("topic %s gets retention.ms=-1: its records begin on %s, and would be deleted as too old", name, since)
        return topic._replace(configs={**topic.configs, RETENTION: "-1"})

    def batches(self, topic: str, partition_count: int, now_ms: int) -> dict[int, list[bytearray]]:
        """The record batches of a topic by partition. Made once: all resets write the same.

        Records without partition go where Java's producer puts their key; those without key, to partitions in turn.
        Records without timestamp get `now_ms`. Raises KafkaCompatError for a partition that the topic has not.
        """
        found = self._batches.get((topic, partition_count))
        if found is None:
            found = self._batches[topic, partition_count] = self._build(topic, partition_count, now_ms)
        return found

    def partitions_of(self, topic: str, partition_count: int) -> list[int]:
        """The partition of each record of a topic; see `batches`."""
        from kafkacompat.client.partitioner import partition_of_key

        found = []
        turn = 0
        for record in self.records.get(topic, ()):
            if record.partition is not None:
                partition = record.partition
            elif record.key is not None:
                partition = partition_of_key(record.key, partition_count)
            else:
                partition, turn = turn % partition_count, turn + 1
            if not 0 <= partition < partition_count:
                raise KafkaCompatError(f"a record is for partition {partition} of {topic}, which has {partition_count}")
            found.append(partition)
        return found

    def _build(self, topic: str, partition_count: int, now_ms: int) -> dict[int, list[bytearray]]:
        from kafkacompat.protocol.records.builder import Record, build_batch

        open_batches: dict[int, list[Record]] = {}
        sizes: dict[int, int] = {}
        built: dict[int, list[bytearray]] = {}
        partitions = self.partitions_of(topic, partition_count)
        for record, partition in zip(self.records.get(topic, ()), partitions, strict=True):
            size = RECORD_OVERHEAD_BYTES * (1 + len(record.headers)) + len(record.key or b"") + len(record.value or b"")
            batch = open_batches.setdefault(partition, [])
            if batch and sizes[partition] + size > BATCH_BYTES:
                built.setdefault(partition, []).append(build_batch(batch))
                batch.clear()
            sizes[partition] = size + (sizes[partition] if batch else 0)
            timestamp = now_ms if record.timestamp is None else record.timestamp
            batch.append(Record(len(batch), timestamp, record.key, record.value, record.headers))
        for partition, batch in open_batches.items():
            built.setdefault(partition, []).append(build_batch(batch))
        return built


async def write_seed(
    servers: Sequence[BrokerServer],
    seed: Seed,
    *,
    topics: Mapping[str, NewTopic] | None = None,
    existing: Collection[str] | None = None,
) -> None:
    """Create the topics of a seed, and write their records at the leaders, without a connection.

    servers: all nodes of the cluster. topics: topics that are created, too, and take precedence. Topics that exist are
    left unchanged, and get no records unless they are missing in `existing`: those that count as existing, by default
    all. Returns when all replicas in sync have the records. Raises KafkaCompatError with the broker's reason for the
    first topic or record that it refuses.
    """
    from kafkacompat.server.startup_topics import create_topics

    brokers = [server for server in servers if server.broker.lifecycle is not None]
    first = brokers[0]
    before = set(first.broker.image.topics) if existing is None else existing
    new = seed.settled(first.now().wall_ms, _given(first.broker.static_config))
    new.update(topics or {})
    new = {name: topic for name, topic in new.items() if name not in first.broker.image.topics}
    if new:
        await create_topics(first, new)
    if len(brokers) > 1:
        await _wait_until(lambda: all(_has_leaders(brokers, name) for name in new), "partitions have no leader")
    for name in seed.records:
        if name not in before:
            _append(brokers, seed, name)
    for server in brokers:
        server.after_event()
    if len(brokers) > 1 and seed.records:
        await _wait_until(lambda: all(_are_replicated(server) for server in brokers), "seeded records are not copied")


async def _wait_until(is_done: Callable[[], bool], what: str) -> None:
    import asyncio

    try:
        async with asyncio.timeout(SEED_TIMEOUT_S):
            while not is_done():
                await asyncio.sleep(SEED_POLL_S)
    except TimeoutError:
        raise KafkaCompatError(f"after {SEED_TIMEOUT_S:g} s {what}: see the log for the reason") from None


def _has_leaders(brokers: Sequence[BrokerServer], topic: str) -> bool:
    """Whether each broker knows the topic, and each partition's leader leads it."""
    images = [server.broker.image.topics.get(topic) for server in brokers]
    if None in images:
        return False
    leaders = [_leader(brokers, topic, index) for index in range(len(images[0].partitions))]  # type: ignore[union-attr]
    return None not in leaders


def _leader(brokers: Sequence[BrokerServer], topic: str, index: int) -> BrokerServer | None:
    for server in brokers:
        partition = server.broker.partitions.get(topic, index)
        if partition is not None and partition.is_leader:
            return server
    return None


def _are_replicated(server: BrokerServer) -> bool:
    return all(
        partition.high_watermark == partition.log.log_end_offset
        for partition in server.broker.partitions
        if partition.is_leader
    )


def _append(brokers: Sequence[BrokerServer], seed: Seed, topic: str) -> None:
    from kafkacompat.protocol.constants import ACKS_LEADER
    from kafkacompat.protocol.records.batch import RecordBatchError
    from kafkacompat.storage.errors import LogError

    now = brokers[0].now()
    count = len(brokers[0].broker.image.topics[topic].partitions)
    for index, batches in seed.batches(topic, count, now.wall_ms).items():
        server = _leader(brokers, topic, index)
        if server is None:
            raise KafkaCompatError(f"the records of {topic} are not written: partition {index} has no log")
        partitions = server.broker.partitions
        partition = partitions.get(topic, index)
        assert partition is not None
        for batch in batches:
            try:
                partitions.append(partition, memoryview(bytearray(batch)), ACKS_LEADER, now)
            except (LogError, RecordBatchError) as refused:
                raise KafkaCompatError(f"the records of {topic}-{index} are not written: {refused}") from None


def _given(config: BrokerConfig) -> list[str]:
    return list(config.static)


def parse_topics(topics: object) -> dict[str, NewTopic]:
    """Topics as users give them: names, or a mapping of names to a number of partitions, (partitions, replicas), or a
    mapping with partitions, replicas and configs. Raises KafkaCompatError.
    """
    if isinstance(topics, str) or not hasattr(topics, "__iter__"):
        raise KafkaCompatError(f"topics={topics!r}: give a list of names or a dict of names and partitions")
    given: Any = topics
    if not hasattr(given, "items"):
        return {name: NewTopic() for name in given}
    return {name: _topic(name, shape) for name, shape in given.items()}


def _topic(name: str, shape: Any) -> NewTopic:
    if shape is None:
        return NewTopic()
    if isinstance(shape, NewTopic):
        return shape
    if isinstance(shape, int):
        return NewTopic(shape)
    if isinstance(shape, (tuple, list)) and len(shape) == 2:
        return NewTopic(shape[0], shape[1])
    if not hasattr(shape, "items"):
        raise KafkaCompatError(f"topic {name}: {shape!r}: give partitions, (partitions, replicas), or a dict")
    unknown = sorted(set(shape) - set(TOPIC_FIELDS))
    if unknown:
        raise KafkaCompatError(f"topic {name}: unknown {unknown[0]!r}: a topic has {', '.join(TOPIC_FIELDS)}")
    default = NewTopic()
    configs = {key: config_text(value) for key, value in (shape.get("configs") or {}).items()}
    return NewTopic(shape.get("partitions", default.partitions), shape.get("replicas", default.replicas), configs)


def config_text(value: object) -> str:
    """A config's value as text: true and false in lower case, lists with commas."""
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def parse_records(records: Any) -> dict[str, list[JsonRecord]]:
    """Records by topic: a mapping of topics to lists of JSON objects, or a list of such with a topic each.

    Raises KafkaCompatError that names the record.
    """
    found: dict[str, list[JsonRecord]] = {}
    by_topic = records.items() if hasattr(records, "items") else ((None, records),)
    for name, lines in by_topic:
        for at, line in enumerate(lines):
            add_record(found, line, (at, name), name)
    return found


def add_record(
    found: dict[str, list[JsonRecord]], line: Any, what: str | tuple[int, str | None], topic: str | None = None
) -> None:
    """Add the record of a JSON object to those of its topic. Raises KafkaCompatError that begins with `what`: a text,
    or the number of the record and its topic.
    """
    from kafkacompat.protocol.records.json_form import JsonRecord, record_of

    if isinstance(line, JsonRecord) and topic is not None:
        found.setdefault(topic, []).append(line)
        return
    if not hasattr(line, "items"):
        raise KafkaCompatError(f'{_named(what)} is no object like {{"key": "a", "value": "b"}}')
    try:
        record = record_of(line)
    except ValueError as error:
        raise KafkaCompatError(f"{_named(what)}: {error}") from None
    topic = topic or record.topic
    if not topic:
        raise KafkaCompatError(f'{_named(what)} has no topic: write {{"topic": "orders", ...}}')
    found.setdefault(topic, []).append(record)


def _named(what: str | tuple[int, str | None]) -> str:
    if isinstance(what, str):
        return what
    number, topic = what
    return f"record {number}" if topic is None else f"record {number} of {topic}"
