"""Records are written over HTTP in the format of seeds."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from confluent_kafka import Consumer

from kafkacompat.control_api.http import application
from kafkacompat.control_api.resources import record_writing
from kafkacompat.server.broker_server import BrokerServer
from kafkacompat.server.seed import NewTopic
from tests.control_api.harness import Api, serving

RECORDS = [
    {"key": "a", "value": "one", "headers": [["trace", "7"]], "partition": 1},
    {"key": None, "value": "/w==", "value_encoding": "base64", "partition": 1, "timestamp": 1_700_000_000_000},
]

ONE_EACH = [{"value": "v", "partition": index} for index in range(10)]


def between_turns(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Every four batches are a turn, and another thread acts between the first two."""
    actions = [act]

    async def sleep(_delay_s: float) -> None:
        if actions:
            await asyncio.to_thread(actions.pop())

    monkeypatch.setattr(record_writing, "BATCHES_PER_TURN", 4)
    monkeypatch.setattr(record_writing, "asyncio", SimpleNamespace(sleep=sleep, to_thread=asyncio.to_thread))


def while_they_are_built(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Records are built beside the loop, and another thread acts meanwhile."""
    built = record_writing._built

    def acting(*args: object) -> object:
        act()
        return built(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(record_writing, "BUILT_HERE_MAX", 1)
    monkeypatch.setattr(record_writing, "_built", acting)


def end_offsets(api: Api) -> list[int]:
    topic = api.get("/v1/topics/orders")
    return [each["logs"][0]["log_end_offset"] for each in topic["partitions"]]


def make_again(url: str) -> None:
    api = Api(url)
    assert api.send("DELETE", "/v1/topics/orders").status == 200
    assert api.send("POST", "/v1/topics", {"name": "orders", "partitions": 10}).status == 201
    api.close()


def test_records_are_written_and_a_consumer_reads_them() -> None:
    with serving(topics={"orders": 2}, brokers=2) as (kafka, api):
        written = api.send("POST", "/v1/topics/orders/records", {"records": RECORDS})
        assert written.status == 201
        assert written.body == {
            "topic": "orders",
            "partitions": [{"partition": 1, "first_offset": 0, "last_offset": 1}],
        }
        consumer = Consumer(
            {"bootstrap.servers": kafka.bootstrap_servers, "group.id": "g", "auto.offset.reset": "earliest"}
        )
        consumer.subscribe(["orders"])
        found = [consumer.poll(30), consumer.poll(30)]
        consumer.close()
        assert [message.value() for message in found if message] == [b"one", b"\xff"]
        again = api.send("POST", "/v1/topics/orders/records", {"records": RECORDS[:1]})
        assert again.body["partitions"][0]["first_offset"] == 2


def test_wrong_records_are_refused() -> None:
    with serving(topics=["orders"]) as (_, api):
        for topic, records, status in (
            ("nothing", RECORDS, 404),
            ("orders", RECORDS, 409),  # there is no partition 1
            ("orders", [{"vlaue": "x"}], 400),
            ("orders", [{"key": 1}], 400),
            ("orders", [7], 400),
        ):
            answered = api.send("POST", f"/v1/topics/{topic}/records", {"records": records})
            assert answered.status == status, answered
        assert api.get("/v1/topics/orders/partitions/0")["logs"][0]["log_end_offset"] == 0


def test_large_bodies_are_read_and_built_beside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: dict[str, list[threading.Thread]] = {"_body": [], "_built": []}
    loop_thread: list[threading.Thread] = []
    append = record_writing._append

    def watch(module: object, name: str) -> None:
        function = getattr(module, name)

        def watched(*args: object) -> object:
            threads[name].append(threading.current_thread())
            return function(*args)

        monkeypatch.setattr(module, name, watched)

    def appended(*args: object) -> object:
        loop_thread.append(threading.current_thread())
        return append(*args)  # type: ignore[arg-type]

    watch(application, "_body")
    watch(record_writing, "_built")
    monkeypatch.setattr(record_writing, "_append", appended)
    many = [{"value": "v" * 100, "partition": 0}] * (record_writing.BUILT_HERE_MAX + 1)
    with serving(topics=["orders"]) as (_, api):
        for records in (many[:1], many):
            assert api.send("POST", "/v1/topics/orders/records", {"records": records}).status == 201
        wrong = api.send("POST", "/v1/topics/orders/records", {"records": [7] * 50_000})
        assert (wrong.status, wrong.body["type"]) == (400, "urn:kafkacompat:problem:body")
    (loop,) = set(loop_thread)
    assert [thread is loop for thread in threads["_body"]] == [True, False, False]
    assert [thread is loop for thread in threads["_built"]] == [True, False]


def test_batches_of_many_partitions_are_appended_in_several_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_writing, "BATCHES_PER_TURN", 4)
    turns: list[int] = []
    append, after_event = record_writing._append, BrokerServer.after_event

    def appended(*args: object) -> object:
        turns[-1] += 1
        return append(*args)  # type: ignore[arg-type]

    def ended(server: BrokerServer) -> None:
        turns.append(0)
        after_event(server)

    with serving(topics={"orders": 10}) as (_, api):
        turns.append(0)
        monkeypatch.setattr(record_writing, "_append", appended)
        monkeypatch.setattr(BrokerServer, "after_event", ended)
        records = [{"value": "v", "partition": index} for index in range(10)]
        written = api.send("POST", "/v1/topics/orders/records", {"records": records})
        assert [each["partition"] for each in written.body["partitions"]] == list(range(10))
    assert [count for count in turns if count] == [4, 4, 2]


def test_a_node_that_stops_between_two_turns_gets_no_more_records(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(topics={"orders": 10}) as (kafka, api):
        between_turns(monkeypatch, lambda: kafka.stop(1))
        refused = api.send("POST", "/v1/topics/orders/records", {"records": ONE_EACH})
        assert (refused.status, refused.body["type"]) == (409, "urn:kafkacompat:problem:state")
        assert refused.body["detail"].endswith("try again (4 batches are written)")
        kafka.restart(1)
        assert end_offsets(api) == [1] * 4 + [0] * 6


def test_a_stop_after_the_last_batch_of_a_turn_refuses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(topics={"orders": 10}) as (kafka, api):
        between_turns(monkeypatch, lambda: kafka.stop(1))
        assert api.send("POST", "/v1/topics/orders/records", {"records": ONE_EACH[:4]}).status == 201


def test_a_node_that_stops_gets_no_records_while_its_last_work_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(topics={"orders": 10}) as (kafka, api):
        between_turns(monkeypatch, lambda: kafka._call(1, lambda server: setattr(server, "_is_stopping", True)))
        refused = api.send("POST", "/v1/topics/orders/records", {"records": ONE_EACH})
        kafka._call(1, lambda server: setattr(server, "_is_stopping", False))
        assert refused.status == 409
        assert "no node runs in this process" in refused.body["detail"]
        assert end_offsets(api) == [1] * 4 + [0] * 6


def test_records_go_to_the_node_that_runs_after_a_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(topics={"orders": 10}) as (kafka, api):
        between_turns(monkeypatch, lambda: kafka.restart(1))
        assert api.send("POST", "/v1/topics/orders/records", {"records": ONE_EACH}).status == 201
        assert end_offsets(api) == [1] * 10


@pytest.mark.parametrize("when", [between_turns, while_they_are_built])
def test_a_topic_that_was_made_again_gets_no_records_of_the_one_before(
    when: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(topics={"orders": 10}) as (kafka, api):
        when(monkeypatch, lambda: make_again(kafka.control_url))
        refused = api.send("POST", "/v1/topics/orders/records", {"records": ONE_EACH})
        assert refused.status == 409
        assert "topic 'orders' was deleted while its records were written" in refused.body["detail"]
        assert end_offsets(api) == [0] * 10


def test_records_go_to_the_leader_that_was_elected_while_they_were_built(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(brokers=3) as (kafka, api):
        kafka.create_topics({"orders": NewTopic(10, replicas=3)})
        while_they_are_built(monkeypatch, lambda: kafka.stop(2))
        assert api.send("POST", "/v1/topics/orders/records", {"records": ONE_EACH}).status == 201


def test_each_node_that_was_written_to_in_a_turn_is_told_of_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    written_to: set[BrokerServer] = set()
    told: set[BrokerServer] = set()
    counts: list[int] = []
    append, after_event = record_writing._append, BrokerServer.after_event

    def appended(server: BrokerServer, *args: object) -> object:
        written_to.add(server)
        told.discard(server)
        return append(server, *args)  # type: ignore[arg-type]

    def ended(server: BrokerServer, *args: object) -> None:
        told.add(server)
        after_event(server, *args)  # type: ignore[arg-type]

    async def sleep(_delay_s: float) -> None:
        counts.append(len(written_to))
        assert written_to <= told
        written_to.clear()

    with serving(topics={"orders": 10}, brokers=2) as (_, api):
        monkeypatch.setattr(record_writing, "_append", appended)
        monkeypatch.setattr(BrokerServer, "after_event", ended)
        monkeypatch.setattr(record_writing, "BATCHES_PER_TURN", 4)
        monkeypatch.setattr(record_writing, "asyncio", SimpleNamespace(sleep=sleep))
        assert api.send("POST", "/v1/topics/orders/records", {"records": ONE_EACH}).status == 201
    assert counts == [2, 2]
