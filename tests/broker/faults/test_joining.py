"""Entities are taken out of requests; their errors are joined with the other answers in the order of the request."""

from __future__ import annotations

from kafkacompat.broker.answers import Encoded
from kafkacompat.broker.faults.joining import changed, decoded, errors_of, failure_of, join, part, without
from kafkacompat.broker.faults.shapes import shape_of
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import METADATA, OFFSET_FETCH
from kafkacompat.protocol.messages import offset_fetch as messages
from kafkacompat.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseTopic,
)
from kafkacompat.replication.metadata.image import EMPTY_IMAGE

SHAPE = shape_of(OFFSET_FETCH, 8)


def request() -> messages.OffsetFetchRequest:
    groups = [
        messages.OffsetFetchRequestGroup(
            "g", topics=[messages.OffsetFetchRequestTopics("t", partition_indexes=[0, 1])]
        ),
        messages.OffsetFetchRequestGroup("h", topics=[messages.OffsetFetchRequestTopics("t", partition_indexes=[0])]),
        messages.OffsetFetchRequestGroup("all", topics=None),
    ]
    return messages.OffsetFetchRequest(groups=groups)


def answers(response: messages.OffsetFetchResponse) -> list[tuple[str, int, list[tuple[int, int]]]]:
    return [
        (
            group.group_id, group.error_code,
            [(each.partition_index, each.error_code) for topic in group.topics for each in topic.partitions],
        )
        for group in response.groups
    ]  # fmt: skip


def test_a_part_of_a_request_has_no_empty_arrays() -> None:
    entities = SHAPE.entities(request(), EMPTY_IMAGE)
    assert [(each.group, each.topic, each.partition) for each in entities] == [
        ("g", "t", 0), ("g", "t", 1), ("h", "t", 0), ("all", None, None),
    ]  # fmt: skip
    kept = {entities[1].path, entities[3].path}
    smaller = part(SHAPE, request(), kept.__contains__)
    assert [(group.group_id, group.topics and group.topics[0].partition_indexes) for group in smaller.groups] == [
        ("g", [1]), ("all", None),
    ]  # fmt: skip


def test_errors_are_joined_in_the_order_of_the_request() -> None:
    entities = SHAPE.entities(request(), EMPTY_IMAGE)
    failing = [entities[0], entities[2], entities[3]]
    others = errors_of(SHAPE, request(), failing, errors.NOT_COORDINATOR)
    partition = messages.OffsetFetchResponsePartitions(1, 5, metadata="")
    topic = messages.OffsetFetchResponseTopics("t", partitions=[partition])
    response = messages.OffsetFetchResponse(groups=[messages.OffsetFetchResponseGroup("g", [topic])])
    join(SHAPE, request(), response, others)
    code = errors.NOT_COORDINATOR
    assert answers(response) == [("g", 0, [(0, code), (1, 0)]), ("h", 0, [(0, code)]), ("all", code, [])]


def test_answers_are_taken_out_of_a_response() -> None:
    entities = SHAPE.entities(request(), EMPTY_IMAGE)
    response = errors_of(SHAPE, request(), entities, errors.NOT_COORDINATOR)
    without(SHAPE, response, {entities[0].path, entities[2].path, entities[3].path})
    assert answers(response) == [("g", 0, [(1, errors.NOT_COORDINATOR)])]


def test_a_topic_that_was_asked_for_by_id_is_found_by_it() -> None:
    shape, topic_id = shape_of(METADATA, 12), bytes(15) + b"\1"
    asked = MetadataRequest([MetadataRequestTopic(topic_id, None), MetadataRequestTopic(name="u")])
    first, second = shape.entities(asked, EMPTY_IMAGE)
    response = MetadataResponse(
        topics=[MetadataResponseTopic(0, "u", bytes(16)), MetadataResponseTopic(0, "t", topic_id)]
    )
    without(shape, response, {first.path})
    assert [topic.name for topic in response.topics] == ["u"]
    join(shape, asked, response, errors_of(shape, asked, [first], errors.UNKNOWN_TOPIC_ID))
    assert [(topic.topic_id, topic.error_code) for topic in response.topics] == [
        (topic_id, errors.UNKNOWN_TOPIC_ID), (bytes(16), 0),
    ]  # fmt: skip
    assert second.topic == "u"


def test_a_version_without_a_top_level_error_fails_each_entity() -> None:
    shape = shape_of(OFFSET_FETCH, 1)
    asked = messages.OffsetFetchRequest("g", [messages.OffsetFetchRequestTopic("t", [0, 1])])
    entities = shape.entities(asked, EMPTY_IMAGE)
    response = failure_of(shape, asked, entities, errors.NOT_COORDINATOR)
    assert [each.error_code for topic in response.topics for each in topic.partitions] == [errors.NOT_COORDINATOR] * 2


def test_a_copy_is_changed_and_the_original_is_not() -> None:
    original = request()
    assert changed(original, "require_stable", True).require_stable
    assert not original.require_stable


def test_an_encoded_response_is_decoded() -> None:
    parts: list[object] = []
    response = messages.OffsetFetchResponse(groups=[messages.OffsetFetchResponseGroup("g", [])])
    messages.encode_response(response, 8, parts)
    assert answers(decoded(SHAPE, Encoded(parts))) == [("g", 0, [])]
    assert decoded(SHAPE, response) is response
