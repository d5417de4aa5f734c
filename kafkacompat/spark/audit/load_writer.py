"""`load` on Spark: each task is a producer that writes at a steady rate, and keeps a ledger of what it was told."""

from __future__ import annotations

import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple
from uuid import uuid4

from pyspark import TaskContext

from kafkacompat.client.errors import ClientError
from kafkacompat.client.producing import OutgoingRecord, Producer
from kafkacompat.spark.archives.kafka_properties import client_of
from kafkacompat.spark.audit.audit_findings import AuditError
from kafkacompat.spark.audit.ledger_files import ACKNOWLEDGED, UNKNOWN, ledger_line, value_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

CLIENT_ID = "kafkacompat-load"
TICK_S = 0.1
"""How often a producer writes what is due."""
MAX_PER_TICK = 20_000


class LoadSpec(NamedTuple):
    """What is written. `rate`: records a second of all producers together. `ledger`: a folder, seen by all tasks.
    `properties`: those of Kafka's clients, as for an archive.
    """

    bootstrap_servers: str
    topic: str
    ledger: str
    rate: float = 1000.0
    duration_s: float = 10.0
    producers: int = 2
    value_bytes: int = 100
    properties: Mapping[str, str] = {}


class LoadReport(NamedTuple):
    """What came of it: writes by how they ended, and producers that began anew behind a failure."""

    acknowledged: int
    unknown: int
    failures: int


def load(spark: SparkSession, spec: LoadSpec) -> LoadReport:
    """Write, and keep the ledger. Raises AuditError if it exists, ClientError if there is no topic."""
    folder = Path(spec.ledger)
    if folder.exists() and any(folder.iterdir()):
        raise AuditError(f"{spec.ledger} is there already: a ledger is of one run")
    with client_of(spec.bootstrap_servers, spec.properties, CLIENT_ID) as client:
        client.partitions(spec.topic)
    folder.mkdir(parents=True, exist_ok=True)
    run_id = uuid4().hex[:8]
    tasks = spark.sparkContext.parallelize(range(spec.producers), spec.producers)
    parts: list[LoadReport] = tasks.map(lambda number: Writer(spec, writer_name(run_id, number)).run()).collect()
    return LoadReport(*(sum(column) for column in zip(*parts, strict=True)))


def writer_name(run_id: str, number: int) -> str:
    """Of a writer in a task. One that Spark starts again, after its executor was lost, gets another name: with the same
    it would write the same values again, over the ledger of what was acknowledged before.
    """
    context = TaskContext.get()
    assert context is not None, "in a task"
    return f"{run_id}-{number}-{context.taskAttemptId()}"


class Writer:
    """One producer. Behind a failure it goes on under another name: what was not answered may still come to be."""

    def __init__(self, spec: LoadSpec, name: str) -> None:
        self._spec, self._name = spec, name
        self._acknowledged = self._unknown = self._failures = self._sequence = 0

    def run(self) -> LoadReport:
        """Write for the time of the spec. Raises ClientError if there is no such topic or no broker at first."""
        spec = self._spec
        path = Path(spec.ledger, f"{self._name}.jsonl")
        with (
            client_of(spec.bootstrap_servers, spec.properties, CLIENT_ID) as client,
            path.open("w") as ledger,
        ):
            partitions = len(client.partitions(spec.topic))
            producer = Producer(client)
            began = time.monotonic()
            written = 0
            while (passed := time.monotonic() - began) < spec.duration_s:
                due = int(passed * spec.rate / spec.producers) - written
                if due > 0:
                    count = min(due, MAX_PER_TICK)
                    written += count
                    if not self._write(producer, ledger, count, partitions):
                        producer = Producer(client)
                time.sleep(TICK_S)
        return LoadReport(self._acknowledged, self._unknown, self._failures)

    def _write(self, producer: Producer, ledger: IO[str], count: int, partitions: int) -> bool:
        """Write some records. Whether the producer can go on."""
        spec, name = self._spec, f"{self._name}-{self._failures}"
        first, self._sequence = self._sequence, self._sequence + count
        sent = [(n, n % partitions, value_of(name, n, spec.value_bytes)) for n in range(first, self._sequence)]
        sent_ms, since = int(time.time() * 1000), time.monotonic()
        offsets: list[int | None]
        try:
            for _, partition, value in sent:
                producer.send(spec.topic, OutgoingRecord(None, value, partition=partition))
            offsets = [each.offset for each in producer.flush()]
            status = ACKNOWLEDGED
            self._acknowledged += count
        except ClientError:
            offsets, status = [None] * count, UNKNOWN
            self._unknown += count
            self._failures += 1
        took_ms = (time.monotonic() - since) * 1000
        ledger.writelines(
            ledger_line(spec.topic, partition, offset, name, number, value, status, sent_ms, took_ms)
            for (number, partition, value), offset in zip(sent, offsets, strict=True)
        )
        ledger.flush()
        return status == ACKNOWLEDGED
