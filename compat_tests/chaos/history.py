"""What clients of a log saw, and what must not be in it: the anomalies of Jepsen's Kafka workload without transactions.

A history is a list of operations in the order in which each process began them. Values are unique for each key; a key
is one partition. The order of versions is offset → values, from all polls and all sends that were answered with an
offset, made dense: offsets that nobody ever saw do not count as gaps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

OK, FAIL, INFO = "ok", "fail", "info"
"""How an operation ended: done; surely without effect; nobody knows."""

INCONSISTENT_OFFSETS = "inconsistent-offsets"
DUPLICATE = "duplicate"
LOST_WRITE = "lost-write"
UNSEEN = "unseen"
FAILED_READ = "G1a"
POLL_SKIP, INT_POLL_SKIP = "poll-skip", "int-poll-skip"
NONMONOTONIC_POLL, INT_NONMONOTONIC_POLL = "nonmonotonic-poll", "int-nonmonotonic-poll"
NONMONOTONIC_SEND = "nonmonotonic-send"
LOST_COMMIT, COMMIT_SKIP = "lost-commit", "commit-skip"
ANOMALIES: Mapping[str, str] = {
    INCONSISTENT_OFFSETS: "one offset of a key holds two values",
    DUPLICATE: "one value is at two offsets of a key",
    LOST_WRITE: "an acknowledged value was read by nobody, and a value behind it was",
    UNSEEN: "an acknowledged value was read by nobody at the end",
    FAILED_READ: "a value was read whose write had surely failed",
    POLL_SKIP: "a process's next poll of a key leaves values out",
    NONMONOTONIC_POLL: "a process's next poll of a key goes back or stands still",
    INT_POLL_SKIP: "one poll of a key leaves values out",
    INT_NONMONOTONIC_POLL: "one poll of a key goes back or stands still",
    NONMONOTONIC_SEND: "a process's later write of a key is not behind its earlier one",
    LOST_COMMIT: "a group begins before an offset whose commit was acknowledged",
    COMMIT_SKIP: "a group begins behind every offset that it may have committed",
}
"""Each anomaly by name. A history of a broker that keeps its promises has none."""


class Send(NamedTuple):
    """One write of a process. `offset` is what an answer said, None where none did."""

    process: str
    key: str
    value: str
    status: str
    offset: int | None = None
    is_idempotent: bool = True
    """Whether the producer promises that a value is there once and behind those before, whatever it was told of them.

    Others send again when a leader says that it is none any more, though it may have written the value before that.
    """


class Poll(NamedTuple):
    """What was read in one go: offsets and values by key, as they came."""

    process: str
    reads: Mapping[str, Sequence[tuple[int, str]]]


class Assign(NamedTuple):
    """A process begins anew with some keys. `group` names whose committed offsets it goes on from, if any."""

    process: str
    keys: frozenset[str]
    group: str = ""


class Commit(NamedTuple):
    """A group's offsets, by key: the next to be read. INFO when it is asked for, then OK or FAIL if known."""

    process: str
    group: str
    offsets: Mapping[str, int]
    status: str


Operation = Send | Poll | Assign | Commit


class Finding(NamedTuple):
    """One anomaly: its name in ANOMALIES, the key, and what shows it."""

    anomaly: str
    key: str
    what: str


class Versions:
    """The order of one key's values."""

    def __init__(self, at: Mapping[int, Sequence[str]]) -> None:
        self.by_offset = at
        self.offsets = sorted(at)
        self.index_of = {offset: index for index, offset in enumerate(self.offsets)}
        self.indexes: dict[str, list[int]] = {}
        for offset, index in self.index_of.items():
            for value in at[offset]:
                self.indexes.setdefault(value, []).append(index)

    def first(self, value: str) -> int | None:
        """Dense index of a value's first appearance; None for a value whose place nobody knows."""
        found = self.indexes.get(value)
        return found[0] if found else None


def check(history: Sequence[Operation]) -> list[Finding]:
    """All anomalies of a history, by key and name."""
    versions = version_orders(history)
    found = [
        *offset_anomalies(history, versions),
        *write_anomalies(history, versions),
        *poll_anomalies(history, versions),
        *send_anomalies(history, versions),
        *group_anomalies(history),
    ]
    return sorted(found)


def version_orders(history: Iterable[Operation]) -> dict[str, Versions]:
    """Offset → values of each key, from polls and from sends that were told their offset."""
    seen: dict[str, dict[int, list[str]]] = {}
    for operation in history:
        if isinstance(operation, Poll):
            for key, reads in operation.reads.items():
                for offset, value in reads:
                    _enter(seen.setdefault(key, {}), offset, value)
        elif isinstance(operation, Send) and operation.status == OK and operation.offset is not None:
            _enter(seen.setdefault(operation.key, {}), operation.offset, operation.value)
    return {key: Versions(at) for key, at in seen.items()}


def _enter(at: dict[int, list[str]], offset: int, value: str) -> None:
    values = at.setdefault(offset, [])
    if value not in values:
        values.append(value)


def offset_anomalies(history: Iterable[Operation], versions: Mapping[str, Versions]) -> list[Finding]:
    """inconsistent-offsets and duplicate."""
    found = []
    may_be_twice = {(one.key, one.value) for one in history if isinstance(one, Send) and not one.is_idempotent}
    for key, order in versions.items():
        for offset, values in order.by_offset.items():
            if len(values) > 1:
                found.append(
                    Finding(INCONSISTENT_OFFSETS, key, f"offset {offset} holds {' and '.join(sorted(values))}")
                )
        for value, indexes in order.indexes.items():
            if len(indexes) > 1 and (key, value) not in may_be_twice:
                places = [order.offsets[index] for index in indexes]
                found.append(Finding(DUPLICATE, key, f"{value} is at offsets {sorted(places)}"))
    return found


def write_anomalies(history: Sequence[Operation], versions: Mapping[str, Versions]) -> list[Finding]:
    """lost-write, unseen and G1a."""
    read: dict[str, set[str]] = {}
    for operation in history:
        if isinstance(operation, Poll):
            for key, reads in operation.reads.items():
                read.setdefault(key, set()).update(value for _, value in reads)
    furthest = {
        key: max((index for value in values if (index := versions[key].first(value)) is not None), default=-1)
        for key, values in read.items()
    }
    found = []
    for send in history:
        if not isinstance(send, Send):
            continue
        was_read = send.value in read.get(send.key, ())
        if send.status == FAIL and was_read:
            found.append(Finding(FAILED_READ, send.key, f"{send.value} was refused and read"))
        if send.status == OK and not was_read:
            indexes = versions[send.key].indexes.get(send.value, []) if send.key in versions else []
            found.append(Finding(UNSEEN, send.key, f"{send.value}, acknowledged at {send.offset}, was never read"))
            if indexes and indexes[-1] <= furthest.get(send.key, -1):
                what = f"{send.value}, acknowledged at {send.offset}, was not read by those who read on from there"
                found.append(Finding(LOST_WRITE, send.key, what))
    return found


def poll_anomalies(history: Sequence[Operation], versions: Mapping[str, Versions]) -> list[Finding]:
    """poll-skip and nonmonotonic-poll, between the polls of a process and inside one."""
    found: list[Finding] = []
    last: dict[tuple[str, str], tuple[int, str]] = {}  # what a process read last of a key
    for operation in history:
        if isinstance(operation, Assign):
            for key in operation.keys:
                last.pop((operation.process, key), None)
        if not isinstance(operation, Poll):
            continue
        for key, reads in operation.reads.items():
            names = (POLL_SKIP, NONMONOTONIC_POLL)
            before = last.get((operation.process, key))
            for read in reads:
                if before is not None:
                    found += _step(names, key, operation.process, before, read, versions[key])
                before, names = read, (INT_POLL_SKIP, INT_NONMONOTONIC_POLL)
            if before is not None:
                last[operation.process, key] = before
    return found


def _step(
    names: tuple[str, str], key: str, process: str, one: tuple[int, str], other: tuple[int, str], versions: Versions
) -> list[Finding]:
    """From one value read to the next there is one step in the order of versions."""
    steps = versions.index_of[other[0]] - versions.index_of[one[0]]
    if steps == 1:
        return []
    what = f"{process} read {one[1]} at {one[0]} and then {other[1]} at {other[0]}"
    return [Finding(names[0] if steps > 1 else names[1], key, what)]


def send_anomalies(history: Iterable[Operation], versions: Mapping[str, Versions]) -> list[Finding]:
    """nonmonotonic-send, of idempotent producers alone.

    One at a time is librdkafka's promise for a broker, not for a partition. While a plain producer waits for the answer
    of one broker, which is that it leads no more, it writes later values to the next leader, and then the first ones.
    """
    found = []
    last: dict[tuple[str, str], tuple[int, str]] = {}
    for send in history:
        if not isinstance(send, Send) or send.key not in versions:
            continue
        index = versions[send.key].first(send.value)
        if index is None or not send.is_idempotent or send.status not in (OK, INFO):
            continue
        before = last.get((send.process, send.key))
        if before is not None and index <= before[0]:
            what = f"{send.process} wrote {before[1]} (index {before[0]}) before {send.value} (index {index})"
            found.append(Finding(NONMONOTONIC_SEND, send.key, what))
        last[send.process, send.key] = (index, send.value)
    return found


class Committed:
    """What a group may have committed of one key."""

    def __init__(self) -> None:
        self.surely = 0
        self.furthest = 0
        self.open: list[tuple[str, int]] = []
        """By whom and where: commits of which nobody knows whether and when they come to be."""

    def enter(self, process: str, offset: int, status: str) -> None:
        if status == INFO:
            self.open.append((process, offset))
            self.furthest = max(self.furthest, offset)
            return
        if (process, offset) in self.open:
            self.open.remove((process, offset))
        if status == OK:
            self.surely = offset

    def begin(self) -> int:
        """The least offset to go on from in a new assignment. Late commits of the old one are refused from here on."""
        least = min([self.surely, *(offset for _, offset in self.open)])
        self.open.clear()
        return least


def group_anomalies(history: Iterable[Operation]) -> list[Finding]:
    """lost-commit and commit-skip: where a group goes on after a key was assigned anew.

    Operations of a group have to be in the order of time here, as one process goes on where another was.
    """
    found = []
    committed: dict[tuple[str, str], Committed] = {}
    begins: dict[tuple[str, str], tuple[Committed, int]] = {}
    for operation in history:
        if isinstance(operation, Commit):
            for key, offset in operation.offsets.items():
                state = committed.setdefault((operation.group, key), Committed())
                state.enter(operation.process, offset, operation.status)
        elif isinstance(operation, Assign) and operation.group:
            for key in operation.keys:
                state = committed.setdefault((operation.group, key), Committed())
                begins[operation.process, key] = (state, state.begin())
        elif isinstance(operation, Poll):
            for key, reads in operation.reads.items():
                if reads and (began := begins.pop((operation.process, key), None)):
                    found += _beginning(operation.process, key, reads[0][0], *began)
    return found


def _beginning(process: str, key: str, offset: int, state: Committed, least: int) -> list[Finding]:
    if offset < least:
        return [Finding(LOST_COMMIT, key, f"{process} begins at {offset}, {least} was committed")]
    if offset > state.furthest:
        return [Finding(COMMIT_SKIP, key, f"{process} begins at {offset}, no more than {state.furthest} was committed")]
    return []
