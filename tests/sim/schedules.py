"""Hand-written schedules for a quorum: rare interleavings, and time limits.

Each is a function that raises AssertionError if the quorum behaves wrongly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

from kafkacompat.replication.raft.follower import LostCommittedError
from kafkacompat.replication.raft.messages import BeginEpoch, Vote
from tests.sim import disk
from tests.sim.network import Connection
from tests.sim.quorum import Node, Quorum
from tests.sim.world import MS, SECOND, World

if TYPE_CHECKING:
    from collections.abc import Callable

STEP_US = 100
SEEDS = 5
"""Runs of each schedule, with different delays."""


def quorum_of(voters: int, observers: int = 0, seed: int = 0) -> Quorum:
    """A quorum on a good network, not started yet."""
    return Quorum(World(seed), voters, observers)


def must_come(quorum: Quorum, condition: Callable[[], object], limit_us: int, what: str) -> int:
    """Run until a condition holds. Returns the time that it took."""
    began_us = quorum.world.now_us
    assert quorum.world.run_while(lambda: not condition(), limit_us, STEP_US), f"not within {limit_us // MS} ms: {what}"
    return quorum.world.now_us - began_us


def settled(quorum: Quorum) -> Node:
    """Run until there is one leader that all follow, and all are caught up."""
    must_come(quorum, lambda: quorum.is_settled() and quorum.is_caught_up(), 5 * SECOND, "a leader whom all follow")
    leader = quorum.leader()
    assert leader is not None
    return leader


def started(voters: int, observers: int = 0, seed: int = 0) -> tuple[Quorum, Node]:
    """A quorum that has elected a leader, and the leader."""
    quorum = quorum_of(voters, observers, seed)
    quorum.start()
    leader = settled(quorum)
    quorum.world.run_for(SECOND)
    return quorum, leader


def others(quorum: Quorum, *nodes: Node) -> list[Node]:
    return [node for node in quorum.nodes.values() if node not in nodes]


def next_epoch(quorum: Quorum, epoch: int, limit_us: int) -> None:
    """Run until there is a leader of an epoch after this one."""
    must_come(quorum, lambda: quorum.invariants.newest_epoch > epoch, limit_us, "a leader of a new epoch")


def new_leader(quorum: Quorum, old: Node, limit_us: int) -> Node:
    """Run until another node leads a newer epoch."""
    next_epoch(quorum, quorum.invariants.newest_epoch, limit_us)
    leader = quorum.leader()
    assert leader is not None
    assert leader is not old
    return leader


# --- in time ---


def a_fresh_quorum_elects_at_once() -> None:
    for seed in range(SEEDS):
        for voters in (1, 3, 5):
            quorum = quorum_of(voters, 1, seed)
            quorum.start()
            must_come(quorum, quorum.leader, (1 if voters == 1 else 600) * MS, f"a leader of {voters}")
            must_come(quorum, quorum.is_caught_up, 700 * MS, "everybody knows")


def one_voter_leads_again_at_once() -> None:
    quorum, leader = started(1)
    for _ in range(3):
        epoch = quorum.invariants.newest_epoch
        leader.stop(power=False)
        leader.start()
        must_come(quorum, quorum.is_caught_up, 10 * MS, "it leads, and its log is committed")
        assert quorum.invariants.newest_epoch == epoch + 1


def an_append_is_committed_without_waiting() -> None:
    """Delayed fetches are answered at once: append, sync, fetch, and one more fetch spreads the high watermark."""
    for seed in range(SEEDS):
        quorum, leader = started(3, 2, seed)
        for _ in range(10):
            quorum.append(leader)
            must_come(quorum, quorum.has_answered_all, 30 * MS, "committed")
            must_come(quorum, quorum.is_caught_up, 40 * MS, "known to all")


def the_death_of_a_leader_is_seen(limit_us: int = 500 * MS) -> None:
    for seed in range(SEEDS * 4):
        for voters in (3, 5):
            quorum, leader = started(voters, 1, seed)
            quorum.append(leader, 3)
            quorum.world.run_for(seed * MS)  # somewhere between written and committed
            leader.stop()
            new_leader(quorum, leader, limit_us)


def the_silence_of_a_leader_is_seen() -> None:
    """Without evidence of death the failover takes at most twice the fetch time-out."""
    for seed in range(SEEDS * 2):
        for voters in (3, 5):
            quorum, leader = started(voters, 0, seed)
            leader.pause()
            new_leader(quorum, leader, 4 * SECOND)
            leader.resume()
            settled(quorum)


def a_leader_that_resigns_hands_over() -> None:
    for seed in range(SEEDS * 4):
        for voters in (3, 5):
            quorum, leader = started(voters, 1, seed)
            quorum.append(leader, 2)
            quorum.world.run_for(seed * MS)
            leader.run(leader.incarnation, "resign")
            new_leader(quorum, leader, 300 * MS)
            settled(quorum)


def a_leader_that_restarts_at_once_leads_no_more_and_nobody_waits() -> None:
    """No evidence of death: the process listens again before it is dialed."""
    for seed in range(SEEDS * 2):
        quorum, leader = started(3, 0, seed)
        quorum.network.shows_deaths = False
        epoch = quorum.invariants.newest_epoch
        leader.stop()
        leader.start()
        next_epoch(quorum, epoch, 500 * MS)
        settled(quorum)


# --- partitions ---


def a_leader_without_a_majority_gives_up() -> None:
    quorum, leader = started(3)
    quorum.cut_off([leader.id], [node.id for node in others(quorum, leader)])
    must_come(quorum, lambda: not leader.replica.is_leader, 3500 * MS, "it resigns")  # type: ignore[union-attr]
    quorum.world.run_for(5 * SECOND)
    assert len(quorum.leaders()) == 1
    quorum.heal()
    settled(quorum)


def one_broken_link_is_no_reason_for_an_election() -> None:
    """A follower that cannot reach the leader is refused by one that can; otherwise leadership would oscillate."""
    for seed in range(SEEDS):
        quorum, leader = started(3, 0, seed)
        epoch = quorum.invariants.newest_epoch
        quorum.cut_off([leader.id], [others(quorum, leader)[0].id])
        quorum.world.run_for(30 * SECOND)
        assert quorum.invariants.newest_epoch == epoch, "the lead goes to and fro"
        quorum.heal()
        assert settled(quorum) is leader


def a_voter_that_comes_back_from_exile_disturbs_nobody() -> None:
    """An isolated replica asks for pre-votes, and its epoch does not change."""
    quorum, leader = started(3)
    epoch = quorum.invariants.newest_epoch
    exile = others(quorum, leader)[0]
    quorum.cut_off([exile.id], [node.id for node in others(quorum, exile)])
    quorum.world.run_for(20 * SECOND)
    quorum.heal()
    assert settled(quorum) is leader
    assert quorum.invariants.newest_epoch == epoch


def processes_that_start_again_and_again() -> None:
    """On a slow network answers reach the restarted process, which uses the same tokens again."""
    for seed in range(SEEDS):
        quorum = quorum_of(3, 0, seed)
        quorum.network.delay_max_us = 300 * MS
        quorum.start()
        rng = quorum.world.rng("restarts")
        for _ in range(100):
            quorum.world.run_for(rng.randrange(200 * MS))
            node = quorum.nodes[rng.randrange(3) + 1]
            node.stop()
            node.start()
        quorum.heal()
        settled(quorum)


# --- figure 8 of the Raft paper, and other rare things ---


def figure_8() -> None:
    """A record of an old epoch is on a majority and still lost: it must not have been committed."""
    with patch.object(disk, "MAX_READ_RECORDS", 1):
        quorum, a = started(3)
        b, c = others(quorum, a)
        quorum.cut_off([a.id], [b.id, c.id])
        quorum.append(a)  # x, here alone
        x = a.disk.log.end_offset - 1
        quorum.world.run_for(100 * MS)
        a.stop()
        b = new_leader(quorum, a, 6 * SECOND)
        (c,) = others(quorum, a, b)
        quorum.cut_off([b.id], [c.id])  # the record that begins its epoch is there alone
        assert c.disk.log.end_offset == x
        quorum.world.run_for(100 * MS)
        b.stop()
        quorum.network.cut.clear()
        a.start()
        must_come(quorum, lambda: c.disk.log.end_offset == x + 1, 6 * SECOND, "the old record on a majority")
        quorum.cut_off([a.id], [c.id], one_way=True)  # and not the one that begins the epoch
        quorum.world.run_for(100 * MS)
        a.stop()
        quorum.network.cut.clear()
        b.start()
        must_come(quorum, lambda: b.replica.is_leader, 8 * SECOND, "the third leader, without that record")  # type: ignore[union-attr]
        quorum.heal()
        settled(quorum)
        quorum.check_the_end()


def ask(quorum: Quorum, node: Node, message: object) -> None:
    """Send a message to a node in the name of another; the answer is ignored."""
    lost = Connection(others(quorum, node)[0], node)
    lost.is_silent = True
    node.run(node.incarnation, "requested", (lost, 1), message)


def a_vote_is_remembered() -> None:
    """One vote per epoch: after a restart, after a power loss, and however good the second candidate's log is."""
    for end in ("go on", "kill", "power"):
        quorum, leader = started(3)
        voter, other = others(quorum, leader)
        leader.stop(power=False)
        epoch = quorum.invariants.newest_epoch + 10
        ask(quorum, voter, Vote(epoch, leader.id, bytes([leader.id]) * 16, epoch - 1, 100, pre_vote=False))
        assert voter.disk.stored is not None
        assert (voter.disk.stored.leader_epoch, voter.disk.stored.voted_id) == (epoch, leader.id)
        if end != "go on":
            voter.stop(power=end == "kill")
            voter.start()
        ask(quorum, voter, Vote(epoch, other.id, bytes([other.id]) * 16, epoch - 1, 200, pre_vote=False))


def late_words_of_an_old_leader_change_nothing() -> None:
    quorum, leader = started(3)
    epoch = quorum.invariants.newest_epoch
    leader.run(leader.incarnation, "resign")
    new = new_leader(quorum, leader, SECOND)
    settled(quorum)
    for node in others(quorum, leader, new):
        ask(quorum, node, BeginEpoch(epoch, leader.id))
        ask(quorum, node, Vote(epoch, leader.id, bytes(16), 99, 99, pre_vote=False))
        ask(quorum, node, Vote(epoch, leader.id, bytes(16), 99, 99, pre_vote=True))
    quorum.world.run_for(5 * SECOND)
    assert quorum.leader() is new
    assert settled(quorum) is new


def what_is_committed_is_not_cut_even_when_a_majority_lost_it() -> None:
    """Two of three disks are lost, which cannot be repaired: the third replica stops and keeps its records."""
    quorum, leader = started(3)
    quorum.append(leader, 3)
    settled(quorum)
    survivor, *lost = others(quorum, leader)[0], leader, others(quorum, leader)[1]
    kept = list(survivor.disk.log.entries)
    quorum.invariants.committed.clear()
    survivor.pause()
    for node in lost:
        node.stop()
        node.disk.log = disk.MemoryLog([], quorum.invariants, first_voters=quorum.first_voters)
        quorum.invariants._records.clear()
        node.start()
    quorum.world.run_for(5 * SECOND)
    survivor.resume()
    try:
        quorum.world.run_for(5 * SECOND)
    except LostCommittedError:
        pass
    else:
        raise AssertionError("it went on")
    assert survivor.disk.log.entries == kept


ALL: tuple[Callable[[], None], ...] = (
    a_fresh_quorum_elects_at_once,
    one_voter_leads_again_at_once,
    an_append_is_committed_without_waiting,
    the_death_of_a_leader_is_seen,
    the_silence_of_a_leader_is_seen,
    a_leader_that_resigns_hands_over,
    a_leader_that_restarts_at_once_leads_no_more_and_nobody_waits,
    a_leader_without_a_majority_gives_up,
    one_broken_link_is_no_reason_for_an_election,
    a_voter_that_comes_back_from_exile_disturbs_nobody,
    processes_that_start_again_and_again,
    figure_8,
    a_vote_is_remembered,
    late_words_of_an_old_leader_change_nothing,
    what_is_committed_is_not_cut_even_when_a_majority_lost_it,
)
