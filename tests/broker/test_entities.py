"""Each row of the registry says where its requests name topics, groups and transactional ids."""

from __future__ import annotations

import importlib
import re

import pytest

from kafkacompat.broker.entities import named
from kafkacompat.broker.registry import APIS, Api
from kafkacompat.protocol.api_keys import DESCRIBE_CONFIGS, FIND_COORDINATOR, OFFSET_FETCH, PRODUCE
from kafkacompat.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from kafkacompat.protocol.messages.find_coordinator import FindCoordinatorRequest
from kafkacompat.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from kafkacompat.protocol.messages.produce import ProduceRequest, TopicProduceData

rows = pytest.mark.parametrize("api", APIS.values(), ids=lambda api: api.stem)
TELLING = re.compile(
    r"(^|\.)(topic|topic_name|topic_names|topic_id|topics\.name|group_id|groups|groups_names|transactional_id)$"
)
"""Fields that name an entity, by what they are called."""
NOT_ASKED_ABOUT = {
    "forgotten_topics_data.topic": "they leave the session",
    "forgotten_topics_data.topic_id": "they leave the session",
    "cursor.topic_name": "where an answer goes on",
}
ID = b"7" * 16


def fields(api: Api) -> list[str]:
    """Paths of all fields of a request, as its notation has them, that hold strings or ids."""
    notation = importlib.import_module(f"kafkacompat.protocol.notation.{api.stem}").REQUEST
    head, *shared = re.split(r"\n(?=\S)", notation.strip())
    structs = {f"[]{struct.split()[0]}": fields_of(struct.split("\n")[1:], {}) for struct in shared}
    return fields_of(head.split("\n")[1:], structs)


def fields_of(lines: list[str], structs: dict[str, list[str]]) -> list[str]:
    """Paths in these lines; `structs` are shared by several fields."""
    found: list[str] = []
    way: list[str] = []
    for line in lines:
        depth = (len(line) - len(line.lstrip())) // 4
        name, kind = line.split()[:2]
        way = [*way[: depth - 1], name]
        if kind in ("string", "[]string", "uuid"):
            found.append(".".join(way))
        found += [".".join([*way, inner]) for inner in structs.get(kind, ())]
    return found


def places(api: Api) -> list[str]:
    names = api.names
    all_of_them = [*names.topics.split(", "), *names.groups.split(", "), *names.transactional_ids.split(", ")]
    return [place.partition(" where ")[0] for place in all_of_them if place]


@rows
def test_what_a_row_names_is_a_field_of_its_request(api: Api) -> None:
    assert set(places(api)) <= set(fields(api))


@rows
def test_every_field_that_names_an_entity_is_in_the_row(api: Api) -> None:
    telling = {field for field in fields(api) if TELLING.search(field)}
    assert telling - set(places(api)) <= set(NOT_ASKED_ABOUT)


def test_names_come_through_arrays_and_without_what_is_empty() -> None:
    request = OffsetFetchRequest(
        groups=[
            OffsetFetchRequestGroup("a", topics=[OffsetFetchRequestTopics("t"), OffsetFetchRequestTopics(topic_id=ID)]),
            OffsetFetchRequestGroup("b", topics=None),
        ]
    )
    names = APIS[OFFSET_FETCH].names
    assert named(request, names.topics) == ["t", ID]
    assert named(request, names.groups) == ["a", "b"]
    assert named(request, names.transactional_ids) == []


def test_names_of_one_kind_alone_where_a_field_tells_the_kind() -> None:
    request = FindCoordinatorRequest(key_type=1, coordinator_keys=["tx"])
    assert named(request, APIS[FIND_COORDINATOR].names.groups) == []
    assert named(request, APIS[FIND_COORDINATOR].names.transactional_ids) == ["tx"]
    resources = [DescribeConfigsResource(kind, f"of {kind}") for kind in (2, 4, 32)]
    configs = DescribeConfigsRequest(resources=resources)
    names = APIS[DESCRIBE_CONFIGS].names
    assert (named(configs, names.topics), named(configs, names.groups)) == (["of 2"], ["of 32"])


def test_a_producer_names_its_transaction() -> None:
    request = ProduceRequest(transactional_id="tx", topic_data=[TopicProduceData("t"), TopicProduceData("", ID)])
    assert named(request, APIS[PRODUCE].names.topics) == ["t", ID]
    assert named(request, APIS[PRODUCE].names.transactional_ids) == ["tx"]
