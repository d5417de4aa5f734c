"""Mistakes in a replica of the quorum, and what finds each at the lowest cost: the seed of a run, or a schedule."""

from __future__ import annotations

from kafkacompat.replication.raft import leader_state, messages
from kafkacompat.replication.raft.client import RaftClient
from kafkacompat.replication.raft.elections import Elections
from kafkacompat.replication.raft.epoch_election import EpochElection
from kafkacompat.replication.raft.epoch_state import FollowerState
from kafkacompat.replication.raft.follower import Follower
from kafkacompat.replication.raft.leader import Leader
from kafkacompat.replication.raft.leader_state import LeaderState
from kafkacompat.replication.raft.quorum_state import QuorumState
from kafkacompat.replication.raft.request_manager import RequestManager
from kafkacompat.replication.raft.voter_changes import VoterChanges
from kafkacompat.storage import truncation
from tests.sim import conversations, schedules, voters
from tests.sim.mutants import Mutant
from tests.sim.network import Network

SEEDS = range(1, 60)
IS_CURRENT = "(vote.last_epoch, vote.last_offset) >= (log.last_epoch, log.end_offset)"
IS_PENDING = """connection.is_open and token in connection.pending:
        del connection.pending[token]
        connection.client.run(connection.client_incarnation,"""
LEADS_ON = """elif stored_leader_id == quorum.node_id:
        self._leader.begin({quorum.node_id}, now)
    elif quorum.may_stand:"""
CUT = "self._truncate(*answer.diverging)"
RAISE = "quorum.high_watermark = max(quorum.high_watermark, min(answer.high_watermark, log.end_offset))"

VOTES = (
    Mutant(
        "vote not stored", QuorumState.store, "voted or (NO_NODE, bytes(16))", "(NO_NODE, bytes(16))",
        schedules.a_vote_is_remembered,
    ),
    Mutant("epoch not stored", QuorumState.store, "(ElectionState(self.epoch,", "(ElectionState(0,", SEEDS),
    Mutant("votes for two", Elections._may_vote_for, "in (None, candidate)", "not in ()", SEEDS),
    Mutant(
        "only pre-votes look at the log", Elections.handle_vote,
        "granted = granted and self._may", "granted = self._may",
        conversations.no_vote_for_a_log_that_is_behind,
    ),
    Mutant("votes for a shorter log", Elections.handle_vote, IS_CURRENT, "True", SEEDS),
    Mutant(
        "votes for the longest log", Elections.handle_vote, IS_CURRENT, "vote.last_offset >= log.end_offset",
        conversations.pre_votes_change_nothing,
    ),
    Mutant(
        "half is a majority", EpochElection.__init__, "len(self._unrecorded) // 2 + 1",
        "(len(self._unrecorded) + 1) // 2", SEEDS,
    ),
    Mutant(
        "a voter is counted twice", EpochElection.record, "if voter_id in self._unrecorded:",
        "if granted := self.granted.add(len(self.granted)) or granted:", SEEDS,
    ),
    Mutant(
        "votes of an older epoch count", RequestManager.clear, "self._pending.clear()", "pass",
        conversations.votes_of_an_older_epoch_do_not_count,
    ),
    Mutant(
        "pre-vote beside a live leader", FollowerState.would_vote_for, "not self.has_fetched or", "True or",
        schedules.one_broken_link_is_no_reason_for_an_election,
    ),
    Mutant(
        "no pre-vote", Elections.ask_for_pre_votes, "self._ask_voters(PRE_VOTE, self._quorum.to_prospective(), now)",
        "self._quorum.to_prospective(), self._stand(now)",
        schedules.a_voter_that_comes_back_from_exile_disturbs_nobody,
    ),
    Mutant(
        "ids are enough for voters", messages.matches, "and key[1] in (NO_DIRECTORY_ID, replica[1])", "",
        conversations.a_voter_with_another_directory_is_not_the_voter_it_was,
    ),
    Mutant(
        "votes whoever is meant", Elections.handle_vote, "address_error(vote.voter, quorum.key)", "NONE",
        conversations.who_has_another_directory_is_not_meant,
    ),
    Mutant("an observer stands", Elections.start, "elif quorum.may_stand:", "elif True:", SEEDS),
    Mutant(
        "all stand at once", QuorumState.stagger_ms.fget, "self.timing.retry_ms", "0",
        conversations.voters_stand_in_turn,
    ),
)  # fmt: skip

LEADERS = (
    Mutant("leads on after a restart", Elections.start, "elif quorum.may_stand:", LEADS_ON, SEEDS),
    Mutant(
        "no check of the quorum", Leader.tick,
        "state.quorum_lost_at_ms(quorum.timing.check_quorum_timeout_ms, now_ms)", "1 << 62",
        schedules.a_leader_without_a_majority_gives_up,
    ),
    Mutant(
        "observers keep a leader", LeaderState.fetched, "replica.fetched(fetch.offset, end_offset, now_ms)",
        "replica.fetched(fetch.offset, 0, 0), [setattr(o, 'fetch_ms', now_ms) for o in self._other_voters.values()]",
        conversations.an_observer_keeps_no_leader_in_office,
    ),
    Mutant(
        "observers count", LeaderState.fetched, "self._other_voters.get(fetch.replica_id) if is_voter else None",
        "self._other_voters.get(fetch.replica_id) or next(iter(self._other_voters.values()), None)", SEEDS,
    ),
    Mutant(
        "counts itself before it is durable", Leader.commit, "log.flushed_offset", "log.end_offset", SEEDS
    ),
    Mutant("less than a majority", leader_state.majority_end, "len(ordered) // 2", "len(ordered) // 2 - 1", SEEDS),
    Mutant(
        "commits old epochs by count", LeaderState.high_watermark, "max(self.epoch_start_offset, current)", "current",
        schedules.figure_8,
    ),
    Mutant(
        "a fetch of another epoch counts", Leader.handle_fetch, "fetch.epoch != quorum.epoch or state is None",
        "state is None", conversations.a_fetch_of_another_epoch_counts_for_nothing,
    ),
    Mutant(
        "a diverging fetch counts", Leader.handle_fetch, "where = diverging_epoch(",
        "state.fetched(fetch, 0, 0, is_voter=True)\n    where = diverging_epoch(", SEEDS,
    ),
    Mutant(
        "held fetches wait their time out", LeaderState.take_due, "if delayed.fetch.offset < end_offset", "if False",
        schedules.an_append_is_committed_without_waiting,
    ),
    Mutant(
        "the high watermark wakes nobody", LeaderState.take_due, "or delayed.fetch.high_watermark < high_watermark", "",
        schedules.an_append_is_committed_without_waiting,
    ),
    Mutant(
        "resigns in silence", Leader.resign, "for voter_id in quorum.other_voters:", "for voter_id in ():",
        conversations.a_leader_that_goes_names_its_successors,
    ),
)  # fmt: skip

REPLICAS = (
    Mutant(
        "fetches what is not durable", Follower.fetch, "if log.flushed_offset < log.end_offset:", "if False:", SEEDS
    ),
    Mutant(
        "a high watermark beyond the log", Follower.handle_fetch_answer, "min(answer.high_watermark, log.end_offset)",
        "answer.high_watermark", SEEDS,
    ),
    Mutant(
        "commits by a diverging answer", Follower.handle_fetch_answer, CUT, f"{CUT}\n        {RAISE}",
        conversations.what_is_left_after_a_cut_may_differ_still,
    ),
    Mutant(
        "no check for divergence", truncation.diverging_epoch,
        "if epoch < last_fetched_epoch or end_offset < fetch_offset", "if False",
        schedules.figure_8,
    ),
    Mutant(
        "divergence by offset alone", truncation.diverging_epoch, "epoch < last_fetched_epoch or", "",
        range(19, 60),
    ),
    Mutant("divergence by epoch alone", truncation.diverging_epoch, "or end_offset < fetch_offset", "", SEEDS),
    Mutant(
        "cuts to the high watermark", Follower._truncate, "log.truncate_to(target)",
        "log.truncate_to(quorum.high_watermark)", SEEDS,
    ),
    Mutant(
        "cuts what is committed", Follower._truncate, "if target < quorum.high_watermark:", "if False:",
        schedules.what_is_committed_is_not_cut_even_when_a_majority_lost_it,
    ),
    Mutant(
        "follows a leader of old", Elections._error_of_sender, "if epoch < self._quorum.epoch:", "if epoch < 0:",
        conversations.wrong_words_are_answered_with_errors,
    ),
    Mutant(
        "heeds an older epoch", Elections.maybe_transition, "has_changes = answer.epoch > quorum.epoch",
        "has_changes = True", SEEDS,
    ),
    Mutant(
        "answers of former connections", Network._deliver_answer, IS_PENDING,
        "True:\n        connection.client.run(connection.client.incarnation,",
        schedules.processes_that_start_again_and_again,
    ),
    Mutant(
        "an answer counts again", RequestManager.complete, "self._pending.pop(token, None)", "self._pending.get(token)",
        conversations.an_answer_counts_once,
    ),
    Mutant(
        "no eye for deaths", RaftClient.died,
        "if node_id == self.quorum.leader_id != self.quorum.node_id:", "if False:",
        schedules.the_death_of_a_leader_is_seen,
    ),
    Mutant(
        "who was leader is waited for", RaftClient._fetch_answered, "error_code == NOT_LEADER_OR_FOLLOWER and",
        "error_code < 0 and", schedules.a_leader_that_resigns_hands_over,
    ),
    Mutant(
        "a fresh start waits", Elections.start, "self.ask_for_pre_votes(now)", "quorum.to_unattached(now)",
        schedules.a_fresh_quorum_elects_at_once,
    ),
)  # fmt: skip

CHANGES = (
    Mutant(
        "two changes at once", VoterChanges.changeable_voters,
        "log.voters_offset >= self._quorum.high_watermark", "False", range(41, 60),
    ),
    Mutant(
        "changes voters before its epoch has begun for good", VoterChanges._leader,
        "if not self._quorum.has_committed", "if False", voters.a_new_leader_changes_no_voters_yet,
    ),
    Mutant(
        "the old voters count for the new record", Leader.append_voters,
        "state.set_voters(others, former, now.monotonic_ms, is_voter=quorum.is_voter)", "others, former", SEEDS,
    ),
    Mutant(
        "a removed voter goes on counting", LeaderState.set_voters,
        "known, self._other_voters = self._other_voters, {}",
        "known, self._other_voters = dict(self._other_voters), dict(self._other_voters)", SEEDS,
    ),
    Mutant(
        "a removed leader counts itself", Leader.append_voters, "is_voter=quorum.is_voter", "is_voter=True",
        range(110, 115),
    ),
    Mutant(
        "a removed leader leads on", Leader.commit, "if not quorum.is_voter and", "if False and", range(34, 60)
    ),
    Mutant(
        "voters count when they are committed", QuorumState.read_voters, "found = self.log.voters",
        "found = self.log.voters_at(self.high_watermark - 1)", SEEDS,
    ),
    Mutant(
        "who is to go does not stand", QuorumState.may_stand.fget,
        "any(voter.key == self.key for voter in before)", "False", range(49, 60),
    ),
    Mutant(
        "voters that told nothing are left out", VoterChanges.configured_voters, "if missing:", "if False:",
        voters.voters_move_into_the_log_once_all_are_known,
    ),
    Mutant(
        "voters move into a log that one cannot read", VoterChanges.configured_voters, "if unable:", "if False:",
        voters.voters_move_into_the_log_once_all_are_known,
    ),
    Mutant(
        "what a lost directory told is believed", LeaderState.fetched,
        "registered.directory_id != fetch.directory_id", "False",
        voters.who_has_another_directory_tells_anew,
    ),
    Mutant(
        "whoever tells is a voter", VoterChanges.register, "if voter.id not in self._quorum.voters:", "if False:",
        voters.voters_move_into_the_log_once_all_are_known,
    ),
    Mutant(
        "who has not caught up may vote", VoterChanges.with_voter,
        "if not self._leader().is_caught_up(voter.key, now.monotonic_ms):", "if False:",
        voters.who_is_behind_does_not_vote_yet,
    ),
)  # fmt: skip

SNAPSHOTS = (
    Mutant(
        "epochs below the log start are made up", Leader._needs_snapshot,
        " or fetch.last_epoch < log.start_epoch", "", range(1, 10),
    ),
    Mutant(
        "a longer log needs no snapshot", Follower.handle_fetch_answer, " and epoch <= log.last_epoch", "",
        range(85, 130),
    ),
)  # fmt: skip

MUTANTS = VOTES + LEADERS + REPLICAS + CHANGES + SNAPSHOTS
