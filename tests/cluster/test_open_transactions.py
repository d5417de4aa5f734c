"""Open transactions through a reset, a snapshot that is restored, and a clock that passes their time-out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer

from kafkacompat import Cluster
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.end_txn import EndTxnRequest
from tests.asking import ask
from tests.waiting import wait_until

TIMEOUT_S = 60


@pytest.fixture(
    params=[
        pytest.param((1, False), id="one broker"),
        pytest.param((3, False), id="three brokers"),
        pytest.param((3, True), id="three processes", marks=pytest.mark.sampled),
    ]
)
def kafka(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    brokers, processes = request.param
    config = {"transaction.state.log.num.partitions": 3}
    with Cluster(topics={"orders": 1}, brokers=brokers, processes=processes, config=config) as kafka:
        yield kafka


def begun(kafka: Cluster, *, timeout_ms: int = 60_000, transactional_id: str = "shop") -> Producer:
    """A producer whose transaction is open, with one record that is written."""
    settings = {"transactional.id": transactional_id, "transaction.timeout.ms": timeout_ms, "log_level": 0}
    producer = Producer(kafka.config_for("confluent") | settings)
    producer.init_transactions(TIMEOUT_S)
    producer.begin_transaction()
    producer.produce("orders", "two apples", partition=0)
    assert producer.flush(TIMEOUT_S) == 0
    return producer


def states(kafka: Cluster) -> list[str]:
    return [record.state for record in kafka.records("orders") if record.control is None]


def test_nothing_of_an_open_transaction_is_left_after_a_reset(kafka: Cluster) -> None:
    for _ in range(2):
        producer = begun(kafka)
        assert list(kafka.transactions(state="Ongoing")) == ["shop"]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            kafka.reset()
        assert kafka.transactions() == {}
        with pytest.raises(KafkaException) as refused:  # the old producer is a zombie, and can harm nobody
            producer.commit_transaction(TIMEOUT_S)
        assert refused.value.args[0].code() != KafkaError._TIMED_OUT
        assert kafka.producers() == []
        fresh = begun(kafka)
        assert kafka.transactions()["shop"].epoch == 0
        fresh.commit_transaction(TIMEOUT_S)
        assert states(kafka) == ["committed"]
        kafka.reset()


@contextmanager
def restored(kafka: Cluster, request: pytest.FixtureRequest, path: Path) -> Iterator[Cluster]:
    """A cluster from a snapshot that was taken while a transaction was open, which was committed after it."""
    producer = begun(kafka)
    kafka.snapshot(path)
    producer.commit_transaction(TIMEOUT_S)
    assert states(kafka) == ["committed"]
    kafka.stop()
    with Cluster.restore(path, processes=request.node.callspec.params["kafka"][1]) as again:
        assert states(again) == ["open"]
        yield again


def test_an_open_transaction_is_open_after_a_restore_and_its_producer_may_end_it(
    kafka: Cluster, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    with restored(kafka, request, tmp_path / "open.tar") as again:
        shop = again.transactions()["shop"]
        assert (shop.state, shop.partitions) == ("Ongoing", {"orders": [0]})
        address = next(each for each in again.brokers if each.id == shop.coordinator).address
        end = EndTxnRequest("shop", shop.producer_id, shop.epoch, True)
        answers: list[int] = []

        def has_ended() -> bool:  # clients ask again as well, while brokers of a restored cluster join
            answers.append(ask(address, end, 4).error_code)
            return answers[-1] not in (errors.COORDINATOR_NOT_AVAILABLE, errors.COORDINATOR_LOAD_IN_PROGRESS)

        wait_until(has_ended, what="the coordinator")
        assert answers[-1] == errors.NONE
        wait_until(lambda: again.transactions()["shop"].state == "CompleteCommit", what="the markers")
        assert states(again) == ["committed"]


def test_an_open_transaction_of_a_snapshot_is_fenced_by_the_next_producer(
    kafka: Cluster, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    with restored(kafka, request, tmp_path / "open.tar") as again:
        before = again.transactions()["shop"]
        begun(again).commit_transaction(TIMEOUT_S)
        assert again.transactions()["shop"].epoch > before.epoch
        assert states(again) == ["aborted", "committed"]


def test_an_open_transaction_of_a_snapshot_times_out(
    kafka: Cluster, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    with restored(kafka, request, tmp_path / "open.tar") as again:
        again.clock.advance(minutes=2)
        wait_until(lambda: again.transactions()["shop"].state == "CompleteAbort", what="the end of the transaction")
        assert states(again) == ["aborted"]


def test_the_clock_ends_an_open_transaction_by_its_time_out_and_no_other(kafka: Cluster) -> None:
    begun(kafka, timeout_ms=30_000)
    longer = begun(kafka, timeout_ms=600_000, transactional_id="longer")
    fired = kafka.clock.advance(minutes=1)
    wait_until(lambda: kafka.transactions()["shop"].state == "CompleteAbort", what="the end of the transaction")
    assert fired
    assert kafka.transactions()["longer"].state == "Ongoing"
    assert kafka.transactions()["longer"].age_ms >= 60_000  # type: ignore[operator]
    longer.commit_transaction(TIMEOUT_S)
    assert states(kafka) == ["aborted", "committed"]
