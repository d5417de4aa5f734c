"""A failed test's report says what the cluster knows, within its limit."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin import AdminClient

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.cluster.state_report import shared
from kafkacompat.cluster.view_lines import request_line
from kafkacompat.cluster.view_types import Request, RequestError


def test_a_report_has_requests_ends_groups_and_clients() -> None:
    with Cluster(topics={"orders": 2}) as kafka:
        kafka.journal()
        producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, "client.id": "billing"})
        producer.produce("orders", "v", partition=1)
        producer.flush()
        admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers, "client.id": "admin"})
        with pytest.raises(KafkaException):
            admin.delete_topics(["unknown"])["unknown"].result(30)
        found = dict(kafka.report())
        assert set(found) == {"requests", "topics", "connected clients"}
        assert "orders-0: 0 to 0\norders-1: 0 to 1\n" in found["topics"]
        assert "billing: Produce v" in found["requests"]
        assert "admin: DeleteTopics v" in found["requests"]
        assert "UNKNOWN_TOPIC_OR_PARTITION (unknown)" in found["requests"]
        assert "billing (confluent-kafka-python" in found["connected clients"]
        assert kafka.requests()[-1].client_id == "admin"
        kafka.journal(on=False)
        assert "requests" not in dict(kafka.report())
        with pytest.raises(KafkaCompatError, match="the journal is off"):
            kafka.requests()
        del producer


def test_a_report_has_fault_rules_with_their_hits_or_near_misses() -> None:
    with Cluster(topics=["orders"]) as kafka:
        kafka.faults.add({"api": "Produce", "topic": "payments"}, {"error": "NOT_LEADER_OR_FOLLOWER"}, label="flaky")
        producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
        producer.produce("orders", "v")
        producer.flush()
        text = dict(kafka.report())["faults"]
        assert "flaky" in text
        assert "0 of 1 hits" in text
        assert "  nearly: " in text
        del producer


def test_a_restarted_broker_goes_on_with_a_journal() -> None:
    with Cluster() as kafka:
        kafka.journal()
        kafka.restart()
        assert kafka.has_journal


def test_a_reset_empties_the_journal_and_it_goes_on() -> None:
    with Cluster(topics=["orders"]) as kafka:
        kafka.journal()
        producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
        producer.produce("orders", "before")
        producer.flush()
        assert kafka.requests()
        kafka.reset()
        producer.produce("orders", "after")
        producer.flush()
        found = kafka.requests()
        assert "Produce" in {each.api for each in found}
        assert "ApiVersions" not in {each.api for each in found}
        kafka.journal(on=False)
        kafka.reset()
        assert not kafka.has_journal
        del producer


def test_a_stopped_cluster_says_so() -> None:
    with Cluster() as kafka:
        kafka.kill(1)
        assert all("not running" in text for _, text in kafka.report())


def test_sections_share_the_limit_and_keep_their_ends() -> None:
    long = [f"line {number}" for number in range(1_000)]
    found = shared([("short", ["one"]), ("long", long), ("longer", long * 2)], 600)
    assert [title for title, _ in found] == ["short", "long", "longer"]
    assert found[0] == ("short", "one\n")
    for _, text in found[1:]:
        assert text.startswith("... (shortened)\n")
        assert text.endswith("line 999\n")
    assert 400 < sum(len(title) + len(text) for title, text in found) <= 600


def test_a_request_is_a_line() -> None:
    error = RequestError(6, "NOT_LEADER_OR_FOLLOWER", "orders-0", None)
    request = Request(1, 1, 1, "127.0.0.1", "billing", "Produce", 10, ["orders"], 0, 0.64, 10, 10, [error], None, None)
    assert request_line(request) == "billing: Produce v10 orders, 0.6 ms: NOT_LEADER_OR_FOLLOWER (orders-0)"
    waiting = request._replace(took_ms=None, errors=[], client_id="", names=[], fault="slow")
    assert request_line(waiting) == "127.0.0.1: Produce v10, not answered [fault slow]"
    assert (
        request_line(request._replace(errors=None, closed="bad")) == "billing: Produce v10 orders, 0.6 ms: closed, bad"
    )
