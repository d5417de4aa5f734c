"""What transactional producers must not do, on both brokers: the same refusals, and nothing of it in the logs."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.api import groups, topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, unordered
from compat_tests.api.transactional import Producer
from kafkacompat.protocol.messages import list_transactions, produce, txn_offset_commit
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import ABORT, COMMIT, encode_end_transaction, encode_key

OWN = ["topic_id", "host", "port", "base_offset", "error_message"]
TV1, TV2 = 4, 5
"""The versions of EndTxn that stand for the protocols."""
BY_PROTOCOL = {TV1: 11, TV2: 12}
"""The version of Produce that goes with each."""
MANY = 10_000
LONGEST = 32_767


def data(pair: tuple[int, int], sequence: int = 0, **more: Any) -> bytes:
    """One record of a transaction."""
    record = Record(0, topics.BASE_TIMESTAMP_MS, None, b"value")
    who = {"producer_id": pair[0], "producer_epoch": pair[1], "base_sequence": sequence, "is_transactional": True}
    return bytes(build_batch([record], **(who | more)))


def marker(pair: tuple[int, int], kind: int, **more: Any) -> bytes:
    """What only brokers write."""
    record = Record(0, topics.BASE_TIMESTAMP_MS, encode_key(kind), encode_end_transaction(0))
    who = {"producer_id": pair[0], "producer_epoch": pair[1], "is_transactional": True, "is_control": True}
    return bytes(build_batch([record], **(who | more)))


def send(client: RawClient, version: int, name: str | None, topic: str, *batches: bytes) -> Any:
    """Produce, a batch for each partition from 0 on."""
    parts = [produce.PartitionProduceData(index, batch) for index, batch in enumerate(batches)]
    request = produce.ProduceRequest(name, -1, 10_000, [produce.TopicProduceData(topic, partition_data=parts)])
    return unordered(client.ask(produce, version, request, OWN), "partition_responses")


def prepared(client: RawClient, topic: str) -> Producer:
    topics.create(client, topic, 2)
    return Producer(client, topic).start()


@pytest.mark.api("Produce")
@pytest.mark.parametrize("protocol", [TV1, TV2])
def test_markers_of_clients(compare: Compare, topic: str, protocol: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        it, version = prepared(client, topic), BY_PROTOCOL[protocol]

        def ask(batch: bytes, name: str | None = topic) -> Any:
            return send(client, version, name, topic, batch)

        answers = {"before": ask(marker(it.pair, COMMIT))}
        it.add(3, (topic, 0))
        ask(data(it.pair))
        answers |= {
            "commit": ask(marker(it.pair, COMMIT)),
            "abort": ask(marker(it.pair, ABORT)),
            "with a sequence": ask(marker(it.pair, ABORT, base_sequence=1)),
            "next epoch": ask(marker((it.pair[0], it.pair[1] + 1), ABORT)),
            "not transactional": ask(marker(it.pair, ABORT, is_transactional=False)),
            "without an id": ask(marker(it.pair, COMMIT), None),
            "goes on": ask(data(it.pair, 1)),
            "end": it.end(protocol, commit=True),
            "row": it.row(),
            "stored": len(topics.stored(client, topic)),
        }
        return answers

    compare(script)


@pytest.mark.api("Produce")
@pytest.mark.parametrize("protocol", [TV1, TV2])
def test_two_producers_in_a_request(compare: Compare, topic: str, protocol: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        it, version = prepared(client, topic), BY_PROTOCOL[protocol]
        two = Producer(client, topic + "-two").start()
        for each in (it, two):
            each.add(3, (topic, 0), (topic, 1))
        plain = bytes(build_batch([Record(0, topics.BASE_TIMESTAMP_MS, None, b"value")]))
        answers = {
            "two ids": send(client, version, topic, topic, data(it.pair), data(two.pair)),
            "two epochs": send(client, version, topic, topic, data(it.pair), data((it.pair[0], it.pair[1] + 1))),
            "of another id": send(client, version, topic, topic, data(two.pair)),
            "no name": send(client, version, None, topic, data(it.pair)),
            "an empty name": send(client, version, "", topic, data(it.pair)),
            "with a plain one": send(client, version, topic, topic, data(it.pair), plain),
        }
        answers["ends"] = [each.end(protocol, commit=False) for each in (it, two)]
        answers["rows"] = [each.row() for each in (it, two)]
        return unordered(answers, "topics", "partitions")

    compare(script)


@pytest.mark.api("Produce")
@pytest.mark.parametrize("protocol", [TV1, TV2])
def test_a_zombie_at_each_step(compare: Compare, topic: str, group: str, protocol: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        it, version = prepared(client, topic), BY_PROTOCOL[protocol]
        groups.commit(client, group, topic, {0: 0})
        zombie = it.pair
        it.start()

        def steps() -> dict[str, Any]:
            return {
                "init": it.init(4, zombie),
                "add": it.add(3, (topic, 0), pair=zombie),
                "produce": send(client, version, topic, topic, data(zombie)),
                "offsets": it.add_offsets(3, group, pair=zombie),
                "commit offsets": _commit_offsets(client, topic, group, zombie, 3 if protocol == TV1 else 5),
                "commit": it.end(protocol, commit=True, pair=zombie),
                "abort": it.end(protocol, commit=False, pair=zombie),
            }

        pair = it.pair
        answers: dict[str, Any] = {"empty": steps()}
        it.pair = pair
        it.add(3, (topic, 0))
        answers["first record"] = send(client, version, topic, topic, data(it.pair))
        answers["ongoing, produce"] = send(client, version, topic, topic, data(zombie))
        answers["ongoing, add"] = it.add(3, (topic, 1), pair=zombie)
        answers["ongoing, end"] = it.end(protocol, commit=True, pair=zombie)
        answers["end"] = it.end(protocol, commit=True)
        pair = it.pair
        answers["complete"] = steps()
        it.pair = pair
        answers["row"] = it.row()
        answers["stored"] = len(topics.stored(client, topic))
        return answers

    compare(script)


def _commit_offsets(client: RawClient, topic: str, group: str, pair: tuple[int, int], version: int) -> Any:
    of = txn_offset_commit.TxnOffsetCommitRequestPartition(0, 1)
    wanted = txn_offset_commit.TxnOffsetCommitRequestTopic(topic, [of])
    request = txn_offset_commit.TxnOffsetCommitRequest(topic, group, *pair, topics=[wanted])
    return client.ask(txn_offset_commit, version, request)


@pytest.mark.api("InitProducerId")
def test_the_longest_id(compare: Compare, topic: str) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        topics.create(client, topic, 2)
        it = Producer(client, topic.ljust(LONGEST, "x"))
        it.find()
        answers = {"init": it.init(4)}
        if it.pair[0] >= 0:
            answers |= {"add": it.add(3, (topic, 0)), "end": it.end(TV2, commit=True), "row": it.row()}
        return answers

    compare(script)


@pytest.mark.api("AddPartitionsToTxn")
def test_a_transaction_of_10_000_partitions(compare: Compare, topic: str) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        it = prepared(client, topic)
        answers = {
            "one of them is there": it.add(3, *((topic, index) for index in range(1, MANY))),
            "row": it.row(),
            "the first": it.add(3, (topic, 0)),  # Apache Kafka never answers when one is named twice
            "end": it.end(TV2, commit=True),
        }
        return unordered(answers, "results_by_partition", "results_by_topic_v3_and_below", "topics", "partitions")

    compare(script)


@pytest.mark.api("ListTransactions")
@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(.*a){20}b", "a**", "a+*", "a?*", "(", r"\Qa"])
def test_patterns_that_explode(compare: Compare, topic: str, pattern: str) -> None:
    def script(client: RawClient) -> Any:
        it = Producer(client, "a" * 60).start()
        answer = client.ask(
            list_transactions, 2, list_transactions.ListTransactionsRequest(transactional_id_pattern=pattern),
            ["producer_id", "transaction_state"],
        )  # fmt: skip
        assert it.settle()
        return unordered(answer, "transaction_states")

    compare(script)
