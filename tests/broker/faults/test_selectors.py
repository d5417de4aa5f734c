"""All selectors of a rule must match; texts may have wildcards, requests of nodes match only if they are named."""

from __future__ import annotations

from typing import Any

import pytest

from kafkacompat.broker.connection import CONTROLLER
from kafkacompat.broker.faults.turn import FaultRequest
from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from kafkacompat.protocol.messages.fetch import FetchRequest
from kafkacompat.protocol.messages.find_coordinator import FindCoordinatorRequest
from kafkacompat.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from kafkacompat.protocol.messages.offset_commit import OffsetCommitRequest
from tests.broker.faults.rules import Faulty, poll, production
from tests.broker.test_pipeline import call_locally, enveloped

COMMIT = OffsetCommitRequest("g")


@pytest.fixture
def kafka() -> Faulty:
    harness = Faulty()
    harness.create_topic("t", 2)
    return harness


def hits(kafka: Faulty, when: Any, request: Any, version: int) -> int:
    """How often an observing rule counts this request."""
    rule = kafka.rule(when, observe=True)
    kafka.begin(request, version)
    kafka.rules.remove(rule.id)
    return rule.hits


CASES: list[tuple[dict[str, Any], Any, int, int]] = [
    ({}, production(0), 9, 1),
    ({"api": ["fetch", "produce"]}, production(0), 9, 1),
    ({"api": "fetch"}, production(0), 9, 0),
    ({"version": 9}, production(0), 9, 1),
    ({"version": "9+"}, production(0), 10, 1),
    ({"version": "3-8"}, production(0), 9, 0),
    ({"broker": 1}, production(0), 9, 1),
    ({"broker": [2, 3]}, production(0), 9, 0),
    ({"listener": "PLAIN*"}, production(0), 9, 1),
    ({"client_id": "t?sts"}, production(0), 9, 1),
    ({"client_id": "test"}, production(0), 9, 0),
    ({"topic": "t"}, production(0), 9, 1),
    ({"topic": "*"}, COMMIT, 8, 0),
    ({"topic": ["a", "t"], "partition": [1, 2]}, production(0), 9, 0),
    ({"topic": ["a", "t"], "partition": [1, 2]}, production(1), 9, 1),
    ({"topic": "t", "partition": 1}, poll(partitions=(0,)), 11, 0),
    ({"group": "g"}, FindCoordinatorRequest(coordinator_keys=["g"]), 4, 1),
    ({"group": "g"}, FindCoordinatorRequest("g"), 0, 1),
    ({"group": "g"}, FindCoordinatorRequest("g", 1), 2, 0),
    ({"txn_id": "g"}, FindCoordinatorRequest("g", 1), 2, 1),
    ({"txn_id": "g"}, FindCoordinatorRequest(key_type=1, coordinator_keys=["g"]), 4, 1),
    ({"resource": "m"}, LeaveGroupRequest("g", members=[MemberIdentity("m")]), 4, 1),
    ({"resource": "t"}, DescribeConfigsRequest([DescribeConfigsResource(2, "t")]), 4, 1),
    ({"topic": "t"}, DescribeConfigsRequest([DescribeConfigsResource(2, "t")]), 4, 1),
    ({"topic": "1"}, DescribeConfigsRequest([DescribeConfigsResource(4, "1")]), 4, 0),
    ({"request": "acks == -1"}, production(0), 9, 1),
    ({"request": "acks == 0"}, production(0), 9, 0),
    ({"request": "topic_data.partition_data.index == 1"}, production(0, 1), 9, 1),
    ({"request": "topic_data.name == 't'"}, production(0), 9, 1),
    ({"request": "transactional_id == null"}, production(0), 9, 1),
    ({"request": ["acks == -1", "timeout_ms == 5"]}, production(0), 9, 0),
    ({"request": "nothing.like.this == 1"}, production(0), 9, 0),
]


@pytest.mark.parametrize(("when", "request_", "version", "expected"), CASES, ids=lambda value: str(value)[:50])
def test_a_selector_matches(kafka: Faulty, when: dict[str, Any], request_: Any, version: int, expected: int) -> None:
    assert hits(kafka, when, request_, version) == expected


def test_a_topic_is_found_by_name_and_by_id(kafka: Faulty) -> None:
    from kafkacompat.protocol.primitives import uuid_to_text

    topic_id = kafka.broker.image.topics["t"].topic_id
    by_id = poll()
    by_id.topics[0].topic_id = topic_id
    for when in ({"topic": "t"}, {"topic_id": uuid_to_text(topic_id)}):
        assert hits(kafka, {"api": "fetch", **when}, poll(), 11) == 1
        assert hits(kafka, {"api": "fetch", **when}, by_id, 17) == 1


def test_a_predicate_sees_the_request(kafka: Faulty) -> None:
    seen: list[FaultRequest] = []

    def note(request: FaultRequest) -> bool:
        seen.append(request)
        return request.message.acks == -1

    assert hits(kafka, note, production(0), 9) == 1
    (found,) = seen
    assert found[:7] == ("produce", 9, "tests", "127.0.0.1", 1, "PLAINTEXT", kafka.connection.id)


def test_a_connection_is_selected_by_its_id(kafka: Faulty) -> None:
    rule = kafka.rule({"connection": kafka.connection.id}, observe=True)
    kafka.ask(production(0), 9)
    kafka.ask(production(0), 9, kafka.connect())
    assert rule.hits == 1


# Requests of nodes, and what they forward


def test_requests_of_nodes_match_only_if_they_are_named(kafka: Faulty) -> None:
    rules = [
        kafka.rule(when, observe=True)
        for when in ({}, {"broker": 1}, {"api": "broker_heartbeat"}, {"client_id": "1"}, {"client_id": "2"})
    ]
    call_locally(kafka, BrokerHeartbeatRequest(1, 0, 0), 2)
    kafka.settle()
    assert [rule.hits for rule in rules] == [0, 0, 1, 1, 0]


def test_a_followers_fetch_is_a_request_of_a_node(kafka: Faulty) -> None:
    everything = kafka.rule({"api": "fetch"}, observe=True)
    named = kafka.rule({"client_id": "broker-2-*"}, observe=True)
    out: list[Any] = []
    from kafkacompat.protocol.headers import RequestHeader, encode_request_header
    from kafkacompat.protocol.messages import fetch

    fetch.encode_request(FetchRequest(replica_id=2), 11, out)
    header = encode_request_header(RequestHeader(fetch.API_KEY, 11, 7, "broker-2-fetcher-0"))
    kafka.send_frame(header + b"".join(map(bytes, out)))
    assert (everything.hits, named.hits) == (0, 1)


def test_what_another_node_forwards_has_matched_there(kafka: Faulty) -> None:
    everywhere = kafka.rule({"topic": "u"}, observe=True)
    here = kafka.rule({"topic": "u", "broker": 1}, {"error": "POLICY_VIOLATION"})
    envelope = enveloped(CreateTopicsRequest([CreatableTopic("u", 1, 1)]), 7)
    kafka.begin(envelope, 0, kafka.connect(CONTROLLER))
    kafka.settle()
    assert (everywhere.hits, here.hits) == (0, 1)
    assert "u" not in kafka.broker.image.topics
