"""However many transactions end at once, only some of them do in one turn of the event loop."""

from collections.abc import Iterator

import pytest

from kafkacompat.broker.coordinator import held_notices, loading
from kafkacompat.broker.coordinator.txn import shard
from kafkacompat.broker.coordinator.txn.marker_sender import MarkerSender
from kafkacompat.now import Now
from kafkacompat.protocol.messages.end_txn import EndTxnRequest
from tests.broker.coordinator.txn.test_service import partition_of
from tests.broker.handlers.txn_harness import Transactions, pair_of

IDS = 150
ENDED_IN_A_TURN = loading.ITERATION_BUDGET // shard.COST_OF_MARKERS


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids whose markers were sent, in order."""
    found: list[str] = []
    send = MarkerSender.send

    def seen(self: MarkerSender, row, owner, now) -> None:
        found.append(row.transactional_id)
        send(self, row, owner, now)

    monkeypatch.setattr(MarkerSender, "send", seen)
    return found


def opened(**config: str) -> tuple[Transactions, dict[str, tuple[int, int]]]:
    """A broker with open transactions of one partition each, and their producers' ids and epochs."""
    kafka = Transactions(transaction_state_log_num_partitions="1", **config)
    pairs = {f"id-{number}": pair_of(kafka.init(f"id-{number}")) for number in range(IDS)}
    for name, pair in pairs.items():
        kafka.add(pair, ("a", 0), name=name)
    return kafka, pairs


def turns(kafka: Transactions, sent: list[str]) -> Iterator[int]:
    """Let the loop turn until nothing is left to do now: how many transactions each turn has sent the markers of."""
    while (deadline_ms := kafka.broker.timers.next_deadline_ms()) is not None and deadline_ms <= kafka.now.monotonic_ms:
        before = len(sent)
        kafka.broker.timers.run(kafka.now)
        yield len(sent) - before


def states(kafka: Transactions) -> set[str]:
    return {row.state_name for shard in kafka.broker.transactions.shards() for row in shard.rows.values()}


def test_transactions_that_time_out_together_end_little_by_little(sent: list[str]) -> None:
    kafka, pairs = opened()
    kafka.now = Now(kafka.now.monotonic_ms + 80_000, kafka.now.wall_ms + 80_000)
    counts = list(turns(kafka, sent))
    assert sent == list(pairs)
    assert max(counts) <= ENDED_IN_A_TURN
    assert states(kafka) == {"CompleteAbort"}


def test_what_was_prepared_before_an_election_is_sent_little_by_little(sent: list[str]) -> None:
    kafka, pairs = opened()
    kafka.receiver.holds = True
    for name, pair in pairs.items():
        kafka.end(pair, name=name)
    partition = partition_of(kafka)
    kafka.broker.transactions.on_resigned(partition, kafka.now)
    kafka.receiver.holds = False
    kafka.receiver.answer(kafka.now)  # of those that the former shard has sent
    sent.clear()
    kafka.now = Now(kafka.now.monotonic_ms + 1, kafka.now.wall_ms)
    kafka.broker.transactions.on_elected(partition, kafka.now)
    counts = [len(sent), *turns(kafka, sent)]
    assert sent == list(pairs)
    assert max(counts) <= ENDED_IN_A_TURN
    assert states(kafka) == {"CompleteCommit"}


def test_what_is_committed_at_once_is_sent_little_by_little(sent: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    kafka, pairs = opened(log_flush_interval_messages="1")
    with monkeypatch.context() as stuck:
        stuck.setattr(kafka, "settle", lambda: None)  # the disk does not sync
        answers = [kafka.begin(EndTxnRequest(name, *pair, True), 5) for name, pair in pairs.items()]
        assert sent == []
    monkeypatch.setattr(held_notices, "RELEASED_AT_ONCE", 20)
    kafka.broker.flusher.flush_inline(kafka.now)
    counts = []
    for count in turns(kafka, sent):
        counts.append(count)
        kafka.broker.flusher.flush_inline(kafka.now)
    assert sent == list(pairs)
    assert max(counts) <= 20
    assert all(answer.is_there for answer in answers)
    assert states(kafka) == {"CompleteCommit"}
