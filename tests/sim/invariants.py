"""What must hold in a quorum after each event. Each check costs no more than what the event changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.replication.raft.messages import Key, Reply, Send, Vote, VoteAnswer, matches
from tests.sim.disk import Entry, Watcher

if TYPE_CHECKING:
    from tests.sim.quorum import Node

MAX_REQUESTS_A_VOTER = 6
"""A member asks each other one of each kind at a time, and there are six kinds."""


class InvariantError(AssertionError):
    """Something happened that never may."""


def must(holds: bool, what: str) -> None:
    """Raise InvariantError if something does not hold."""
    if not holds:
        raise InvariantError(what)


class Invariants(Watcher):
    """What was seen of a whole run: who led, what was committed, who voted for whom, which records there were."""

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
        """Same offset and epoch: same record in all logs, and, as this holds for the record before it, same logs."""
        epoch, value = entry
        known = self._records.setdefault((offset, epoch), (value, previous_epoch))
        must(known == (value, previous_epoch), f"two records at offset {offset} of epoch {epoch}")
        must(epoch >= previous_epoch, f"epochs go back at offset {offset}")

    def cut(self, offset: int, removed: list[Entry]) -> None:
        lost = removed[: max(0, len(self.committed) - offset)]
        for n, entry in enumerate(lost):
            must(entry != self.committed[offset + n], f"a committed record is cut at offset {offset + n}")

    def said(self, node: Node, effect: object) -> None:
        """A voter votes once an epoch, for itself or another, and nobody else stands."""
        if isinstance(effect, Send) and isinstance(effect.message, Vote):
            must(node.member is not None and node.member.quorum.may_stand, f"the observer {node.id} stands")
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
        """After an event on this node."""
        member = node.member
        if member is None:
            return
        must(member.epoch >= self._epochs.get(node.key, 0), f"the epoch of {node.id} goes back to {member.epoch}")
        self._epochs[node.key] = member.epoch
        if member.is_leader:
            self._check_leader(node)
        elif self.leaders.get(member.epoch) == (node.id, node.incarnation):
            must(member.leader_id != node.id, f"{node.id} names itself, and does not lead")
        self._check_high_watermark(node)
        others = len(self.nodes) - 1
        must(
            len(member.quorum.requests) <= MAX_REQUESTS_A_VOTER * others,
            f"{node.id} has {len(member.quorum.requests)} questions open",
        )
        if member.quorum.leader_state is not None:
            replicas = sum(one.directories for one in self.nodes.values()) - 1
            must(
                len(member.quorum.leader_state.delayed_fetches) <= replicas,
                f"{node.id} holds {len(member.quorum.leader_state.delayed_fetches)} fetches",
            )

    def _check_leader(self, node: Node) -> None:
        member = node.member
        assert member is not None
        is_leaving = member.log.voters_offset >= member.high_watermark
        must(member.is_voter or is_leaving, f"the observer {node.id} leads")
        who = (node.id, node.incarnation)
        if member.epoch not in self.leaders:
            self.leaders[member.epoch] = who
            if member.epoch > self.newest_epoch:
                self.newest_epoch = member.epoch
                here = node.disk.log.entries[: len(self.committed)]
                must(here == self.committed, f"{node.id} leads epoch {member.epoch} without all that is committed")
        must(
            self.leaders[member.epoch] == who,
            f"two leaders of epoch {member.epoch}: {self.leaders[member.epoch]}, {who}",
        )

    def _check_high_watermark(self, node: Node) -> None:
        """It never goes back in a process; what is below it never changes, and is durable on a majority of voters."""
        member = node.member
        assert member is not None
        key = (node.id, node.incarnation)
        before, now = self._high_watermarks.get(key, 0), member.high_watermark
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
            leads = self.leaders.get(member.epoch) == (node.id, node.incarnation)  # or has led: a removed one resigns
            must(leads, f"the follower {node.id} knows of a high watermark {now} that no leader had")
            self.committed += entries[len(self.committed) : now]
            voters = [one for one in self.nodes.values() if one.id in member.voters]
            # who has another directory had it, perhaps, and votes no more
            lost = [one for one in voters if not matches((one.id, member.voters[one.id]), one.key)]
            holders = lost + [one for one in voters if one not in lost and self._holds_durably(one, now)]
            must(2 * len(holders) > len(member.voters), f"{now} is committed, durable on {len(holders)} voters only")

    def _holds_durably(self, node: Node, end: int) -> bool:
        log = node.disk.log
        return log.flushed_offset >= end and log.entries[end - 1] == self.committed[end - 1]
