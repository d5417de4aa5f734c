"""The coordinator of transactions, on both brokers: each state, each request, each version."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, unordered, versions
from compat_tests.api.transactional import Producer
from kafkacompat.protocol.messages import (
    add_offsets_to_txn,
    add_partitions_to_txn,
    describe_transactions,
    end_txn,
    init_producer_id,
    list_transactions,
)

TV1, TV2 = 4, 5
"""The versions of EndTxn that stand for the protocols."""


def prepared(client: RawClient, topic: str) -> Producer:
    """A producer with a topic of two partitions."""
    topics.create(client, topic, 2)
    return Producer(client, topic).start()


@pytest.mark.api("InitProducerId")
@pytest.mark.parametrize("version", versions(init_producer_id))
def test_init_of_a_transactional_id(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        it = prepared(client, topic)
        answers = {
            "new": it.init(version, name=topic + "-new"),
            "no time": it.init(version, ms=0),
            "negative time": it.init(version, ms=-5),
            "too much time": it.init(version, ms=900_001),
        }
        it.start()
        answers |= {
            "all the time": it.init(version, ms=900_000),
            "empty": it.init(version),
            "row": it.row(),
        }
        it.add(3, (topic, 0))
        answers |= {"ongoing": it.init(version), "aborted": it.init(version), "then": it.row()}
        for commit in (True, False):
            it.add(3, (topic, 0))
            it.end(TV1, commit=commit)
            answers[f"complete after {'commit' if commit else 'abort'}"] = it.init(version)
        return answers

    compare(script)


@pytest.mark.api("InitProducerId")
@pytest.mark.parametrize("version", versions(init_producer_id, 3))
def test_init_with_the_pair_of_a_producer(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        it = prepared(client, topic)
        answers = {
            "its own": it.init(version, it.pair),
            "a retry": it.init(version, it.before()),
            "another retry": it.init(version, it.before()),
            "too old": it.init(version, it.before(2)),
            "from the future": it.init(version, it.before(-1)),
            "another id": it.init(version, it.other()),
            "id without epoch": it.init(version, (it.pair[0], -1)),
            "epoch without id": it.init(version, (-1, it.pair[1])),
            "unknown id": it.init(version, (it.pair[0], 3), name=topic + "-unknown"),
        }
        it = Producer(client, topic).start()
        answers["a retry after another instance"] = it.init(version, it.before())
        it.add(3, (topic, 0))
        answers |= {
            "ongoing, another id": it.init(version, it.other()),
            "ongoing, any epoch": it.init(version, (it.pair[0], 77)),
            "ongoing before": it.init(version, it.pair),
        }
        it.start()
        it.add(3, (topic, 0))
        it.end(TV2, commit=True)
        answers |= {
            "after TV2": it.init(version, it.pair),
            "after TV2, before": it.init(version, it.before()),
            "row": it.row(),
        }
        return answers

    compare(script)


@pytest.mark.api("AddPartitionsToTxn")
@pytest.mark.parametrize("version", versions(add_partitions_to_txn))
def test_add_partitions(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        it = prepared(client, topic)
        one, two = (topic, 0), (topic, 1)
        answers = {
            "no such partition": it.add(version, (topic, 7)),
            "no such topic among others": it.add(version, one, (topic + "-not", 0), two),
            "no id": it.add(version, one, name=""),
            "unknown id": it.add(version, one, name=topic + "-unknown"),
            "unknown id and partition": it.add(version, (topic, 7), name=topic + "-unknown"),
            "another producer id": it.add(version, one, two, pair=it.other()),
            "an old epoch": it.add(version, one, pair=it.before()),
            "an epoch to come": it.add(version, one, pair=it.before(-1)),
            "row before": it.row(),
            "empty": it.add(version, one),
            "row": it.row(),
            "again": it.add(version, one),
            "more": it.add(version, one, two),
            "ongoing, an old epoch": it.add(version, one, pair=it.before()),
            "nothing": it.add(version),
        }
        for commit in (True, False):
            it.end(TV1, commit=commit)
            answers[f"complete, {commit}"] = it.add(version, two)
            answers[f"row, {commit}"] = it.row()
        return unordered(
            answers, "results_by_partition", "topic_results", "results_by_topic_v3_and_below", "topics", "partitions"
        )

    compare(script)


@pytest.mark.api("AddPartitionsToTxn")
@pytest.mark.parametrize("version", versions(add_partitions_to_txn, 4))
def test_verify_partitions(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        it = prepared(client, topic)
        one, two = (topic, 0), (topic, 1)

        def verify(*partitions: tuple[str, int], **more: Any) -> Any:
            return it.add(version, *partitions, verify=True, **more)

        answers = {
            "empty": verify(one),
            "no id": verify(one, name=""),
            "unknown id": verify(one, name=topic + "-unknown"),
            "no such partition": verify(one, (topic, 7)),
        }
        it.add(3, one)
        answers |= {
            "ongoing": verify(one, two),
            "another producer id": verify(one, pair=it.other()),
            "an old epoch": verify(one, pair=it.before()),
            "nothing": verify(),
        }
        it.end(TV1, commit=True)
        answers["complete"] = verify(one)
        return unordered(answers, "results_by_partition", "topic_results", "partitions")

    compare(script)


@pytest.mark.api("AddPartitionsToTxn")
@pytest.mark.parametrize("version", versions(add_partitions_to_txn, 4))
def test_several_transactions_in_a_request(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        api = add_partitions_to_txn
        one = prepared(client, topic)
        two = Producer(client, topic + "-two").start()
        asked = [api.AddPartitionsToTxnTopic(topic, [0, 1])]
        request = api.AddPartitionsToTxnRequest(
            [
                api.AddPartitionsToTxnTransaction(one.id, *one.pair, False, asked),
                api.AddPartitionsToTxnTransaction(two.id, *two.pair, True, asked),
                api.AddPartitionsToTxnTransaction(topic + "-three", *two.pair, True, asked),
            ]
        )
        answers = {"three": client.ask(api, version, request), "one": one.row(), "two": two.row()}
        return unordered(answers, "results_by_partition", "topic_results", "results_by_transaction", "partitions")

    compare(script)


@pytest.mark.api("AddOffsetsToTxn")
@pytest.mark.parametrize("version", versions(add_offsets_to_txn))
def test_add_offsets(compare: Compare, topic: str, group: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        it = prepared(client, topic)
        answers = {
            "no id": it.add_offsets(version, group, name=""),
            "unknown id": it.add_offsets(version, group, name=topic + "-unknown"),
            "another producer id": it.add_offsets(version, group, it.other()),
            "an old epoch": it.add_offsets(version, group, it.before()),
            "empty": it.add_offsets(version, group),
            "again": it.add_offsets(version, group),
            "no group": it.add_offsets(version, ""),
            "state": it.settle(),
        }
        for commit in (True, False):
            it.end(TV1, commit=commit)
            answers[f"complete, {commit}"] = it.add_offsets(version, group)
        return answers

    compare(script)


@pytest.mark.api("EndTxn")
@pytest.mark.parametrize("version", versions(end_txn))
@pytest.mark.parametrize("commit", [True, False])
def test_end(compare: Compare, topic: str, version: int, commit: bool) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        it = prepared(client, topic)
        answers: dict[str, Any] = {
            "no id": it.end(version, commit=commit, name=""),
            "unknown id": it.end(version, commit=commit, name=topic + "-unknown"),
            "empty, another id": it.end(version, commit=commit, pair=it.other()),
            "empty, before": it.end(version, commit=commit, pair=it.before()),
            "empty": it.end(version, commit=commit),
            "empty, then": it.row(),
        }
        for before in (True, False):
            it.start()
            it.add(3, (topic, 0))
            answers |= {
                f"ongoing, another id, {before}": it.end(version, commit=commit, pair=it.other()),
                f"ongoing, before, {before}": it.end(version, commit=commit, pair=it.before()),
                f"ongoing, to come, {before}": it.end(version, commit=commit, pair=it.before(-1)),
            }
            it.end(version, commit=before)
            answers |= {
                f"complete, row, {before}": it.row(),
                f"complete, another id, {before}": it.end(version, commit=commit, pair=it.other()),
                f"complete, a retry, {before}": it.end(version, commit=commit, pair=it.before()),
                f"complete, long before, {before}": it.end(version, commit=commit, pair=it.before(2)),
                f"complete, to come, {before}": it.end(version, commit=commit, pair=it.before(-1)),
                f"complete, {before}": it.end(version, commit=commit),
                f"complete, then, {before}": it.row(),
            }
        return unordered(answers, "topics", "partitions")

    compare(script)


@pytest.mark.api("DescribeTransactions")
@pytest.mark.parametrize("version", versions(describe_transactions))
def test_describe(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        it = prepared(client, topic)
        it.add(3, (topic, 1), (topic, 0))

        def ask(*names: str) -> Any:
            request = describe_transactions.DescribeTransactionsRequest(list(names))
            return client.ask(describe_transactions, version, request, ["producer_id", "transaction_start_time_ms"])

        answers = {
            "several": ask(topic, "", topic + "-unknown"),
            "one twice": ask(topic, topic),
            "none": ask(),
        }
        return unordered(answers, "partitions")

    compare(script)


@pytest.mark.api("ListTransactions")
@pytest.mark.parametrize("version", versions(list_transactions))
def test_list(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        api = list_transactions
        it = prepared(client, topic)
        it.add(3, (topic, 0))
        idle = Producer(client, topic + "-idle").start()
        requests = {
            "both by producer id": api.ListTransactionsRequest(producer_id_filters=[it.pair[0], idle.pair[0]]),
            "ongoing": api.ListTransactionsRequest(["Ongoing"], [it.pair[0], idle.pair[0]]),
            "states": api.ListTransactionsRequest(["Empty", "Nice", "Ongoing"], [it.pair[0], idle.pair[0]]),
            "no state that is known": api.ListTransactionsRequest(["Nice", "empty"], [it.pair[0]]),
            "dead": api.ListTransactionsRequest(["Dead", "PrepareEpochFence"], [it.pair[0]]),
            "no such producer": api.ListTransactionsRequest(producer_id_filters=[it.pair[0] + 500_000]),
        }
        if version >= 1:
            requests |= {
                "long ones": api.ListTransactionsRequest([], [it.pair[0], idle.pair[0]], 3_600_000),
                "any duration": api.ListTransactionsRequest([], [it.pair[0], idle.pair[0]], -7),
            }
        if version >= 2:
            for pattern in (topic, topic + ".*", topic, "", "(", "[a", "a{2,1}", "*", "nothing", ".*-id[a-m]e"):
                requests[f"pattern {pattern.replace(topic, 'TOPIC')}"] = api.ListTransactionsRequest(
                    [], [it.pair[0], idle.pair[0]], -1, pattern
                )
        answers = client.ask_all(api, version, requests, ["producer_id"])
        return unordered(answers, "transaction_states", "partitions")

    compare(script)
