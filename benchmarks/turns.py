"""`python -m benchmarks.turns`: the longest turn of the event loop by what is asked, at 10,000 partitions.

One turn is one callback of the loop: while it runs, every other client waits. CPU time is that of the loop's thread,
which other processes of the machine do not lengthen; wall time includes them, and the disk.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import ROOT, keep_bytecode
from compat_tests.broker_process import free_port, remove_directory, scratch_directory
from kafkacompat.broker.registry import APIS
from kafkacompat.protocol.api_keys import (
    ADD_PARTITIONS_TO_TXN,
    ALTER_PARTITION_REASSIGNMENTS,
    CREATE_TOPICS,
    DELETE_RECORDS,
    DELETE_TOPICS,
    DESCRIBE_CONFIGS,
    DESCRIBE_LOG_DIRS,
    DESCRIBE_TOPIC_PARTITIONS,
    END_TXN,
    FETCH,
    FIND_COORDINATOR,
    INIT_PRODUCER_ID,
    LIST_OFFSETS,
    METADATA,
    PRODUCE,
)
from kafkacompat.protocol.headers import (
    RequestHeader,
    decode_response_header,
    encode_request_header,
    response_header_is_flexible,
)
from kafkacompat.protocol.messages import add_partitions_to_txn as ap
from kafkacompat.protocol.messages import alter_partition_reassignments as rs
from kafkacompat.protocol.messages import create_topics as ct
from kafkacompat.protocol.messages import delete_records as dr
from kafkacompat.protocol.messages import delete_topics as dt
from kafkacompat.protocol.messages import describe_configs as dc
from kafkacompat.protocol.messages import describe_log_dirs as dl
from kafkacompat.protocol.messages import describe_topic_partitions as tp
from kafkacompat.protocol.messages import end_txn as et
from kafkacompat.protocol.messages import fetch as fe
from kafkacompat.protocol.messages import find_coordinator as fc
from kafkacompat.protocol.messages import init_producer_id as ip
from kafkacompat.protocol.messages import list_offsets as lo
from kafkacompat.protocol.messages import metadata as md
from kafkacompat.protocol.messages import produce as pr
from kafkacompat.protocol.records.builder import Record, build_batch

SMALL, BIG = 1_000, 9_000
"""So many topics with one partition and data; so many partitions of one topic."""
PRODUCERS = 1_000
TOPIC_TYPE = 2
TRANSACTION_TYPE = 1
IDLE_S = 12.0
REMOVAL_S = 15.0
CONFIGS = {
    "replica.high.watermark.checkpoint.interval.ms": "3000",
    "producer.id.expiration.check.interval.ms": "4000",
    "metadata.log.max.snapshot.interval.ms": "5000",
    "log.segment.delete.delay.ms": "1000",
    "log.initial.task.delay.ms": "1000",
}
"""What comes every minute or hour comes while we look."""
SMALL_NAMES = [f"small-{n:04}" for n in range(SMALL)]


class Broker:
    """A broker of any checkout in a process of its own, and one connection to it."""

    def __init__(self, checkout: Path, directory: Path) -> None:
        self.port = free_port()
        configs = [word for name, value in CONFIGS.items() for word in ("--config", f"{name}={value}")]
        arguments = ["--port", str(self.port), "--data-dir", str(directory), "--log-level", "error", *configs]
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("turns_child.py")), *arguments],
            env={**os.environ, "PYTHONPATH": str(checkout)}, cwd=checkout,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.process.stdout.readline()  # it is ready
        self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=600)

    def ask(self, api_key: int, version: int, request: Any) -> Any:
        """One request and its answer."""
        messages = APIS[api_key].messages
        out: list[Any] = []
        messages.encode_request(request, version, out)
        frame = encode_request_header(RequestHeader(api_key, version, 1, "turns")) + b"".join(map(bytes, out))
        self.socket.sendall(len(frame).to_bytes(4, "big") + frame)
        size = int.from_bytes(self._receive(4), "big")
        answer = self._receive(size)
        _, position = decode_response_header(answer, response_header_is_flexible(api_key, version))
        return messages.decode_response(answer, position, version)

    def _receive(self, size: int) -> bytes:
        found = bytearray()
        while len(found) < size:
            piece = self.socket.recv(size - len(found))
            if not piece:
                raise ConnectionError("the broker closed the connection")
            found += piece
        return bytes(found)

    def meter(self) -> dict[str, Any]:
        """What the child has measured since the last time."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("reset\n")
        self.process.stdin.flush()
        facts: dict[str, Any] = json.loads(self.process.stdout.readline())
        return facts

    def stop(self) -> None:
        self.socket.close()
        self.process.terminate()
        self.process.wait(600)


def _create(broker: Broker, topics: dict[str, int]) -> None:
    wanted = [ct.CreatableTopic(name, count, 1) for name, count in topics.items()]
    answer = broker.ask(CREATE_TOPICS, 7, ct.CreateTopicsRequest(topics=wanted, timeout_ms=600_000))
    assert not any(topic.error_code for topic in answer.topics), answer.topics[0]


def _delete(broker: Broker, names: list[str]) -> None:
    wanted = [dt.DeleteTopicState(name) for name in names]
    answer = broker.ask(DELETE_TOPICS, 6, dt.DeleteTopicsRequest(topics=wanted, timeout_ms=600_000))
    assert not any(topic.error_code for topic in answer.responses), answer.responses[0]


def _produce(broker: Broker) -> None:
    batch = bytes(build_batch([Record(0, int(time.time() * 1000), None, bytes(1000))], base_offset=0))
    for begin in range(0, SMALL, 100):
        topics = [
            pr.TopicProduceData(name=name, partition_data=[pr.PartitionProduceData(0, batch)])
            for name in SMALL_NAMES[begin : begin + 100]
        ]
        answer = broker.ask(PRODUCE, 9, pr.ProduceRequest(acks=-1, timeout_ms=600_000, topic_data=topics))
        assert not any(one.error_code for topic in answer.responses for one in topic.partition_responses)


def _all_metadata(broker: Broker) -> None:
    for version in (12, 12, 9, 4):
        found = broker.ask(METADATA, version, md.MetadataRequest(topics=None, allow_auto_topic_creation=False))
        assert len(found.topics) >= SMALL


def _metadata_between_changes(broker: Broker) -> None:
    for n in range(20):
        _create(broker, {f"new-{n}": 1})
        _all_metadata(broker)


def _configs(broker: Broker) -> None:
    resources = [dc.DescribeConfigsResource(TOPIC_TYPE, name, None) for name in SMALL_NAMES]
    answer = broker.ask(DESCRIBE_CONFIGS, 4, dc.DescribeConfigsRequest(resources=resources, include_synonyms=True))
    assert len(answer.results) == SMALL


def _log_dirs(broker: Broker) -> None:
    answer = broker.ask(DESCRIBE_LOG_DIRS, 4, dl.DescribeLogDirsRequest(topics=None))
    assert len(answer.results[0].topics) >= SMALL


def _offsets(broker: Broker) -> None:
    counts = {"big": BIG, **dict.fromkeys(SMALL_NAMES, 1)}
    for timestamp in (-1, -2):
        topics = [
            lo.ListOffsetsTopic(name, [lo.ListOffsetsPartition(index, -1, timestamp) for index in range(count)])
            for name, count in counts.items()
        ]
        answer = broker.ask(LIST_OFFSETS, 9, lo.ListOffsetsRequest(replica_id=-1, isolation_level=0, topics=topics))
        assert not any(one.error_code for topic in answer.topics for one in topic.partitions)


def _topic_partitions(broker: Broker) -> None:
    cursor = None
    while True:
        request = tp.DescribeTopicPartitionsRequest(topics=[], response_partition_limit=2_000, cursor=cursor)
        answer = broker.ask(DESCRIBE_TOPIC_PARTITIONS, 0, request)
        if answer.next_cursor is None:
            return
        cursor = tp.DescribeTopicPartitionsRequestCursor(
            answer.next_cursor.topic_name, answer.next_cursor.partition_index
        )


def _produce_wide(broker: Broker) -> None:
    batch = bytes(build_batch([Record(0, int(time.time() * 1000), None, bytes(100))], base_offset=0))
    topic = pr.TopicProduceData(name="big", partition_data=[pr.PartitionProduceData(n, batch) for n in range(BIG)])
    for _ in range(2):
        answer = broker.ask(PRODUCE, 9, pr.ProduceRequest(acks=-1, timeout_ms=600_000, topic_data=[topic]))
        assert not any(one.error_code for one in answer.responses[0].partition_responses)


def _fetch_wide(broker: Broker) -> None:
    wanted = [fe.FetchPartition(index, -1, 0, -1, -1, 1_000) for index in range(BIG)]
    request = fe.FetchRequest(
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=1 << 20,
        session_epoch=-1,
        topics=[fe.FetchTopic("big", partitions=wanted)],
    )
    assert len(broker.ask(FETCH, 12, request).responses[0].partitions) == BIG


def _producers(broker: Broker) -> None:
    """A session of each of many idempotent producers, in the same partition."""
    for _ in range(PRODUCERS):
        it = broker.ask(INIT_PRODUCER_ID, 4, ip.InitProducerIdRequest(None, 0))
        batch = bytes(
            build_batch(
                [Record(0, int(time.time() * 1000), None, bytes(100))],
                producer_id=it.producer_id,
                producer_epoch=it.producer_epoch,
                base_sequence=0,
            )
        )
        data = pr.TopicProduceData(name=SMALL_NAMES[0], partition_data=[pr.PartitionProduceData(0, batch)])
        answer = broker.ask(PRODUCE, 9, pr.ProduceRequest(acks=-1, timeout_ms=600_000, topic_data=[data]))
        assert not answer.responses[0].partition_responses[0].error_code


def _transaction(broker: Broker) -> None:
    """A transaction of all partitions of a topic: added and written to in one request each, and committed."""
    broker.ask(FIND_COORDINATOR, 4, fc.FindCoordinatorRequest(key_type=TRANSACTION_TYPE, coordinator_keys=["wide"]))
    while (it := broker.ask(INIT_PRODUCER_ID, 4, ip.InitProducerIdRequest("wide", 600_000))).error_code:
        time.sleep(0.05)  # the coordinator loads
    who = it.producer_id, it.producer_epoch
    topics = [ap.AddPartitionsToTxnTopic("big", list(range(BIG)))]
    added = broker.ask(ADD_PARTITIONS_TO_TXN, 3, ap.AddPartitionsToTxnRequest((), "wide", *who, topics))
    results = added.results_by_topic_v3_and_below[0].results_by_partition
    assert not any(one.partition_error_code for one in results)
    record = Record(0, int(time.time() * 1000), None, bytes(100))
    batch = bytes(
        build_batch([record], producer_id=who[0], producer_epoch=who[1], base_sequence=0, is_transactional=True)
    )
    data = pr.TopicProduceData(name="big", partition_data=[pr.PartitionProduceData(n, batch) for n in range(BIG)])
    answer = broker.ask(PRODUCE, 9, pr.ProduceRequest("wide", -1, 600_000, [data]))
    assert not any(one.error_code for one in answer.responses[0].partition_responses)
    assert not broker.ask(END_TXN, 3, et.EndTxnRequest("wide", *who, committed=True)).error_code
    while broker.ask(INIT_PRODUCER_ID, 4, ip.InitProducerIdRequest("wide", 600_000)).error_code:
        time.sleep(0.05)  # until all markers are written


def _reassign(broker: Broker) -> None:
    (node,) = broker.ask(METADATA, 12, md.MetadataRequest(topics=[])).brokers
    wanted = [rs.ReassignablePartition(index, [node.node_id]) for index in range(BIG)]
    request = rs.AlterPartitionReassignmentsRequest(600_000, topics=[rs.ReassignableTopic("big", wanted)])
    answer = broker.ask(ALTER_PARTITION_REASSIGNMENTS, 0, request)
    assert not any(one.error_code for one in answer.responses[0].partitions)


def _delete_records(broker: Broker) -> None:
    wanted = [dr.DeleteRecordsPartition(index, -1) for index in range(BIG)]
    request = dr.DeleteRecordsRequest([dr.DeleteRecordsTopic("big", wanted)], 600_000)
    assert not any(one.error_code for one in broker.ask(DELETE_RECORDS, 2, request).topics[0].partitions)


def _idle(_broker: Broker) -> None:
    time.sleep(IDLE_S)


def _removal(_broker: Broker) -> None:
    time.sleep(REMOVAL_S)


CASES = (
    ("create 1,000 topics", lambda broker: _create(broker, dict.fromkeys(SMALL_NAMES, 1))),
    ("create 9,000 partitions", lambda broker: _create(broker, {"big": BIG})),
    ("write to 1,000 partitions", _produce),
    ("Metadata of all topics", _all_metadata),
    ("… with a change before each", _metadata_between_changes),
    ("DescribeConfigs of 1,000 topics", _configs),
    ("DescribeLogDirs", _log_dirs),
    ("ListOffsets of 10,000 partitions", _offsets),
    ("DescribeTopicPartitions", _topic_partitions),
    ("write to 9,000 partitions in one request", _produce_wide),
    ("fetch of 9,000 partitions without a session", _fetch_wide),
    ("1,000 idempotent producers", _producers),
    ("a transaction of 9,000 partitions", _transaction),
    ("reassign 9,000 partitions", _reassign),
    ("DeleteRecords of 9,000 partitions", _delete_records),
    ("idle: checkpoints, expiry, snapshot", _idle),
    ("delete 9,000 partitions", lambda broker: _delete(broker, ["big"])),
    ("delete 1,000 topics", lambda broker: _delete(broker, SMALL_NAMES)),
    ("removal of their files", _removal),
)


def measure(checkout: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each case, and what the meter says of it."""
    directory = scratch_directory("turns-")
    broker = Broker(checkout, directory / "data")
    try:
        broker.meter()
        for name, case in CASES:
            begun = time.perf_counter()
            case(broker)
            seconds = time.perf_counter() - begun
            time.sleep(0.3)  # what follows on an answer belongs to it
            yield name, {**broker.meter(), "seconds": seconds}
    finally:
        broker.stop()
        remove_directory(directory)


def main() -> None:
    """Print a row for each case as it comes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.turns", description=__doc__)
    parser.add_argument("--checkout", type=Path, default=ROOT, help="the sources to measure (default: these)")
    options = parser.parse_args()
    keep_bytecode(options.checkout.resolve())
    print("| case | longest turn, CPU ms | wall ms | longest collection, ms | all turns, CPU ms | seconds | by |")
    print("|---|--:|--:|--:|--:|--:|---|")
    for name, facts in measure(options.checkout.resolve()):
        numbers = (facts[key] for key in ("cpu_ms", "wall_ms", "gc_ms", "total_cpu_ms"))
        row = " | ".join(f"{number:,.1f}" for number in numbers)
        print(f"| {name} | {row} | {facts['seconds']:.2f} | {facts['cpu_of']} |", flush=True)


if __name__ == "__main__":
    main()
