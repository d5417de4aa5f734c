"""Settings of the transaction coordinator: each is changed, and the effect is seen."""

from kafkacompat.protocol import error_codes as errors
from tests.broker.handlers.txn_harness import Transactions, pair_of
from tests.broker.test_produce_verification import ADDS, VERIFIES, Producer, batch
from tests.config.effects.registry import shows

SECOND_MS, HOUR_MS, DAY_MS = 1_000, 3_600_000, 24 * 3_600_000


@shows("transaction.max.timeout.ms")
def test_transactions_may_take_as_long() -> None:
    assert Transactions().init(timeout_ms=900_000).error_code == errors.NONE
    assert Transactions().init(timeout_ms=900_001).error_code == errors.INVALID_TRANSACTION_TIMEOUT
    longer = Transactions(transaction_max_timeout_ms="900001")
    assert longer.init(timeout_ms=900_001).error_code == errors.NONE


@shows("transaction.abort.timed.out.transaction.cleanup.interval.ms")
def test_overdue_transactions_are_looked_for_as_often() -> None:
    def state_after(ms: int, **settings: str) -> str:
        kafka = Transactions(**settings)
        pair = pair_of(kafka.init(timeout_ms=SECOND_MS))
        kafka.add(pair, ("a", 0))
        kafka.advance(ms)
        kafka.advance(0)
        return str(kafka.describe()[0].transaction_state)

    assert state_after(9 * SECOND_MS) == "Ongoing"
    assert state_after(10 * SECOND_MS) == "CompleteAbort"
    assert state_after(3 * SECOND_MS, transaction_abort_timed_out_transaction_cleanup_interval_ms="3000") == (
        "CompleteAbort"
    )


@shows("transactional.id.expiration.ms", "transaction.remove.expired.transaction.cleanup.interval.ms")
def test_unused_ids_are_remembered_as_long() -> None:
    def found_after(*pauses_ms: int, **settings: str) -> bool:
        kafka = Transactions(**settings)
        kafka.init()
        for pause_ms in pauses_ms:
            kafka.advance(pause_ms)
            kafka.advance(0)
        return bool(kafka.describe()[0].error_code == errors.NONE)

    assert found_after(6 * DAY_MS, 23 * HOUR_MS)
    assert not found_after(6 * DAY_MS, 23 * HOUR_MS, 2 * HOUR_MS)
    assert not found_after(2 * HOUR_MS, transactional_id_expiration_ms="1000")
    assert found_after(2 * HOUR_MS, transaction_remove_expired_transaction_cleanup_interval_ms=str(3 * HOUR_MS))


@shows("add.partitions.to.txn.retry.backoff.ms", "add.partitions.to.txn.retry.backoff.max.ms")
def test_partitions_are_added_once_more_while_a_transaction_completes() -> None:
    def asked(**settings: str) -> list[int]:
        """When the coordinator was asked, in ms."""
        producer = Producer(**settings)
        producer.answers_with = errors.CONCURRENT_TRANSACTIONS
        answer, times_ms = producer.begin((0, batch(producer.pair))), [0]
        for ms in range(2, 301, 2):
            producer.kafka.advance(2)
            times_ms += [ms] * (len(producer.questions) - len(times_ms))
        assert answer.is_there
        return times_ms

    assert asked() == [0, 2, 6, 14, 30, 50, 70, 90, 110]
    assert asked(add_partitions_to_txn_retry_backoff_ms="4") == [0, 2, *range(6, 103, 4)]
    assert asked(add_partitions_to_txn_retry_backoff_ms="50") == [0, 2, 6, 14, 30, 62, 112]
    assert asked(add_partitions_to_txn_retry_backoff_max_ms="40") == [0, 2, 6, 14, 30, 50]


@shows("transaction.partition.verification.enable")
def test_old_clients_are_asked_about_unless_that_is_off() -> None:
    asks = Producer()
    assert asks.write((0, batch(asks.pair)), version=VERIFIES) == [errors.INVALID_TXN_STATE]
    trusts = Producer(transaction_partition_verification_enable="false")
    assert trusts.write((0, batch(trusts.pair)), version=VERIFIES) == [errors.NONE]
    assert trusts.questions == []
    assert trusts.write((1, batch(trusts.pair)), version=ADDS) == [errors.NONE]
    assert len(trusts.questions) == 1
