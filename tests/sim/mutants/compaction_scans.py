"""Mistakes in what goes through the records of a log to be compacted, each with the unit test that finds it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from kafkacompat.storage.compaction import clean_pass, ordinary_batches, record_keys, scan_arrays
from kafkacompat.storage.compaction.array_map import ArrayOffsetMap
from kafkacompat.storage.compaction.batch_rules import BatchRules
from kafkacompat.storage.compaction.noted_batches import NotedBatches
from kafkacompat.storage.compaction.offset_map import OffsetMap
from kafkacompat.storage.compaction.scan_arrays import ArrayScanner
from kafkacompat.storage.compaction.scan_loop import LoopScanner
from tests.sim.mutants import Mutant
from tests.storage.compaction import test_array_map as arrays
from tests.storage.compaction import test_noted_batches as noted
from tests.storage.compaction import test_offset_map as maps
from tests.storage.compaction import test_ordinary_batches as ordinary
from tests.storage.compaction import test_record_keys as keys
from tests.storage.compaction import test_scanners as scans
from tests.storage.compaction.scans import ARRAYS, LOOP

THINNED = partial(scans.test_what_stays_reads_as_before_and_tombstones_get_a_horizon, ARRAYS, 0, 0)


def _ranges_are_few() -> None:
    with pytest.MonkeyPatch.context() as patch:
        noted.test_ranges_are_few(patch)


ARRAY_MUTANTS = (
    Mutant(
        "aborted batches enter the map of arrays",
        ArrayScanner.index,
        "elif not transactions.is_aborted(header):",
        "elif [transactions.is_aborted(header)]:",
        partial(scans.test_records_that_were_aborted_are_not_noted, ARRAYS),
    ),
    Mutant(
        "arrays note what is clean",
        ArrayScanner._note,
        "(piece.key_size >= 0) & (piece.offset >= first_dirty)",
        "piece.key_size >= 0",
        partial(scans.test_records_before_the_first_dirty_one_are_not_noted, ARRAYS),
    ),
    Mutant(
        "arrays note records without a key",
        ArrayScanner._note,
        "(piece.key_size >= 0) & (piece.offset >= first_dirty)",
        "piece.offset >= first_dirty",
        partial(scans.test_records_without_a_key_take_no_room, ARRAYS),
    ),
    Mutant(
        "arrays forget where the map ended in a batch",
        ArrayOffsetMap.put,
        "self.latest = int(offset[-1])",
        "pass",
        partial(noted.test_a_full_map_ends_in_the_middle_of_a_batch, ARRAYS),
    ),
    Mutant(
        "records behind the end of the map go",
        ArrayScanner._keeps,
        "piece.offset > self._offsets.latest",
        "piece.offset < 0",
        partial(scans.test_records_behind_the_end_of_the_map_stay, ARRAYS),
    ),
    Mutant(
        "the last record that was noted stays, whatever it is",
        ArrayScanner._keeps,
        "piece.offset > self._offsets.latest",
        "piece.offset >= self._offsets.latest",
        THINNED,
    ),
    Mutant(
        "tombstones go at once",
        ArrayScanner._keeps,
        "(piece.has_value | tombstones[piece.batch])",
        "piece.has_value",
        THINNED,
    ),
    Mutant(
        "tombstones stay behind their horizon",
        ArrayScanner._keeps,
        " & (piece.has_value | tombstones[piece.batch])",
        "",
        THINNED,
    ),
    Mutant(
        "the newest record goes, too",
        ArrayScanner._keeps,
        "piece.offset[asked] >= self",
        "piece.offset[asked] > self",
        THINNED,
    ),
    Mutant(
        "records without a key are not counted",
        ArrayScanner._keeps,
        "self.without_key += int((~keep & (piece.key_size < 0)).sum())",
        "pass",
        THINNED,
    ),
    Mutant(
        "a batch has the smallest timestamp of its records",
        scan_arrays._add_piece,
        "np.maximum.reduceat(",
        "np.minimum.reduceat(",
        THINNED,
    ),
    Mutant(
        "tombstones that stay get no horizon",
        scan_arrays._add_piece,
        "np.logical_and.reduceat(",
        "np.logical_or.reduceat(",
        THINNED,
    ),
    Mutant(
        "two keys are one if half of their hashes agrees",
        ArrayOffsetMap._place,
        "(found[:, 0] == rows[:, 0]) & (found[:, 1] == rows[:, 1])",
        "found[:, 0] == rows[:, 0]",
        arrays.test_keys_are_one_only_if_both_sums_agree,
    ),
    Mutant(
        "of a key that comes twice at once the first offset counts",
        ArrayOffsetMap._place,
        "table[slot[is_there], 2] = rows[is_there, 2]",
        "table[slot[is_there][::-1], 2] = rows[is_there, 2][::-1]",
        arrays.test_a_tombstone_is_newest_while_no_value_follows,
    ),
    Mutant(
        "tombstones are not marked in arrays",
        ArrayOffsetMap.put,
        "np.where(has_value, np.uint64(0), _TOMBSTONE)",
        "np.uint64(0)",
        arrays.test_a_tombstone_is_newest_while_no_value_follows,
    ),
    Mutant(
        "arrays take a batch with gaps for one without",
        scan_arrays._Dense.look_at,
        "(piece.key_size < 0) | (piece.offset - self._base[piece.batch] != place)",
        "piece.key_size < 0",
        partial(noted.test_of_a_sparse_batch_the_newest_records_stay, ARRAYS),
    ),
    Mutant(
        "arrays take a batch for noted that has records without a key",
        scan_arrays._Dense.look_at,
        "(piece.key_size < 0) | (piece.offset - self._base[piece.batch] != place)",
        "piece.offset - self._base[piece.batch] != place",
        THINNED,
    ),
    Mutant(
        "arrays thin aborted batches by offsets",
        ArrayScanner.index,
        "chunk.interrupted.add(len(chunk.batches))",
        "pass",
        partial(noted.test_a_batch_that_only_the_index_pass_took_for_aborted_stays, ARRAYS),
    ),
)

OFFSET_MUTANTS = (
    Mutant(
        "offsets that do not ascend are told apart",
        NotedBatches.add_offsets,
        "if base_offset <= self._last_offset:",
        "if False:",
        noted.test_a_log_whose_offsets_do_not_ascend_is_thinned_by_keys,
    ),
    Mutant(
        "a batch that was not noted ends no range",
        NotedBatches.add_offsets,
        "if not is_noted:\n        self._is_broken = True\n        return\n",
        "if not is_noted:\n        return\n",
        noted.test_ranges_end_at_batches_that_were_not_noted,
    ),
    Mutant(
        "there are as many ranges as batches",
        NotedBatches.add_offsets,
        "if len(self._starts) >= MAX_RANGES:",
        "if False:",
        _ranges_are_few,
    ),
    Mutant(
        "a batch may go on behind its range",
        NotedBatches.has,
        " and header.next_offset <= end",
        "",
        noted.test_ranges_end_at_batches_that_were_not_noted,
    ),
    Mutant(
        "offsets tell of batches with a horizon",
        NotedBatches.has,
        "if header.has_delete_horizon:",
        "if False:",
        noted.test_tombstones_that_may_go_are_looked_at,
    ),
    Mutant(
        "the last record of a batch goes",
        NotedBatches.thinned,
        "bisect_right(self._newest, last_offset, first)",
        "bisect_left(self._newest, last_offset, first)",
        partial(noted.test_what_stays_is_at_the_newest_offsets, 0),
    ),
    Mutant(
        "a tombstone that is the newest record gets no horizon",
        NotedBatches.thinned,
        "has_tombstone = self.has_tombstone(base_offset, last_offset)",
        "has_tombstone = False",
        noted.test_a_tombstone_that_stays_gets_a_horizon,
    ),
    Mutant(
        "a tombstone behind a batch gives it a horizon",
        NotedBatches.has_tombstone,
        " and self._tombstones[first] <= last_offset",
        "",
        noted.test_a_tombstone_that_stays_gets_a_horizon,
    ),
    Mutant(
        "the loop thins aborted batches by offsets",
        LoopScanner.index,
        "self._noted.interrupt()",
        "pass",
        partial(noted.test_a_batch_that_only_the_index_pass_took_for_aborted_stays, LOOP),
    ),
    Mutant(
        "the loop notes what is clean",
        LoopScanner._note,
        "base_offset >= first_dirty and offsets.has_room(header.record_count)",
        "offsets.has_room(header.record_count)",
        partial(scans.test_records_before_the_first_dirty_one_are_not_noted, LOOP),
    ),
    Mutant(
        "the loop fills the map over its limit",
        LoopScanner._note,
        " and offsets.has_room(header.record_count)",
        "",
        partial(noted.test_a_full_map_ends_in_the_middle_of_a_batch, LOOP),
    ),
    Mutant(
        "the loop takes a batch with gaps for one without",
        LoopScanner._note,
        "is_noted=found.is_dense",
        "is_noted=True",
        partial(noted.test_of_a_sparse_batch_the_newest_records_stay, LOOP),
    ),
)

KEY_MUTANTS = (
    Mutant(
        "a key may be taken for the hash of another one",
        record_keys.key_function,
        "digest_size=HASH_BYTES",
        "digest_size=16",
        maps.test_each_pass_hashes_long_keys_in_another_way,
    ),
    Mutant(
        "tombstones are not marked",
        OffsetMap.put_all,
        "if offsets[keys[place]] == offset:",
        "if False:",
        maps.test_a_tombstone_is_newest_while_no_value_follows,
    ),
    Mutant(
        "a tombstone with a value behind it is the newest record",
        OffsetMap.put_all,
        "if offsets[keys[place]] == offset:",
        "if True:",
        maps.test_a_tombstone_is_newest_while_no_value_follows,
    ),
    Mutant(
        "the keys of any number of records are listed",
        record_keys.keys_between,
        "if not 0 < count <= MAX_RECORDS:",
        "if not 0 < count:",
        partial(keys.test_unusual_records_are_left_to_the_other_loop, keys.UNUSUAL[-1]),
    ),
    Mutant(
        "offset deltas may come in any order",
        record_keys.keys_between,
        "if not is_ascending or ",
        "if ",
        keys.test_deltas_out_of_their_order_are_left_to_the_other_loop,
    ),
    Mutant(
        "offset deltas may be negative",
        record_keys.keys_between,
        " or any(delta & 1 for delta in sparse)",
        "",
        keys.test_deltas_out_of_their_order_are_left_to_the_other_loop,
    ),
    Mutant(
        "records without a key have an empty one",
        record_keys._read,
        "(length | key_bytes) & 1",
        "length & 1",
        partial(keys.test_unusual_records_are_left_to_the_other_loop, keys.UNUSUAL[0]),
    ),
    Mutant(
        "a value may be longer than its record",
        record_keys._read,
        " | (at >= end)",
        "",
        keys.test_damage_at_any_byte_is_left_to_the_other_loop_or_read_alike,
    ),
)


def _left(which: str) -> Callable[[], None]:
    return partial(ordinary.test_what_is_not_ordinary_is_left_and_nothing_behind_it_is_taken, which)


def _passed_over(which: str) -> Callable[[], None]:
    return partial(ordinary.test_what_is_clean_is_passed_over_if_it_is_whole, which)


def _throttle() -> None:
    with pytest.MonkeyPatch.context() as patch:
        ordinary.test_the_throttle_is_told_all_that_is_read_and_written(patch, LOOP)


ORDINARY_MUTANTS = (
    Mutant(
        "a damaged batch is noted",
        ordinary_batches.Indexing.take,
        "            or crc32c(view[at + ATTRIBUTES_OFFSET : end]) != crc\n",
        "",
        _left("damaged"),
    ),
    Mutant(
        "a damaged batch goes",
        ordinary_batches.thin,
        "            or crc32c(view[at + ATTRIBUTES_OFFSET : end]) != crc\n",
        "",
        _left("damaged"),
    ),
    Mutant(
        "a batch of a transaction is noted without a look at its end",
        ordinary_batches.Indexing.take,
        "            or attributes & UNUSUAL\n",
        "",
        _left("transactional"),
    ),
    Mutant(
        "a batch of a transaction is thinned without a look at its end",
        ordinary_batches.thin,
        "            or attributes & UNUSUAL\n",
        "",
        _left("transactional"),
    ),
    Mutant(
        "an old format is read as the new one",
        ordinary_batches.Indexing.take,
        "magic != MAGIC_V2 or ",
        "",
        _left("an old format"),
    ),
    Mutant(
        "half of a batch is clean and is noted",
        ordinary_batches.Indexing.take,
        "            base < first_dirty\n            or ",
        "                ",
        ordinary.test_what_is_partly_clean_or_has_no_room_is_left_to_the_scanner,
    ),
    Mutant(
        "the map is filled over its limit",
        ordinary_batches.Indexing.take,
        "            or not offsets.has_room(count)\n",
        "",
        ordinary.test_what_is_partly_clean_or_has_no_room_is_left_to_the_scanner,
    ),
    Mutant(
        "a batch before the first offset is noted",
        ordinary_batches.Indexing.take,
        " or not 0 <= base <= last_offset < LONG_MAX",
        "",
        _left("an offset behind the last"),
    ),
    Mutant(
        "a batch that ends before it begins goes",
        ordinary_batches.thin,
        "            or not 0 <= base <= last_offset < LONG_MAX\n",
        "",
        _left("a negative last offset delta"),
    ),
    Mutant(
        "the next batch is in the middle of a clean one",
        ordinary_batches.Indexing.take,
        " or length < MIN_LENGTH",
        "",
        _passed_over("length 48"),
    ),
    Mutant(
        "before a clean batch is itself",
        ordinary_batches.Indexing.take,
        "length < MIN_LENGTH",
        "length < -LOG_OVERHEAD - 1",
        _passed_over("length -13"),
    ),
    Mutant(
        "a clean batch that is cut off is passed over",
        ordinary_batches.Indexing.take,
        " or end > size",
        "",
        _passed_over("cut off"),
    ),
    Mutant(
        "batches that cannot be noted are all read twice",
        ordinary_batches.Indexing.take,
        "self._to_leave = LEFT_BATCHES",
        "pass",
        ordinary.test_after_a_batch_that_was_read_in_vain_some_are_left,
    ),
    Mutant(
        "any number of batches is opened before the pass may end",
        ordinary_batches.Indexing.take,
        " and opened < MAX_OPENED",
        "",
        ordinary.test_some_compressed_batches_are_opened_at_once,
    ),
    Mutant(
        "any number of batches is opened to be thinned before the pass may end",
        ordinary_batches.thin,
        " and opened < MAX_OPENED",
        "",
        ordinary.test_some_compressed_batches_are_opened_at_once,
    ),
    Mutant(
        "a batch that waits to be written holds what was read with it",
        ordinary_batches.thin,
        "stays = result is not None and result[0] is batch",
        "pass",
        ordinary.test_batches_that_stay_as_they_are_after_a_look_at_their_keys_are_copied,
    ),
    Mutant(
        "what is read of ordinary batches is free",
        clean_pass.Pass._batches,
        "self._pay(end - at)",
        "pass",
        _throttle,
    ),
    Mutant(
        "what is written is free",
        clean_pass._Written.add_run,
        "self._pay(len(batches))",
        "pass",
        _throttle,
    ),
    Mutant(
        "the last batch of a producer goes",
        ordinary_batches.thin,
        "            or rules.is_last(producer_id, last_offset)\n",
        "",
        ordinary.test_batches_that_may_stay_empty_are_left,
    ),
    Mutant(
        "the last batch of what is compacted goes",
        BatchRules.is_last,
        "last_offset + 1 == self._upper_bound",
        "False",
        ordinary.test_batches_that_may_stay_empty_are_left,
    ),
    Mutant(
        "a batch with a tombstone stays as it is",
        ordinary_batches.thin,
        " and not noted.has_tombstone(base, last_offset)",
        "",
        ordinary.test_batches_of_which_all_stays_are_added_as_runs_and_others_are_opened_in_their_order,
    ),
    Mutant(
        "a batch that was not noted goes",
        ordinary_batches.thin,
        "(stay_count or not is_noted)",
        "stay_count",
        ordinary.test_batches_of_which_all_stays_are_added_as_runs_and_others_are_opened_in_their_order,
    ),
    Mutant(
        "the newest record goes if its batch has others",
        NotedBatches.stay_count,
        "bisect_right(newest, last_offset, first) - first",
        "bisect_right(newest, base_offset, first) - first",
        ordinary.test_batches_of_which_all_stays_are_added_as_runs_and_others_are_opened_in_their_order,
    ),
    Mutant(
        "runs are written behind what comes after them",
        ordinary_batches.thin,
        "                output.add_run(data[run:at], notes)\n                notes = []\n",
        "                pass\n",
        ordinary.test_batches_of_which_all_stays_are_added_as_runs_and_others_are_opened_in_their_order,
    ),
    Mutant(
        "keys of clean batches count as newest ones",
        OffsetMap.staying,
        "key not in self.offsets",
        "True",
        maps.test_records_before_the_map_stay_if_their_keys_are_not_in_it,
    ),
    Mutant(
        "the map takes each batch for a clean one",
        OffsetMap.staying,
        "< self._first:",
        "< LONG_MAX:",
        maps.test_records_before_the_map_stay_if_their_keys_are_not_in_it,
    ),
    Mutant(
        "the map begins where its last record is",
        OffsetMap.put,
        "min(self._first, offset)",
        "offset",
        maps.test_records_before_the_map_stay_if_their_keys_are_not_in_it,
    ),
)

MUTANTS = (*ARRAY_MUTANTS, *OFFSET_MUTANTS, *KEY_MUTANTS, *ORDINARY_MUTANTS)
