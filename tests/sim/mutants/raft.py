"""Mistakes in a member of the quorum, and what finds each at the lowest cost: the seed of a run, or a schedule."""

from __future__ import annotations

from kafkacompat.replication.raft import divergence, leading, peers
from kafkacompat.replication.raft.ballot import Ballot
from kafkacompat.replication.raft.following import Following
from kafkacompat.replication.raft.leading import Leading
from kafkacompat.replication.raft.member import Member
from kafkacompat.replication.raft.member_state import MemberState
from kafkacompat.replication.raft.outbox import Outbox
from kafkacompat.replication.raft.reconfiguring import Reconfiguring
from kafkacompat.replication.raft.serving import Serving
from tests.sim import conversations, schedules, voters
from tests.sim.mutants import Mutant
from tests.sim.network import Network

SEEDS = range(1, 60)
IS_CURRENT = "(vote.last_epoch, vote.last_offset) >= (self.log.last_epoch, self.log.end_offset)"
IS_PENDING = """connection.is_open and token in connection.pending:
        del connection.pending[token]
        connection.client.run(connection.client_incarnation,"""
LEADS_ON = "elif stored and stored.leader_id == self.node_id:\n        self._lead(now)\n    elif self.may_stand:"
CUT = "self.log.truncate_to(cut_offset(self.log, *answer.diverging, self.high_watermark))"
RAISE = "self.high_watermark = max(self.high_watermark, min(answer.high_watermark, self.log.end_offset))"

VOTES = (
    Mutant(
        "vote not stored", Member._save, "voted or (NOBODY, bytes(16))", "(NOBODY, bytes(16))",
        schedules.a_vote_is_remembered,
    ),
    Mutant("epoch not stored", Member._save, "(QuorumState(self.epoch,", "(QuorumState(0,", SEEDS),
    Mutant("votes for two", Member._may_vote_for, "in (None,", "not in ((),", SEEDS),
    Mutant(
        "only pre-votes look at the log", Member._on_vote, "granted = granted and self._may", "granted = self._may",
        conversations.no_vote_for_a_log_that_is_behind,
    ),
    Mutant("votes for a shorter log", Member._on_vote, IS_CURRENT, "True", SEEDS),
    Mutant(
        "votes for the longest log", Member._on_vote, IS_CURRENT, "vote.last_offset >= self.log.end_offset",
        conversations.pre_votes_change_nothing,
    ),
    Mutant("half is a majority", Ballot.__init__, "len(self._open) // 2 + 1", "(len(self._open) + 1) // 2", SEEDS),
    Mutant(
        "a voter is counted twice", Ballot.count, "if voter_id in self._open:",
        "if granted := self.granted.add(len(self.granted)) or granted:", SEEDS,
    ),
    Mutant(
        "answers of a lost round count", Member._count_vote, "if self.state != _ASKED_WHILE[kind]:", "if False:",
        conversations.a_lost_round_is_over,
    ),
    Mutant(
        "votes of an older epoch count", Outbox.forget_questions, "self._asked.clear()", "pass",
        conversations.votes_of_an_older_epoch_do_not_count,
    ),
    Mutant(
        "pre-vote beside a live leader", Member._has_no_live_leader, "not self._has_fetched or", "True or",
        schedules.one_broken_link_is_no_reason_for_an_election,
    ),
    Mutant(
        "no pre-vote", Member._ask_whether_to_stand, "self._hold_ballot(PRE_VOTE, now)", "self._stand(now)",
        schedules.a_voter_that_comes_back_from_exile_disturbs_nobody,
    ),
    Mutant(
        "ids are enough for voters", peers.names, "and key[1] in (NO_DIRECTORY_ID, replica[1])", "",
        conversations.a_voter_with_another_directory_is_not_the_voter_it_was,
    ),
    Mutant(
        "votes whoever is meant", Member._on_vote, "address_error(vote.voter, self.key)", "NONE",
        conversations.who_has_another_directory_is_not_meant,
    ),
    Mutant("an observer stands", Member._begin, "elif self.may_stand:", "elif True:", SEEDS),
    Mutant("all stand at once", Member._turn_ms, "self.timing.retry_ms", "0", conversations.voters_stand_in_turn),
)  # fmt: skip

LEADERS = (
    Mutant("leads on after a restart", Member._begin, "elif self.may_stand:", LEADS_ON, SEEDS),
    Mutant(
        "no check of the quorum", Member._tick_leader,
        "leading.quorum_lost_at_ms(self.timing.silence_ms, now_ms)", "1 << 62",
        schedules.a_leader_without_a_majority_gives_up,
    ),
    Mutant(
        "observers keep a leader", Leading.fetched, "progress.fetched(fetch.offset, end_offset, now_ms)",
        "progress.fetched(fetch.offset, 0, 0), [setattr(one, 'fetch_ms', now_ms) for one in self._others.values()]",
        conversations.an_observer_keeps_no_leader_in_office,
    ),
    Mutant(
        "observers count", Leading.fetched, "self._others.get(fetch.replica_id) if is_voter else None",
        "self._others.get(fetch.replica_id) or next(iter(self._others.values()), None)", SEEDS,
    ),
    Mutant(
        "counts itself before it is durable", Member._move_high_watermark, "log.flushed_offset", "log.end_offset", SEEDS
    ),
    Mutant("less than a majority", leading.majority_end, "len(ordered) // 2", "len(ordered) // 2 - 1", SEEDS),
    Mutant(
        "commits old epochs by count", Leading.high_watermark, "max(self.epoch_start_offset, current)", "current",
        schedules.figure_8,
    ),
    Mutant(
        "a fetch of another epoch counts", Member._on_fetch, "fetch.epoch != self.epoch or leading is None",
        "leading is None", conversations.a_fetch_of_another_epoch_counts_for_nothing,
    ),
    Mutant(
        "a diverging fetch counts", Member._on_fetch, "where = diverging(self.log, fetch)",
        "leading.fetched(fetch, 0, 0, is_voter=True)\n    where = diverging(self.log, fetch)", SEEDS,
    ),
    Mutant(
        "held fetches wait their time out", Leading.take_due, "if held.fetch.offset < end_offset", "if False",
        schedules.an_append_is_committed_without_waiting,
    ),
    Mutant(
        "the high watermark wakes nobody", Leading.take_due, "or held.fetch.high_watermark < high_watermark", "",
        schedules.an_append_is_committed_without_waiting,
    ),
    Mutant(
        "resigns in silence", Member.resign, "for voter_id in self._others():", "for voter_id in ():",
        conversations.a_leader_that_goes_names_its_successors,
    ),
)  # fmt: skip

REPLICAS = (
    Mutant("fetches what is not durable", Member._fetch, "if log.flushed_offset < log.end_offset:", "if False:", SEEDS),
    Mutant(
        "a high watermark beyond the log", Member._take_records, "min(answer.high_watermark, self.log.end_offset)",
        "answer.high_watermark", SEEDS,
    ),
    Mutant(
        "commits by a diverging answer", Member._take_records, CUT, f"{CUT}\n        {RAISE}",
        conversations.what_is_left_after_a_cut_may_differ_still,
    ),
    Mutant(
        "no check for divergence", divergence.diverging,
        "if epoch < fetch.last_epoch or end < fetch.offset", "if False",
        schedules.figure_8,
    ),
    Mutant(
        "divergence by offset alone", divergence.diverging, "epoch < fetch.last_epoch or end", "log.end_offset",
        schedules.figure_8,
    ),
    Mutant("divergence by epoch alone", divergence.diverging, "or end < fetch.offset", "", SEEDS),
    Mutant("cuts to the high watermark", divergence.cut_offset, "return target", "return committed_offset", SEEDS),
    Mutant(
        "cuts what is committed", divergence.cut_offset, "if target < committed_offset:", "if False:",
        schedules.what_is_committed_is_not_cut_even_when_a_majority_lost_it,
    ),
    Mutant(
        "follows a leader of old", Member._error_of_voter, "if epoch < self.epoch:", "if epoch < 0:",
        conversations.wrong_words_are_answered_with_errors,
    ),
    Mutant("heeds an older epoch", Member._heed, "is_news = said.epoch > self.epoch", "is_news = True", SEEDS),
    Mutant(
        "answers of former connections", Network._deliver_answer, IS_PENDING,
        "True:\n        connection.client.run(connection.client.incarnation,",
        schedules.processes_that_start_again_and_again,
    ),
    Mutant(
        "an answer counts again", Outbox.close, "self._asked.pop(token, None)", "self._asked.get(token)",
        conversations.an_answer_counts_once,
    ),
    Mutant(
        "no eye for deaths", Member.died, "if node_id == self.leader_id != self.node_id:", "if False:",
        schedules.the_death_of_a_leader_is_seen,
    ),
    Mutant(
        "who was leader is waited for", Member._on_fetch_answer, "error_code == NOT_LEADER_OR_FOLLOWER and",
        "error_code < 0 and", schedules.a_leader_that_resigns_hands_over,
    ),
    Mutant(
        "a fresh start waits", Member._begin, "self._ask_whether_to_stand(now)", "self._detach(now)",
        schedules.a_fresh_quorum_elects_at_once,
    ),
)  # fmt: skip

CHANGES = (
    Mutant(
        "two changes at once", Reconfiguring.changeable_voters, "self.log.voters_offset >= self.high_watermark",
        "False", SEEDS,
    ),
    Mutant(
        "changes voters before its epoch has begun for good", Reconfiguring._leading_for_good,
        "if not self.has_committed", "if False", voters.a_new_leader_changes_no_voters_yet,
    ),
    Mutant(
        "the old voters count for the new record", Reconfiguring.change_voters,
        "leading.set_voters(others, former, now.monotonic_ms, is_one=self.is_voter)", "others, former", SEEDS,
    ),
    Mutant(
        "a removed voter goes on counting", Leading.set_voters, "known, self._others = self._others, {}",
        "known, self._others = dict(self._others), dict(self._others)", SEEDS,
    ),
    Mutant(
        "a removed leader counts itself", Reconfiguring.change_voters, "is_one=self.is_voter", "is_one=True",
        range(105, 115),
    ),
    Mutant(
        "a removed leader leads on", Serving._move_high_watermark, "if not self.is_voter and", "if False and", SEEDS
    ),
    Mutant(
        "voters count when they are committed", MemberState._take_voters, "found = self.log.voters",
        "found = self.log.voters_at(self.high_watermark - 1)", SEEDS,
    ),
    Mutant(
        "who is to go does not stand", MemberState.may_stand.fget,
        "any(voter.key == self.key for voter in before)", "False", SEEDS,
    ),
    Mutant(
        "voters that told nothing are left out", Reconfiguring.configured_voters, "if silent:", "if False:",
        voters.voters_move_into_the_log_once_all_are_known,
    ),
    Mutant(
        "voters move into a log that one cannot read", Reconfiguring.configured_voters, "if unable:", "if False:",
        voters.voters_move_into_the_log_once_all_are_known,
    ),
    Mutant(
        "what a lost directory told is believed", Leading.fetched, "told.directory_id != fetch.directory_id", "False",
        voters.who_has_another_directory_tells_anew,
    ),
    Mutant(
        "whoever tells is a voter", Reconfiguring.note, "if voter.id not in self.voters:", "if False:",
        voters.voters_move_into_the_log_once_all_are_known,
    ),
    Mutant(
        "who has not caught up may vote", Reconfiguring.with_voter,
        "if not self._leading.is_caught_up(voter.key, now.monotonic_ms):", "if False:",
        voters.who_is_behind_does_not_vote_yet,
    ),
)  # fmt: skip

SNAPSHOTS = (
    Mutant(
        "epochs below the log start are made up", Serving._needs_snapshot,
        " or fetch.last_epoch < log.start_epoch", "", range(1, 10),
    ),
    Mutant(
        "a longer log needs no snapshot", Following._take_records, " and epoch <= self.log.last_epoch", "",
        range(85, 130),
    ),
)  # fmt: skip

MUTANTS = VOTES + LEADERS + REPLICAS + CHANGES + SNAPSHOTS
