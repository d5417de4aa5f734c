"""Transactions are shown as their coordinators have them, in pages, and offsets in them with their groups."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from kafkacompat.control_api.views.transaction_views import PAGE_MAX, PARTITIONS_MAX, join_transactions
from kafkacompat.control_api.views.views import UNITS_PER_TURN, groups, transactions
from kafkacompat.protocol.error_codes import NONE
from kafkacompat.steps import Stepped, at_once
from tests.broker.handlers.txn_harness import Transactions, pair_of
from tests.control_api.harness import serving
from tests.control_api.node import Node

TWO = (("a", 0), ("a", 1))


def test_a_transaction_is_shown_from_its_beginning_to_its_end() -> None:
    kafka = Transactions()
    node = Node(kafka)
    assert node.look(transactions) == {"transactions": [], "next": None}
    pair = pair_of(kafka.init(timeout_ms=50_000))
    (shown,) = node.look(transactions)["transactions"]
    assert shown == {
        "transactional_id": "t", "coordinator": 1, "coordinator_epoch": 0, "producer_id": pair[0], "epoch": pair[1],
        "state": "Empty", "is_committed": True, "timeout_ms": 50_000, "age_ms": None, "partition_count": 0,
        "partitions": {}, "offset_partitions": [],
    }  # fmt: skip
    assert kafka.add(pair, *TWO) == [NONE, NONE]
    kafka.advance(700)
    (shown,) = node.look(transactions)["transactions"]
    assert (shown["state"], shown["age_ms"], shown["partitions"]) == ("Ongoing", 700, {"a": [0, 1]})
    kafka.receiver.holds = True
    pair = pair_of(kafka.end(pair))
    (shown,) = node.look(transactions)["transactions"]
    assert (shown["state"], shown["partition_count"], shown["epoch"]) == ("PrepareCommit", 2, pair[1])
    kafka.receiver.answer(kafka.now)
    (shown,) = node.look(transactions)["transactions"]
    assert (shown["state"], shown["age_ms"], shown["partitions"]) == ("CompleteCommit", None, {})


def test_only_what_is_asked_for_is_shown() -> None:
    kafka = Transactions()
    node = Node(kafka)
    pairs = {name: pair_of(kafka.init(name)) for name in ("t", "u", "v")}
    kafka.add(pairs["u"], *TWO, name="u")

    def names(**chosen: Any) -> list[str]:
        return [each["transactional_id"] for each in node.look(transactions, **chosen)["transactions"]]

    assert names() == ["t", "u", "v"]
    assert names(state="Ongoing") == ["u"]
    assert names(producer_id=pairs["v"][0]) == ["v"]
    assert names(transactional_id="t") == names(transactional_id="t", state="Empty") == ["t"]
    assert names(transactional_id="t", state="Ongoing") == names(transactional_id="x") == []
    assert names(after="t") == ["u", "v"]
    assert node.look(transactions, limit=2)["next"] == "u"
    assert node.look(transactions, limit=2, after="u") == {**node.look(transactions, after="u"), "next": None}


def test_ten_thousand_ids_are_shown_in_pages_made_in_steps() -> None:
    kafka = Transactions()
    pair = pair_of(kafka.init())
    kafka.add(pair, *TWO)
    context = next(each for each in kafka.broker.coordinators.transactions.contexts() if each.shard.rows)
    row = context.shard.rows["t"]
    row.partitions = frozenset(("a", index) for index in range(PARTITIONS_MAX + 5))
    names = sorted(f"id-{number}" for number in range(10_000))
    for name in names:
        copy = context.shard.rows[name] = row.with_partitions(frozenset(), 2, 0)
        copy.transactional_id, copy.offset = name, row.offset
    node, found, after, turns = Node(kafka), [], "", 0
    while after is not None:
        view = Stepped(transactions(node, after=after))  # type: ignore[arg-type]
        while not view.resume(UNITS_PER_TURN):
            turns += 1
        page = view.result
        assert page is not None
        found += page["transactions"]
        assert len(page["transactions"]) <= PAGE_MAX
        after = page["next"]
    assert [each["transactional_id"] for each in found] == [*names, "t"]
    assert turns > 2 * len(names) // PAGE_MAX, "no turn has a page in it"
    assert found[0]["partition_count"] == PARTITIONS_MAX + 5
    assert sum(map(len, found[0]["partitions"].values())) == PARTITIONS_MAX


def test_ids_in_many_small_partitions_are_looked_at_in_steps() -> None:
    kafka = Transactions(transaction_state_log_num_partitions="40")
    pair_of(kafka.init())
    contexts = list(kafka.broker.coordinators.transactions.contexts())
    row = next(each.shard.rows["t"] for each in contexts if each.shard.rows)
    for number, context in enumerate(contexts):
        context.shard.rows.update((f"{number}-{name}", row) for name in range(200))
    view = Stepped(transactions(Node(kafka), state="Ongoing"))  # type: ignore[arg-type]
    turns = 1
    while not view.resume(UNITS_PER_TURN):
        turns += 1
    assert turns >= 4, "8,000 ids"


def test_pages_of_several_nodes_are_joined() -> None:
    def page(following: str | None, *ids: str, epoch: int = 0) -> dict[str, Any]:
        return {"transactions": [{"transactional_id": n, "coordinator_epoch": epoch} for n in ids], "next": following}

    both = join_transactions([page(None, "a", "d"), page("c", "b", "c")])
    assert ([each["transactional_id"] for each in both["transactions"]], both["next"]) == (["a", "b", "c"], "c")
    cut = join_transactions([page(None, "a", "d"), page(None, "b", "c")], 2)
    assert ([each["transactional_id"] for each in cut["transactions"]], cut["next"]) == (["a", "b"], "b")
    for parts in ([page(None, "a"), page(None, "a", epoch=3)], [page(None, "a", epoch=3), page(None, "a")]):
        assert [each["coordinator_epoch"] for each in join_transactions(parts)["transactions"]] == [3]


def test_a_node_without_a_coordinator_makes_none() -> None:
    node = Node()
    assert node.look(transactions) == {"transactions": [], "next": None}
    assert node.broker.coordinators.transactions_if_made is None


@pytest.mark.parametrize("brokers", [1, 3])
def test_a_clients_transaction_and_its_offsets_are_shown_over_http(brokers: int) -> None:
    config = {"default.replication.factor": brokers, "offsets.topic.num.partitions": 3}
    with serving(topics={"orders": 1}, brokers=brokers, config=config) as (kafka, api):
        consumer = Consumer(kafka.config_for("confluent") | {"group.id": "billing"})
        consumer.subscribe(["orders"])
        while not consumer.assignment():
            consumer.poll(0.1)
        producer = Producer(kafka.config_for("confluent") | {"transactional.id": "shop"})
        producer.init_transactions(30)
        producer.begin_transaction()
        producer.produce("orders", b"one", partition=0)
        producer.send_offsets_to_transaction([TopicPartition("orders", 0, 7)], consumer.consumer_group_metadata(), 30)
        assert producer.flush(30) == 0
        wanted = {"what": "transactions", "where": {"transactional_id": "shop", "partition_count": 2}}
        assert api.send("POST", "/v1/wait", wanted).status == 200
        (shop,) = api.get("/v1/transactions?state=Ongoing")["transactions"]
        assert api.get("/v1/transactions?transactional_id=shop&limit=1")["transactions"][0]["epoch"] == shop["epoch"]
        assert (shop["partitions"], len(shop["offset_partitions"])) == ({"orders": [0]}, 1)
        assert kafka.transactions(state="Ongoing")["shop"].partition_count == 2
        assert kafka.transactions(producer_id=shop["producer_id"] + 1) == {}
        (entry,) = api.get(f"/v1/producers?producer_id={shop['producer_id']}&topic=orders")["producers"]
        assert entry["transaction_start_offset"] == 0
        (offset,) = kafka.groups()["billing"].offsets
        assert (offset.committed_offset, offset.open_transactions) == (-1, {shop["producer_id"]: 7})
        producer.commit_transaction(30)
        done = {"what": "transactions", "where": {"transactional_id": "shop", "state": "CompleteCommit"}}
        assert api.send("POST", "/v1/wait", done).status == 200
        (offset,) = kafka.groups()["billing"].offsets
        assert (offset.committed_offset, offset.open_transactions) == (7, {})
        consumer.close()


def test_an_offset_that_is_only_in_a_transaction_is_shown_until_it_is_gone() -> None:
    from kafkacompat.protocol.internal.consumer_offsets import OffsetCommitKey, OffsetCommitValue
    from tests.broker.handlers.group_harness import stable_pair, with_coordinator

    node = Node(with_coordinator())
    stable_pair(node.kafka)
    shard = next(each for each in node.broker.coordinators.groups.shards() if "g" in each.groups)
    shard.pending.put(5, 77, OffsetCommitKey("g", "t", 3), OffsetCommitValue(9, -1, "", 5, -1))
    (offset,) = node.look(groups)[0]["offsets"]
    assert (offset["partition"], offset["committed_offset"], offset["metadata"]) == (3, -1, None)
    assert offset["open_transactions"] == [{"producer_id": 77, "offset": 9}]
    steps = groups(node)  # type: ignore[arg-type]
    shard.pending.end(77)
    assert at_once(steps)[0]["offsets"] == []


def test_a_row_that_is_not_replicated_says_so() -> None:
    kafka = Transactions()
    kafka.init()
    context = next(each for each in kafka.broker.coordinators.transactions.contexts() if each.shard.rows)
    context.shard.high_watermark = 0
    (shown,) = at_once(transactions(SimpleNamespace(broker=kafka.broker, now=lambda: kafka.now)))["transactions"]  # type: ignore[arg-type]
    assert shown["is_committed"] is False
