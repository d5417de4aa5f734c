"""`python -m benchmarks.group_turns`: the longest turns of a broker's loop that large groups and their offsets cost.

A topic of half a million committed offsets is deleted, as many offsets expire or are only looked at, leadership of
their partition goes or comes, 50,000 groups are listed and some of them described, one request commits 5,000 offsets,
and a group of 1,000 members joins, syncs, is described and joins anew. A turn is what the broker
does between two looks at its sockets. Times are CPU times of the thread, which a busy machine leaves alone.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.loading import PARTITIONS_OF_A_GROUP, fill, is_loading, started
from kafkacompat.broker.connection import Connection
from kafkacompat.now import Now
from kafkacompat.protocol.headers import RequestHeader, decode_response_header, encode_request_header
from kafkacompat.protocol.headers import response_header_is_flexible as is_flexible
from kafkacompat.protocol.messages import (
    create_topics,
    delete_topics,
    describe_groups,
    heartbeat,
    join_group,
    list_groups,
    offset_commit,
    sync_group,
)
from kafkacompat.server.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

OFFSETS = 500_000
OFFSETS_LET_GO = 200_000
MEMBERS = 1_000
GROUPS, GROUPS_DESCRIBED = 50_000, 5_000
PARTITIONS_COMMITTED = 5_000
EIGHT_DAYS_MS = 8 * 24 * 3_600_000
CHECK_INTERVAL_MS = 600_000
REBALANCE_TIMEOUT_MS = 60_000
SETTLES_AFTER_TURNS = 3
"""So many turns without anything due end a case."""


class Loop:
    """A broker whose turns are timed. Its clock can be put forward."""

    def __init__(self, data_dir: str, settings: Mapping[str, str] | None = None) -> None:
        self.broker, self.partition = started(data_dir, settings)
        self.clock = SystemClock()
        self.ahead_ms = 0
        self.turns: list[float] = []

    def now(self) -> Now:
        now = self.clock.now()
        return Now(now.monotonic_ms + self.ahead_ms, now.wall_ms + self.ahead_ms)

    def turn(self, action: Callable[[Now], object]) -> None:
        now = self.now()
        since = time.thread_time()
        action(now)
        self.broker.after_event(now)
        self.broker.flusher.flush_inline(now)  # whose end may be what an answer or a change of metadata waits for
        self.turns.append((time.thread_time() - since) * 1000)

    def settle(self) -> None:
        """Run the timers until nothing is due any more."""
        idle = 0
        while idle < SETTLES_AFTER_TURNS:
            deadline = self.broker.timers.next_deadline_ms()
            is_due = deadline is not None and deadline <= self.now().monotonic_ms
            idle = 0 if is_due else idle + 1
            if is_due:
                self.turn(self.broker.timers.run)
            else:
                time.sleep(0.001)

    def ask(self, api: Any, version: int, request: Any) -> list[Any]:
        """Send a request; its answer is in the list when it comes."""
        parts: list[Any] = [encode_request_header(RequestHeader(api.API_KEY, version, 1, "benchmark"))]
        api.encode_request(request, version, parts)
        frame = b"".join(map(bytes, parts))
        answers: list[Any] = []

        def reply(found: list[Any] | None) -> None:
            data = b"".join(map(bytes, found or ()))
            answers.append(data)

        self.turn(lambda now: self.broker.dispatch(frame, Connection(1, "127.0.0.1", "PLAINTEXT"), now, reply))
        return answers

    def create(self, name: str, partitions: int) -> None:
        topic = create_topics.CreatableTopic(name, partitions, 1)
        answers = self.ask(create_topics, 7, create_topics.CreateTopicsRequest([topic], 10_000))
        self.settle()
        assert decoded(create_topics, 7, answers[0]).topics[0].error_code == 0

    def fill(self, count: int, *, of_topic: bool = True) -> None:
        if of_topic:
            self.create("orders", PARTITIONS_OF_A_GROUP)
        fill(self.partition, count, 10**9, self.now())
        self.load()

    def load(self) -> None:
        self.broker.groups.on_resigned(self.partition, self.now())
        self.broker.groups.on_elected(self.partition, self.now())
        self.settle()
        while is_loading(self.broker):
            self.settle()

    def begin(self) -> None:
        """What comes now is measured."""
        gc.collect()
        gc.freeze()  # as `kafkacompat serve` does after its start
        self.turns.clear()

    def report(self, case: str) -> None:
        turns = sorted(self.turns)
        print(f"{case:48} turns {len(turns):6}  longest {turns[-1]:8.1f} ms  all {sum(turns):8.0f} ms CPU", flush=True)


def decoded(api: Any, version: int, data: bytes) -> Any:
    _, position = decode_response_header(data, is_flexible(api.API_KEY, version))
    return api.decode_response(data, position, version)


def delete_topic(loop: Loop, count: int) -> None:
    loop.fill(count)
    loop.begin()
    request = delete_topics.DeleteTopicsRequest([delete_topics.DeleteTopicState("orders")], timeout_ms=10_000)
    loop.ask(delete_topics, 6, request)
    loop.settle()
    loop.report(f"a topic with {count} offsets is deleted")


def look_at_offsets(loop: Loop, count: int) -> None:
    loop.fill(count, of_topic=False)
    loop.begin()
    loop.ahead_ms += CHECK_INTERVAL_MS
    loop.settle()
    loop.report(f"none of {count} offsets has expired")
    loop.begin()
    loop.ahead_ms += EIGHT_DAYS_MS
    loop.settle()
    loop.report(f"{count} offsets expire")


def let_go(loop: Loop, count: int) -> None:
    loop.fill(count, of_topic=False)
    loop.begin()
    loop.turn(lambda now: loop.broker.groups.on_resigned(loop.partition, now))
    loop.settle()
    loop.report(f"a partition with {count} offsets is let go")


def load(loop: Loop, count: int) -> None:
    loop.fill(count, of_topic=False)
    loop.broker.groups.on_resigned(loop.partition, loop.now())
    loop.settle()
    loop.begin()
    loop.turn(lambda now: loop.broker.groups.on_elected(loop.partition, now))
    while is_loading(loop.broker):
        loop.settle()
    loop.report(f"{count} offsets are loaded")


def many_groups(loop: Loop, count: int) -> None:
    fill(loop.partition, count * PARTITIONS_OF_A_GROUP, 10**9, loop.now(), every=PARTITIONS_OF_A_GROUP)
    loop.load()
    for _ in range(2):  # the first one also imports what it needs
        loop.begin()
        answers = loop.ask(list_groups, 5, list_groups.ListGroupsRequest())
        loop.settle()
        assert len(decoded(list_groups, 5, answers[0]).groups) == count
    loop.report(f"{count} groups are listed")
    names = [f"group-{number}" for number in range(GROUPS_DESCRIBED)]
    for _ in range(2):
        loop.begin()
        answers = loop.ask(describe_groups, 5, describe_groups.DescribeGroupsRequest(names))
        loop.settle()
        assert len(decoded(describe_groups, 5, answers[0]).groups) == len(names)
    loop.report(f"{len(names)} groups are described")


def large_commit(loop: Loop, count: int) -> None:
    loop.create("orders", count)
    asked = [offset_commit.OffsetCommitRequestPartition(index, 7) for index in range(count)]
    request = offset_commit.OffsetCommitRequest(
        "large", topics=[offset_commit.OffsetCommitRequestTopic("orders", partitions=asked)]
    )
    for _ in range(2):
        loop.begin()
        answers = loop.ask(offset_commit, 8, request)
        loop.settle()
        done = decoded(offset_commit, 8, answers[0]).topics[0].partitions
        assert [one.error_code for one in done] == [0] * count
    loop.report(f"{count} offsets are committed at once")


def large_group(loop: Loop, members: int) -> None:
    subscription = b"\0\0\0\0\0\1\0\6orders\xff\xff\xff\xff"

    def join(member_id: str = "") -> list[Any]:
        protocols = [join_group.JoinGroupRequestProtocol("range", subscription)]
        request = join_group.JoinGroupRequest(
            "large", 1_800_000, REBALANCE_TIMEOUT_MS, member_id, protocol_type="consumer", protocols=protocols
        )
        return loop.ask(join_group, 3, request)

    loop.begin()
    join()  # completes at once, without an initial delay; the others wait until it has not come back
    answers = [join() for _ in range(members)]
    loop.ahead_ms += REBALANCE_TIMEOUT_MS
    while not all(answers):
        loop.settle()
    loop.report(f"{members} members join a new group")
    joined = [decoded(join_group, 3, answer[0]) for answer in answers]
    leader, generation = joined[0].leader, joined[0].generation_id

    def sync(member_id: str) -> list[Any]:
        shares = [sync_group.SyncGroupRequestAssignment(one.member_id, b"x" * 100) for one in joined]
        assignments = shares if member_id == leader else []
        request = sync_group.SyncGroupRequest("large", generation, member_id, assignments=assignments)
        return loop.ask(sync_group, 3, request)

    loop.begin()
    answers = [sync(one.member_id) for one in joined if one.member_id != leader]
    answers.append(sync(leader))
    while not all(answers):
        loop.settle()
    assert {bytes(decoded(sync_group, 3, answer[0]).assignment) for answer in answers} == {b"x" * 100}
    loop.report(f"{members} members get their assignment")
    loop.begin()
    for one in joined:
        loop.ask(heartbeat, 3, heartbeat.HeartbeatRequest("large", generation, one.member_id))
    loop.report(f"{members} heartbeats")
    loop.begin()
    loop.ask(describe_groups, 5, describe_groups.DescribeGroupsRequest(["large"]))
    loop.settle()
    loop.report(f"a group of {members} is described")
    loop.begin()
    answers = [join(leader), *(join(one.member_id) for one in joined if one.member_id != leader)]
    while not all(answers):
        loop.settle()
    assert {decoded(join_group, 3, answer[0]).error_code for answer in answers} == {0}
    loop.report(f"{members} members join anew")
    joined = [decoded(join_group, 3, answer[0]) for answer in answers]
    leader, generation = joined[0].leader, joined[0].generation_id
    loop.begin()
    answers = [sync(one.member_id) for one in joined if one.member_id != leader]
    loop.turn(lambda now: loop.broker.groups.on_resigned(loop.partition, now))
    while not all(answers):
        loop.settle()
    loop.report(f"{members} wait, and leadership goes")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.group_turns", description=__doc__.splitlines()[0])
    parser.add_argument("--offsets", type=int, default=OFFSETS)
    options = parser.parse_args(arguments)
    for case, size in (
        (delete_topic, options.offsets),
        (look_at_offsets, options.offsets),
        (let_go, min(options.offsets, OFFSETS_LET_GO)),
        (load, options.offsets),
        (many_groups, GROUPS),
        (large_commit, PARTITIONS_COMMITTED),
        (large_group, MEMBERS),
    ):
        with tempfile.TemporaryDirectory(prefix="kafkacompat-") as folder:
            case(Loop(str(Path(folder) / "data")), size)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
