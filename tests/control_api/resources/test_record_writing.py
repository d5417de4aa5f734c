"""Records are written over HTTP in the format of seeds."""

from __future__ import annotations

from confluent_kafka import Consumer

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
