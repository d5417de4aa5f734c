"""The comparison finds what it is for: differences that are put into a copy of the notation, one at a time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compat_tests.artifacts import kafka_jars
from compat_tests.schemas import layouts, ours, theirs
from compat_tests.schemas.facts import Comparison, MessageFacts, Schema
from kafkacompat.protocol.notation import fetch, init_producer_id
from kafkacompat.protocol.notation.compiler.schema import Message, Struct, Versions, parse

RELEASE = "4.4.0"
Change = Callable[[Message], object]


@pytest.fixture(scope="module")
def kafka() -> Schema:
    return theirs.schema(kafka_jars(RELEASE))


def differing(message: MessageFacts, name: str, kafka: Schema) -> list[str]:
    return [str(found) for found in Comparison({name: message}, {name: kafka[name]}).differences]


def changed(change: Change) -> MessageFacts:
    """FetchRequest with one change."""
    message = parse(fetch.REQUEST)[0]
    change(message)
    return ours.message_facts(message, fetch.LISTENERS, fetch.KEY)


def struct(message: Message, name: str) -> Struct:
    return next(one for one in message.structs if one.name == name)


def field(message: Message, owner: str, which: str, **values: object) -> None:
    for each in list(struct(message, owner).fields):
        if each.name == which:
            for what, value in values.items():
                assert getattr(each, what) != value
                setattr(each, what, value)


def swap(message: Message, owner: str, first: int) -> None:
    fields = struct(message, owner).fields
    fields[first], fields[first + 1] = fields[first + 1], fields[first]


SEEDS: dict[str, tuple[Change, list[str]]] = {
    "nothing": (lambda m: None, []),
    "type": (
        lambda m: field(m, "FetchPartition", "fetch_offset", type="int32"),
        ["FetchRequest FetchPartition.fetch_offset: type int32, in Kafka int64"],
    ),
    "array": (
        lambda m: field(m, "ForgottenTopic", "topic_id", is_array=True),
        ["FetchRequest ForgottenTopic.topic_id: type []uuid, in Kafka uuid"],
    ),
    "versions": (
        lambda m: field(m, "FetchTopic", "topic_id", versions=Versions(12, 32767)),
        ["FetchRequest FetchTopic.topic_id: versions 12+, in Kafka 13+"],
    ),
    "last version": (
        lambda m: field(m, "FetchTopic", "topic", versions=Versions(0, 13)),
        ["FetchRequest FetchTopic.topic: versions 0-13, in Kafka 0-12"],
    ),
    "nullable": (
        lambda m: field(m, "FetchRequest", "rack_id", nullable=Versions(11, 32767)),
        ["FetchRequest.rack_id: nullable 11+, in Kafka none"],
    ),
    "tag": (
        lambda m: field(m, "FetchPartition", "high_watermark", tag=2),
        ["FetchRequest FetchPartition.high_watermark: tag 2, in Kafka 1"],
    ),
    "tagged versions": (
        lambda m: field(m, "FetchPartition", "high_watermark", tagged=Versions(17, 32767)),
        ["FetchRequest FetchPartition.high_watermark: tagged 17+, in Kafka 18+"],
    ),
    "default": (
        lambda m: field(m, "FetchRequest", "session_epoch", default=None),
        ["FetchRequest.session_epoch: default 0, in Kafka -1"],
    ),
    "default null": (
        lambda m: field(m, "FetchRequest", "cluster_id", default=None),
        ["FetchRequest.cluster_id: default , in Kafka None"],
    ),
    "ignorable": (
        lambda m: field(m, "FetchRequest", "isolation_level", ignorable=False),
        ["FetchRequest.isolation_level: ignorable False, in Kafka True"],
    ),
    "map key": (
        lambda m: field(m, "FetchTopic", "topic", is_key=True),
        ["FetchRequest FetchTopic.topic: map_key True, in Kafka False"],
    ),
    "never compact": (
        lambda m: field(m, "FetchRequest", "rack_id", never_flexible=True),
        ["FetchRequest.rack_id: never_flexible True, in Kafka False"],
    ),
    "missing field": (
        lambda m: struct(m, "FetchPartition").fields.pop(),
        ["FetchRequest FetchPartition.high_watermark: field none, in Kafka there"],
    ),
    "another name": (
        lambda m: field(m, "FetchRequest", "max_bytes", name="most_bytes"),
        ["FetchRequest.most_bytes: field here, in Kafka none", "FetchRequest.max_bytes: field none, in Kafka there"],
    ),
    "swapped": (lambda m: swap(m, "FetchRequest", 5), ["FetchRequest: order isolation_level, in Kafka max_bytes"]),
    "missing struct": (
        lambda m: m.structs.remove(struct(m, "ForgottenTopic")),
        ["FetchRequest ForgottenTopic: struct none, in Kafka there"],
    ),
    "versions of a struct": (
        lambda m: setattr(struct(m, "ReplicaState"), "versions", Versions(14, 32767)),
        ["FetchRequest ReplicaState: versions 14+, in Kafka 15+"],
    ),
    "valid versions": (
        lambda m: setattr(m, "versions", Versions(4, 17)),
        ["FetchRequest: versions 4-17, in Kafka 4-18"],
    ),
    "flexible versions": (
        lambda m: setattr(m, "flexible", Versions(11, 32767)),
        ["FetchRequest: flexible 11+, in Kafka 12+"],
    ),
    "unstable": (lambda m: setattr(m, "unstable", True), ["FetchRequest: unstable True, in Kafka False"]),
}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_seeded_difference_is_named(seed: str, kafka: Schema) -> None:
    change, expected = SEEDS[seed]
    assert differing(changed(change), "FetchRequest", kafka) == expected


def test_key_and_listeners(kafka: Schema) -> None:
    message = ours.message_facts(parse(fetch.REQUEST)[0], ("broker",), 2)
    assert differing(message, "FetchRequest", kafka) == [
        "FetchRequest: key 2, in Kafka 1",
        "FetchRequest: listeners ('broker',), in Kafka ('broker', 'controller')",
    ]


def test_a_version_that_is_stable_here_alone(kafka: Schema) -> None:
    text = init_producer_id.REQUEST.replace(" unstable", "")
    message = ours.message_facts(parse(text)[0], init_producer_id.LISTENERS, init_producer_id.KEY)
    assert differing(message, "InitProducerIdRequest", kafka) == [
        "InitProducerIdRequest: unstable False, in Kafka True"
    ]


def test_a_message_that_is_missing(kafka: Schema) -> None:
    mine = ours.schema()
    del mine["PartitionRecord"]
    assert "PartitionRecord: message none, in Kafka there" in map(str, Comparison(mine, kafka).differences)


ON_THE_WIRE = {"type", "array", "versions", "last version", "nullable", "tag", "tagged versions", "never compact",
               "missing field", "swapped", "flexible versions", "default null"}  # fmt: skip
"""The seeds that change bytes."""


# a message without one of its structs has no layout
@pytest.mark.parametrize("seed", [seed for seed in SEEDS if seed != "missing struct"])
def test_a_seeded_difference_changes_a_layout_or_does_not(seed: str, kafka: Schema) -> None:
    name, theirs_ = "FetchRequest", kafka["FetchRequest"]
    mine = changed(SEEDS[seed][0])
    same = all(layouts.layout(name, mine, v) == layouts.layout(name, theirs_, v) for v in layouts.versions(theirs_))
    assert same == (seed not in ON_THE_WIRE)
