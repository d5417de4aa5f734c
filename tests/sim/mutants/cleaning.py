"""Mistakes in compaction that runs of whole nodes find."""

from __future__ import annotations

from kafkacompat.broker import log_cleaner
from kafkacompat.broker.log_cleaner import LogCleaner
from kafkacompat.storage import swap_files
from kafkacompat.storage.compaction.clean_rules import RoundTransactions
from kafkacompat.storage.compaction.scan_loop import LoopScanner
from tests.sim.mutants import Mutant

MUTANTS = (
    Mutant(
        "what is not stable is compacted",
        LogCleaner._plan,
        "limit = min(partition.last_stable_offset, log.flushed_offset)",
        "limit = log.flushed_offset",
        range(1, 12),
    ),
    Mutant(
        "aborted batches enter the map",
        LoopScanner.index,
        "elif transactions.is_aborted(header):",
        "elif not [transactions.is_aborted(header)]:",
        range(2, 7),
    ),
    Mutant(
        "aborted data counts",
        RoundTransactions.is_aborted,
        "if header.producer_id in self._open:",
        "if False:",
        range(2, 7),
    ),
    Mutant(
        "the recovery point is written some day",
        log_cleaner._index,
        "    checkpoints.write()\n",
        "",
        range(2, 7),
    ),
    Mutant(
        "a swap that is finished removes the first old segment alone",
        swap_files._finish_swaps,
        "base_offset <= _offset(replaced) < max(next_offset, base_offset + 1)",
        "base_offset == _offset(replaced)",
        range(1, 6),
    ),
)
