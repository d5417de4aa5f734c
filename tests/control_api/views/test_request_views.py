"""Requests of the journal are decoded with what they name and with the errors in their responses."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from kafkacompat.broker.connection import CloseConnection
from kafkacompat.control_api.views.request_views import switch_journal
from kafkacompat.control_api.views.views import requests
from kafkacompat.protocol.messages.api_versions import ApiVersionsRequest
from kafkacompat.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from kafkacompat.protocol.messages.heartbeat import HeartbeatRequest
from kafkacompat.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from kafkacompat.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.server.clock import SystemClock
from tests.broker.handlers.group_harness import with_coordinator
from tests.broker.harness import BrokerHarness
from tests.control_api.node import Node


def journaled(kafka: BrokerHarness | None = None) -> Node:
    node: Any = Node(kafka)
    node.clock = SystemClock()
    node.connections = SimpleNamespace(dispatch=node.broker.dispatch)
    node.on_renewed = []
    switch_journal(node, on=True)
    return node  # type: ignore[no-any-return]


def produce(node: Node, topic: str) -> None:
    data = PartitionProduceData(0, build_batch([Record(0, 1_700_000_000_000, b"k", b"v")]))
    request = ProduceRequest(acks=-1, timeout_ms=100, topic_data=[TopicProduceData(topic, partition_data=[data])])
    node.kafka.ask(request, 9)


def test_a_request_is_shown_with_its_names_and_errors() -> None:
    node = journaled()
    node.kafka.create_topic("t")
    produce(node, "t")
    produce(node, "u")
    shown = node.look(requests)
    assert (shown["is_on"], shown["count"]) == (True, 3)
    _, good, bad = shown["requests"]
    assert (good["api"], good["version"], good["names"], good["errors"]) == ("Produce", 9, ["t"], [])
    assert (good["client_id"], good["number"], good["closed"], good["fault"]) == ("tests", 2, None, None)
    assert good["request_bytes"] > 60
    assert good["response_bytes"] > 20
    assert good["took_ms"] > 0
    assert bad["errors"] == [{"code": 3, "error": "UNKNOWN_TOPIC_OR_PARTITION", "entity": "u-0", "message": None}]
    assert [each["number"] for each in node.look(requests, limit=1)["requests"]] == [3]
    assert node.look(requests, limit=0)["requests"] == []


def test_topics_are_named_whose_ids_a_request_has() -> None:
    node = journaled()
    node.kafka.create_topic("t")
    topic_id = node.broker.image.topics["t"].topic_id
    node.kafka.ask(MetadataRequest([MetadataRequestTopic(topic_id, None), MetadataRequestTopic(b"x" * 16, None)]), 12)
    shown = node.look(requests)["requests"][-1]
    assert shown["names"] == ["t", "eHh4eHh4eHh4eHh4eHh4eA"]
    assert [each["error"] for each in shown["errors"]] == ["UNKNOWN_TOPIC_ID"]


def test_errors_beside_records_in_files_are_found() -> None:
    node = journaled()
    node.kafka.create_topic("t")
    produce(node, "t")
    topics = [
        FetchTopic(name, partitions=[FetchPartition(0, fetch_offset=0, partition_max_bytes=1000)])
        for name in ("t", "missing")
    ]
    node.kafka.ask(FetchRequest(max_wait_ms=0, min_bytes=1, max_bytes=1000, session_epoch=-1, topics=topics), 11)
    shown = node.look(requests)["requests"][-1]
    assert [(each["entity"], each["error"]) for each in shown["errors"]] == [
        ("missing-0", "UNKNOWN_TOPIC_OR_PARTITION")
    ]
    assert shown["response_bytes"] > 70


def test_a_request_of_a_version_that_is_not_served_is_shown() -> None:
    node = journaled()
    answers = node.kafka.send_frame(b"\0\x12\0\x63\0\0\0\7\0\5tests\0")
    assert answers
    shown = node.look(requests)["requests"][-1]
    assert (shown["api"], shown["version"]) == ("ApiVersions", 99)
    assert [each["error"] for each in shown["errors"]] == ["UNSUPPORTED_VERSION"]
    node.kafka.ask(ApiVersionsRequest("a", "1"), 3)
    assert node.look(requests)["requests"][-1]["errors"] == []


def test_what_cannot_be_decoded_is_shown_as_far_as_it_can() -> None:
    node = journaled()
    for frame in (b"\0", b"\x7f\xff\0\0\0\0\0\7\0\5tests", b"\0\3\0\x0c\0\0\0\7\0\5tests\0"):
        try:
            node.kafka.send_frame(frame)
        except CloseConnection:
            continue
        raise AssertionError(f"{frame!r} was answered")
    short, unknown, broken = node.look(requests)["requests"]
    assert (short["api"], short["version"]) == ("unknown", None)
    assert (unknown["version"], unknown["client_id"]) == (0, "tests")
    assert (broken["api"], broken["names"], broken["errors"]) == ("Metadata", [], [])
    assert all(each["closed"] for each in (short, unknown, broken))


def test_an_error_of_the_whole_request_has_the_group_among_its_names() -> None:
    node = journaled(with_coordinator())
    node.kafka.ask("heartbeat", 4, HeartbeatRequest("g", 1, "m"))  # type: ignore[arg-type, call-arg]
    shown = node.look(requests)["requests"][-1]
    assert (shown["names"], [each["error"] for each in shown["errors"]]) == (["g"], ["UNKNOWN_MEMBER_ID"])


def test_the_broker_of_a_reset_has_an_empty_journal() -> None:
    node = journaled()
    node.kafka.create_topic("t")
    node.kafka = BrokerHarness()
    node.broker = node.kafka.broker
    for renewed in node.on_renewed:  # type: ignore[attr-defined]
        renewed()
    shown = node.look(requests)
    assert (shown["is_on"], shown["count"]) == (True, 0)


def test_switched_off_nothing_is_left_of_it() -> None:
    node: Any = journaled()
    node.kafka.create_topic("t")
    switch_journal(node, on=True)
    assert node.look(requests)["count"] == 1
    assert node.connections.dispatch == node.broker.journal.dispatch
    switch_journal(node, on=False)
    assert node.connections.dispatch == node.broker.dispatch == node.broker._dispatcher.dispatch
    assert node.look(requests) == {"broker": 1, "is_on": False, "count": 0, "requests": []}
    switch_journal(node, on=False)
    assert (node.broker.journal, node.on_renewed) == (None, [])
