"""Entities and brokers are left out of answers, while the work is done."""

from __future__ import annotations

from typing import Any

import pytest

from kafkacompat.broker.faults.hiding import Hide
from kafkacompat.broker.faults.rule_errors import UnmatchableRuleError
from kafkacompat.protocol import error_codes
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.protocol.messages.describe_cluster import DescribeClusterRequest
from kafkacompat.protocol.messages.describe_groups import DescribeGroupsRequest
from kafkacompat.protocol.messages.list_config_resources import ListConfigResourcesRequest
from kafkacompat.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.broker.faults.rules import Faulty, ends, fetched, poll, produced, production


@pytest.fixture
def kafka() -> Faulty:
    harness = Faulty()
    harness.create_topic("t", 2)
    return harness


def names(answer: Any) -> list[str]:
    return [topic.name for topic in answer.topics]


def test_a_hidden_topic_is_in_no_answer(kafka: Faulty) -> None:
    kafka.create_topic("u")
    rule = kafka.rule({"topic": "t"}, {Hide.kind: {}})
    named = MetadataRequest([MetadataRequestTopic(name="t"), MetadataRequestTopic(name="u")])
    for request in (MetadataRequest(None), named):
        assert names(kafka.ask(request, 9)) == ["u"]
    assert rule.hits == 2
    resources = kafka.ask(ListConfigResourcesRequest([2]), 1).config_resources
    assert [each.resource_name for each in resources] == ["u"]


def test_a_hidden_partition_is_written(kafka: Faulty) -> None:
    kafka.rule({"partition": 1}, "hide")
    assert produced(kafka.ask(production(0, 1), 9)) == {0: 0}
    assert ends(kafka) == [1, 1]
    assert list(fetched(kafka.ask(poll(), 11))) == [0]
    (topic,) = kafka.ask(MetadataRequest([MetadataRequestTopic(name="t")]), 9).topics
    assert [each.partition_index for each in topic.partitions] == [0]


@pytest.mark.parametrize("version", [5, 6])
def test_a_hidden_group_is_in_no_answer(kafka: Faulty, version: int) -> None:
    kafka.rule({"group": "a"}, "hide")
    described = kafka.ask(DescribeGroupsRequest(["a", "b"]), version).groups
    assert [group.group_id for group in described] == ["b"]


def test_one_group_has_an_error_and_another_the_answer_of_the_broker(kafka: Faulty) -> None:
    kafka.rule({"api": "describe_groups", "group": "a"}, {"error": "COORDINATOR_LOAD_IN_PROGRESS"})
    described = kafka.ask(DescribeGroupsRequest(["a", "b"]), 5).groups
    codes = [(group.group_id, group.error_code) for group in described]
    assert codes == [("a", error_codes.COORDINATOR_LOAD_IN_PROGRESS), ("b", error_codes.NOT_COORDINATOR)]


def test_a_hidden_topic_is_created(kafka: Faulty) -> None:
    kafka.rule({"api": "create_topics", "topic": "u"}, "hide")
    assert names(kafka.ask(CreateTopicsRequest([CreatableTopic("u", 1, 1)]), 7)) == []
    assert "u" in kafka.broker.image.topics


def test_a_hidden_broker_is_in_no_list(kafka: Faulty) -> None:
    kafka.rule({"api": ["metadata", "describe_cluster"]}, {"hide": {"broker": 1}})
    assert list(kafka.ask(MetadataRequest(None), 9).brokers) == []
    assert list(kafka.ask(DescribeClusterRequest(), 1).brokers) == []


@pytest.mark.parametrize(
    ("when", "then"), [({"api": "metadata"}, {}), ({"api": "produce"}, {"broker": 1})], ids=["nothing", "no brokers"]
)
def test_hiding_nothing_can_never_act(kafka: Faulty, when: Any, then: Any) -> None:
    with pytest.raises(UnmatchableRuleError):
        kafka.rule(when, {"hide": then})


def test_answers_without_brokers_are_as_always(kafka: Faulty) -> None:
    kafka.rule({"client_id": "tests"}, {"hide": {"broker": 1}})
    assert produced(kafka.ask(production(0), 9)) == {0: 0}
    assert kafka.ask(MetadataRequest(None), 9).brokers == []
