"""Mistakes in how a partition is replicated, and what finds each at the lowest cost: a seed, or a schedule."""

from __future__ import annotations

from kafkacompat.protocol.error_codes import FENCED_LEADER_EPOCH, INVALID_UPDATE_VERSION
from kafkacompat.replication import high_watermark, serving
from kafkacompat.replication.cluster_view import ClusterView
from kafkacompat.replication.controller import brokers, reassign
from kafkacompat.replication.controller.active import ActiveController
from kafkacompat.replication.controller.alter_partition import _Changes
from kafkacompat.replication.controller.broker_heartbeat_manager import BrokerHeartbeatManager
from kafkacompat.replication.controller.failure_detector import FailureDetector
from kafkacompat.replication.election import _Target
from kafkacompat.replication.following import Following
from kafkacompat.replication.in_sync import Follower, InSync
from kafkacompat.replication.partition import Partition
from kafkacompat.storage import truncation
from tests.replication import test_following as following_tests
from tests.replication import test_in_sync as in_sync_tests
from tests.replication.controller import test_alter_partition as alter_tests
from tests.replication.controller import test_broker_heartbeat_manager as session_tests
from tests.sim.mutants import Mutant
from tests.sim.replication import deaths, schedules
from tests.sim.replication.memory_log import MemoryLog
from tests.sim.replication.node import Node

TRIES = 40
"""So many seeds from the one that has found a mistake, should that not find it any more."""

MUTANTS = (
    Mutant(
        "acknowledges what is appended",
        Partition.ack_error,
        "if self.high_watermark <= last_offset:",
        "if False:",
        range(1, 1 + TRIES),
    ),
    Mutant(
        "reads to the log end",
        Partition.readable_end_offset,
        "else self.high_watermark",
        "else self.log.log_end_offset",
        range(1, 1 + TRIES),
    ),
    Mutant(
        "cuts to the high watermark",
        Following._truncate,
        "target = truncation_offset(epoch, end_offset, own, log.log_end_offset)",
        "target = high_watermark",
        following_tests.test_committed_records_are_not_cut,
    ),
    Mutant(
        "forgets an unclean election once the leader has recovered",
        Partition._may_have_lost,
        "or image.unclean_epoch > self.log.epochs.latest",
        "",
        following_tests.test_who_missed_an_unclean_election_cuts_as_well,
    ),
    Mutant(
        "cuts too little",
        truncation.truncation_offset,
        "return min(end_offset, own_end, log_end_offset)",
        "return min(max(end_offset, own_end), log_end_offset)",
        range(5, 5 + TRIES),
    ),
    Mutant(
        "an older epoch of ours is not looked at",
        truncation.truncation_offset,
        "if own_epoch != epoch:",
        "if False:",
        following_tests.test_an_older_epoch_of_the_followers_own_is_tried_next,
    ),
    Mutant(
        "elects whoever works",
        _Target.elect,
        "if b in eligible and self.context.may_lead(b)",
        "if self.context.may_lead(b)",
        range(9, 9 + TRIES),
    ),
    Mutant(
        "elects the fenced",
        _Target.elect,
        "if b in eligible and self.context.may_lead(b)",
        "if b in eligible",
        range(1, 1 + TRIES),
    ),
    Mutant(
        "no check for divergence",
        truncation.diverging_epoch,
        "return agreed if epoch < last_fetched_epoch or end_offset < fetch_offset else None",
        "return None",
        range(1, 1 + TRIES),
    ),
    Mutant(
        "divergence by epoch alone", truncation.diverging_epoch, "or end_offset < fetch_offset", "", range(1, 1 + TRIES)
    ),
    Mutant(
        "divergence by offset alone",
        truncation.diverging_epoch,
        "epoch < last_fetched_epoch or",
        "",
        range(3, 3 + TRIES),
    ),
    Mutant(
        "followers do not know the producers",
        MemoryLog.append_as_follower,
        "self._write(batch, now)",
        "known, self.producers = self.producers, type(self.producers)()\n"
        "        self._write(batch, now)\n"
        "        self.producers = known",
        range(1, 1 + TRIES),
    ),
    Mutant(
        "commits under the minimum",
        high_watermark.next_high_watermark,
        "if isr_size < min_isr:",
        "if False:",
        range(2, 2 + TRIES),
    ),
    Mutant(
        "a shrink counts when it is proposed",
        InSync.maximal_isr.fget,
        "(*self.isr, *self.pending.added)",
        "tuple(member for member, _ in self.pending.members)",
        range(2, 2 + TRIES),
    ),
    Mutant(
        "an expansion counts when it is accepted",
        InSync.maximal_isr.fget,
        "self.isr if self.pending is None else (*self.isr, *self.pending.added)",
        "self.isr",
        range(2, 2 + TRIES),
    ),
    Mutant(
        "a new leader commits all it has",
        Partition._begin_epoch,
        "self.in_sync.begin_epoch(self.leader_epoch_start_offset, now)",
        "self.in_sync.begin_epoch(self.leader_epoch_start_offset, now)\n"
        "    self.high_watermark = self.leader_epoch_start_offset",
        range(1, 1 + TRIES),
    ),
    Mutant(
        "an unclean stop is not believed",
        brokers.register,
        "unclean = before is None or before.epoch != registration.previous_epoch",
        "unclean = False",
        range(2, 2 + TRIES),
    ),
    Mutant(
        "claims to have lost nothing",
        Node._claim,
        "if session is not None and (is_clean or session.boot == self.boot or disk.log.config.flush_messages == 1):",
        "if session is not None:",
        range(2, 2 + TRIES),
    ),
    Mutant(
        "trusts its checkpoint after an unclean stop",
        Node.start,
        "0 if self._previous_epoch == -1 else disk.high_watermark",
        "disk.high_watermark",
        range(234, 234 + TRIES),
    ),
    Mutant(
        "a smaller isr counts before the metadata log shows it",
        InSync.answered,
        "if not set(self.isr) <= set(answer.isr):",
        "if False:",
        schedules.a_new_minimum_is_not_overtaken_by_a_shrink,
    ),
    Mutant(
        "a replica that comes back is the old one",
        InSync.set_followers,
        "self.followers = {\n",
        "self.followers = known | {\n",
        schedules.a_replica_that_was_removed_and_added_again_is_a_new_one,
    ),
    Mutant(
        "joins without the start of the epoch",
        InSync.may_join,
        "max(high_watermark, self.start_offset)",
        "high_watermark",
        lambda: in_sync_tests.test_who_may_join(9, 13, False),
    ),
    Mutant(
        "joins behind the high watermark",
        InSync.may_join,
        "max(high_watermark, self.start_offset)",
        "self.start_offset",
        range(2, 2 + TRIES),
    ),
    Mutant(
        "no partition epoch",
        _Changes._error,
        "proposal.partition_epoch < partition.partition_epoch",
        "False",
        schedules.a_stale_shrink_is_refused,
    ),
    Mutant(
        "no leader epoch",
        _Changes._error,
        "proposal.leader_epoch < partition.leader_epoch",
        "False",
        lambda: alter_tests.test_refusals(alter_tests.asked(leader_epoch=4, epoch=6), FENCED_LEADER_EPOCH),
    ),
    Mutant(
        "members may be fenced",
        _Changes._is_eligible,
        "if broker is None or not broker.is_active:",
        "if broker is None:",
        range(30, 30 + TRIES),
    ),
    Mutant(
        "a copy of what was refused is accepted",
        _Changes.decide,
        "if error == errors.INELIGIBLE_REPLICA:",
        "if False:",
        schedules.a_copy_of_what_was_refused_is_refused,
    ),
    Mutant(
        "who resigned forgets what it proposed",
        Partition.resign,
        "self._follow(is_unclean=False)",
        "self.in_sync.pending = None\n    self._follow(is_unclean=False)",
        schedules.a_leader_that_resigned_counts_on_what_it_had_proposed,
    ),
    Mutant(
        "a life of a member is any life",
        _Changes._is_eligible,
        "return broker_epoch in (NO_BROKER_EPOCH, broker.epoch)",
        "return True",
        schedules.a_follower_that_lost_its_log_after_its_fetch_may_not_join,
    ),
    Mutant(
        "a follower's life is any life",
        InSync._is_eligible,
        "follower.broker_epoch == self._view.active_epoch(replica)",
        "self._view.active_epoch(replica) is not None",
        schedules.a_former_life_gives_no_evidence,
    ),
    Mutant(
        "fetches of past lives count",
        InSync.is_stale,
        "return epoch is not None and NO_BROKER_EPOCH != broker_epoch < epoch",
        "return False",
        following_tests.test_strangers_and_past_lives_are_not_served,
    ),
    Mutant(
        "registers beside the living",
        BrokerHeartbeatManager.register,
        "if self.is_alive(broker_id, now):",
        "if False:",
        lambda: session_tests.test_another_process_waits_until_the_session_of_the_present_one_is_over(False),
    ),
    Mutant(
        "a heartbeat of any life",
        BrokerHeartbeatManager.heartbeat,
        "if broker is None or broker.epoch != request.broker_epoch:",
        "if broker is None:",
        lambda: session_tests.test_heartbeats_of_past_lives_count_for_nothing(1, range(10, 10 + TRIES)),
    ),
    Mutant(
        "works before it knows of its registration",
        BrokerHeartbeatManager.heartbeat,
        "if is_caught_up and not",
        "if not",
        session_tests.test_a_heartbeat_that_has_seen_its_registration_unfences_and_elects,
    ),
    Mutant(
        "heeds what was before its registration",
        Node._apply,
        " or image.offset < self.broker_epoch",
        "",
        range(4, 4 + TRIES),
    ),
    Mutant(
        "registration keeps in sync",
        brokers.register,
        "list(leader_and_isr_updates(broker_id, image, settings, steps, unclean=unclean))",
        "[]",
        range(2, 2 + TRIES),
    ),
    Mutant(
        "fencing keeps in sync",
        brokers.fence,
        "list(leader_and_isr_updates(broker_id, image, settings, steps))",
        "[]",
        range(1, 1 + TRIES),
    ),
    Mutant(
        "who comes back elects nobody",
        brokers.unfence,
        "if partition.leader == NO_LEADER:",
        "if False:",
        range(1, 1 + TRIES),
    ),
    Mutant(
        "a fetch of any epoch",
        serving.serve_follower,
        "partition.leader_error(asked.current_leader_epoch)",
        "partition.leader_error()",
        range(15, 15 + TRIES),
    ),
    Mutant(
        "a fetch that waited counts again",
        serving.serve_follower,
        "if not has_waited:",
        "if True:",
        following_tests.test_a_fetch_that_has_waited_says_nothing_new,
    ),
    Mutant(
        "a diverging fetch counts",
        serving.serve_follower,
        "if where is not None:",
        "partition.follower_fetched(replica_id, asked.fetch_offset, broker_epoch, now)\n        if where is not None:",
        range(27, 27 + TRIES),
    ),
    Mutant(
        "what followers said before counts",
        InSync.begin_epoch,
        "self.followers = {}",
        "pass",
        in_sync_tests.test_a_new_epoch_forgets_what_followers_said,
    ),
    Mutant("any ticket is good", Following.close, "ticket == self.open_ticket", "True", range(1, 1 + TRIES)),
    Mutant(
        "a high watermark beyond the log",
        Following._append,
        "min(answer.high_watermark, log.log_end_offset)",
        "answer.high_watermark",
        following_tests.test_a_follower_commits_no_more_than_it_holds,
    ),
    Mutant(
        "the high watermark of an answer that cuts",
        Following.process,
        "return self._truncate(answer.diverging_epoch.epoch, answer.diverging_epoch.end_offset, high_watermark)",
        "cut = self._truncate(answer.diverging_epoch.epoch, answer.diverging_epoch.end_offset, high_watermark)\n"
        "            return cut[0], max(cut[1], min(answer.high_watermark, self._log.log_end_offset))",
        schedules.an_answer_that_cuts_commits_nothing,
    ),
    Mutant(
        "late answers count",
        InSync.answered,
        "if proposal is not self.pending:",
        "if False:",
        in_sync_tests.test_late_answers_are_ignored,
    ),
    Mutant(
        "gives up what may be accepted",
        InSync.answered,
        "if answer.error_code in _GIVES_UP:",
        "if True:",
        lambda: in_sync_tests.test_other_answers(in_sync_tests.answer(INVALID_UPDATE_VERSION), True, False),
    ),
    Mutant(
        "never asks again",
        InSync.failed,
        "proposal.must_send = True",
        "pass",
        in_sync_tests.test_one_proposal_at_a_time_and_it_is_sent_once,
    ),
    Mutant(
        "who was eligible is forgotten",
        _Target.update_elr,
        "candidates = [*self.elr, *(",
        "candidates = [*(",
        range(1, 1 + TRIES),
    ),
    Mutant(
        "eligible whatever was lost", _Target.update_elr, "and b not in self.unclean_stops", "", range(2, 2 + TRIES)
    ),
    Mutant("the eligible stay at the minimum", _Target.update_elr, "self.elr = ()", "pass", range(2, 2 + TRIES)),
    Mutant(
        "nobody is eligible",
        _Target.update_elr,
        "sorted(b for b in candidates if",
        "sorted(b for b in () if",
        range(1, 1 + TRIES),
    ),
    Mutant(
        "nobody lags",
        Follower.lags,
        "return self.end_offset != leader_end_offset and now_ms - self.caught_up_ms > lag_time_max_ms",
        "return False",
        in_sync_tests.test_lagging_is_measured_from_the_last_time_a_follower_had_everything,
    ),
    Mutant(
        "a leader of old acknowledges",
        Partition.ack_error,
        "if not self.is_leader:",
        "if False:",
        range(10, 10 + TRIES),
    ),
    Mutant(
        "commits what is not flushed",
        Partition.advance_high_watermark,
        "self.log.flushed_offset if self.log.config.flush_messages == 1 else log_end",
        "log_end",
        schedules.what_is_not_flushed_is_not_committed,
    ),
    Mutant(
        "fetches what is not flushed",
        Following.may_fetch.fget,
        "return log.config.flush_messages != 1 or log.flushed_offset >= log.log_end_offset",
        "return True",
        schedules.what_is_not_flushed_is_not_committed,
    ),
    Mutant(
        "takes no part in silence only",
        Partition.resign,
        "self.leader = NO_LEADER",
        "pass",
        following_tests.test_who_has_resigned_takes_no_part,
    ),
    Mutant(
        "a move ends before the new replicas are in sync",
        _Target.finish_reassignment,
        "set(replicas) <= set(isr)",
        "set(replicas) & set(isr)",
        range(117, 117 + TRIES),
    ),
    Mutant(
        "a cancelled move drops who holds what is committed",
        reassign._reverted,
        "if len(in_sync) < min(min_isr, len(replicas)):",
        "if False:",
        range(498, 498 + TRIES),
    ),
    Mutant(
        "a move begins with the new replicas",
        reassign._merged,
        "return (*wanted, *removing), adding, removing",
        "return tuple(wanted), adding, ()",
        range(1, 1 + TRIES),
    ),
    Mutant(
        "a preferred leader need not be in sync",
        _Target.elect,
        "order = (*self.replicas[: int(preferred)], self.partition.leader, *self.replicas)",
        "order = (*self.replicas[: int(preferred)], self.partition.leader, *self.replicas)\n"
        "    eligible = (*eligible, *self.replicas[: int(preferred)])",
        range(23, 23 + TRIES),
    ),
    Mutant(
        "a lost connection is a death",
        ActiveController.connection_lost,
        "self._failures.add(broker_id, now, GRACE_MS)",
        "self._heartbeats.died(broker_id), self.tick(now)",
        deaths.who_only_pauses_keeps_its_place,
    ),
    Mutant(
        "a dial that is answered shows a death",
        FailureDetector.dialed,
        "if outcome != REFUSED:",
        'if outcome == "unknown":',
        deaths.who_only_pauses_keeps_its_place,
    ),
    Mutant(
        "a dial that is not answered shows a death",
        FailureDetector.dialed,
        "if outcome != REFUSED:",
        'if outcome == "open":',
        deaths.who_is_cut_off_is_left_to_its_session,
    ),
    Mutant(
        "a refused dial shows a death, whoever was never reached",
        FailureDetector.dialed,
        "if was_reached or",
        "if True or",
        deaths.who_was_never_reached_is_not_dead_because_it_is_refused,
    ),
    Mutant(
        "silence shows no death",
        FailureDetector.dialed,
        "now.monotonic_ms >= silent_at_ms:",
        "False:",
        deaths.who_was_never_reached_and_is_silent_is_replaced_before_its_session_ends,
    ),
    Mutant(
        "nobody looks after who lost its connection",
        ActiveController.connection_lost,
        "if broker_id in self._quorum.image.brokers:",
        "if False:",
        deaths.a_killed_leader_is_replaced,
    ),
    Mutant(
        "a new controller waits for all sessions",
        ActiveController.__init__,
        "elif not broker.fenced:",
        "elif False:",
        deaths.a_new_controller_finds_who_died_before_it,
    ),
    Mutant(
        "who comes back waits for its old session",
        FailureDetector.hasten,
        "suspect.dial_at_ms = now.monotonic_ms",
        "pass",
        deaths.who_comes_back_at_once_is_taken_at_once,
    ),
    Mutant(
        "leads as long as nobody says otherwise",
        ClusterView.is_lease_expired,
        "return now.monotonic_ms >= self.lease_until_ms",
        "return False",
        deaths.who_is_cut_off_takes_no_writes_that_nobody_else_gets,
    ),
)
