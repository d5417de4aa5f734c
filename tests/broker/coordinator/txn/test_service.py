"""A partition of __transaction_state comes and goes; what was decided is finished by whoever leads it."""

import pytest

from kafkacompat.broker.coordinator.txn.service import TransactionCoordinator, transaction_settings
from kafkacompat.config import BrokerConfig
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.init_producer_id import InitProducerIdRequest
from kafkacompat.replication.partition import Partition
from tests.broker.handlers.txn_harness import Transactions, pair_of


def partition_of(kafka: Transactions, name: str = "t") -> Partition:
    index = kafka.broker.transactions.partition_for(name)
    return next(each for each in kafka.broker.partitions if (each.topic, each.index) == ("__transaction_state", index))


def reloaded(kafka: Transactions) -> None:
    """Another broker has led the partition in between, and done nothing."""
    partition = partition_of(kafka)
    kafka.broker.transactions.on_resigned(partition, kafka.now)
    assert kafka.init().error_code == errors.NOT_COORDINATOR
    kafka.broker.transactions.on_elected(partition, kafka.now)


def test_the_settings_are_those_of_the_broker() -> None:
    settings = transaction_settings(BrokerConfig.from_sources({}, {"node.id": "1"}, {}))
    assert settings.max_timeout_ms == 900_000
    assert settings.id_expiration_ms == 7 * 24 * 3_600_000
    assert (settings.timeout_check_interval_ms, settings.expiry_check_interval_ms) == (10_000, 3_600_000)


def test_it_is_made_when_it_is_needed() -> None:
    kafka = Transactions()
    assert isinstance(kafka.broker.transactions, TransactionCoordinator)
    assert kafka.broker.transactions is kafka.broker.coordinators.transactions
    assert list(kafka.broker.transactions.shards())


def test_an_open_transaction_goes_on_after_loading() -> None:
    kafka = Transactions()
    pair = pair_of(kafka.init())
    kafka.add(pair, ("a", 0))
    reloaded(kafka)
    assert kafka.add(pair, ("a", 1)) == [errors.NONE]
    assert pair_of(kafka.end(pair)) == (pair[0], pair[1] + 1)
    assert len(kafka.receiver.written) == 2


def test_markers_of_a_prepared_transaction_are_sent_again_after_loading() -> None:
    kafka = Transactions()
    kafka.receiver.holds = True
    pair = pair_of(kafka.init())
    kafka.add(pair, ("a", 0))
    kafka.end(pair)
    first = kafka.receiver.written
    reloaded(kafka)
    assert kafka.describe()[0].transaction_state == "PrepareCommit"
    assert list(kafka.broker.transactions.unsettled())
    kafka.receiver.holds = False
    kafka.receiver.answer(kafka.now)  # of those that the former shard has sent: it is told of nothing
    assert kafka.receiver.written == [*first, *first]
    assert kafka.describe()[0].transaction_state == "CompleteCommit"
    assert not list(kafka.broker.transactions.unsettled())


def test_the_decision_is_answered_before_markers_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    kafka = Transactions()
    pair = pair_of(kafka.init())
    kafka.add(pair, ("a", 0))
    with monkeypatch.context() as same_turn:
        same_turn.setattr(kafka, "settle", lambda: None)
        assert pair_of(kafka.end(pair)) == (pair[0], pair[1] + 1)
        assert kafka.receiver.written == []
    kafka.settle()
    assert kafka.receiver.written == [(pair[0], pair[1] + 1, True, ("a", 0))]
    assert kafka.describe()[0].transaction_state == "CompleteCommit"


def test_markers_of_a_partition_that_is_led_elsewhere_are_not_sent_any_more() -> None:
    kafka = Transactions()
    kafka.receiver.codes["a", 0] = errors.NOT_LEADER_OR_FOLLOWER
    pair = pair_of(kafka.init())
    kafka.add(pair, ("a", 0))
    kafka.end(pair)
    kafka.broker.transactions.on_resigned(partition_of(kafka), kafka.now)
    kafka.receiver.requests.clear()
    kafka.advance(1_000)
    assert kafka.receiver.requests == []
    assert not list(kafka.broker.transactions.unsettled())


def test_the_log_has_version_1_of_values_only_where_the_cluster_has() -> None:
    kafka = Transactions()
    assert kafka.broker.transactions.server_version == 2
    kafka.broker.image = kafka.broker.image.but(features={"metadata.version": 30})
    assert kafka.broker.transactions.server_version == 0
    pair = pair_of(kafka.init())
    kafka.add(pair, ("a", 0))
    reloaded(kafka)
    assert kafka.add(pair, ("a", 1)) == [errors.NONE]
    assert kafka.init().error_code == errors.CONCURRENT_TRANSACTIONS
    assert kafka.receiver.written == [(pair[0], pair[1] + 1, False, ("a", 0)), (pair[0], pair[1] + 1, False, ("a", 1))]


def test_who_comes_before_the_commit_is_told_so_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    kafka = Transactions(log_flush_interval_messages="1")
    pair = pair_of(kafka.init())
    with monkeypatch.context() as stuck:
        stuck.setattr(kafka, "settle", lambda: None)  # the disk does not sync
        first = kafka.begin(InitProducerIdRequest("t", 60_000), 5)
        assert not first.is_there
        assert kafka.init().error_code == errors.CONCURRENT_TRANSACTIONS
        assert kafka.add(pair, ("a", 0)) == [errors.CONCURRENT_TRANSACTIONS]
        assert kafka.end(pair).error_code == errors.CONCURRENT_TRANSACTIONS
        assert kafka.end(pair, name="of nobody").error_code == errors.INVALID_PRODUCER_ID_MAPPING
        assert not first.is_there
    kafka.settle()
    assert pair_of(first.message) == (pair[0], pair[1] + 1)
