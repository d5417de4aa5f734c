"""A topic is deleted without a client, also where another node is the controller."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from kafkacompat import Cluster
from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.control_api.resources.topic_deletion import delete_topic
from kafkacompat.server.broker_server import BrokerServer


def test_each_node_can_delete_a_topic() -> None:
    with Cluster(topics=["a", "b", "c"], brokers=3) as kafka:

        async def delete_all(servers: Sequence[BrokerServer]) -> None:
            await asyncio.gather(*(delete_topic(server, name) for server, name in zip(servers, "abc", strict=True)))
            with pytest.raises(ProblemError, match="no topic 'a'"):
                await delete_topic(servers[0], "a")

        kafka._run_on_all(delete_all)
        assert kafka.topics() == {}
