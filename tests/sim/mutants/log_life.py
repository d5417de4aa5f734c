"""Mistakes in retention and compaction, each with the unit test or the crash states that find it.

The order in which the files of one result become `.swap` is no rule here: a start takes any `.cleaned` file beside them
as a sign that the swap has not begun.
"""

from __future__ import annotations

from functools import partial

from kafkacompat.broker import log_cleaner
from kafkacompat.broker.log_cleaner import LogCleaner
from kafkacompat.storage import retention, swap_files
from kafkacompat.storage.compaction import clean_rules, record_keys
from kafkacompat.storage.compaction.batch_rules import BatchRules
from kafkacompat.storage.compaction.clean_pass import Pass
from kafkacompat.storage.compaction.clean_rules import RoundTransactions
from kafkacompat.storage.compaction.offset_map import OffsetMap
from kafkacompat.storage.compaction.scan_loop import LoopScanner
from kafkacompat.storage.log import Log
from kafkacompat.storage.retention import LogFacts
from kafkacompat.storage.segments import Segments
from tests.broker import test_log_cleaner as cleaners
from tests.sim.mutants import Mutant
from tests.storage import test_retention as retentions
from tests.storage.compaction import test_clean_rules as rules
from tests.storage.compaction import test_offset_map as maps
from tests.storage.compaction import test_replacing as replacing
from tests.storage.compaction import test_scanners as scans
from tests.storage.compaction.scans import LOOP

RETENTION_MUTANTS = (
    Mutant(
        "time comes before size",
        retention.plan,
        "    found.by_size = _by_size(log, segments, place, config.retention_bytes)\n"
        "    _by_time(log, segments, found, config.retention_ms, largest_ms)\n",
        "    _by_time(log, segments, found, config.retention_ms, largest_ms)\n"
        "    found.by_size = _by_size(log, segments, found.count, config.retention_bytes)\n",
        retentions.test_the_rules_go_in_order_and_each_sees_what_the_one_before_has_left,
    ),
    Mutant(
        "as old as the limit is too old",
        retention._by_time,
        "log.wall_ms - newest_ms <= retention_ms",
        "log.wall_ms - newest_ms < retention_ms",
        partial(retentions.test_older_than_the_limit_is_old, 1_000, 1),
    ),
    Mutant(
        "a segment of just what is too much stays",
        retention._by_size,
        "over_bytes >= segments[place].size_bytes",
        "over_bytes > segments[place].size_bytes",
        partial(retentions.test_the_log_never_shrinks_below_its_size, 200, 1),
    ),
    Mutant(
        "the active segment is never deleted",
        LogFacts.may_go,
        "not (is_last and not self.segments[place].size_bytes)",
        "not is_last",
        partial(retentions.test_older_than_the_limit_is_old, 0, 3),
    ),
    Mutant(
        "what is not committed goes",
        LogFacts.may_go,
        "end <= self.high_watermark and",
        "True and",
        retentions.test_only_what_is_committed_goes,
    ),
    Mutant(
        "the log start moves after the files",
        Log.delete_records_before,
        "    self.log_start_offset = offset\n",
        "    self._drop_before(offset, now)\n    self.log_start_offset = offset\n",
        retentions.test_the_log_starts_later_before_files_go,
    ),
)

RULE_MUTANTS = (
    Mutant(
        "the map keeps the first offset of a key",
        OffsetMap.put,
        "self.offsets[self.kept(key)] = offset if has_value else -2 - offset",
        "self.offsets.setdefault(self.kept(key), offset if has_value else -2 - offset)",
        maps.test_the_last_offset_of_a_key_counts,
    ),
    Mutant(
        "the map forgets where it ended in a batch",
        OffsetMap.put,
        "self.latest = offset",
        "pass",
        maps.test_a_full_map_takes_nothing_more_and_keeps_its_end,
    ),
    Mutant(
        "hashes have 64 bits",
        record_keys.key_function,
        "digest_size=HASH_BYTES",
        "digest_size=8",
        maps.test_each_pass_hashes_long_keys_in_another_way,
    ),
    Mutant(
        "aborted batches enter the map",
        LoopScanner.index,
        "elif transactions.is_aborted(header):",
        "elif not [transactions.is_aborted(header)]:",
        partial(scans.test_records_that_were_aborted_are_not_noted, LOOP),
    ),
    Mutant(
        "an abort marker goes while its data is there",
        RoundTransactions.end,
        "return False, transaction",
        "return True, transaction",
        rules.test_data_that_was_aborted_is_dropped_and_its_marker_stays_while_it_was_met,
    ),
    Mutant(
        "a commit marker goes while its data is there",
        RoundTransactions.end,
        "return not was_met, None",
        "return True, None",
        rules.test_a_marker_without_data_is_not_needed,
    ),
    Mutant(
        "each round sets the horizon anew",
        clean_rules.new_horizon,
        "header.has_delete_horizon or not (has_tombstone or ends_nothing)",
        "not (has_tombstone or ends_nothing)",
        rules.test_a_horizon_is_set_once_and_tombstones_stay_until_it_passes,
    ),
    Mutant(
        "a thinned batch keeps its max timestamp",
        BatchRules.result,
        "header.max_timestamp if header.is_log_append_time else header.base_timestamp + stays.max_delta",
        "header.max_timestamp",
        partial(scans.test_what_stays_reads_as_before_and_tombstones_get_a_horizon, LOOP, 0, 0),
    ),
    Mutant(
        "the last batch of a producer goes",
        clean_rules.retention,
        "is_last_of_producer(header, last_records) or ",
        "",
        rules.test_the_last_batch_of_a_producer_and_of_the_round_stays_empty,
    ),
    Mutant(
        "the last batch of a round goes",
        clean_rules.retention,
        " or header.next_offset == upper_bound",
        "",
        rules.test_the_last_batch_of_a_producer_and_of_the_round_stays_empty,
    ),
    Mutant(
        "what is not stable is compacted",
        LogCleaner._plan,
        "limit = min(partition.last_stable_offset, log.flushed_offset)",
        "limit = log.flushed_offset",
        cleaners.test_an_open_transaction_supersedes_nothing,
    ),
)

SWAP_MUTANTS = (
    Mutant(
        "a result takes its place before it is synced",
        Pass._clean,
        "segment.file.open().fsync()",
        "pass",
        replacing.test_whatever_a_crash_leaves_the_newest_records_are_the_same,
    ),
    Mutant(
        "the old segments go before the new one has its place",
        Segments.replace,
        "    for name in reversed(names):  # the log last: without it there is no swap\n"
        "        self._fs.rename(name + CLEANED_SUFFIX, name + SWAP_SUFFIX)\n"
        "    for segment in old:\n"
        "        self._rename(segment, remove_at_ms, keeps_snapshot=segment is old[0])\n",
        "    for segment in old:\n"
        "        self._rename(segment, remove_at_ms, keeps_snapshot=segment is old[0])\n"
        "    for name in reversed(names):  # the log last: without it there is no swap\n"
        "        self._fs.rename(name + CLEANED_SUFFIX, name + SWAP_SUFFIX)\n",
        replacing.test_whatever_a_crash_leaves_the_newest_records_are_the_same,
    ),
    Mutant(
        "a swap that is finished removes the first old segment alone",
        swap_files._finish_swaps,
        "base_offset <= _offset(replaced) < max(next_offset, base_offset + 1)",
        "base_offset == _offset(replaced)",
        replacing.test_whatever_a_crash_leaves_the_newest_records_are_the_same,
    ),
    Mutant(
        "the checkpoint comes before the sync of the directory",
        LogCleaner._next_group,
        "self._submit(partial(log.fs.fsync_dir, log.path), self._synced)",
        "self._synced(None, now)",
        cleaners.test_what_the_checkpoint_calls_clean_is_so_after_a_loss_of_power,
    ),
    Mutant(
        "the recovery point is written some day",
        log_cleaner._index,
        "    checkpoints.write()\n",
        "",
        cleaners.test_a_loss_of_power_right_after_a_pass_loses_nothing,
    ),
)

MUTANTS = (*RETENTION_MUTANTS, *RULE_MUTANTS, *SWAP_MUTANTS)
