"""Transactions through the front door, as their coordinator answers in each version; markers are written at once."""

from typing import Any

import pytest

from kafkacompat.broker.coordinator.coordinators import TRANSACTION
from kafkacompat.broker.coordinator.txn.java_pattern import MAX_STATES, STEPS_PER_COST, JavaPattern
from kafkacompat.broker.coordinator.txn.state import Transaction, by_topic
from kafkacompat.broker.handlers import (
    add_partitions_to_txn,
    describe_producers,
    describe_transactions,
    list_transactions,
)
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from kafkacompat.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from kafkacompat.protocol.messages.describe_transactions import DescribeTransactionsRequest
from kafkacompat.protocol.messages.find_coordinator import FindCoordinatorRequest
from kafkacompat.protocol.messages.init_producer_id import InitProducerIdRequest
from kafkacompat.protocol.messages.list_transactions import ListTransactionsRequest
from kafkacompat.steps import UNITS_PER_ITERATION, at_once
from tests.broker.handlers.txn_harness import Transactions, pair_of
from tests.broker.harness import Answer
from tests.comparisons import Comparisons

A0, A1, NOWHERE = ("a", 0), ("a", 1), ("nowhere", 0)


@pytest.mark.parametrize("version", range(6))
def test_a_transactional_id_keeps_its_producer_id_and_raises_the_epoch(version: int) -> None:
    kafka = Transactions()
    first, second = pair_of(kafka.init(version=version)), pair_of(kafka.init(version=version))
    assert second == (first[0], first[1] + 1)
    assert pair_of(kafka.init("other", version=version))[0] != first[0]


@pytest.mark.parametrize("version", range(3, 6))
def test_a_producer_that_names_its_epoch_goes_on_and_an_earlier_one_is_fenced(version: int) -> None:
    kafka = Transactions()
    producer_id, epoch = pair_of(kafka.init(version=version))
    kafka.init(version=version)
    response = kafka.init(version=version, producer_id=producer_id, producer_epoch=epoch)
    fenced = errors.PRODUCER_FENCED if version >= 4 else errors.INVALID_PRODUCER_EPOCH
    assert (response.error_code, response.producer_id, response.producer_epoch) == (fenced, -1, -1)
    assert pair_of(kafka.init(version=version, producer_id=producer_id, producer_epoch=epoch + 1)) == (producer_id, 2)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"transactional_id": ""}, errors.INVALID_REQUEST),
        ({"producer_id": 5}, errors.INVALID_REQUEST),
        ({"producer_epoch": 5}, errors.INVALID_REQUEST),
        ({"timeout_ms": 0}, errors.INVALID_TRANSACTION_TIMEOUT),
        ({"timeout_ms": -1}, errors.INVALID_TRANSACTION_TIMEOUT),
        ({"timeout_ms": 900_001}, errors.INVALID_TRANSACTION_TIMEOUT),
    ],
)
def test_what_init_producer_id_refuses(fields: dict[str, int], code: int) -> None:
    response = Transactions().init(**fields)  # type: ignore[arg-type]
    assert (response.error_code, response.producer_id, response.producer_epoch) == (code, -1, -1)


def test_the_longest_time_out_is_a_setting() -> None:
    kafka = Transactions(transaction_max_timeout_ms="1000")
    assert kafka.init(timeout_ms=1_001).error_code == errors.INVALID_TRANSACTION_TIMEOUT
    assert kafka.init(timeout_ms=1_000).error_code == errors.NONE


def test_without_a_block_of_producer_ids_it_waits_for_one() -> None:
    kafka = Transactions()
    kafka.broker.producer_ids.add_block(0, 0)
    asked: list[object] = []
    request, kafka.broker.request_producer_ids = kafka.broker.request_producer_ids, asked.append  # type: ignore[method-assign]
    answer = kafka.begin(InitProducerIdRequest("t", 60_000), 5)
    assert not answer.is_there
    kafka.broker.request_producer_ids = request  # type: ignore[method-assign]
    request(kafka.now)
    kafka.settle()
    assert pair_of(answer.message)[1] == 0
    assert asked


def test_without_a_block_of_producer_ids_for_too_long_it_is_told_to_come_again() -> None:
    kafka = Transactions()
    kafka.broker.producer_ids.add_block(0, 0)
    kafka.broker.request_producer_ids = lambda _now: None  # type: ignore[method-assign]
    answer = kafka.begin(InitProducerIdRequest("t", 60_000), 5)
    kafka.advance(kafka.broker.request_timeout_ms)
    assert answer.message.error_code == errors.COORDINATOR_LOAD_IN_PROGRESS


@pytest.mark.parametrize("version", range(4))
def test_clients_add_partitions(version: int) -> None:
    kafka = Transactions()
    pair = pair_of(kafka.init())
    assert kafka.add(pair, A0, A1, version=version) == [errors.NONE, errors.NONE]
    assert kafka.add((pair[0] + 1, 0), A0, version=version) == [errors.INVALID_PRODUCER_ID_MAPPING]
    fenced = errors.PRODUCER_FENCED if version >= 2 else errors.INVALID_PRODUCER_EPOCH
    assert kafka.add((pair[0], 3), A0, A1, version=version) == [fenced, fenced]
    assert kafka.add(pair, A0, version=version, name="unknown") == [errors.INVALID_PRODUCER_ID_MAPPING]
    assert kafka.add(pair, A0, version=version, name="") == [errors.INVALID_REQUEST]


@pytest.mark.parametrize("version", range(6))
def test_a_partition_that_does_not_exist_keeps_the_others_out(version: int) -> None:
    kafka = Transactions()
    pair = pair_of(kafka.init())
    not_attempted, unknown = errors.OPERATION_NOT_ATTEMPTED, errors.UNKNOWN_TOPIC_OR_PARTITION
    assert kafka.add(pair, A0, ("a", 9), NOWHERE, version=version) == [not_attempted, unknown, unknown]
    assert kafka.describe()[0].transaction_state == "Empty"


def test_brokers_that_add_for_one_producer_at_once_wait_together(monkeypatch: pytest.MonkeyPatch) -> None:
    kafka = Transactions(log_flush_interval_messages="1")
    pair = pair_of(kafka.init())
    with monkeypatch.context() as stuck:
        stuck.setattr(kafka, "settle", lambda: None)  # the disk does not sync, so nothing is committed
        answers = [kafka.begin(added_by_a_broker(pair, partition), 5) for partition in (A0, A1, A0)]
        kafka.advance(99)
        assert not any(answer.is_there for answer in answers)
    kafka.settle()
    assert [codes_of(answer) for answer in answers] == [[errors.NONE]] * 3
    assert kafka.describe()[0].topics[0].partitions == [0, 1]


def test_a_broker_that_adds_waits_no_longer_than_apache_kafka_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    kafka = Transactions(log_flush_interval_messages="1")
    pair = pair_of(kafka.init())
    with monkeypatch.context() as stuck:
        stuck.setattr(kafka, "settle", lambda: None)
        first, second, again = (kafka.begin(added_by_a_broker(pair, partition), 5) for partition in (A0, A1, A0))
        kafka.advance(100)
        assert not first.is_there
        assert codes_of(second) == codes_of(again) == [errors.CONCURRENT_TRANSACTIONS]
    kafka.settle()
    assert codes_of(first) == [errors.NONE]


def added_by_a_broker(pair: tuple[int, int], partition: tuple[str, int]) -> AddPartitionsToTxnRequest:
    topic, index = partition
    asked = [AddPartitionsToTxnTopic(topic, [index])]
    return AddPartitionsToTxnRequest([AddPartitionsToTxnTransaction("t", *pair, False, asked)])


def codes_of(answer: Answer) -> list[int]:
    (result,) = answer.message.results_by_transaction
    return [each.partition_error_code for topic in result.topic_results for each in topic.results_by_partition]


@pytest.mark.parametrize("version", [4, 5])
def test_brokers_ask_for_several_transactions_at_once(version: int) -> None:
    kafka = Transactions()
    one, two = pair_of(kafka.init("one")), pair_of(kafka.init("two"))
    topics = [AddPartitionsToTxnTopic("a", [0, 1])]
    request = AddPartitionsToTxnRequest(
        [
            AddPartitionsToTxnTransaction("one", *one, False, topics),
            AddPartitionsToTxnTransaction("two", *two, True, topics),
            AddPartitionsToTxnTransaction("three", *two, True, topics),
        ]
    )
    response = kafka.ask(request, version)
    codes = {
        result.transactional_id: [each.partition_error_code for each in result.topic_results[0].results_by_partition]
        for result in response.results_by_transaction
    }
    assert codes == {
        "one": [errors.NONE] * 2,
        "two": [errors.TRANSACTION_ABORTABLE] * 2,
        "three": [errors.INVALID_PRODUCER_ID_MAPPING] * 2,
    }
    assert kafka.verify(one, "a", 0, 1, name="one", version=version) == [errors.NONE, errors.NONE]


@pytest.mark.parametrize("version", range(5))
def test_offsets_of_a_group_are_a_partition(version: int) -> None:
    kafka = Transactions(offsets_topic_num_partitions="1")
    pair = pair_of(kafka.init())
    fenced = errors.PRODUCER_FENCED if version >= 2 else errors.INVALID_PRODUCER_EPOCH
    assert kafka.add_offsets((pair[0], 4), version=version) == fenced
    assert kafka.add_offsets(pair, version=version, name="") == errors.INVALID_REQUEST
    assert kafka.add_offsets(pair, version=version) == errors.NONE
    (described,) = kafka.describe("t")
    assert [(topic.topic, list(topic.partitions)) for topic in described.topics] == [("__consumer_offsets", [0])]


@pytest.mark.parametrize("version", range(6))
@pytest.mark.parametrize("commit", [True, False])
def test_a_transaction_ends(version: int, commit: bool) -> None:
    kafka = Transactions()
    pair = pair_of(kafka.init())
    kafka.add(pair, A0)
    response = kafka.end(pair, commit=commit, version=version)
    assert response.error_code == errors.NONE
    raised = pair if version < 5 else (pair[0], pair[1] + 1)
    assert kafka.receiver.written == [(*raised, commit, A0)]
    assert (response.producer_id, response.producer_epoch) == (raised if version >= 5 else (-1, -1))
    assert kafka.describe()[0].transaction_state == ("CompleteCommit" if commit else "CompleteAbort")
    # a retry: v5 names the epoch before
    assert kafka.end(pair, commit=commit, version=version).error_code == errors.NONE
    assert kafka.end(pair, commit=not commit, version=version).error_code == errors.INVALID_TXN_STATE


@pytest.mark.parametrize("version", range(6))
def test_who_may_not_end_a_transaction(version: int) -> None:
    kafka = Transactions()
    pair = pair_of(kafka.init())
    kafka.add(pair, A0)
    fenced = errors.PRODUCER_FENCED if version >= 2 else errors.INVALID_PRODUCER_EPOCH
    for response, code in (
        (kafka.end((pair[0] + 1, 0), version=version), errors.INVALID_PRODUCER_ID_MAPPING),
        (kafka.end((pair[0], 7), version=version), fenced),
        (kafka.end(pair, version=version, name="unknown"), errors.INVALID_PRODUCER_ID_MAPPING),
        (kafka.end(pair, version=version, name=""), errors.INVALID_REQUEST),
    ):
        assert (response.error_code, response.producer_id, response.producer_epoch) == (code, -1, -1)


def test_an_open_transaction_is_aborted_for_another_instance() -> None:
    kafka = Transactions()
    pair = pair_of(kafka.init())
    kafka.add(pair, A0)
    assert kafka.init().error_code == errors.CONCURRENT_TRANSACTIONS
    assert kafka.receiver.written == [(pair[0], 1, False, A0)]
    assert pair_of(kafka.init()) == (pair[0], 2)


def test_a_transaction_times_out() -> None:
    kafka = Transactions(transaction_abort_timed_out_transaction_cleanup_interval_ms="1000")
    pair = pair_of(kafka.init(timeout_ms=5_000))
    kafka.add(pair, A0)
    kafka.advance(4_900)
    assert kafka.describe()[0].transaction_state == "Ongoing"
    kafka.advance(1_200)
    kafka.advance(0)
    assert kafka.describe()[0].transaction_state == "CompleteAbort"
    assert kafka.add(pair, A0) == [errors.PRODUCER_FENCED]


def test_an_id_that_nobody_uses_expires() -> None:
    kafka = Transactions(
        transactional_id_expiration_ms="5000", transaction_remove_expired_transaction_cleanup_interval_ms="1000"
    )
    kafka.init()
    kafka.advance(4_900)
    assert kafka.describe()[0].error_code == errors.NONE
    kafka.advance(1_100)
    kafka.advance(0)
    assert kafka.describe()[0].error_code == errors.TRANSACTIONAL_ID_NOT_FOUND


def test_a_description() -> None:
    kafka = Transactions()
    pair = pair_of(kafka.init())
    kafka.add(pair, A1, A0)
    (known, unknown, empty) = kafka.describe("t", "unknown", "")
    assert (known.transaction_state, known.transaction_timeout_ms) == ("Ongoing", 60_000)
    assert known.transaction_start_time_ms == kafka.now.wall_ms
    assert (known.producer_id, known.producer_epoch) == pair
    assert [(topic.topic, list(topic.partitions)) for topic in known.topics] == [("a", [0, 1])]
    assert unknown.error_code == errors.TRANSACTIONAL_ID_NOT_FOUND
    assert empty.error_code == errors.INVALID_REQUEST


def test_no_coordinator_no_transactions() -> None:
    kafka = Transactions(transaction_state_log_num_partitions="1")
    partition = next(each for each in kafka.broker.partitions if each.topic == "__transaction_state")
    kafka.broker.coordinators.on_resigned(partition, kafka.now)
    assert kafka.init().error_code == errors.NOT_COORDINATOR
    assert kafka.add((0, 0), A0) == [errors.NOT_COORDINATOR]
    assert kafka.verify((0, 0), "a", 0) == [errors.NOT_COORDINATOR]
    assert kafka.end((0, 0)).error_code == errors.NOT_COORDINATOR
    assert kafka.ask(DescribeTransactionsRequest(["t"]), 0).transaction_states[0].error_code == errors.NOT_COORDINATOR


@pytest.mark.parametrize("version", range(1, 7))
def test_the_coordinator_of_an_id_is_found(version: int) -> None:
    kafka = Transactions()
    request = (
        FindCoordinatorRequest("t", 1) if version < 4 else FindCoordinatorRequest(key_type=1, coordinator_keys=["t"])
    )
    response = kafka.ask(request, version)
    found = response if version < 4 else response.coordinators[0]
    assert (found.error_code, found.node_id, found.port) == (errors.NONE, 1, 9092)


def listed(kafka: Transactions, version: int = 2, **filters: object) -> list[tuple[str, str]]:
    response = kafka.ask(ListTransactionsRequest(**filters), version)  # type: ignore[arg-type]
    assert response.error_code == errors.NONE
    return sorted((each.transactional_id, each.transaction_state) for each in response.transaction_states)


@pytest.mark.parametrize("version", range(3))
def test_transactions_are_listed(version: int) -> None:
    kafka = Transactions()
    first, second = pair_of(kafka.init("first")), pair_of(kafka.init("second"))
    kafka.add(second, A0, name="second")
    assert listed(kafka, version) == [("first", "Empty"), ("second", "Ongoing")]
    assert listed(kafka, version, state_filters=["Empty"]) == [("first", "Empty")]
    assert listed(kafka, version, producer_id_filters=[second[0]]) == [("second", "Ongoing")]
    assert listed(kafka, version, producer_id_filters=[first[0]], state_filters=["Ongoing"]) == []


def test_states_that_are_not_known_are_returned() -> None:
    kafka = Transactions()
    kafka.init()
    response = kafka.ask(ListTransactionsRequest(state_filters=["Nice", "Empty"]), 2)
    assert list(response.unknown_state_filters) == ["Nice"]
    assert len(response.transaction_states) == 1
    assert kafka.ask(ListTransactionsRequest(state_filters=["Nice"]), 2).transaction_states == []


def test_transactions_are_listed_by_their_duration() -> None:
    kafka = Transactions()
    pair = pair_of(kafka.init())
    kafka.init("idle")
    kafka.add(pair, A0)
    kafka.advance(500)
    assert listed(kafka, duration_filter=499) == [("idle", "Empty"), ("t", "Ongoing")]
    assert listed(kafka, duration_filter=500) == [("idle", "Empty")]
    assert listed(kafka, duration_filter=-1) == [("idle", "Empty"), ("t", "Ongoing")]


def test_transactions_are_listed_by_a_pattern() -> None:
    kafka = Transactions()
    for name in ("app-1", "app-2", "other"):
        kafka.init(name)
    assert [name for name, _ in listed(kafka, transactional_id_pattern="app-.*")] == ["app-1", "app-2"]
    assert len(listed(kafka, transactional_id_pattern="")) == 3
    assert len(listed(kafka, transactional_id_pattern=None)) == 3
    refused = kafka.ask(ListTransactionsRequest(transactional_id_pattern="(ab"), 2)
    assert refused.error_code == errors.INVALID_REGULAR_EXPRESSION


def test_long_filters_cost_no_more_for_each_transaction() -> None:
    """A filter of 1.6 MB would otherwise be gone through for each of them: seconds for a thousand."""
    compared = Comparisons(int)
    rows = [Transaction(f"t{number}", number, 60_000, 0) for number in range(200)]
    request = ListTransactionsRequest(producer_id_filters=[compared.value(number) for number in range(100, 1_100)])
    found = at_once(list_transactions._respond(request, 2, None, [iter(rows)], 0))
    assert len(found.transaction_states) == 100
    assert compared.count < 1_000


def test_brokers_ask_for_many_transactions_in_several_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    kafka = Transactions()
    asked, add = [0], kafka.broker.transactions.add_partitions

    def counted(*given: Any, **more: Any) -> Any:
        asked[-1] += 1
        return add(*given, **more)

    monkeypatch.setattr(kafka.broker.transactions, "add_partitions", counted)
    pair = pair_of(kafka.init())
    topics = [AddPartitionsToTxnTopic("a", [0])]
    known, unknown = (AddPartitionsToTxnTransaction(name, *pair, False, topics) for name in ("t", "unknown"))
    answer = kafka.begin(AddPartitionsToTxnRequest([known, *[unknown] * 500]), 5)
    while not answer.is_there:
        asked.append(0)
        kafka.broker.timers.run(kafka.now)
        kafka.settle()
    assert len(asked) >= 4
    assert max(asked) <= UNITS_PER_ITERATION // add_partitions_to_txn.UNITS_PER_TRANSACTION
    codes = [each.topic_results[0].results_by_partition[0] for each in answer.message.results_by_transaction]
    assert [code.partition_error_code for code in codes] == [
        errors.NONE, *[errors.INVALID_PRODUCER_ID_MAPPING] * 500
    ]  # fmt: skip


def test_a_response_that_grows_too_large_ends_with_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    for handler in (describe_producers, describe_transactions):
        monkeypatch.setattr(handler, "RESPONSE_BYTES_MAX", 1_000)
    kafka = Transactions()
    pair = pair_of(kafka.init())
    kafka.add(pair, A0)
    partition = kafka.broker.partitions.get("a", 0)
    assert partition is not None
    for producer_id in range(20):
        partition.log.producers.update(producer_id, 0, 0, 0, 0, 0, 0, is_transactional=False)
    (topic,) = kafka.ask(DescribeProducersRequest([TopicRequest("a", [0] * 10)]), 0).topics
    seen = [(each.error_code, len(each.active_producers)) for each in topic.partitions]
    whole = seen.count((errors.NONE, 20))
    assert 1 <= whole < 4
    assert seen == [(errors.NONE, 20)] * whole + [(errors.INVALID_REQUEST, 0)] * (10 - whole)
    states = kafka.describe(*["t"] * 100)
    assert [state.transactional_id for state in states] == ["t"] * 100
    codes = [state.error_code for state in states]
    whole = codes.count(errors.NONE)
    assert codes == [errors.NONE] * whole + [errors.INVALID_REQUEST] * (100 - whole)
    assert 1 < whole < 40


def test_a_new_leader_describes_no_transaction_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(describe_transactions, "RESPONSE_BYTES_MAX", 1_000)
    kafka = Transactions()
    kafka.add(pair_of(kafka.init()), A0)
    service, described = kafka.broker.transactions, []

    def counted(partitions: Any) -> Any:
        described.append(by_topic(partitions))
        return described[-1]

    monkeypatch.setattr(describe_transactions, "by_topic", counted)
    partition = kafka.broker.partitions.get(TRANSACTION.topic, service.partition_for("t"))
    assert partition is not None
    for change in (service.on_resigned, service.on_elected):
        change(partition, kafka.now)
    high_watermark, partition.high_watermark = partition.high_watermark, partition.high_watermark - 1
    kafka.advance(0)
    answer = kafka.begin(DescribeTransactionsRequest(["t"] * 100), 0)
    assert (answer.is_there, described) == (False, [])
    partition.high_watermark = high_watermark
    service.on_high_watermark(partition, kafka.now)
    whole = len(described)
    assert 1 < whole < 40
    codes = [state.error_code for state in answer.message.transaction_states]
    assert codes == [errors.NONE] * whole + [errors.INVALID_REQUEST] * (100 - whole)


def test_while_a_partition_is_loaded_nothing_is_listed() -> None:
    kafka = Transactions()
    context = next(iter(kafka.broker.transactions._contexts.values()))
    context._error = errors.COORDINATOR_LOAD_IN_PROGRESS
    assert kafka.ask(ListTransactionsRequest(), 2).error_code == errors.COORDINATOR_LOAD_IN_PROGRESS


COUNT_LISTED = 1_500
EXPLODING = ["(a+)+$", "(a|a)*b", "(.*a){20}b", "|".join("b" * 2 for _ in range(80)), "(b?){100}c"]
"""In backtracking these take exponential time with ids of many `a`, or 100 µs for the first character alone."""


@pytest.mark.parametrize("pattern", EXPLODING)
def test_no_pattern_holds_the_loop(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The states that the automaton is in are counted, by turn of the loop."""
    kafka = Transactions()
    rows = [Transaction(f"{'a' * 60}{number}", number, 60_000, 0) for number in range(COUNT_LISTED)]
    shard = next(iter(kafka.broker.transactions._contexts.values())).shard
    monkeypatch.setattr(type(shard), "list_committed", lambda self: iter(rows if self is shard else ()))
    states, closure = [0], JavaPattern._closure

    def counted(self: JavaPattern, current: list[int], **where: bool) -> set[int]:
        found = closure(self, current, **where)
        states[-1] += len(found)
        return found

    monkeypatch.setattr(JavaPattern, "_closure", counted)
    answer = kafka.begin(ListTransactionsRequest(transactional_id_pattern=pattern), 2)
    while not answer.is_there:
        states.append(0)
        kafka.broker.timers.run(kafka.now)
        kafka.settle()
        assert len(states) < 10_000
    assert answer.message.error_code == errors.NONE
    assert len(states) > 1
    assert max(states) <= STEPS_PER_COST * UNITS_PER_ITERATION + 2 * MAX_STATES


def test_many_producers_are_described_in_turns() -> None:
    kafka = Transactions()
    partition = kafka.broker.partitions.get("a", 0)
    assert partition is not None
    for producer_id in range(20_000):
        partition.log.producers.update(producer_id, 0, 0, 0, 0, 0, 0, is_transactional=False)
    answer = kafka.begin(DescribeProducersRequest([TopicRequest("a", [0])]), 0)
    turns = 0
    while not answer.is_there:
        turns += 1
        kafka.broker.timers.run(kafka.now)
        kafka.settle()
    assert turns >= 3
    assert len(answer.message.topics[0].partitions[0].active_producers) == 20_000


def test_an_id_of_32_kb_and_a_transaction_of_10_000_partitions() -> None:
    kafka = Transactions()
    names = [f"many-{number}" for number in range(20)]
    for each in names:
        kafka.create_topic(each, 500)
    name = "i" * 32_767
    pair = pair_of(kafka.init(name))
    many = [(each, index) for each in names for index in range(500)]
    topics = [AddPartitionsToTxnTopic(each, list(range(500))) for each in names]
    answer = kafka.begin(AddPartitionsToTxnRequest((), name, *pair, topics), 3)
    while not answer.is_there:
        kafka.advance(0)
    added = [each for topic in answer.message.results_by_topic_v3_and_below for each in topic.results_by_partition]
    assert [each.partition_error_code for each in added] == [errors.NONE] * len(many)
    (found,) = kafka.describe(name)
    assert sum(len(topic.partitions) for topic in found.topics) == 10_000
    assert kafka.end(pair, name=name).error_code == errors.NONE
    for _ in range(110):
        kafka.advance(0)
    assert len(kafka.receiver.written) == 10_000
    assert max(sum(len(of.partition_indexes) for each in asked.markers for of in each.topics)
               for asked in kafka.receiver.requests) <= 100  # fmt: skip
    assert kafka.describe(name)[0].transaction_state == "CompleteCommit"
