"""Replicas move between two log directories: Kafka's tools, writers meanwhile, brokers that are killed in between."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType

from compat_tests.clients.java_tools.tools import LOG_DIRS, Tools
from compat_tests.hand_over.test_several_directories import PARTITIONS, Pair
from compat_tests.hand_over.walk import CLIENT_TIMEOUT_S
from tests.waiting import wait_until

REASSIGN = "org.apache.kafka.tools.reassign.ReassignPartitionsCommand"
TOPIC = "moving"
RECORDS = 2_000
KEY = "k" * 2_000
"""With it a replica is more than is copied at once, so that a throttled move takes long."""
THROTTLE = "replica.alter.log.dirs.io.max.bytes.per.second"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    made = Pair(tmp_path)
    try:
        yield made
    finally:
        made.kafka.close()


def folders(pair: Pair) -> list[list[str]]:
    """Which partitions each directory has, and how: as they are, or their future replicas."""
    return [
        sorted(
            name.partition(".")[0] + ("" if name.partition(".")[1] == "" else name[name.rindex("-") :])
            for name in (each.name for each in path.iterdir())
            if name.startswith(f"{TOPIC}-") and not name.endswith("-delete")
        )
        for path in pair.paths
    ]


def plan(pair: Pair, target: int) -> Path:
    """Everything into one directory."""
    partitions = [
        {"topic": TOPIC, "partition": index, "replicas": [1], "log_dirs": [str(pair.paths[target])]}
        for index in range(PARTITIONS)
    ]
    path = pair.folder / "plan.json"
    path.write_text(json.dumps({"version": 1, "partitions": partitions}))
    return path


def reassign(pair: Pair, target: int, *more: str) -> list[str]:
    tools = Tools(pair.address, pair.folder)
    said = tools.run(REASSIGN, "--reassignment-json-file", str(plan(pair, target)), *more)
    return sorted(line.strip() for line in said.splitlines() if line.strip())


def is_done(pair: Pair, target: int) -> bool:
    return "still in progress" not in " ".join(reassign(pair, target, "--verify"))


class Writer(threading.Thread):
    """Writes numbers into all partitions until `end`; `count`: so many into each."""

    def __init__(self, address: str, begin: int) -> None:
        super().__init__()
        self._producer = Producer({"bootstrap.servers": address, "linger.ms": 1, "enable.idempotence": True})
        self._ends = threading.Event()
        self.failed: list[str] = []
        self.count = begin

    def run(self) -> None:
        while not self._ends.is_set():
            for partition in range(PARTITIONS):
                self._producer.produce(
                    TOPIC, str(self.count), partition=partition,
                    on_delivery=lambda error, _message: self.failed.append(str(error)) if error else None,
                )  # fmt: skip
            self.count += 1
            self._producer.poll(0.001)

    def end(self) -> int:
        self._ends.set()
        self.join()
        assert self._producer.flush(CLIENT_TIMEOUT_S) == 0
        assert self.failed == []
        return self.count


def fill(pair: Pair) -> None:
    """In order: what is sent again, because a new partition has no leader yet, would come behind what follows."""
    producer = Producer({"bootstrap.servers": pair.address, "linger.ms": 50, "enable.idempotence": True})
    for number in range(RECORDS):
        for partition in range(PARTITIONS):
            producer.produce(TOPIC, str(number), KEY, partition=partition)
        producer.poll(0)
    assert producer.flush(CLIENT_TIMEOUT_S) == 0


def clear_throttle(pair: Pair) -> None:
    resource = ConfigResource(
        ResourceType.BROKER,
        "1",
        incremental_configs=[ConfigEntry(THROTTLE, "", incremental_operation=AlterConfigOpType.DELETE)],
    )
    admin = AdminClient({"bootstrap.servers": pair.address})
    for future in admin.incremental_alter_configs([resource]).values():
        future.result(CLIENT_TIMEOUT_S)


def numbers(count: int) -> list[list[str]]:
    return [[str(number) for number in range(count)]] * PARTITIONS


@pytest.mark.parametrize("turn", ["by_kafka", "by_us"])
def test_the_tools_move_replicas_while_a_producer_writes(pair: Pair, turn: str) -> None:
    with getattr(pair, turn)():
        pair.create(TOPIC)
        fill(pair)
        writer = Writer(pair.address, RECORDS)
        writer.start()
        said = reassign(pair, 0, "--execute", "--replica-alter-log-dirs-throttle", "10000000")
        wait_until(lambda: is_done(pair, 0), CLIENT_TIMEOUT_S)
        said += reassign(pair, 0, "--verify")
        count = writer.end()
        assert [len(each[-1]) for each in pair.described(TOPIC)] == [PARTITIONS, 0]
        tools = Tools(pair.address, pair.folder)
        described = json.loads(tools.run(LOG_DIRS, "--describe", "--topic-list", TOPIC).splitlines()[-1])
        found = {each["logDir"]: len(each["partitions"]) for each in described["brokers"][0]["logDirs"]}
        assert found == {str(pair.paths[0]): PARTITIONS, str(pair.paths[1]): 0}
        assert pair.values(TOPIC, count) == numbers(count)
    assert folders(pair) == [[f"{TOPIC}-{index}" for index in range(PARTITIONS)], []]
    moved = [line for line in said if "log dir" in line or "replica " in line]
    assert any(line.startswith("Reassignment of replica") and "completed" in line for line in moved), said


@pytest.mark.parametrize(("first", "second"), [("by_kafka", "by_us"), ("by_us", "by_kafka"), ("by_us", "by_us")])
def test_a_move_goes_on_when_a_broker_was_killed(pair: Pair, first: str, second: str) -> None:
    with pair.by_kafka():
        pair.create(TOPIC)
        fill(pair)
    moved = [f"{TOPIC}-{index}" for index in range(PARTITIONS)]
    there = folders(pair)[0]
    with getattr(pair, first)(is_killed=True):
        reassign(pair, 0, "--execute", "--replica-alter-log-dirs-throttle", "1")
        assert not is_done(pair, 0)
        assert folders(pair)[0] == sorted([*there, *(f"{each}-future" for each in moved if each not in there)])
        pair.produce(TOPIC, 1)
    with getattr(pair, second)():
        clear_throttle(pair)
        wait_until(lambda: is_done(pair, 0), CLIENT_TIMEOUT_S)
        assert folders(pair) == [moved, []]
        found = pair.values(TOPIC, RECORDS + 1)
        assert found == [[*each, "0"] for each in numbers(RECORDS)]
