"""The verifiable clients with which Apache Kafka's own system tests find lost and doubled records."""

from __future__ import annotations

import queue
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from compat_tests.clients.java_tools.tools import VERIFIABLE_CONSUMER, VERIFIABLE_PRODUCER, Tools, events

WAIT_S = 40.0
RETURN_SESSION_MS, RETURN_WAIT_S = 60_000, 90.0
"""Of a static member that comes back: a JVM has to start within its session."""


class Client:
    """A verifiable client at work. `see` is told of each event."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def look(self) -> None:
        """Take in what it has said by now."""
        while not self._lines.empty():
            for event in events(self._lines.get()):
                self.see(event)

    def see(self, event: dict[str, Any]) -> None:
        """Take in one event."""
        raise NotImplementedError

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(20)
        self._reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.look()


class Consumer(Client):
    """A verifiable consumer, and what it owns by what it said."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.owned: set[int] = set()
        self.changes = 0
        self.offsets: dict[int, list[range]] = {}
        super().__init__(process)

    def see(self, event: dict[str, Any]) -> None:
        if event["name"] == "records_consumed":
            for part in event["partitions"]:
                seen = range(part["minOffset"], part["maxOffset"] + 1)
                self.offsets.setdefault(part["partition"], []).append(seen)
        elif event["name"] in ("partitions_assigned", "partitions_revoked"):
            parts = {part["partition"] for part in event["partitions"]}
            taken = event["name"] == "partitions_assigned"
            self.owned = self.owned | parts if taken else self.owned - parts
            self.changes += 1


class Producer(Client):
    """A verifiable producer, and the offsets of what was acknowledged, by partition."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.acked: dict[int, list[int]] = {}
        super().__init__(process)

    def see(self, event: dict[str, Any]) -> None:
        if event["name"] == "producer_send_success":
            self.acked.setdefault(event["partition"], []).append(event["offset"])


@contextmanager
def consumers(tools: Tools, *arguments: Sequence[str]) -> Iterator[list[Consumer]]:
    """One verifiable consumer for each list of arguments."""
    started = [Consumer(tools.start(VERIFIABLE_CONSUMER, *one)) for one in arguments]
    try:
        yield started
    finally:
        for consumer in started:
            consumer.end()


def wait(members: Sequence[Consumer], *sizes: int, timeout_s: float = WAIT_S) -> None:
    """Until the members own so many partitions, each another set."""
    deadline = time.monotonic() + timeout_s
    while True:
        for member in members:
            member.look()
        owned = [part for member in members for part in member.owned]
        if [len(member.owned) for member in members] == list(sizes) and len(owned) == len(set(owned)):
            return
        assert time.monotonic() < deadline, [member.owned for member in members]
        time.sleep(0.02)


def produce(tools: Tools, topic: str, count: int) -> list[dict[str, Any]]:
    """What the producer says of each record that was acknowledged; all have to be."""
    output = tools.run(VERIFIABLE_PRODUCER, "--topic", topic, "--max-messages", str(count), "--acks", "-1")
    acked = [event for event in events(output) if event["name"] == "producer_send_success"]
    assert len(acked) == count
    return acked


@pytest.mark.api("Produce", "Fetch", "JoinGroup", "OffsetCommit")
def test_what_was_acknowledged_is_read_once(tools: Tools, topic: str, group: str) -> None:
    tools.create(topic, 3)
    acked = produce(tools, topic, 3000)
    assert len({(event["partition"], event["offset"]) for event in acked}) == 3000
    output = tools.run(
        VERIFIABLE_CONSUMER, "--topic", topic, "--group-id", group, "--max-messages", "3000",
        "--reset-policy", "earliest", "--verbose",
    )  # fmt: skip
    consumed = events(output)
    data = [event for event in consumed if event["name"] == "record_data"]
    assert {(e["partition"], e["offset"]) for e in data} == {(e["partition"], e["offset"]) for e in acked}
    assert sorted(int(e["value"]) for e in data) == list(range(3000))
    assert any(event["name"] == "offsets_committed" and event["success"] for event in consumed)


@pytest.mark.full
@pytest.mark.api("JoinGroup", "SyncGroup", "LeaveGroup", "Fetch")
def test_members_share_and_hand_over(tools: Tools, topic: str, group: str) -> None:
    """Two members share four partitions; when one goes the other reads on alone, and nothing is lost or read twice."""
    tools.create(topic, 4)
    arguments = ["--topic", topic, "--group-id", group, "--reset-policy", "earliest", "--session-timeout", "6000"]
    with consumers(tools, arguments, arguments) as (first, second):
        wait([first, second], 2, 2)
        acked = produce(tools, topic, 400)
        first.end()
        wait([second], 4)
        acked += produce(tools, topic, 400)
        expected = sorted((event["partition"], event["offset"]) for event in acked)
        deadline = time.monotonic() + WAIT_S
        while len(read([first, second])) < len(expected):
            assert time.monotonic() < deadline
            time.sleep(0.05)
            second.look()
        assert read([first, second]) == expected


def read(members: Sequence[Consumer]) -> list[tuple[int, int]]:
    """Partition and offset of each record that the members read, in order."""
    return sorted(
        (partition, offset)
        for member in members for partition, ranges in member.offsets.items() for one in ranges for offset in one
    )  # fmt: skip


@pytest.mark.api("JoinGroup", "SyncGroup")
def test_static_member_is_killed_and_comes_back(tools: Tools, topic: str, group: str) -> None:
    """A static member that is killed keeps its partitions until its session ends: back in time, nobody rebalances."""
    tools.create(topic, 4)
    common = ["--topic", topic, "--group-id", group, "--reset-policy", "earliest"]
    common += ["--session-timeout", str(RETURN_SESSION_MS)]
    one, two = [*common, "--group-instance-id", "one"], [*common, "--group-instance-id", "two"]
    with consumers(tools, one, two) as (first, second):
        wait([first, second], 2, 2, timeout_s=RETURN_WAIT_S)
        owned, changes = first.owned, second.changes
        first.process.kill()
        first.process.wait()
        with consumers(tools, one) as (again,):
            wait([again, second], 2, 2, timeout_s=RETURN_WAIT_S)
            assert again.owned == owned
            assert second.changes == changes


@pytest.mark.full
@pytest.mark.api("JoinGroup", "SyncGroup", "Heartbeat")
def test_killed_member_is_missed_after_its_session(tools: Tools, topic: str, group: str) -> None:
    tools.create(topic, 4)
    arguments = ["--topic", topic, "--group-id", group, "--reset-policy", "earliest", "--session-timeout", "6000"]
    with consumers(tools, arguments, arguments) as (first, second):
        wait([first, second], 2, 2)
        killed_s = time.monotonic()
        first.process.kill()
        wait([second], 4)
        assert time.monotonic() - killed_s > 2
