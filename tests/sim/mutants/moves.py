"""Mistakes in moves between log directories, and in what is cordoned, each with the test that finds it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from kafkacompat.broker.control.lifecycle import Lifecycle
from kafkacompat.broker.replicas.move_schedule import MoveSchedule
from kafkacompat.broker.replicas.partition_events import PartitionEvents
from kafkacompat.broker.replicas.replica_alter_log_dirs import ReplicaAlterLogDirsManager
from kafkacompat.broker.replicas.replica_manager import ReplicaManager
from kafkacompat.replication.future_replica import FutureReplica
from kafkacompat.replication.metadata.image import BrokerImage
from kafkacompat.replication.partition import Partition
from kafkacompat.storage.directory_moves import DirectoryMoves
from kafkacompat.storage.future_logs import FutureLogs
from kafkacompat.storage.manager import LogManager
from tests.broker import test_cordoned_directories as cordoned
from tests.broker.replicas import test_moves_that_wait as waits
from tests.broker.replicas import test_replica_alter_log_dirs as moves
from tests.replication import test_future_replica as futures
from tests.replication.controller import test_directories as directories
from tests.sim.mutants import Mutant

if TYPE_CHECKING:
    from collections.abc import Callable


def _patching(test: Callable[[pytest.MonkeyPatch], None]) -> Callable[[], None]:
    """The test with a patch of its own."""

    def run() -> None:
        with pytest.MonkeyPatch.context() as patch:
            test(patch)

    return run


COPY_MUTANTS = (
    Mutant(
        "a copy keeps what its log has lost",
        FutureReplica.align,
        "while (offset := self._truncation_offset()) is not None:",
        "while False:",
        futures.test_it_truncates_other_records_at_the_same_offsets,
    ),
    Mutant(
        "a copy keeps what was deleted",
        FutureReplica.align,
        "elif log.log_start_offset < current.log_start_offset:",
        "elif False:",
        waits.test_what_is_written_meanwhile_is_copied_and_what_is_deleted_goes,
    ),
    Mutant(
        "records count as deleted that the copy still has",
        Partition.low_watermark.fget,  # type: ignore[attr-defined]
        "min(low_watermark, self.future_log.log_start_offset)",
        "low_watermark",
        moves.test_deleted_records_wait_for_the_future_replica,
    ),
    Mutant(
        "the copy of an earlier topic is gone on with",
        FutureLogs.open,
        "if error.error_code != INCONSISTENT_TOPIC_ID:",
        "if True:",
        moves.test_a_future_replica_of_an_earlier_topic_is_deleted,
    ),
)

SWAP_MUTANTS = (
    Mutant(
        "the log is replaced before the metadata names the directory",
        ReplicaAlterLogDirsManager._caught_up,
        "if not self._is_accepted(move):",
        "if False:",
        waits.test_moves_with_nothing_to_do_have_no_timer_until_the_metadata_names_their_directory,
    ),
    Mutant(
        "the controller does not hear of the new directory",
        ReplicaAlterLogDirsManager._caught_up,
        "if not move.is_promised:",
        "if False:",
        moves.test_a_replica_moves_with_its_records_and_the_metadata_names_the_new_directory,
    ),
    Mutant(
        "the controller does not hear that a move was ended",
        ReplicaAlterLogDirsManager._end,
        "self._node.logs.moves.promise(*move.partition.watch_key, None)",
        "pass",
        moves.test_a_move_that_the_metadata_knows_of_can_be_ended,
    ),
    Mutant(
        "what takes the place of a log was not synced",
        ReplicaAlterLogDirsManager._is_durable,
        "return is_synced and",
        "return True or",
        waits.test_what_was_durable_is_durable_in_each_moment_of_a_move,
    ),
    Mutant(
        "producers are forgotten",
        ReplicaAlterLogDirsManager._swap,
        "new.adopt_producers(old)",
        "pass",
        moves.test_producers_are_known_behind_a_move,
    ),
    Mutant(
        "two logs are flushed in a turn",
        ReplicaAlterLogDirsManager._caught_up,
        "if self._has_flushed:",
        "if False:",
        _patching(waits.test_at_most_one_log_is_flushed_in_a_turn),
    ),
    Mutant(
        "a swap that fails leaves no log",
        DirectoryMoves.swap,
        "            take_back()\n",
        "            pass\n",
        moves.test_a_directory_that_fails_in_the_swap_leaves_the_replica_where_it_is,
    ),
    Mutant(
        "a start does not go on with moves",
        ReplicaManager._open,
        "if self._logs.future_of(topic.name, index) is not None:",
        "if False:",
        partial(moves.test_a_restart_goes_on_with_a_move, False, False),
    ),
)

WAIT_MUTANTS = (
    Mutant(
        "new records wake nobody",
        ReplicaAlterLogDirsManager.changed,
        "move.place == SETTLED or",
        "False or",
        waits.test_what_is_written_meanwhile_is_copied_and_what_is_deleted_goes,
    ),
    Mutant(
        "the metadata wakes nobody",
        PartitionEvents.followed_image,
        "if partition.future_log is not None:",
        "if False:",
        waits.test_moves_with_nothing_to_do_have_no_timer_until_the_metadata_names_their_directory,
    ),
    Mutant(
        "a deleted topic wakes nobody",
        PartitionEvents.moved,
        "if partition.future_log is not None:",
        "if False:",
        waits.test_a_move_that_waits_ends_with_its_topic,
    ),
    Mutant(
        "a directory that has failed wakes nobody",
        PartitionEvents.directories_failed,
        "self._node.alter_log_dirs.directories_failed(now)",
        "pass",
        partial(waits.test_a_move_that_waits_ends_with_its_directory, True),
    ),
    Mutant(
        "no rate holds moves back",
        ReplicaAlterLogDirsManager._is_throttled,
        "return self._quota.is_exceeded(now)",
        "return False",
        partial(moves.test_a_rate_holds_moves_back, "2", "1", 4),
    ),
    Mutant(
        "all that the rate holds back is looked at",
        MoveSchedule.bring,
        "if self._throttled and not self._next:\n        self._is_throttled = is_throttled()",
        "if self._throttled and not self._next:\n        self._is_throttled = False",
        _patching(waits.test_moves_that_are_held_back_by_the_rate_are_not_looked_at),
    ),
    Mutant(
        "full disks are not asked for room",
        MoveSchedule.bring,
        "if not each.lacks_room",
        "if True",
        _patching(waits.test_moves_to_a_full_disk_are_not_looked_at_until_it_has_room),
    ),
)

CORDONED_MUTANTS = (
    Mutant(
        "new replicas go to a cordoned directory",
        LogManager._emptiest,
        "directory.path not in self.cordoned_paths",
        "True",
        partial(cordoned.test_new_replicas_go_to_other_directories, False),
    ),
    Mutant(
        "replicas move to a cordoned directory",
        ReplicaAlterLogDirsManager.alter,
        "if path in logs.cordoned_paths:",
        "if False:",
        cordoned.test_nothing_moves_there_and_what_is_there_may_move_away,
    ),
    Mutant(
        "the controller does not hear of a change",
        Lifecycle.metadata_applied,
        "if self._told_cordoned != self.cordoned_directories():",
        "if False:",
        partial(cordoned.test_new_replicas_go_to_other_directories, True),
    ),
    Mutant(
        "leaders leave a cordoned directory",
        BrokerImage.full_log_dirs.fget,  # type: ignore[attr-defined]
        "cordoned.count(each) > 1",
        "cordoned.count(each) > 0",
        directories.test_a_cordoned_directory_keeps_its_leaderships,
    ),
)

MUTANTS = (*COPY_MUTANTS, *SWAP_MUTANTS, *WAIT_MUTANTS, *CORDONED_MUTANTS)
