"""Seeds that come while a node starts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.cli.seed_writer import ClusterSeeds, NodeSeeds
from kafkacompat.control_api.seeds import Seed, parse_records, parse_topics

NOBODY = "127.0.0.1:1"


def seed(topics: object = (), records: object = ()) -> Seed:
    return Seed(parse_topics(topics), parse_records(records))


def node_seeds(kafka: Cluster) -> NodeSeeds:
    async def running_loop() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    lone = kafka._lone()
    return NodeSeeds(lone.sole_server, lone.run(running_loop()), NOBODY)


@pytest.mark.parametrize("make", [node_seeds, lambda kafka: ClusterSeeds(kafka.bootstrap_servers, ())])
def test_records_may_come_after_their_topic_but_topics_of_an_earlier_start_are_left_alone(
    make: Callable[[Cluster], NodeSeeds | ClusterSeeds],
) -> None:
    with Cluster(topics=["old"]) as kafka:
        seeds = make(kafka)
        seeds.write(seed({"orders": 2}))
        seeds.write(seed(records={"orders": [{"value": "one"}], "old": [{"value": "never"}]}))
        seeds.write(seed(records={"orders": [{"value": "two"}]}))
        assert sorted(record.value for record in kafka.records("orders")) == [b"one", b"two"]
        assert kafka.records("old") == []


def test_a_reset_writes_what_hooks_have_written() -> None:
    with Cluster() as kafka:
        seeds = node_seeds(kafka)
        seeds.write(seed({"orders": 2}))
        seeds.write(seed(records={"orders": [{"value": "one"}]}))
        kafka.reset()
        assert [record.value for record in kafka.records("orders")] == [b"one"]


def test_what_a_broker_refuses_is_an_error() -> None:
    with Cluster() as kafka, pytest.raises(KafkaCompatError, match="wrong!"):
        node_seeds(kafka).write(seed(["wrong!"]))
    with pytest.raises(KafkaCompatError):
        ClusterSeeds("127.0.0.1:1", ()).write(seed(["orders"]))
