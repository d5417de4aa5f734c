"""Options that must be refused: by Spark from what they say, or from what the broker answers."""

from __future__ import annotations

import json

import pytest

from compat_tests.spark.workbench import EARLIEST, LATEST, Workbench, as_json, rows_of

pytestmark = pytest.mark.api("Metadata")

QUICK = {"fetchOffset.retryIntervalMs": "10"}
"""Spark asks three times before it gives up, a second apart unless told otherwise."""


@pytest.mark.spark_behaviour(17)
def test_what_spark_refuses_without_asking(bench: Workbench, topic: str) -> None:
    bench.create(topic, 1)
    bench.send(topic, 0, range(3))
    subscribe = {"subscribe": topic}
    refused: list[tuple[str, dict[str, str]]] = [
        ("can't be latest for batch queries", subscribe | {"startingOffsets": "latest"}),
        ("can't be latest for batch queries", subscribe | {"startingOffsets": as_json(topic, [LATEST])}),
        ("can't be earliest for batch queries", subscribe | {"endingOffsets": "earliest"}),
        ("can't be earliest for batch queries", subscribe | {"endingOffsets": as_json(topic, [EARLIEST])}),
        ("One of the following options must be specified", {}),
        ("Only one of the following options can be specified", subscribe | {"subscribePattern": ".*"}),
        ("No topics to subscribe", {"subscribe": ""}),
        ("subscribePattern", {"subscribePattern": ""}),
        ("topicpartitions to assign", {"assign": ""}),
        ("Failed to create new KafkaAdminClient", subscribe | {"kafka.bootstrap.servers": ""}),
        ("Expected a single long value", subscribe | {"startingTimestamp": "soon"}),
    ]
    refused += [
        (name, subscribe | {f"kafka.{name}": value})
        for name, value in {
            "auto.offset.reset": "latest",
            "key.deserializer": "any",
            "value.deserializer": "any",
            "enable.auto.commit": "true",
            "interceptor.classes": "any",
        }.items()
    ]
    for message, options in refused:
        with bench.refused(message):
            bench.rows(bench.read(**options))
    with bench.refused("not valid in streaming queries"):
        bench.start(bench.stream(endingOffsets="latest", **subscribe))
    assert bench.rows(bench.read(**subscribe)) == rows_of(0, range(3))


@pytest.mark.spark_behaviour(17)
def test_a_topic_that_is_not_there(bench: Workbench, topic: str) -> None:
    """Reading does not make it, although brokers make topics on use."""
    for chosen in ({"subscribe": topic}, {"assign": json.dumps({topic: [0]})}):
        with bench.refused("UnknownTopicOrPartitionException"):
            bench.rows(bench.read(**chosen, **QUICK))
    assert topic not in bench.admin.list_topics(timeout=10).topics
    assert bench.rows(bench.read(subscribePattern=f"^{topic}$", **QUICK)) == []


@pytest.mark.spark_behaviour(17)
def test_offsets_must_name_the_partitions_that_there_are(bench: Workbench, topic: str) -> None:
    bench.create(topic, 2)
    for offsets in ([0], [0, 0, 0]):
        with bench.refused("match what are assigned"):
            bench.rows(bench.read(subscribe=topic, startingOffsets=as_json(topic, offsets), **QUICK))


@pytest.mark.spark_behaviour(17)
def test_partitions_that_are_not_there_are_left_out(bench: Workbench, topic: str) -> None:
    bench.create(topic, 2)
    bench.send(topic, 1, range(3))
    assert bench.rows(bench.read(assign=json.dumps({topic: [1, 7]}))) == rows_of(1, range(3))
