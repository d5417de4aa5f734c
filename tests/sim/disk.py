"""A replica's disk in memory: its log and its stored vote. A power loss takes unsynced data, a kill does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafkacompat.replication.raft.voters import Voter, VoterHistory

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from kafkacompat.now import Now
    from kafkacompat.replication.raft.election_state import ElectionState

Entry = tuple[int, Any]
NEVER_CUT = 1 << 62
MAX_READ_RECORDS = 16
"""Records in one answer: few, so that replicas are often partly caught up."""


class CrashError(Exception):
    """The process crashes here."""


class Watcher:
    """Observes writes to the log. The base class ignores them."""

    def appended(self, offset: int, entry: Entry, previous_epoch: int) -> None:
        """A record was appended."""

    def cut(self, offset: int, removed: list[Entry]) -> None:
        """These records, from `offset` on, were truncated."""


class MemoryLog:
    """The log as a list of (epoch, value); a value that is a tuple is a voter set, as keys of replicas.

    Raises CrashError where `hazard` lets the process crash.
    """

    def __init__(
        self,
        entries: list[Entry] | None = None,
        watcher: Watcher | None = None,
        hazard: Callable[[str], None] = lambda _: None,
        first_voters: tuple[Voter, ...] | None = None,
    ) -> None:
        self.entries: list[Entry] = []
        self.start_offset = 0
        """Records below this offset are kept for checks and snapshots; the replica cannot read them."""
        self.snapshots: list[tuple[int, int]] = []
        self._loading: list[Any] = []
        self.first_voters = first_voters
        self._voters = VoterHistory([] if first_voters is None else [(-1, first_voters)])
        self._starts: list[tuple[int, int]] = []  # (epoch, its first offset)
        self.watcher = watcher or Watcher()
        self.hazard = hazard
        for entry in entries or []:
            self._append(entry)
        self.flushed_offset = len(self.entries)
        self.ghosts: list[Entry] = []
        """Durable records that were truncated, while no sync has made the truncation durable."""
        self.lowest_cut = NEVER_CUT
        """The lowest offset truncated since the last sync began: that sync makes nothing above it durable."""

    @property
    def end_offset(self) -> int:
        return len(self.entries)

    @property
    def last_epoch(self) -> int:
        return self._starts[-1][0] if self._starts else 0

    def end_for(self, epoch: int) -> tuple[int, int]:
        end = len(self.entries)
        for own_epoch, start in reversed(self._starts):
            if own_epoch <= epoch:
                return own_epoch, end
            end = start
            if start <= self.start_offset:
                break
        return epoch, self.start_offset

    def append_leader_change(self, epoch: int, leader_id: int, granted: tuple[int, ...], now: Now) -> int:
        offset = len(self.entries)
        self._append((epoch, f"leader {leader_id}"))
        self.hazard("leading")
        return offset

    @property
    def voters(self) -> tuple[Voter, ...] | None:
        """The newest voter set: at first the one before the first record; None if there is none."""
        return self._voters.newest

    @property
    def voters_offset(self) -> int:
        return self._voters.offset

    def voters_at(self, offset: int) -> tuple[Voter, ...] | None:
        return self._voters.at(offset)

    def append_voters(self, voters: tuple[Voter, ...], epoch: int, now: Now) -> int:
        offset = len(self.entries)
        self._append((epoch, tuple(voter.key for voter in voters)))
        self.hazard("appended")
        return offset

    def append_as_leader(self, values: list[str], epoch: int, now: Now) -> int:
        offset = len(self.entries)
        for value in values:
            self._append((epoch, value))
        self.hazard("appended")
        return offset

    def append_as_follower(self, records: tuple[int, list[Entry]], epoch: int, now: Now) -> None:
        base_offset, entries = records
        assert base_offset == len(self.entries), "a gap, or records a second time"
        assert self.last_epoch <= entries[0][0]
        assert entries[-1][0] <= epoch
        for entry in entries:
            self._append(entry)
        self.hazard("appended")

    def _append(self, entry: Entry) -> None:
        previous = self.last_epoch
        if entry[0] != previous:
            self._starts.append((entry[0], len(self.entries)))
        if isinstance(entry[1], tuple):
            self._voters.add(len(self.entries), tuple(Voter(*key) for key in entry[1]))
        self.watcher.appended(len(self.entries), entry, previous)
        self.entries.append(entry)

    def truncate_to(self, offset: int) -> None:
        assert offset >= self.start_offset, "what is in a snapshot is cut"
        removed = self.entries[offset:]
        self.watcher.cut(offset, removed)
        if offset < self.flushed_offset:
            self.ghosts = removed[: self.flushed_offset - offset] + self.ghosts
            self.flushed_offset = offset
        self.lowest_cut = min(self.lowest_cut, offset)
        del self.entries[offset:]
        self._voters.truncate_to(offset)
        while self._starts and self._starts[-1][1] >= offset:
            self._starts.pop()
        self.hazard("cut")

    def take_snapshot(self, end: int) -> None:
        """Write a snapshot of the committed records below `end`, and start the log there."""
        if end > max(0, self.start_offset):
            self.snapshots = [*self.snapshots[-1:], (end, self.entries[end - 1][0])]
            self.start_offset = end

    @property
    def start_epoch(self) -> int:
        return self.entries[self.start_offset - 1][0] if self.start_offset else 0

    @property
    def snapshot_id(self) -> tuple[int, int] | None:
        return self.snapshots[-1] if self.snapshots else None

    def snapshot_size(self, snapshot_id: tuple[int, int]) -> int | None:
        """The size in records, including one for the voters before the first record."""
        return snapshot_id[0] + 1 if snapshot_id in self.snapshots else None

    def read_snapshot(self, snapshot_id: tuple[int, int], position: int, max_bytes: int) -> list[Any]:
        first = None if self.first_voters is None else tuple(voter.key for voter in self.first_voters)
        content = [first, *self.entries[: snapshot_id[0]]]
        return content[position : position + MAX_READ_RECORDS]

    def receive_snapshot(self, snapshot_id: tuple[int, int], position: int, data: list[Any]) -> None:
        if position == 0:
            self._loading = []
        assert len(self._loading) == position
        self._loading += data

    def load_snapshot(self, snapshot_id: tuple[int, int]) -> None:
        """Make the snapshot durable, and restart the log after it."""
        (first, *entries), self._loading = self._loading, []
        self.first_voters = None if first is None else tuple(Voter(*key) for key in first)
        self._voters = VoterHistory([] if self.first_voters is None else [(-1, self.first_voters)])
        self.entries, self._starts, self.ghosts = [], [], []
        for entry in entries:
            self._append(entry)
        assert snapshot_id == (len(entries), self.last_epoch)
        self.start_offset = self.flushed_offset = self.end_offset
        self.lowest_cut = 0  # a sync that runs is of what was there before
        self.snapshots = [snapshot_id]
        self.hazard("cut")

    def read(self, offset: int, max_bytes: int = 0) -> tuple[int, list[Entry]] | None:
        assert offset >= self.start_offset, "what is in a snapshot is read"
        entries = self.entries[offset : offset + MAX_READ_RECORDS]
        return (offset, entries) if entries else None

    def begin_sync(self) -> int:
        """Begin a sync. Returns the offset up to which it makes the log durable: its end."""
        self.lowest_cut = NEVER_CUT
        return len(self.entries)

    def synced(self, offset: int) -> None:
        """The sync is done: records below `offset` are durable unless truncated meanwhile, as are older truncations."""
        if self.lowest_cut == NEVER_CUT:
            self.ghosts = []
        self.flushed_offset = max(self.flushed_offset, min(offset, self.lowest_cut))


class Disk:
    """The durable state of a replica, which survives its process."""

    def __init__(
        self, watcher: Watcher, hazard: Callable[[str], None], first_voters: tuple[Voter, ...] | None = None
    ) -> None:
        self._watcher = watcher
        self._hazard = hazard
        self.stored: ElectionState | None = None
        self.log = MemoryLog([], watcher, hazard, first_voters)

    def store(self, state: ElectionState) -> None:
        """Store the vote durably and atomically: a crash stores all of it or nothing."""
        self._hazard("before store")
        self.stored = state
        self._hazard("stored")

    def open(self) -> MemoryLog:
        """The log that a new process reads from the disk: everything written, synced or not."""
        old = self.log
        self.log = MemoryLog([], self._watcher, self._hazard, old.first_voters)
        for entry in old.entries:
            self.log._append(entry)
        self.log.flushed_offset, self.log.ghosts = old.flushed_offset, old.ghosts
        self.log.start_offset, self.log.snapshots = old.start_offset, old.snapshots
        return self.log

    def lose_power(self, rng: random.Random) -> None:
        """A power loss: a prefix of the unsynced records is left, or a truncation is undone. The rest is durable.

        A snapshot is durable, also one of records that others have committed and this log had not synced: the next
        start lets the log begin behind it.
        """
        log = self.log
        durable = max(log.flushed_offset, log.start_offset)
        has_ghosts = log.ghosts and durable == log.flushed_offset and rng.random() < 0.5
        tail = log.ghosts if has_ghosts else log.entries[durable:]
        kept = tail[: rng.randint(0, len(tail))]
        log.ghosts = []
        log.watcher = Watcher()  # the power loss is drawn at random, not decided by the code under test
        log.hazard = lambda _: None
        log.flushed_offset = durable
        log.truncate_to(durable)
        for entry in kept:
            log._append(entry)
        log.flushed_offset = log.end_offset
