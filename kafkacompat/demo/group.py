"""The consumer group: two members start, a third joins after 1/3 of the records, the first leaves after 2/3."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from kafkacompat.demo import member
from kafkacompat.demo.errors import DemoError
from kafkacompat.demo.ledger import Ledger
from kafkacompat.demo.member import JOIN, LEAVE, READ, Left, Polled

FOUNDERS = 2
MEMBERS = 3
FOUNDING = tuple(range(FOUNDERS))
STAGES = [FOUNDING, tuple(range(MEMBERS)), tuple(range(1, MEMBERS))]
"""The members that share the partitions, stage by stage. The group has to go through all stages."""
STALL_TIMEOUT_S = 60.0
"""Longest time without a new record or a change in the group."""
WAIT_S = 1.0
LEAVE_TIMEOUT_S = 20.0
MIN_POLL_RECORDS, MAX_POLL_RECORDS, POLLS = 50, 2_000, 100
"""A poll delivers about 1/POLLS of all records, within these limits, so that members join while records are left."""


class Leader:
    """Decides what each member does next. It does not depend on processes or time.

    The group reads `total` records from `partitions` partitions. `stages` lists the sets of members that have shared
    all partitions, in order.
    """

    def __init__(self, total: int, partitions: int) -> None:
        self._total = total
        self._partitions = partitions
        self._held: dict[int, tuple[int, ...]] = dict.fromkeys(FOUNDING, ())  # partitions by active member
        self._is_over = False
        self.stages: list[tuple[int, ...]] = []

    def newcomer(self, delivered: int) -> int | None:
        """The member that has to join now that `delivered` records have been read, if any."""
        if self.stages != [FOUNDING] or delivered * 3 < self._total or MEMBERS - 1 in self._held:
            return None
        self._held[MEMBERS - 1] = ()
        return MEMBERS - 1

    def command(self, number: int, assignment: tuple[int, ...], delivered: int) -> str:
        """The command for a member that has polled and has `assignment`."""
        self._held[number] = assignment
        members = tuple(sorted(self._held))
        # at the end the members leave one by one; the assignments of the remaining ones are no stages
        if not self._is_over and self._is_settled() and self.stages[-1:] != [members]:
            self.stages.append(members)
        if self.stages == STAGES and delivered >= self._total:
            self._is_over = True
        leaves_early = number == 0 and self.stages == STAGES[:2] and delivered * 3 >= self._total * 2
        if self._is_over or leaves_early:
            del self._held[number]
            return LEAVE
        # the others continue to read while one joins: with pauses 1 of 24 runs of kafka-python 3 made no progress
        return READ

    def _is_settled(self) -> bool:
        """Whether each partition belongs to exactly one active member, and each member has partitions."""
        held = [partition for parts in self._held.values() for partition in parts]
        return len(held) == len(set(held)) == self._partitions and all(self._held.values())


class GroupReading:
    """The result of the group: deliveries, stages, and the number of records delivered to each member."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self.stages: list[tuple[int, ...]] = []
        self.delivered = [0] * MEMBERS


def read_with_group(
    bootstrap_servers: str, topic: str, group: str, total: int, partitions: int, progress: Callable[[int], None]
) -> GroupReading:
    """Read `total` records of `topic`, which has `partitions` partitions. All members have left on return.

    Raises DemoError if a member fails or there is no progress for STALL_TIMEOUT_S.
    """
    reading, leader = GroupReading(), Leader(total, partitions)
    poll_records = min(MAX_POLL_RECORDS, max(MIN_POLL_RECORDS, total // POLLS))
    with _processes(bootstrap_servers, topic, group, poll_records) as links:
        for number in FOUNDING:
            links[number].send(JOIN)
        active = set(FOUNDING)
        moved = (time.monotonic(), 0, 0)
        while active:
            for number in _ready(links, active):
                message = _receive(links[number], number)
                if isinstance(message, Left):
                    active.remove(number)
                    continue
                for partition, rows in message.rows.items():
                    reading.ledger.add(partition, rows)
                    reading.delivered[number] += len(rows)
                links[number].send(leader.command(number, message.assignment, len(reading.ledger)))
            newcomer = leader.newcomer(len(reading.ledger))
            if newcomer is not None:
                links[newcomer].send(JOIN)
                active.add(newcomer)
            progress(len(reading.ledger))
            moved = _check_moving(moved, len(reading.ledger), len(leader.stages), total)
    reading.stages = leader.stages
    return reading


def _ready(links: list[Connection], active: set[int]) -> list[int]:
    """Active members that have sent a message, in ascending order."""
    readable = wait([links[number] for number in active], WAIT_S)
    return sorted(number for number in active if links[number] in readable)


def _receive(link: Connection, number: int) -> Polled | Left:
    try:
        message: Polled | Left = link.recv()
    except (EOFError, ConnectionResetError):
        raise DemoError(f"member {number + 1} of the group ended without a word") from None
    if isinstance(message, Left) and message.failure:
        raise DemoError(f"member {number + 1} of the group failed: {message.failure}")
    return message


def _check_moving(moved: tuple[float, int, int], delivered: int, stages: int, total: int) -> tuple[float, int, int]:
    """Time of the last progress, with its records and stages. Raises DemoError if it is too long ago."""
    now = time.monotonic()
    if (delivered, stages) != moved[1:]:
        return now, delivered, stages
    if now - moved[0] > STALL_TIMEOUT_S:
        raise DemoError(
            f"nothing moved for {STALL_TIMEOUT_S:.0f} s: the group has read {delivered:,} of {total:,} records "
            f"and gone through {stages} of {len(STAGES)} stages"
        )
    return moved


@contextmanager
def _processes(bootstrap_servers: str, topic: str, group: str, poll_records: int) -> Iterator[list[Connection]]:
    """Start all members as processes that wait for their first command. On exit they are joined or killed."""
    context = multiprocessing.get_context("spawn")  # works on every system and inherits nothing from this process
    links: list[Connection] = []
    processes: list[SpawnProcess] = []
    try:
        for number in range(MEMBERS):
            ours, theirs = context.Pipe()
            process = context.Process(
                target=member.run, args=(theirs, bootstrap_servers, topic, group, poll_records),
                name=f"member-{number + 1}", daemon=True,
            )  # fmt: skip
            links.append(ours)
            process.start()
            processes.append(process)
            theirs.close()
        yield links
    finally:
        for link in links:
            link.close()
        deadline = time.monotonic() + LEAVE_TIMEOUT_S
        for process in processes:
            process.join(max(0.0, deadline - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()
