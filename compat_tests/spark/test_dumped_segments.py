"""`format("kafkacompat-log")` beside Apache Kafka's DumpLogSegments: each batch and record of both brokers' files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from pyspark.sql import DataFrame

from compat_tests.broker_process import Broker
from compat_tests.clients.samples import eventually
from compat_tests.dumped_files import theirs
from compat_tests.spark.test_log_source import CODECS, fill, logs
from compat_tests.spark.workbench import LATEST, WAIT_S, Workbench
from kafkacompat.spark import register

PER_CODEC = 200
TRANSACTIONS = 6
FIELD = re.compile(r"(\w+): (\S+)")
BATCH_COLUMNS = {
    "file": "file", "position": "position", "baseOffset": "baseOffset", "lastOffset": "lastOffset",
    "count": "recordCount", "baseSequence": "baseSequence", "producerId": "producerId",
    "producerEpoch": "producerEpoch", "partitionLeaderEpoch": "leaderEpoch", "isTransactional": "isTransactional",
    "isControl": "isControl", "CreateTime": "maxTimestamp", "size": "sizeBytes", "compresscodec": "codec", "crc": "crc",
}  # fmt: skip
"""What the tool calls a column of the reader."""
RECORD_COLUMNS = {
    "file": "concat(topic, '-', partition)", "offset": "offset", "CreateTime": "unix_millis(timestamp)",
    "keySize": "coalesce(length(key), -1)", "valueSize": "coalesce(length(value), -1)",
    "headerKeys": "concat('[', array_join(coalesce(transform(headers, each -> each.key), array()), ','), ']')",
}  # fmt: skip
"""The same of records, and how it is made of their columns. Of the file, the name of its folder is known."""


def fields_of(dumped: str) -> Iterator[dict[str, str]]:
    """Those of each line that is a batch or a record, with the `file` they are in. Records of markers are left out."""
    file, is_control = "", False
    for line in dumped.splitlines():
        if line.startswith("Dumping "):
            file = line.removeprefix("Dumping ")
        elif line.startswith("baseOffset: "):
            found = dict(FIELD.findall(line))
            is_control = found["isControl"] == "true"
            assert found["isvalid"] == "true", line
            yield {**found, "file": file}
        elif line.startswith("| offset: ") and not is_control:
            yield {**dict(FIELD.findall(line)), "file": Path(file).parent.name}


def told(frame: DataFrame, columns: Sequence[str]) -> list[tuple[str, ...]]:
    """The rows of a frame in the tool's words, sorted."""
    return sorted(tuple(_word(field) for field in row) for row in frame.selectExpr(*columns).collect())


def _word(field: Any) -> str:
    return str(field).lower() if isinstance(field, bool) else str(field)


def write_transactions(bench: Workbench, topic: str) -> None:
    """One record each, and a marker; every third one is committed."""
    producer = Producer({"bootstrap.servers": bench.bootstrap_servers, "transactional.id": topic})
    producer.init_transactions(WAIT_S)
    for number in range(TRANSACTIONS):
        producer.begin_transaction()
        producer.produce(topic, b"v", b"k", number % 2)
        producer.flush(WAIT_S)
        (producer.abort_transaction if number % 3 else producer.commit_transaction)(WAIT_S)
    end = PER_CODEC * len(CODECS) + TRANSACTIONS  # the last marker is written behind its answer
    eventually(lambda: [bench.offset(topic, partition, LATEST) for partition in range(2)] == [end, end])


@pytest.mark.api("Produce", "AddPartitionsToTxn", "EndTxn")
@pytest.mark.each_run
@pytest.mark.spark_behaviour
def test_batches_and_records_are_those_of_kafkas_tool(
    new_broker: Callable[..., Broker], workbench: Callable[[Broker], Workbench], topic: str
) -> None:
    broker = new_broker()
    bench = workbench(broker)
    register(bench.spark)
    fill(bench, topic, PER_CODEC)
    write_transactions(bench, topic)
    broker.stop()  # which writes the high watermarks
    (directory,) = broker.data_dirs
    dumped = theirs(sorted(directory.glob(f"{topic}-?/*.log")), "--deep-iteration")
    assert (dumped.status, dumped.stderr) == (0, "")
    lines = [*fields_of(dumped.stdout)]
    expected = sorted(tuple(line[name] for name in BATCH_COLUMNS) for line in lines if "baseOffset" in line)
    batches = logs(bench, broker, subscribe=topic, level="batches")
    assert told(batches, [*BATCH_COLUMNS.values()]) == expected
    assert {row.codec for row in batches.select("codec").distinct().collect()} == {*CODECS}
    of_records = sorted(tuple(line[name] for name in RECORD_COLUMNS) for line in lines if "baseOffset" not in line)
    records = logs(bench, broker, subscribe=topic, includeHeaders=True)
    assert told(records, [*RECORD_COLUMNS.values()]) == of_records
    assert len(of_records) == 2 * PER_CODEC * len(CODECS) + TRANSACTIONS
    bench.saw("records", len(of_records))
    bench.saw("control batches", sum(line.get("isControl") == "true" for line in lines))
