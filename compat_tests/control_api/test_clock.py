"""A Java producer and a Java member of a group live through jumps of the clock, and while it stands still.

The clock is that of brokers in the process of the test, so these tests know no other broker.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from compat_tests.clients.java.resident import Resident
from compat_tests.clients.java.using import java_client
from compat_tests.clients.program import Running
from compat_tests.clients.verbs import Client, Member
from kafkacompat import Cluster

VERSION = "4.3.1"
EVERY_MS = 20
GROUP, TOPIC = "billing", "orders"


class Work:
    """A producer with the client's defaults (idempotent, acks=all) and a member that reads what it writes."""

    def __init__(self, kafka: Cluster, producer: Running, member: Member) -> None:
        self.kafka = kafka
        self.member = member
        self._producer = producer
        self.acked = 0
        self.errors: list[str] = []

    def look(self) -> None:
        """Take in what both have said."""
        self.member.look()
        assert self.member.errors == []
        while (answer := self._producer.take()) is not None:
            self.acked += "acked" in answer
            self.errors += [answer["error"]] if "error" in answer else []

    def go_on(self, records: int = 25) -> None:
        """Wait until that many more are acknowledged and read."""
        self.look()
        acked, read = self.acked, len(self.member.records)
        deadline_s = time.monotonic() + 60
        while self.acked < acked + records or len(self.member.records) < read + records:
            assert time.monotonic() < deadline_s, f"{self.acked - acked} acked, {len(self.member.records) - read} read"
            self.look()
        assert self.errors == []

    @property
    def offsets(self) -> list[int]:
        """What the member has read, in order."""
        return [offset for _, offset, _ in self.member.records]

    def connections(self) -> set[tuple[int, int]]:
        """The connections of both."""
        return {
            (each.broker, each.connection) for each in self.kafka.connections() if "java" in each.client_software_name
        }


@pytest.fixture(scope="module")
def program() -> Iterator[Resident]:
    found = java_client(VERSION)
    yield found
    found.close()


@pytest.fixture(params=[1, 3])
def work(request: pytest.FixtureRequest, program: Resident) -> Iterator[Work]:
    topic = {"partitions": 1, "replicas": request.param, "configs": {"retention.ms": "-1"}}  # clients' clocks stay
    with Cluster(topics={TOPIC: topic}, brokers=request.param) as kafka:
        client = Client(program, kafka.bootstrap_servers)
        steady = {"bootstrap_servers": kafka.bootstrap_servers, "topic": TOPIC, "every_ms": EVERY_MS}
        with client.member(GROUP, [TOPIC], "range") as member, program.start("steady", **steady) as producer:
            found = Work(kafka, producer, member)
            found.go_on()
            yield found


def test_a_jump_of_a_year_without_sessions_is_not_noticed(work: Work) -> None:
    connections, changes = work.connections(), work.member.changes
    assert connections
    for _ in range(3):
        assert work.kafka.clock.advance(days=365, sessions=False).fired == ()
        work.go_on()
    assert work.connections() == connections, "no connection was closed"
    assert work.member.changes == changes, "there was no rebalance"
    assert work.offsets == list(range(len(work.offsets))), "it lost no record, and got none twice"
    read = len(work.offsets)
    work.member.commit()
    assert work.kafka.groups()[GROUP].offset(TOPIC, 0) >= read


def test_a_clock_that_stands_still_is_not_noticed(work: Work) -> None:
    changes = work.member.changes
    work.kafka.clock.freeze()
    work.go_on(100)
    work.member.commit()
    work.kafka.clock.resume()
    work.go_on()
    assert work.member.changes == changes
    assert work.offsets == list(range(len(work.offsets)))


def test_a_member_whose_session_ended_joins_again_and_goes_on_at_what_it_committed(work: Work) -> None:
    work.member.commit()
    committed = work.kafka.groups()[GROUP].offset(TOPIC, 0)
    changes = work.member.changes
    fired = work.kafka.clock.advance(minutes=5).fired
    assert any(line.startswith("session of member") for line in fired)
    work.member.wait(lambda: work.member.changes >= changes + 2 and bool(work.member.owned))
    work.go_on()
    (back,) = [at for at in range(1, len(work.offsets)) if work.offsets[at] != work.offsets[at - 1] + 1] or [None]
    assert back is None or work.offsets[back] == committed, "it began again at its committed offset"
    assert sorted(set(work.offsets)) == list(range(max(work.offsets) + 1)), "it lost no record"


def test_after_a_year_a_group_without_members_has_forgotten_its_place(work: Work) -> None:
    """As in Kafka: its offsets expire a week after its last member went (`offsets.retention.minutes`)."""
    work.member.commit()
    work.kafka.clock.advance(days=365)
    changes = work.member.changes
    work.member.wait(lambda: work.offsets.count(0) == 2)
    assert work.member.changes > changes
    work.go_on()
