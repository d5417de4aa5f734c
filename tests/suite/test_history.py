"""The checker of what clients of a log saw: for each anomaly a history that shows it, and one that nearly does."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from compat_tests.chaos import history
from compat_tests.chaos.history import FAIL, INFO, OK, Assign, Commit, Operation, Poll, Send

K = "t/0"


def send(process: str, value: str, offset: int | None, status: str = OK, **more: bool) -> Send:
    return Send(process, K, value, status, offset, **more)


def poll(process: str, *reads: tuple[int, str]) -> Poll:
    return Poll(process, {K: reads})


def names(operations: Sequence[Operation]) -> set[str]:
    return {finding.anomaly for finding in history.check(operations)}


AB = [send("p", "a", 0), send("p", "b", 1)]
ABC = [*AB, send("p", "c", 2)]

SHOWN: dict[str, list[list[Operation]]] = {
    history.INCONSISTENT_OFFSETS: [
        [*AB, poll("c", (0, "a"), (1, "b")), poll("d", (0, "x"))],
        [send("p", "a", 0), send("q", "b", 0), poll("c", (0, "a")), poll("d", (0, "b"))],
    ],
    history.DUPLICATE: [
        [*AB, poll("c", (0, "a"), (1, "b"), (2, "a"))],
        [*AB, poll("c", (0, "a"), (1, "b")), poll("d", (5, "a"))],
    ],
    history.LOST_WRITE: [
        [*ABC, poll("c", (0, "a"), (2, "c"))],
        [*AB, send("q", "c", 1), poll("c", (0, "a"), (1, "c"))],  # b was there, and is another now
    ],
    history.UNSEEN: [
        [*ABC, poll("c", (0, "a"), (1, "b"))],
        [send("p", "a", None), poll("c", (0, "b"))],
        [*AB],
    ],
    history.FAILED_READ: [[send("p", "a", None, FAIL), poll("c", (0, "a"))]],
    history.POLL_SKIP: [[*ABC, poll("c", (0, "a")), poll("c", (2, "c")), poll("d", (0, "a"), (1, "b"), (2, "c"))]],
    history.INT_POLL_SKIP: [[*ABC, poll("c", (0, "a"), (2, "c")), poll("d", (0, "a"), (1, "b"), (2, "c"))]],
    history.NONMONOTONIC_POLL: [
        [*AB, poll("c", (0, "a"), (1, "b")), poll("c", (0, "a"))],
        [*AB, poll("c", (0, "a"), (1, "b")), poll("c", (1, "b"))],
    ],
    history.INT_NONMONOTONIC_POLL: [[*AB, poll("c", (0, "a"), (1, "b"), (0, "a"))]],
    history.NONMONOTONIC_SEND: [
        [send("p", "a", 1), send("p", "b", 0), poll("c", (0, "b"), (1, "a"))],
        [send("p", "a", None, INFO), send("p", "b", 0), poll("c", (0, "b"), (1, "a"))],
    ],
    history.LOST_COMMIT: [
        [
            *ABC, Commit("g1", "g", {K: 2}, INFO), Commit("g1", "g", {K: 2}, OK), Assign("g2", frozenset({K}), "g"),
            poll("g2", (1, "b"), (2, "c")), poll("d", (0, "a")),
        ],
    ],
    history.COMMIT_SKIP: [
        [
            *ABC, Commit("g1", "g", {K: 1}, INFO), Commit("g1", "g", {K: 1}, OK), Assign("g2", frozenset({K}), "g"),
            poll("g2", (2, "c")), poll("d", (0, "a"), (1, "b")),
        ],
    ],
}  # fmt: skip

HELD: dict[str, list[Operation]] = {
    "nothing": [],
    "all is read, twice": [*ABC, poll("c", (0, "a"), (1, "b")), poll("c", (2, "c")), poll("d", (0, "a"), (1, "b"))],
    "offsets with gaps": [
        send("p", "a", 3), send("p", "b", 7), poll("c", (3, "a")), poll("c", (7, "b")),
    ],
    "an unknown write is not there": [*AB, send("p", "x", None, INFO), poll("c", (0, "a"), (1, "b"))],
    "an unknown write is there": [*AB, send("p", "x", None, INFO), poll("c", (0, "a"), (1, "b"), (2, "x"))],
    "a failed write is not there": [*AB, send("p", "x", None, FAIL), poll("c", (0, "a"), (1, "b"))],
    "acknowledged without an offset": [send("p", "a", None), poll("c", (4, "a"))],
    "it goes back after an assignment": [
        *AB, poll("c", (0, "a"), (1, "b")), Assign("c", frozenset({K})), poll("c", (0, "a"), (1, "b")),
    ],
    "two processes write into each other": [
        send("p", "a", 0), send("q", "b", 1), send("p", "c", 2), poll("c", (0, "a"), (1, "b"), (2, "c")),
    ],
    "twice by a producer that may": [
        send("p", "a", 2, is_idempotent=False), send("q", "b", 1), poll("c", (0, "a"), (1, "b"), (2, "a")),
    ],
    "a write of a producer without order that was refused by one leader and taken by the next": [
        send("p", "a", 1, is_idempotent=False), send("p", "b", 0, is_idempotent=False), poll("c", (0, "b"), (1, "a")),
    ],
    "a late write of a producer without order": [
        send("p", "a", None, INFO, is_idempotent=False), send("p", "b", 0), poll("c", (0, "b"), (1, "a")),
    ],
    "keys do not mix": [
        send("p", "a", 0), Send("p", "t/1", "b", OK, 0), poll("c", (0, "a")), Poll("c", {"t/1": [(0, "b")]}),
    ],
    "a group goes on": [
        *ABC, Assign("g1", frozenset({K}), "g"), poll("g1", (0, "a")), Commit("g1", "g", {K: 1}, INFO),
        Commit("g1", "g", {K: 1}, OK), Assign("g2", frozenset({K}), "g"), poll("g2", (1, "b"), (2, "c")),
    ],
    "a commit that nobody knows of, done": [
        *ABC, Assign("g1", frozenset({K}), "g"), poll("g1", (0, "a"), (1, "b")), Commit("g1", "g", {K: 2}, INFO),
        Assign("g2", frozenset({K}), "g"), poll("g2", (2, "c")),
    ],
    "a commit that nobody knows of, not done": [
        *AB, Assign("g1", frozenset({K}), "g"), poll("g1", (0, "a"), (1, "b")), Commit("g1", "g", {K: 2}, INFO),
        Assign("g2", frozenset({K}), "g"), poll("g2", (0, "a"), (1, "b")),
    ],
    "a late commit of before takes a group back": [
        *ABC, poll("d", (0, "a"), (1, "b"), (2, "c")), Commit("g1", "g", {K: 1}, INFO), Commit("g1", "g", {K: 2}, INFO),
        Commit("g1", "g", {K: 2}, OK), Assign("g2", frozenset({K}), "g"), poll("g2", (1, "b"), (2, "c")),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", history.ANOMALIES)
def test_each_anomaly_is_found(name: str) -> None:
    assert SHOWN[name]
    for operations in SHOWN[name]:
        assert name in names(operations), operations


@pytest.mark.parametrize("name", HELD)
def test_what_may_be_is_none(name: str) -> None:
    assert history.check(HELD[name]) == []


def long_history(rng: random.Random, count: int = 300) -> list[Operation]:
    """Three producers, two readers of everything in pieces, and writes of which nobody knows."""
    log: list[str] = []
    operations: list[Operation] = []
    for n in range(count):
        process = f"p{rng.randrange(3)}"
        value = f"{process}.{n}"
        fate = rng.random()
        if fate < 0.9:
            operations.append(send(process, value, len(log)))
            log.append(value)
        elif fate < 0.95:
            operations.append(send(process, value, None, INFO))
            log += [value] if rng.random() < 0.5 else []
        else:
            operations.append(send(process, value, None, FAIL))
    for process in ("c", "d"):
        at = 0
        while at < len(log):
            end = min(len(log), at + rng.randint(1, 20))
            operations.append(poll(process, *((offset, log[offset]) for offset in range(at, end))))
            at = end
    return operations


@pytest.mark.parametrize("seed", range(20))
def test_a_seeded_loss_is_found(seed: int) -> None:
    """A long history that holds has no finding; with one acknowledged value taken out of all reads it has."""
    rng = random.Random(seed)
    operations = long_history(rng)
    assert history.check(operations) == []
    read = {value for one in operations if isinstance(one, Poll) for _, value in one.reads[K]}
    lost = rng.choice([one.value for one in operations if isinstance(one, Send) and one.status == OK][:-1])
    assert lost in read
    without = [
        Poll(one.process, {K: [pair for pair in one.reads[K] if pair[1] != lost]}) if isinstance(one, Poll) else one
        for one in operations
    ]
    assert {history.LOST_WRITE, history.UNSEEN} <= names(without)


@pytest.mark.parametrize("seed", range(20))
def test_a_seeded_swap_is_found(seed: int) -> None:
    """Two values that changed places for one reader alone."""
    rng = random.Random(seed)
    operations = long_history(rng)
    at = rng.choice([n for n, one in enumerate(operations) if isinstance(one, Poll) and len(one.reads[K]) > 1])
    polled = operations[at]
    assert isinstance(polled, Poll)
    (one, first), (two, second), *rest = polled.reads[K]
    operations[at] = Poll(polled.process, {K: [(one, second), (two, first), *rest]})
    assert history.INCONSISTENT_OFFSETS in names(operations)
