"""What Spark's tests have in common: topics with known records, and frames and queries on them."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Producer
from confluent_kafka import TopicPartition as Position
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    OffsetSpec,
)
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from compat_tests.clients.confluent_kafka import using as confluent
from compat_tests.clients.samples import eventually
from compat_tests.observed import Observed

WAIT_S = 60.0
"""How long a query may take for what it does in a second or two on an idle machine."""
VERB_S = 240.0
"""How long a verb of `kafkacompat spark` may take, which starts a session of its own: with five times as many processes
as cores it takes 50."""
FETCH_WAIT_MS = "20"
"""A task ends with offset look-ups, which wait behind a fetch at the partition's end on the same connection: half a
second with the default, on any broker. Other than the default of 500 ms only to save time."""
BASE_MS = (int(time.time()) // 60 - 60) * 60_000
"""When records of the tests were made: an hour ago, since retention would take old ones, at the start of a minute."""
EARLIEST, LATEST = -2, -1
"""Spark's words for the two ends of a partition in offsets given as JSON."""

RETENTION_SOON = {"log.initial.task.delay.ms": "100", "log.retention.check.interval.ms": "200"}
"""Of a broker of a test's own, so that old records go soon after a topic lets them."""

LOST = r"data may have been lost|KAFKA_DATA_LOSS"
"""How Spark says that records were gone before it read them, as a pattern."""


KAFKA_ERROR = re.compile(r"\borg\.apache\.kafka\.common\.errors\.(\w+)")
"""An error of Kafka's client in what Spark says."""


class Row(NamedTuple):
    """One record as most tests compare it. Rows sort by partition and offset."""

    partition: int
    offset: int
    value: str


class Record(NamedTuple):
    """One record as another client than Spark sees it."""

    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]


def rows_of(partition: int, values: Iterable[object], first_offset: int = 0) -> list[Row]:
    """The rows that `values` make in a partition, one after the other from `first_offset`."""
    return [Row(partition, first_offset + n, str(value)) for n, value in enumerate(values)]


def as_json(topic: str, by_partition: Mapping[int, int] | Sequence[int]) -> str:
    """Offsets or timestamps by partition, as Spark's options take them."""
    pairs = by_partition.items() if isinstance(by_partition, Mapping) else enumerate(by_partition)
    return json.dumps({topic: {str(partition): number for partition, number in pairs}})


class Workbench:
    """One broker with Spark and confluent-kafka pointed at it. `scratch` is for checkpoints and files.

    What comes out of `rows`, `values`, `ends` and `refused`, and what is given to `saw`, has to be the same on every
    broker that a test runs on.
    """

    def __init__(self, spark: SparkSession, bootstrap_servers: str, scratch: Path, observed: Observed) -> None:
        self.spark = spark
        self._observed = observed
        self.bootstrap_servers = bootstrap_servers
        self.scratch = scratch
        self.admin = AdminClient({"bootstrap.servers": bootstrap_servers})
        self._queries: list[StreamingQuery] = []

    def close(self) -> None:
        """Stop the queries, while the broker is still there."""
        for query in self._queries:
            query.stop()

    # Topics and records, through confluent-kafka

    def create(self, topic: str, partitions: int = 3, **configs: str) -> None:
        """Create a topic; configs are written with underscores in place of dots."""
        dotted = {name.replace("_", "."): value for name, value in configs.items()}
        confluent.create(self.admin, topic, partitions, config=dotted)

    def delete(self, topic: str) -> None:
        """Delete a topic and wait until it is gone from the metadata."""
        confluent.only(self.admin.delete_topics([topic]))
        eventually(lambda: topic not in self.admin.list_topics(timeout=WAIT_S).topics)

    def send(
        self,
        topic: str,
        partition: int,
        values: Iterable[object],
        timestamps_ms: Sequence[int] | None = None,
        **config: Any,
    ) -> None:
        """Append `values`, as text, to a partition that nobody else writes to."""
        records = [(None, str(value).encode(), ()) for value in values]
        self.send_records(topic, partition, records, timestamps_ms, **config)

    def send_records(
        self,
        topic: str,
        partition: int,
        records: Sequence[tuple[bytes | None, bytes | None, Sequence[tuple[str, bytes | None]]]],
        timestamps_ms: Sequence[int] | None = None,
        **config: Any,
    ) -> None:
        """Append records of key, value and headers, and see that they got offsets one after the other."""
        offsets: list[int] = []

        def delivered(error: Any, message: Any) -> None:
            assert error is None, error
            offsets.append(message.offset())

        settings = {"bootstrap.servers": self.bootstrap_servers, "max.in.flight": 1, **config}
        producer = Producer(settings)
        for number, (key, value, headers) in enumerate(records):
            time_ms = 0 if timestamps_ms is None else timestamps_ms[number]
            producer.produce(
                topic, value, key, partition, on_delivery=delivered, timestamp=time_ms, headers=list(headers)
            )  # fmt: skip
        assert producer.flush(WAIT_S) == 0
        assert offsets == list(range(offsets[0], offsets[0] + len(records)))

    def consumed(self, topic: str) -> list[Record]:
        """Every record of a topic as librdkafka reads it, by partition and offset."""
        partitions = self.admin.list_topics(timeout=WAIT_S).topics[topic].partitions
        settings = {"bootstrap.servers": self.bootstrap_servers, "group.id": "none", "enable.auto.commit": False}
        consumer = Consumer(settings | {"enable.partition.eof": True, "fetch.wait.max.ms": 20})
        consumer.assign([Position(topic, partition, OFFSET_BEGINNING) for partition in partitions])
        found, ended = [], 0
        try:
            while ended < len(partitions):
                message: Any = consumer.poll(WAIT_S)
                assert message is not None, f"{ended} of {len(partitions)} partitions were read to their end"
                if message.error() is None:
                    found.append(_record(message))
                else:
                    assert message.error().code() == KafkaError._PARTITION_EOF, message.error()
                    ended += 1
        finally:
            consumer.close()
        return sorted(found, key=lambda record: (record.partition, record.offset))

    def sent(self, topic: str) -> list[Record]:
        """The records of a topic as librdkafka reads them, which are the same on every broker."""
        found = self.consumed(topic)
        self.saw("sent", found)
        return found

    def offset(self, topic: str, partition: int, at: int) -> int:
        """The offset EARLIEST or LATEST of a partition."""
        spec = OffsetSpec.earliest() if at == EARLIEST else OffsetSpec.latest()  # type: ignore[no-untyped-call]
        found: Any = confluent.only(self.admin.list_offsets({Position(topic, partition): spec}))
        return int(found.offset)

    def delete_records_before(self, topic: str, partition: int, offset: int) -> None:
        confluent.only(self.admin.delete_records([Position(topic, partition, offset)]))

    def alter(self, topic: str, **configs: str) -> None:
        """Set configs of a topic, written with underscores in place of dots."""
        entries = [
            ConfigEntry(name.replace("_", "."), value, incremental_operation=AlterConfigOpType.SET)
            for name, value in configs.items()
        ]
        resource = ConfigResource(ConfigResource.Type.TOPIC, topic, incremental_configs=entries)
        confluent.only(self.admin.incremental_alter_configs([resource]))

    def fill_and_expire(self, topic: str, old: Sequence[object], new: Sequence[object]) -> Callable[[], None]:
        """Make a topic of one partition with old records, and new ones in another segment. What is returned lets
        retention take the old ones, and waits until it has: on a broker with RETENTION_SOON.
        """
        self.create(topic, 1, segment_ms="1000", retention_ms="-1")
        self.send(topic, 0, old, [BASE_MS] * len(old))
        self.send(topic, 0, new, [int(time.time() * 1000)] * len(new))

        def expire() -> None:
            self.alter(topic, retention_ms="600000")
            eventually(lambda: self.offset(topic, 0, EARLIEST) == len(old))

        return expire

    # Frames

    def read(self, **options: Any) -> DataFrame:
        """A batch of `format("kafka")`. In the names of options that begin with `kafka_`, `_` stands for a dot."""
        return self.spark.read.format("kafka").options(**self._options(options)).load()

    def stream(self, **options: Any) -> DataFrame:
        return self.spark.readStream.format("kafka").options(**self._options(options)).load()

    def write(self, frame: DataFrame, **options: Any) -> None:
        frame.write.format("kafka").options(**self._options(options)).save()

    def _options(self, options: Mapping[str, Any]) -> dict[str, str]:
        named = {
            name.replace("_", ".") if name.startswith("kafka_") else name: str(value) for name, value in options.items()
        }
        return {"kafka.bootstrap.servers": self.bootstrap_servers, "kafka.fetch.max.wait.ms": FETCH_WAIT_MS} | named

    # What a test sees

    def saw(self, name: str, value: Any) -> None:
        """Say what was seen, in plain values and in an order that does not depend on chance."""
        self._observed(name, value)

    def rows(self, frame: DataFrame) -> list[Row]:
        """Every record of a frame, in order; one that came twice is there twice."""
        found = frame.selectExpr("partition", "offset", "CAST(value AS STRING)").collect()
        ordered = sorted(Row(*row) for row in found)
        self.saw("rows", ordered)
        return ordered

    def values(self, frame: DataFrame) -> list[str]:
        """The values alone, in the order of `rows`."""
        return [row.value for row in self.rows(frame)]

    def ends(self, query: StreamingQuery, topic: str) -> list[list[int]]:
        """The end offsets of each micro-batch, by partition."""
        found = [
            [end for _, end in sorted(entry["sources"][0]["endOffset"][topic].items())] for entry in progress(query)
        ]
        self.saw("ends", found)
        return found

    @contextmanager
    def refused(self, message: str, kind: type[Exception] = Exception) -> Iterator[None]:
        """What is done here fails with a message that has this pattern in it, because of the same errors of Kafka."""
        with pytest.raises(kind, match=message) as caught:
            yield
        self.saw("refused", [message, caught.typename, set(KAFKA_ERROR.findall(str(caught.value)))])

    # Queries

    def start(self, frame: DataFrame, name: str = "found", **trigger: Any) -> StreamingQuery:
        """Start a query into a table in memory; `rows(bench.table(query))` is what came."""
        writer = frame.writeStream.format("memory").queryName(f"{name}_{id(frame)}_{len(self._queries)}")
        return self.keep((writer.trigger(**trigger) if trigger else writer).start())

    def start_files(self, frame: DataFrame, **trigger: Any) -> StreamingQuery:
        """Start, or start again, a query into files, which takes each micro-batch once; see `files`."""
        writer = frame.writeStream.format("parquet").option("checkpointLocation", str(self.scratch / "checkpoint"))
        return self.keep((writer.trigger(**trigger) if trigger else writer).start(str(self.scratch / "files")))

    def keep(self, query: StreamingQuery) -> StreamingQuery:
        self._queries.append(query)
        return query

    def table(self, query: StreamingQuery) -> DataFrame:
        return self.spark.table(str(query.name))

    def files(self) -> DataFrame:
        return self.spark.read.parquet(str(self.scratch / "files"))


def _record(message: Any) -> Record:
    headers = tuple(message.headers() or ())
    return Record(message.partition(), message.offset(), message.key(), message.value(), headers)


def finish(query: StreamingQuery) -> None:
    """Wait until a query that ends by itself (availableNow) is done. Raises what it failed with."""
    assert query.awaitTermination(int(WAIT_S))


def progress(query: StreamingQuery) -> list[dict[str, Any]]:
    """What Spark says of each micro-batch that read something, oldest first."""
    told = [json.loads(entry.json) for entry in query.recentProgress]
    return [entry for entry in told if entry["numInputRows"]]
