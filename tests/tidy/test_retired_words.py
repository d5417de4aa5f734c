"""Names that were given up for Kafka's own do not come back."""

from __future__ import annotations

import re

from tests.tidy.tree import python_files, text

KAFKAS_NAME = {
    "Ballot": "EpochElection", "Controllership": "ControllerServer", "DiskLog": "KafkaRaftLog",
    "Draft": "MetadataDelta", "LANE": "CHANNEL", "NO_NEWS": "EXPECTED_ERRORS",
    "GroupShard": "GroupCoordinatorShard", "HeldFetch": "DelayedFetch",
    "HeldFetches": "DelayedFollowerFetches", "Leading": "LeaderState",
    "MemberLog": "RaftLog", "MemberState": "QuorumState", "Neighbours": "MetadataCache", "Outbox": "RequestManager",
    "Patience": "ConnectionTimeouts", "Petition": "a voter request", "Petitions": "VoterRequests",
    "Reconfiguring": "VoterChanges", "Shard": "CoordinatorContext",
    "Submission": "DeferredEvent", "Submissions": "BatchAccumulator", "Surroundings": "ElectionContext",
    "Suspects": "FailureDetector", "Wanted": "CachedPartition", "WrongEnvelopeError": "TopLevelError",
    "changes_more": "Result.otherwise", "chores": "scheduled_tasks", "cutting": "before_truncate",
    "forwarded_rest": "partial forwarding", "has_cut": "after_truncate", "has_unsynced_cut": "has_unflushed_truncation",
    "is_news": "has_changes", "is_passed_on": "is_forwarded", "keeping_gap": "after_keeping_gap", "lane": "channel",
    "leftovers": "swap_files", "losing": "before_data_loss", "make_way": "complete_early", "must_tell": "must_respond",
    "nodes_to_tell": "alive_nodes", "reshape": "recompress", "some_broker_id": "random_alive_broker_id",
    "leader_is_gone": "leader_failed", "leader_lives": "reset_fetch_timeout", "says_the_same_as": "is_equivalent_to",
    "take_news": "maybe_transition",
    "lifeline": "keep_alive", "pass_on": "run_steps", "refused_here": "validate_locally", "turn_ended": "after_event",
    "worded": "as_response",
    "elect_in_turn": "elect_periodically", "is_given_up": "is_cancelled", "lease_is_over": "is_lease_expired",
    "UNITS_A_TURN": "UNITS_PER_ITERATION", "UNITS_A_STEP": "UNITS_PER_STEP",
    "acknowledging_early": "before_early_acknowledgement", "let_go": "on_close", "take_deleted": "pop_deleted",
    "take_moved": "pop_moved", "take_unsynced": "pop_unsynced", "on_settled": "on_event_processed",
    "take_open": "take_uncommitted", "takes_nothing": "is_cordoned",
    "GO_ON": "FETCH_AGAIN", "LOOK_MS": "FULL_READ_MS", "TURN_MAX_BYTES": "ITERATION_MAX_BYTES",
    "goes_last": "move_to_end", "looked_ms": "full_read_ms", "not_quiet": "not_idle", "nudge": "wake-up fetch",
    "refuse_stranger": "refuse_non_replica", "told_high_watermark": "last_sent_high_watermark",
    "told_log_start_offset": "last_sent_log_start_offset",
}  # fmt: skip
"""What stands in the code now, by the word that stood there."""
RETIRED = re.compile(rf"\b({'|'.join(KAFKAS_NAME)})\b")


def test_no_retired_word_is_in_the_package() -> None:
    found = {name: sorted(set(RETIRED.findall(text(name)))) for name in python_files("kafkacompat/")}
    assert {name: words for name, words in found.items() if words} == {}
