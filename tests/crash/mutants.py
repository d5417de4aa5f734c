"""Mistakes in storage that only a crash shows: the crash states have to find each.

Two that they hardly ever find have tests of their own: that a recovery point stays behind a cut (test_manager.py), and
that indexes are believed which end at the recovery point (test_recovery.py). A third one they cannot find: a sync that
leaves out the file of leader epochs (test_flush.py). That file is replaced as a whole, before the segment behind it is
made: where the segment is found its name is, too, and its content is all there, or so damaged that all is read again.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from kafkacompat.broker.replicas.replica_alter_log_dirs import ReplicaAlterLogDirsManager
from kafkacompat.errors import StartupError
from kafkacompat.replication.raft import damage
from kafkacompat.replication.raft.flush_mark import FlushMark
from kafkacompat.storage import durability, flush, recovery
from kafkacompat.storage.directory_moves import DirectoryMoves
from kafkacompat.storage.durability_marker import MarkerContent
from kafkacompat.storage.log import Log
from kafkacompat.storage.log_directory import LogDirectory
from kafkacompat.storage.manager import LogManager
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.segment import Segment
from kafkacompat.storage.segments import Segments
from tests.crash.explore import Exploration
from tests.sim.mutants import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator

TRIES = 40
"""So many seeds from the one that has found a mistake."""

MUTANTS = (
    Mutant("no sync of directories", flush._sync_dir_of, "targets[0].log.fs.fsync_dir(path)", "pass", range(1, TRIES)),
    Mutant("no sync of batches", durability.Target.sync_files, "segment.file.open().fsync()", "pass", range(1, TRIES)),
    Mutant("no sync of indexes and epochs", durability.Target.sync_files, "_sync_path(self.log.fs, path)", "pass",
           range(1, TRIES)),
    Mutant("a file is renamed before it is durable", MemFs.write_atomic, "        if sync:\n            file.fsync()",
           "", range(1, TRIES)),
    Mutant("recovery believes every batch", recovery._fault, "if not check_crc(batch, 0, header.size_bytes):",
           "if False:", range(1, TRIES)),
    Mutant("recovery steps over a gap", recovery._gap, "segment.base_offset <= found.log_end_offset", "True",
           range(1, TRIES)),
    Mutant("a gap is taken for one of compaction", LogDirectory.has_lost_power.fget,  # type: ignore[attr-defined]
           "self.marker.has_lost_power", "False", range(1, TRIES)),
    Mutant("recovery believes the epochs behind it", recovery._recover,
           "    found.epochs.truncate_from_end(start_offset + 1 if is_empty else start_offset)", "", range(1, TRIES)),
    Mutant("recovery believes an empty file of epochs", recovery._lacks_epochs, "return not entries or", "return",
           range(1, TRIES)),
    Mutant("recovery keeps the producers behind it", recovery._recover,
           "    found.segments.snapshots.remove_above(start_offset)", "", range(29, 29 + TRIES)),
    Mutant("recovery reads producers where nothing is checked", recovery._recover,
           "rebuild_producers(start_offset)", "rebuild_producers(max(start_offset, found.log_start_offset))",
           range(4, 4 + TRIES)),
    Mutant("a cut is not durable", Log._segment_for, "if self.durability.has_unflushed_truncation:", "if False:",
           range(9, 9 + TRIES)),
    Mutant("files behind a cut go last", Segments.truncate, "self._fs.fsync_dir(self._path)", "pass",
           range(14, 14 + TRIES)),
    Mutant("a power loss is taken for a kill", MarkerContent.proves, "boot_id == self.boot_id", "True",
           range(1, TRIES)),
    Mutant("group commit is claimed where there is none", LogDirectory.registered,
           "is_group_commit=is_group_commit", "is_group_commit=True", range(1, TRIES)),
    Mutant("a torn fetch is taken for damage", damage.check,
           "may_truncate = next_offset >= mark", "may_truncate = False",
           range(1, TRIES)),
    Mutant("the mark runs ahead of the log", FlushMark.synced, "self._write(end_offset)", "self._write(end_offset + 9)",
           range(1, TRIES)),
    Mutant("recovery forgets what was aborted", recovery._add, "found.segments.aborted.add(segment, ended)", "pass",
           range(1, TRIES)),
    Mutant("a cut leaves what was aborted behind it", Segment.truncate_to, "self.txn_index.truncate_to(offset)", "pass",
           range(1, TRIES)),
    Mutant("the mark stays behind a cut", FlushMark.before_truncate, "offset < self.offset", "False", range(1, TRIES)),
)  # fmt: skip

OF_MOVES = (
    Mutant("a copy takes the place of its log before it is durable", ReplicaAlterLogDirsManager._is_durable,
           "return is_synced and", "return True or", range(5, 11)),
    Mutant("a copy takes the place of its log before the metadata names it", ReplicaAlterLogDirsManager._caught_up,
           "if not self._is_accepted(move):", "if False:", range(3, 9)),
    Mutant("the log start of a copy is not written before it takes its place", ReplicaAlterLogDirsManager._sync,
           "checkpoints.note_log(move.partition.watch_key, copy)", "pass", range(5, 11)),
    Mutant("a move that was called off goes on after a kill", ReplicaAlterLogDirsManager._alter,
           "        logs.delete_future(partition.watch_key, now)\n        log.info", "        log.info", range(3, 9)),
    Mutant("a copy that was about to become the log is set aside", LogManager.place,
           "if target is not None and target.has_future((topic, partition)):", "if False:", range(3, 9)),
    Mutant("two copies go on side by side", DirectoryMoves.keep_one_future, "found[1:]", "found[9:]", range(3, 9)),
)  # fmt: skip
"""In moves between log directories, in the order of their steps."""

OF_FOLLOWERS = ("a torn fetch is taken for damage", "the mark runs ahead of the log", "the mark stays behind a cut")
"""In the log of a voter of the metadata quorum."""


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("mutant", [*MUTANTS, *OF_MOVES], ids=lambda mutant: mutant.name.replace(" ", "-"))
def test_mistakes_are_found(mutant: Mutant) -> None:
    kind = "follower" if mutant.name in OF_FOLLOWERS else "partition"
    if "aborted" in mutant.name:
        kind = "transactions"
    if mutant in OF_MOVES:
        kind = "moves"
    assert isinstance(mutant.caught_by, range)
    with mutant.made():
        assert any(_finds(kind, seed) for seed in mutant.caught_by)


def _finds(kind: str, seed: int) -> bool:
    """Whether a crash state shows it, or a start on what a kill has left."""
    try:
        return any(True for _ in Exploration(kind, share=0.02 if kind == "moves" else 0.3).run(seed))
    except StartupError:
        return True
