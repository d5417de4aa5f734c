"""Invariants of a quorum, checked after each event. The cost of a check is proportional to what the event changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.replication.raft.messages import Key, Reply, Send, Vote, VoteAnswer, matches
from tests.sim.disk import Entry, Watcher

if TYPE_CHECKING:
    from tests.sim.quorum import Node

MAX_REQUESTS_PER_VOTER = 6
"""A replica has at most one request of each of the six kinds in flight to each other replica."""


class InvariantError(AssertionError):
    """An invariant is violated."""


def must(holds: bool, what: str) -> None:
    """Raise InvariantError unless the condition holds."""
    if not holds:
        raise InvariantError(what)


class Invariants(Watcher):
    """The history of a run: leaders, committed records, votes, and all records."""

    def __init__(self) -> None:
        self.nodes: dict[int, Node] = {}
        self.committed: list[Entry] = []
        self.leaders: dict[int, tuple[int, int]] = {}  # by epoch: node, incarnation
        self.newest_epoch = 0
        self._records: dict[tuple[int, int], tuple[object, int]] = {}  # by offset, epoch: value, epoch before it
        self._votes: dict[tuple[Key, int], int] = {}  # by voter, epoch: candidate
        self._epochs: dict[Key, int] = {}  # by replica
        self._high_watermarks: dict[tuple[int, int], int] = {}  # by node, incarnation

    def appended(self, offset: int, entry: Entry, previous_epoch: int) -> None:
        """Log matching: the same offset and epoch is the same record in all logs, and so is the record before it."""
        epoch, value = entry
        known = self._records.setdefault((offset, epoch), (value, previous_epoch))
        must(known == (value, previous_epoch), f"two records at offset {offset} of epoch {epoch}")
        must(epoch >= previous_epoch, f"epochs go back at offset {offset}")

    def cut(self, offset: int, removed: list[Entry]) -> None:
        lost = removed[: max(0, len(self.committed) - offset)]
        for n, entry in enumerate(lost):
            must(entry != self.committed[offset + n], f"a committed record is cut at offset {offset + n}")

    def said(self, node: Node, effect: object) -> None:
        """A voter votes once per epoch, and only voters stand."""
        if isinstance(effect, Send) and isinstance(effect.message, Vote):
            must(node.replica is not None and node.replica.quorum.may_stand, f"the observer {node.id} stands")
        if isinstance(effect, Send) and isinstance(effect.message, Vote) and not effect.message.pre_vote:
            self._voted(node, effect.message.epoch, node.id)
        elif isinstance(effect, Reply) and isinstance(effect.answer, VoteAnswer) and effect.answer.granted:
            candidate_id = node.votes_asked.get(effect.token)
            if candidate_id is not None:
                self._voted(node, effect.answer.epoch, candidate_id)

    def _voted(self, node: Node, epoch: int, candidate_id: int) -> None:
        first = self._votes.setdefault((node.key, epoch), candidate_id)
        must(first == candidate_id, f"{node.id} votes for {first} and for {candidate_id} in epoch {epoch}")

    def check(self, node: Node) -> None:
        """Check after an event on this node."""
        replica = node.replica
        if replica is None:
            return
        must(replica.epoch >= self._epochs.get(node.key, 0), f"the epoch of {node.id} goes back to {replica.epoch}")
        self._epochs[node.key] = replica.epoch
        if replica.is_leader:
            self._check_leader(node)
        elif self.leaders.get(replica.epoch) == (node.id, node.incarnation):
            must(replica.leader_id != node.id, f"{node.id} names itself, and does not lead")
        self._check_high_watermark(node)
        others = len(self.nodes) - 1
        must(
            len(replica.quorum.requests) <= MAX_REQUESTS_PER_VOTER * others,
            f"{node.id} has {len(replica.quorum.requests)} questions open",
        )
        if replica.quorum.leader_state is not None:
            replicas = sum(one.directories for one in self.nodes.values()) - 1
            must(
                len(replica.quorum.leader_state.delayed_fetches) <= replicas,
                f"{node.id} holds {len(replica.quorum.leader_state.delayed_fetches)} fetches",
            )

    def _check_leader(self, node: Node) -> None:
        replica = node.replica
        assert replica is not None
        is_leaving = replica.log.voters_offset >= replica.high_watermark
        must(replica.is_voter or is_leaving, f"the observer {node.id} leads")
        who = (node.id, node.incarnation)
        if replica.epoch not in self.leaders:
            self.leaders[replica.epoch] = who
            if replica.epoch > self.newest_epoch:
                self.newest_epoch = replica.epoch
                here = node.disk.log.entries[: len(self.committed)]
                must(here == self.committed, f"{node.id} leads epoch {replica.epoch} without all that is committed")
        must(
            self.leaders[replica.epoch] == who,
            f"two leaders of epoch {replica.epoch}: {self.leaders[replica.epoch]}, {who}",
        )

    def _check_high_watermark(self, node: Node) -> None:
        """The high watermark never decreases in a process; records below it are final, and durable on a majority."""
        replica = node.replica
        assert replica is not None
        key = (node.id, node.incarnation)
        before, now = self._high_watermarks.get(key, 0), replica.high_watermark
        if now == before:
            return
        must(now > before, f"the high watermark of {node.id} goes back from {before} to {now}")
        self._high_watermarks[key] = now
        entries = node.disk.log.entries
        must(now <= len(entries), f"the high watermark of {node.id} is {now}, beyond its log")
        known = min(now, len(self.committed))
        must(
            entries[before:known] == self.committed[before:known], f"{node.id} has something else committed below {now}"
        )
        if now > len(self.committed):
            leads = self.leaders.get(replica.epoch) == (node.id, node.incarnation)  # or has led: a removed one resigns
            must(leads, f"the follower {node.id} knows of a high watermark {now} that no leader had")
            self.committed += entries[len(self.committed) : now]
            voters = [one for one in self.nodes.values() if one.id in replica.voters]
            # who has another directory had it, perhaps, and votes no more
            lost = [one for one in voters if not matches((one.id, replica.voters[one.id]), one.key)]
            holders = lost + [one for one in voters if one not in lost and self._holds_durably(one, now)]
            must(2 * len(holders) > len(replica.voters), f"{now} is committed, durable on {len(holders)} voters only")

    def _holds_durably(self, node: Node, end: int) -> bool:
        log = node.disk.log
        return log.flushed_offset >= end and log.entries[end - 1] == self.committed[end - 1]
