"""Where an archive's records come from: a broker, or the segment files of one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol

from kafkacompat.client.partition_offsets import EARLIEST, LATEST, READ_COMMITTED, READ_UNCOMMITTED, list_offsets
from kafkacompat.client.topic_admin import SOURCES, describe_configs, list_topics
from kafkacompat.config.properties import read_properties
from kafkacompat.protocol.primitives import uuid_to_text
from kafkacompat.spark.archives.archive_manifests import TopicEntry
from kafkacompat.spark.archives.archive_ranges import Range, TopicPartition
from kafkacompat.spark.archives.archive_spec import ISOLATIONS, ArchiveError
from kafkacompat.spark.archives.kafka_properties import client_of, source_options
from kafkacompat.spark.log.log_files import PartitionLog, offset_for_time
from kafkacompat.spark.log.offset_ranges import end_of, wanted_logs
from kafkacompat.spark.log.read_options import parse
from kafkacompat.storage.checkpoints import (
    META_PROPERTIES_FILE,
    PARTITION_METADATA_FILE,
    CheckpointError,
    read_partition_metadata,
)
from kafkacompat.storage.fs import RealFs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_, COMMITTED = ISOLATIONS
NO_ID = uuid_to_text(bytes(16))
OWN = SOURCES[1]
"""Where a config comes from that was set for the topic itself."""
POLL_RECORDS = "10000"
"""Spark looks offsets up after every poll; with the default of 500 records that is most of what its source does."""


class Bounds(NamedTuple):
    """Log starts, log ends, and where to stop. Ids and configs are there as far as they are known."""

    cluster_id: str | None
    topic_ids: dict[str, str]
    first: dict[TopicPartition, int]
    latest: dict[TopicPartition, int]
    end: dict[TopicPartition, int]
    topics: Mapping[str, TopicEntry] = {}


class Source(Protocol):
    """What can be archived."""

    def bounds(self, until_ms: int | None) -> Bounds:
        """Where the partitions begin and end; they stop before the first record at or after `until_ms`."""

    def frame(self, spark: SparkSession, ranges: Iterable[Range]) -> DataFrame:
        """The records of some ranges, with the columns of Spark's Kafka source and headers."""


class KafkaSource(NamedTuple):
    """Topics of a cluster, through Spark's Kafka source."""

    bootstrap_servers: str
    topics: str
    isolation: str
    properties: Mapping[str, str] = {}

    def bounds(self, until_ms: int | None) -> Bounds:
        isolation = READ_COMMITTED if self.isolation == COMMITTED else READ_UNCOMMITTED
        with client_of(self.bootstrap_servers, self.properties, "kafkacompat-archive") as client:
            topics = [
                topic
                for topic in list_topics(client)
                if not topic.is_internal and re.fullmatch(self.topics, topic.name)
            ]
            places = [(topic.name, partition.partition) for topic in topics for partition in topic.partitions]
            if not places:
                raise ArchiveError(f"no topic matches {self.topics!r}; kafkacompat topic list names those that exist")

            def offsets(at: int) -> dict[TopicPartition, int]:
                found = list_offsets(client, dict.fromkeys(places, at), isolation=isolation)
                return {place: each.offset for place, each in found.items()}

            first, latest = offsets(EARLIEST), offsets(LATEST)
            end = latest
            if until_ms is not None:  # -1: no record is that young
                end = {place: latest[place] if at < 0 else at for place, at in offsets(until_ms).items()}
            ids = {topic.name: topic.topic_id for topic in topics if topic.topic_id != NO_ID}
            described = {topic.name: TopicEntry(len(topic.partitions), {}) for topic in topics}
            for name, configs in describe_configs(client, [*described]).items():
                own = {each.name: each.value for each in configs if each.source == OWN and each.value is not None}
                described[name] = described[name]._replace(configs=own)
            return Bounds(client.metadata(()).cluster_id, ids, first, latest, end, described)

    def frame(self, spark: SparkSession, ranges: Iterable[Range]) -> DataFrame:
        options = {"kafka.max.poll.records": POLL_RECORDS} | source_options(self.bootstrap_servers, self.properties)
        options |= {"kafka.isolation.level": self.isolation} | _options(ranges)
        return spark.read.format("kafka").options(**options).load()


class LogSource(NamedTuple):
    """Topics in the log directories of one broker, up to their high watermarks."""

    paths: tuple[str, ...]
    topics: str
    isolation: str

    def bounds(self, until_ms: int | None) -> Bounds:
        options = parse({"paths": json.dumps(self.paths), "topics": self.topics, "isolation": self.isolation})
        logs = wanted_logs(options)
        if not logs:
            raise ArchiveError(f"no topic in {', '.join(self.paths)} matches {self.topics!r}")
        latest = {key: end_of(log, options).offset for key, log in logs.items()}
        end = dict(latest)
        for key, log in logs.items() if until_ms is not None else ():
            found = offset_for_time(log, until_ms or 0, latest[key])
            end[key] = latest[key] if found is None else found
        first = {key: log.log_start_offset for key, log in logs.items()}
        counts = dict[str, int]()
        for topic, partition in logs:
            counts[topic] = max(counts.get(topic, 0), partition + 1)
        topics = {topic: TopicEntry(count, {}) for topic, count in counts.items()}
        return Bounds(self._cluster_id(), _topic_ids(logs.values()), first, latest, end, topics)

    def frame(self, spark: SparkSession, ranges: Iterable[Range]) -> DataFrame:
        from kafkacompat.spark.log.source import LogDataSource

        spark.dataSource.register(LogDataSource)
        reader = spark.read.format("kafkacompat-log").options(**_options(ranges), isolation=self.isolation)
        return reader.option("paths", json.dumps(self.paths)).load()

    def _cluster_id(self) -> str | None:
        path = Path(self.paths[0], META_PROPERTIES_FILE)
        return read_properties(path.read_text()).get("cluster.id") if path.exists() else None


def _topic_ids(logs: Iterable[PartitionLog]) -> dict[str, str]:
    """As the partitions' directories say; a file that is torn says nothing."""
    found = {}
    for log in logs:
        with suppress(CheckpointError):
            topic_id = read_partition_metadata(RealFs(), str(Path(log.directory, log.name, PARTITION_METADATA_FILE)))
            if topic_id is not None:
                found[log.topic] = uuid_to_text(topic_id)
    return found


def _options(ranges: Iterable[Range]) -> dict[str, str]:
    """Of both sources."""
    assigned: dict[str, list[int]] = {}
    starts: dict[str, dict[str, int]] = {}
    ends: dict[str, dict[str, int]] = {}
    for each in ranges:
        assigned.setdefault(each.topic, []).append(each.partition)
        starts.setdefault(each.topic, {})[str(each.partition)] = each.start
        ends.setdefault(each.topic, {})[str(each.partition)] = each.end
    return {
        "assign": json.dumps(assigned), "startingOffsets": json.dumps(starts), "endingOffsets": json.dumps(ends),
        "includeHeaders": "true", "failOnDataLoss": "true",
    }  # fmt: skip
