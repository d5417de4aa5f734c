"""Records are written over HTTP in the format of seeds."""

from __future__ import annotations

import threading

import pytest
from confluent_kafka import Consumer

from kafkacompat.control_api.http import application
from kafkacompat.control_api.resources import record_writing
from kafkacompat.server.broker_server import BrokerServer
from tests.control_api.harness import serving

RECORDS = [
    {"key": "a", "value": "one", "headers": [["trace", "7"]], "partition": 1},
    {"key": None, "value": "/w==", "value_encoding": "base64", "partition": 1, "timestamp": 1_700_000_000_000},
]


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
