"""What a client's program can be told, from the tests' side: records out and in, members of groups, admin actions.

Every verb is given `bootstrap_servers`. Beside that, and what it answers:

`produce` {topic, acks: 0|1|-1, compression: none|gzip|snappy|lz4|zstd, idempotent: bool,
  records: [{partition: int|null, key, value, headers: [[name, bytes|null], ...], timestamp_ms: int|null}]}
  -> for each record in order {partition, offset} (offset -1 with acks 0) or {error}.
`consume` {topic, partitions: [int], offset: "earliest"|"latest"|int, count, timeout_ms}, assigned by hand, no group
  -> for each record {partition, offset, key, value, headers, timestamp_ms}, then {done: count} or {error}.
`group` {group, topics, instance: str|null, assignor, session_timeout_ms, from: "earliest"}, heartbeats every 200 ms
  -> as it happens {event: "assigned", partitions: [[topic, partition], ...]} with all that it owns now,
  {event: "revoked", partitions} with what it no longer owns, {event: "record", topic, partition, offset, value},
  {event: "error", error}. A line `commit` on standard input commits what was given out: {event: "committed"}.
  At the end of standard input it leaves, and the last line is {event: "left"}.
`admin` {action, ...} -> one line, the result or {error}; {unsupported: true} where the client has no such thing.
  create_topic {topic, partitions, configs, validate_only?}   delete_topic {topic}   create_partitions {topic, total}
  describe_topic {topic} -> {partitions: [{partition, leader, replicas, isr}]}   list_topics -> {topics}
  describe_configs {topic} -> {configs: {name: value}}   alter_configs {topic, set: {name: value}}
  list_offsets {topic, partition, at: earliest|latest|timestamp_ms} -> {offset}
  delete_records {topic, partition, before} -> {low_watermark}   list_groups -> {groups}
  describe_group {group} -> {state, members}   committed {group} -> {offsets: {"topic:partition": offset}}
  delete_group {group}   describe_cluster -> {cluster_id, brokers}

An error's name is the client's own: its type or code, as its users see it.
"""

from __future__ import annotations

import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from compat_tests.clients.program import Answer, Program, Running
from compat_tests.clients.samples import Sample

Part = tuple[str, int]
"""A topic and a partition."""

SESSION_TIMEOUT_MS = 6_000
"""The shortest that a broker allows by default."""
WAIT_S = 30.0
CONSUME_TIMEOUT_MS = 15_000


class Received(NamedTuple):
    """One record as a client gave it to its user."""

    partition: int
    offset: int
    sample: Sample
    timestamp_ms: int


def to_text(data: bytes | None) -> str | None:
    return None if data is None else b64encode(data).decode()


def to_bytes(text: str | None) -> bytes | None:
    return None if text is None else b64decode(text)


def record(sample: Sample, partition: int | None = 0, timestamp_ms: int | None = None) -> dict[str, Any]:
    """A record in the arguments of `produce`."""
    headers = [[name, to_text(value)] for name, value in sample.headers]
    return {
        "partition": partition, "key": to_text(sample.key), "value": to_text(sample.value), "headers": headers,
        "timestamp_ms": timestamp_ms,
    }  # fmt: skip


def received(answer: Answer) -> Received:
    headers = tuple((name, to_bytes(value)) for name, value in answer["headers"])
    sample = Sample(to_bytes(answer["key"]), to_bytes(answer["value"]), headers)
    return Received(answer["partition"], answer["offset"], sample, answer["timestamp_ms"])


class Client:
    """A client's program and the broker it talks to."""

    def __init__(self, program: Program, bootstrap_servers: str) -> None:
        self._program = program
        self._bootstrap_servers = bootstrap_servers

    def produce(
        self,
        topic: str,
        records: Iterable[dict[str, Any]],
        *,
        acks: int = -1,
        compression: str = "none",
        idempotent: bool = False,
    ) -> list[Answer]:
        """One answer for each record, in order: `partition` and `offset`, or `error`."""
        wanted = list(records)
        answers = self._run("produce", topic=topic, records=wanted, acks=acks, compression=compression,
                            idempotent=idempotent)  # fmt: skip
        assert len(answers) == len(wanted), answers
        return answers

    def send(self, topic: str, values: Iterable[bytes | None], partition: int | None = 0, **settings: Any) -> list[int]:
        """Produce values that must arrive; their offsets."""
        answers = self.produce(topic, [record(Sample(None, value), partition) for value in values], **settings)
        assert all("error" not in answer for answer in answers), answers
        return [answer["offset"] for answer in answers]

    def consume(self, topic: str, count: int, offset: str | int = "earliest", partitions: int = 1) -> list[Received]:
        """`count` records of a topic's first `partitions`, which must come."""
        *records, last = self._run("consume", **self._wanted(topic, count, offset, partitions))
        assert last == {"done": count}, last
        assert len(records) == count
        return [received(answer) for answer in records]

    def consume_error(self, topic: str, offset: str | int) -> str:
        """The error with which consuming ends."""
        *_, last = self._run("consume", **self._wanted(topic, 1, offset, 1))
        assert "error" in last, last
        return str(last["error"])

    def consuming(self, topic: str, count: int, offset: str | int) -> Running:
        """A consumer that is still at it."""
        wanted = self._wanted(topic, count, offset, 1)
        return self._program.start("consume", bootstrap_servers=self._bootstrap_servers, **wanted)

    def _wanted(self, topic: str, count: int, offset: str | int, partitions: int) -> dict[str, Any]:
        return {
            "topic": topic, "partitions": list(range(partitions)), "offset": offset, "count": count,
            "timeout_ms": CONSUME_TIMEOUT_MS,
        }  # fmt: skip

    def ask(self, action: str, **arguments: Any) -> Answer:
        """The answer to one admin action, whatever it is."""
        (answer,) = self._run("admin", action=action, **arguments)
        return answer

    def admin(self, action: str, **arguments: Any) -> Answer:
        """The answer to an admin action that must work."""
        answer = self.ask(action, **arguments)
        assert "error" not in answer, answer
        assert "unsupported" not in answer, action
        return answer

    def admin_error(self, action: str, **arguments: Any) -> str:
        """The error with which an admin action fails."""
        answer = self.ask(action, **arguments)
        assert "error" in answer, answer
        return str(answer["error"])

    def member(
        self, group: str, topics: Sequence[str], assignor: str, instance: str | None = None,
        session_timeout_ms: int = SESSION_TIMEOUT_MS,
    ) -> Member:  # fmt: skip
        """A new member of a group. Use it as a context manager."""
        arguments = {"group": group, "topics": list(topics), "assignor": assignor, "instance": instance,
                     "session_timeout_ms": session_timeout_ms, "from": "earliest"}  # fmt: skip
        return Member(self._program.start("group", bootstrap_servers=self._bootstrap_servers, **arguments))

    def _run(self, verb: str, **arguments: Any) -> list[Answer]:
        return self._program.run(verb, bootstrap_servers=self._bootstrap_servers, **arguments)


class Member:
    """A program that is a member of a group, and what it said so far."""

    def __init__(self, running: Running) -> None:
        self._running = running
        self.owned: set[Part] = set()
        self.changes = 0
        """How often it was told that what it owns has changed."""
        self.records: list[tuple[Part, int, bytes | None]] = []
        self.committed = 0
        self.errors: list[str] = []
        self.has_left = False

    def __enter__(self) -> Member:
        self._running.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._running.__exit__(*error)

    @property
    def values(self) -> list[bytes | None]:
        """The values of what it received, in order."""
        return [value for _, _, value in self.records]

    def look(self) -> None:
        """Take in what it has said by now."""
        while (answer := self._running.take()) is not None:
            self._see(answer)

    def _see(self, answer: Answer) -> None:
        event = answer["event"]
        if event in ("assigned", "revoked"):
            parts = {(topic, partition) for topic, partition in answer["partitions"]}
            owned = parts if event == "assigned" else self.owned - parts
            self.changes += owned != self.owned
            self.owned = owned
        elif event == "record":
            part = answer["topic"], answer["partition"]
            self.records.append((part, answer["offset"], to_bytes(answer["value"])))
        elif event == "committed":
            self.committed += 1
        elif event == "error":
            self.errors.append(answer["error"])
        else:
            assert event == "left", answer
            self.has_left = True

    def wait(self, condition: Callable[[], bool], timeout_s: float = WAIT_S) -> None:
        """Take in what it says until `condition` holds. Raises AssertionError when it tells an error."""
        _wait([self], condition, timeout_s)

    def error(self, timeout_s: float = WAIT_S) -> str:
        """The first error that it tells."""
        deadline = time.monotonic() + timeout_s
        while not self.errors:
            assert time.monotonic() < deadline, f"no error: {self._state()}"
            answer = self._running.take(0.05)
            if answer is not None:
                self._see(answer)
        return self.errors[0]

    def commit(self) -> None:
        """Have it commit what it gave out, and wait until that is done."""
        before = self.committed
        self._running.send("commit")
        self.wait(lambda: self.committed > before)

    def leave(self) -> None:
        """Have it leave the group and end."""
        self._running.close_input()
        for answer in self._running.finish(WAIT_S):
            self._see(answer)
        assert self.has_left, self._state()
        assert self.errors == []

    def _state(self) -> str:
        return f"owns {sorted(self.owned)}, {len(self.records)} records, errors {self.errors}"


def settle(members: Sequence[Member], parts: int) -> None:
    """Wait until together the members own each of `parts` partitions once, and each of them owns some."""

    def settled() -> bool:
        owned = [part for member in members for part in member.owned]
        return len(owned) == len(set(owned)) == parts and all(member.owned for member in members)

    _wait(members, settled, WAIT_S)


def _wait(members: Sequence[Member], condition: Callable[[], bool], timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while True:
        for member in members:
            member.look()
            assert member.errors == []
        if condition():
            return
        assert time.monotonic() < deadline, [member._state() for member in members]
        time.sleep(0.01)
