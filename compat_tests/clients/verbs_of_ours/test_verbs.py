"""`kafkacompat topic`, `produce`, `consume`, `group`, `health` and `doctor`: the same on both brokers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any, NamedTuple

import pytest
from confluent_kafka import Consumer

from compat_tests.broker_process import Broker
from kafkacompat.demo.dataset import load, locate
from kafkacompat.demo.errors import DemoError

TIMEOUT_S = 120
FLIGHTS = 2000
pytestmark = pytest.mark.api("Metadata")


class Done(NamedTuple):
    """How a verb ended."""

    status: int
    out: str
    err: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


class Verbs:
    """Runs verbs against a broker."""

    def __init__(self, servers: str) -> None:
        self._servers = servers

    def __call__(self, *arguments: str, stdin: str = "", status: int = 0) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "kafkacompat", *arguments], input=stdin, capture_output=True, text=True,
            timeout=TIMEOUT_S, env={**os.environ, "KAFKACOMPAT_BOOTSTRAP_SERVERS": self._servers},
        )  # fmt: skip
        assert done.returncode == status, done.stderr
        return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def verbs(broker: Broker) -> Verbs:
    return Verbs(broker.bootstrap_servers)


@pytest.mark.api("CreateTopics", "DescribeConfigs", "IncrementalAlterConfigs", "CreatePartitions", "DeleteTopics")
def test_the_life_of_a_topic(verbs: Verbs, topic: str) -> None:
    verbs("topic", "create", topic, "-p", "2", "-c", "retention.ms=86400000")
    assert verbs("topic", "create", topic, status=4).err.endswith("(TOPIC_ALREADY_EXISTS)\n")
    verbs("topic", "create", topic, "--if-not-exists")
    assert {"name": topic, "partitions": 2, "replicas": 1} in verbs("topic", "list", "-f", "json").rows
    (whole,) = verbs("topic", "describe", topic, "-f", "json").rows
    assert whole["configs"] == {"retention.ms": "86400000"}
    assert [row["isr"] for row in whole["partitions"]] == [[row["leader"]] for row in whole["partitions"]]
    verbs("topic", "alter", topic, "-p", "3", "-d", "retention.ms")
    assert "retention.ms,604800000,default" in verbs("topic", "describe", topic, "--configs", "-f", "csv").out
    verbs("produce", topic, "-f", "raw", "-p", "2", stdin="a\nb\nc\n")
    assert verbs("topic", "trim", topic, "-p", "2", "-o", "2", "-f", "csv").out == "partition,log_start\n2,2\n"
    assert verbs("consume", topic, "-f", "%p/%o %v %[ %]\n").out == "2/2 c 2 3\n"
    verbs("topic", "create", topic + "-wide", "-r", "9", status=7)
    verbs("topic", "delete", topic)
    verbs("topic", "describe", topic, status=3)
    verbs("topic", "delete", topic, status=3)


@pytest.mark.api("Produce", "Fetch", "InitProducerId")
def test_real_records_are_the_same_behind_produce_and_consume(verbs: Verbs, topic: str) -> None:
    try:
        records = flights()
    except DemoError as error:
        pytest.skip(str(error))
    first, second = topic + "-first", topic + "-second"
    verbs("topic", "create", first, second, "-p", "3")
    text = "".join(json.dumps(record) + "\n" for record in records)
    verbs("produce", first, "-z", "zstd", stdin=text)
    read = verbs("consume", first).rows
    assert sorted((row["key"], row["value"], row["timestamp"]) for row in read) == sorted(
        (record["key"], record["value"], record["timestamp"]) for record in records
    )
    verbs("produce", second, "-z", "gzip", stdin="".join(json.dumps(row) + "\n" for row in read))
    again = verbs("consume", second).rows
    differing = {"topic", "leader_epoch"}
    stripped = [{name: value for name, value in row.items() if name not in differing} for row in [*read, *again]]
    order = sorted(stripped[: len(read)], key=lambda row: (row["partition"], row["offset"]))
    assert order == sorted(stripped[len(read) :], key=lambda row: (row["partition"], row["offset"]))


def flights() -> list[dict[str, Any]]:
    """Flights of 2013 as the demo has them: a line of the file as the value."""
    return [
        {"key": record.key.decode(), "value": record.value.decode(), "timestamp": record.timestamp_ms,
         "headers": [[name, value.decode()] for name, value in record.headers]}
        for record in load(locate(), FLIGHTS).flights
    ]  # fmt: skip


@pytest.mark.api("ListOffsets")
def test_positions_and_filters(verbs: Verbs, topic: str) -> None:
    verbs("topic", "create", topic)
    lines = [{"key": f"k{n}", "value": str(n), "timestamp": 1_700_000_000_000 + n * 1000} for n in range(10)]
    verbs("produce", topic, stdin="".join(json.dumps(line) + "\n" for line in lines))

    def values(*arguments: str) -> str:
        return verbs("consume", topic, "-f", "%v", *arguments).out

    assert values("--tail", "3") == "789"
    assert values("-o", "@1700000003000:@1700000006000") == "345"
    assert values("-o", "+2:-5") == "234"
    assert values("--key", "[13]$") == "13"
    assert values("--from", "8", "-n", "2") == "89"
    verbs("consume", topic, "--from", "8", "-n", "3", "--wait", "0.5", status=5)


@pytest.mark.api("OffsetCommit", "OffsetFetch", "DescribeGroups", "ListGroups", "DeleteGroups", "FindCoordinator")
def test_a_group_with_members_and_without(verbs: Verbs, broker: Broker, topic: str, group: str) -> None:
    verbs("topic", "create", topic, "-p", "2")
    verbs("produce", topic, "-f", "raw", "-p", "0", stdin="a\nb\n")
    consumer = Consumer(
        {"bootstrap.servers": broker.bootstrap_servers, "group.id": group, "auto.offset.reset": "earliest",
         "client.id": "reader"}
    )  # fmt: skip
    consumer.subscribe([topic])
    for _ in range(2):
        message = consumer.poll(TIMEOUT_S)
        assert message is not None
        assert message.error() is None
    consumer.commit(asynchronous=False)
    try:
        (whole,) = verbs("group", "describe", group, "-f", "json").rows
        assert (whole["state"], whole["type"]) == ("Stable", "classic")
        (member,) = whole["members"]
        assert (member["client"], sorted(member["partitions"])) == ("reader", [f"{topic}-0", f"{topic}-1"])
        assert whole["offsets"][0]["member"] == member["member"]
        assert verbs("group", "lag", group, "--sum", "-f", "raw").out == "0\n"
        refused = verbs("group", "seek", group, "-t", topic, "--to", "start", status=7)
        assert "it has members: stop them first" in refused.err
        assert "it has members: stop them first" in verbs("group", "delete", group, status=7).err
    finally:
        consumer.close()
    verbs("group", "seek", group, "-t", topic, "--to", "start")
    assert verbs("group", "lag", group, "--sum", "-f", "raw").out == "2\n"
    assert group in verbs("group", "list", "-f", "raw").out.split()
    verbs("group", "delete", group)
    verbs("group", "describe", group, status=3)


def test_health_and_doctor(verbs: Verbs, topic: str) -> None:
    verbs("health", "-q")
    verbs("topic", "create", topic)
    findings = verbs("doctor", "--topic", topic, "--write", "-f", "json").rows
    assert [row for row in findings if row["level"] != "ok"] == []
    assert findings[-1]["text"] == f"a record was written to partition 0 of {topic} at offset 0, and read again"


@pytest.mark.since("4.0.0", "it still has the versions of old clients")
def test_doctor_knows_clients_that_are_too_old(verbs: Verbs) -> None:
    old = verbs("doctor", "--client", "java:2.0", "-f", "json", status=7).rows
    assert [row["row"] for row in old if row["level"] == "fail"] == ["client-too-old"]
