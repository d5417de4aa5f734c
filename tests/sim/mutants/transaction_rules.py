"""Mistakes in the rules of transactions, each with the test that finds it: a conversation, a cell or a unit test.

Those that only a run of whole nodes shows are in `transactions.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.broker.coordinator.group.offsets import OffsetStore
from kafkacompat.broker.coordinator.txn import end, shard
from kafkacompat.broker.coordinator.txn.markers import MarkerQueues
from kafkacompat.broker.coordinator.txn.shard import TransactionCoordinatorShard
from kafkacompat.broker.coordinator.txn.state import Transaction
from kafkacompat.storage.producer_state import ProducerState
from kafkacompat.storage.verification_entries import Verifications
from tests import transcripts
from tests.broker.coordinator.transcripts import Stage as GroupStage
from tests.broker.coordinator.txn import test_markers as markers
from tests.broker.coordinator.txn import test_state as states
from tests.broker.coordinator.txn.stage import Stage
from tests.sim.mutants import Mutant
from tests.storage import test_producer_state as producers
from tests.storage import test_verification_entries as entries

if TYPE_CHECKING:
    from collections.abc import Callable


def conversation(name: str, title: str) -> Callable[[], None]:
    """Play a scenario of `tests/scenarios`."""

    def play() -> None:
        stage = GroupStage() if name.startswith("group_") else Stage()
        transcripts.check(transcripts.SCENARIOS / f"{name}.txt", title, stage)

    return play


def of_log(test: Callable[..., None], *arguments: object, is_v2: bool) -> Callable[[], None]:
    """A test of one producer and its partition."""
    return lambda: test(entries.Conversation(is_v2=is_v2), *arguments)


LOG_MUTANTS = (
    Mutant(
        "the epoch of a marker is not compared",
        ProducerState.check_marker,
        "self.check_epoch(producer_id, epoch)",
        "pass",
        of_log(entries.test_an_older_marker_may_have_the_epoch_of_the_data, 0, is_v2=False),
    ),
    Mutant(
        "a marker of version 2 may have the epoch of an open transaction",
        ProducerState.check_marker,
        "transaction_version >= 2 and",
        "False and",
        of_log(entries.test_a_marker_of_version_2_is_above_the_data, is_v2=True),
    ),
    Mutant(
        "a marker of version 2 never has the epoch of the one before",
        ProducerState.check_marker,
        "epoch == entry.epoch and is_open and",
        "epoch == entry.epoch and",
        of_log(entries.test_a_marker_of_version_2_is_above_the_data, is_v2=True),
    ),
    Mutant(
        "the epoch that is kept for fencing ends nothing",
        ProducerState.check_marker,
        "and epoch != MAX_EPOCH",
        "",
        of_log(entries.test_the_last_epoch_is_taken_though_a_transaction_is_open, is_v2=True),
    ),
    Mutant(
        "a former coordinator's marker is taken",
        ProducerState.check_marker,
        "coordinator_epoch < entry.coordinator_epoch",
        "False",
        of_log(entries.test_an_older_coordinator_is_fenced, is_v2=True),
    ),
    Mutant(
        "the guard is not compared",
        ProducerState.check_verified,
        "guard is VERIFICATION_IS_OFF or is_current",
        "True",
        of_log(entries.test_a_guard_is_worth_nothing_once_its_transaction_has_ended, is_v2=False),
    ),
    Mutant(
        "the former transaction's marker drops the guard of the next one",
        Verifications.ended,
        "entry is not None and not (entry.supports_epoch_bump and entry.epoch == epoch)",
        "entry is not None",
        of_log(entries.test_with_version_2_a_question_may_be_the_next_transactions, is_v2=True),
    ),
    Mutant(
        "no marker drops a guard",
        Verifications.ended,
        "entry is not None and not (entry.supports_epoch_bump and entry.epoch == epoch)",
        "False",
        of_log(entries.test_a_guard_is_worth_nothing_once_its_transaction_has_ended, is_v2=False),
    ),
    Mutant(
        "a batch overtakes one that has to come again",
        ProducerState._check_waiting_sequences,
        "first_sequence > waiting.lowest_sequence or",
        "False or",
        of_log(entries.test_no_batch_overtakes_one_that_has_to_come_again, is_v2=False),
    ),
    Mutant(
        "the old epoch is told that its guard is wrong",
        ProducerState.check,
        "self.check_epoch(producer_id, epoch)",
        "pass",
        of_log(entries.test_an_old_epoch_is_told_so_before_its_guard_is_looked_at, is_v2=True),
    ),
    Mutant(
        "a producer with an open transaction expires",
        ProducerState.expire,
        "and entry.transaction_first_offset == UNKNOWN_OFFSET",
        "",
        producers.test_silent_producers_expire,
    ),
)
"""Of partitions' logs."""

COORDINATOR_MUTANTS = (
    Mutant(
        "verification counts what is not committed",
        TransactionCoordinatorShard.verify_partitions,
        "row, is_known = self.committed(newest),",
        "row, is_known = newest,",
        conversation("txn_add", "verify only knows what is committed, and nothing else"),
    ),
    Mutant(
        "a partition without a leader is deleted",
        MarkerQueues.add,
        "if leader is None:",
        "if leader is None or leader < 0:",
        markers.test_a_partition_that_does_not_exist_is_done_and_one_without_leader_is_not,
    ),
    Mutant(
        "a request has two transactions of one producer",
        MarkerQueues.take,
        "if end.producer_id in seen:",
        "if False:",
        markers.test_a_request_has_no_two_transactions_of_one_producer,
    ),
    Mutant(
        "a second instance does not fence the first",
        TransactionCoordinatorShard.init_producer_id,
        "if row.state == ONGOING:",
        "if False:",
        conversation("txn_init", "open: the transaction is aborted, the client has to come again"),
    ),
    Mutant(
        "a fence raises the epoch twice",
        end.fence,
        "return prepare_v2(row, PREPARE_ABORT, take_producer_id, now_ms)",
        "return prepare_v2(row.fenced(now_ms).completed(now_ms), PREPARE_ABORT, take_producer_id, now_ms)",
        conversation("txn_init", "open: the transaction is aborted, the client has to come again"),
    ),
    Mutant(
        "a fence of protocol 1 leaves the epoch",
        Transaction.fenced,
        "min(self.epoch + 1, MAX_EPOCH), NO_PRODUCER_EPOCH",
        "self.epoch, NO_PRODUCER_EPOCH",
        conversation("txn_time", "a transaction that takes too long is aborted (TV1)"),
    ),
    Mutant(
        "a fence at the last epoch takes no producer id",
        end.prepare_v2,
        "take_producer_id() if row.is_exhausted else NO_PRODUCER_ID",
        "NO_PRODUCER_ID",
        conversation("txn_time", "another instance with the last epoch (TV2)"),
    ),
    Mutant(
        "the last epoch ends without a fresh producer id",
        end.prepare_v2,
        "if next_producer_id is None:",
        "if False:",
        conversation("txn_end", "TV2: the last epoch, and no producer id is left in the block"),
    ),
    Mutant(
        "the epoch that a client names is not compared",
        Transaction.initialized,
        "expected_epoch != self.last_epoch",
        "False",
        conversation("txn_init", "another instance has come: the one before is shut out"),
    ),
    Mutant(
        "a retry of InitProducerId raises the epoch again",
        Transaction.initialized,
        "return changed  #",
        "changed.epoch += 1; return changed  #",
        conversation("txn_init", "a client that continues after an error gets the next epoch, once (KIP-360)"),
    ),
    Mutant(
        "a client may name any producer id",
        shard._may_be,
        "return row.epoch == NO_PRODUCER_EPOCH or",
        "return True or",
        conversation("txn_init", "nobody knows this producer id"),
    ),
    Mutant(
        "the retry of a rotation is not known",
        Transaction.rotated,
        "0, self.epoch if keeps_last_epoch else NO_PRODUCER_EPOCH",
        "0, NO_PRODUCER_EPOCH",
        conversation("txn_init", "a producer with the last epoch gets a new id, and its retry the same one (KIP-360)"),
    ),
    Mutant(
        "what is not committed is not pending",
        TransactionCoordinatorShard.is_pending,
        "row.offset >= self.high_watermark or",
        "",
        conversation("txn_add", "not committed yet: later, whoever asks"),
    ),
    Mutant(
        "a broker adds for another producer, while an addition is not committed",
        TransactionCoordinatorShard.joins,
        "_check_producer(row, producer_id, epoch) == errors.NONE",
        "True",
        conversation("txn_add", "brokers add for one producer at once, and all wait for what is not committed"),
    ),
    Mutant(
        "a broker adds to a transaction that ends",
        TransactionCoordinatorShard.joins,
        "row is None or row.state != ONGOING or row.offset < self.high_watermark",
        "row is None or row.offset < self.high_watermark",
        conversation("txn_add", "nothing joins what ends"),
    ),
    Mutant(
        "clients add while an addition is not committed",
        TransactionCoordinatorShard.joins,
        "is_right and client_version >= FIRST_EPOCH_BUMPING_VERSION",
        "is_right",
        conversation("txn_add", "not committed yet: later, whoever asks"),
    ),
    Mutant(
        "what is prepared is not pending",
        TransactionCoordinatorShard.is_pending,
        "or row.state in PREPARED",
        "",
        conversation("txn_init", "prepared: later"),
    ),
    Mutant(
        "EndTxn of protocol 2 looks at the epoch of a pending row first",
        TransactionCoordinatorShard.end,
        "if not bumps and seen is not None:",
        "if seen is not None:",
        conversation("txn_end", "TV2: prepared: later, whoever asks"),
    ),
    Mutant(
        "EndTxn of protocol 1 does not look at the epoch of a pending row",
        TransactionCoordinatorShard.end,
        "if not bumps and seen is not None:",
        "if not bumps and seen is not None and not self.is_pending(row):",
        conversation("txn_end", "TV1: prepared"),
    ),
    Mutant(
        "an end with the epoch before is a retry where there was none",
        end.end_v2,
        "row.state not in (ONGOING, EMPTY) and (is_rotated or row.epoch == epoch + 1)",
        "is_rotated or row.epoch == epoch + 1",
        conversation("txn_end", "TV2: nothing was added"),
    ),
    Mutant(
        "a retry may end otherwise",
        end.end_v2,
        "return errors.NONE if is_done else errors.INVALID_TXN_STATE",
        "return errors.NONE",
        conversation("txn_end", "TV2: commit raises the epoch, and the client learns it"),
    ),
    Mutant(
        "a retry of an end after a rotation is not known",
        end.end_v2,
        "and row.epoch == 0",
        "and False",
        conversation("txn_end", "TV2: the last epoch: another producer id takes over"),
    ),
    Mutant(
        "an abort of nothing is refused",
        end.end_v2,
        "if is_commit and row.state != ONGOING:",
        "if row.state != ONGOING:",
        conversation("txn_end", "TV2: nothing was added"),
    ),
    Mutant(
        "what could not be written is remembered",
        TransactionCoordinatorShard._decide,
        "result.otherwise = self._forget",
        "self.rows[row.transactional_id] = row",
        conversation("txn_end", "what cannot be written has not happened"),
    ),
    Mutant(
        "COMPLETE that could not be written is forgotten",
        TransactionCoordinatorShard._complete,
        "result.otherwise = again",
        "pass",
        conversation("txn_end", "COMPLETE is written again until it can be"),
    ),
    Mutant(
        "the next transaction keeps the start of the one before",
        Transaction.with_partitions,
        "if self.state != ONGOING:",
        "if self.state == 0:",
        states.test_the_start_stays_until_the_next_transaction,
    ),
    Mutant(
        "each further partition starts the clock again",
        Transaction.with_partitions,
        "if self.state != ONGOING:",
        "if True:",
        conversation("txn_time", "further partitions leave the clock as it is"),
    ),
    Mutant(
        "a transaction that is not committed times out",
        TransactionCoordinatorShard._abort_overdue,
        "and not self.is_pending(row)",
        "",
        conversation("txn_time", "nothing that is not committed is aborted"),
    ),
    Mutant(
        "an open transaction expires",
        TransactionCoordinatorShard._expire,
        "row.state in AT_REST and",
        "",
        conversation("txn_time", "what is open does not expire, however long it may take"),
    ),
    Mutant(
        "an id is forgotten before its tombstone is committed",
        TransactionCoordinatorShard.find,
        "row.state == DEAD and row.offset < self.high_watermark",
        "row.state == DEAD",
        conversation("txn_time", "an id whose tombstone is not committed is there, and everybody comes again later"),
    ),
    Mutant(
        "an id whose tombstone is not committed is shown as gone",
        TransactionCoordinatorShard.find_committed,
        "None if row is None else self.committed(row)",
        "row",
        conversation("txn_time", "an id whose tombstone is not committed is there, and everybody comes again later"),
    ),
    Mutant(
        "the newest marker wins",
        OffsetStore.replay,
        "former[-1] > record_offset",
        "False",
        conversation("group_transactions", "the newest record counts, not the newest marker"),
    ),
)
"""Of coordinators."""

MUTANTS = LOG_MUTANTS + COORDINATOR_MUTANTS
