"""Creates the topics that a program asks for when it starts a broker, through the controller and without a client."""

from __future__ import annotations

import asyncio

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.server.seed import NewTopic


async def create_topics(server: BrokerServer, topics: Mapping[str, NewTopic]) -> None:
    """Create topics by name. Existing topics are left unchanged.

    Raises KafkaCompatError with the controller's reason for the first topic that it refuses.
    """
    from kafkacompat.broker.internal_topics import CREATE_TOPICS_VERSION
    from kafkacompat.broker.network import FORWARD
    from kafkacompat.protocol import error_codes
    from kafkacompat.protocol.api_keys import CREATE_TOPICS
    from kafkacompat.protocol.messages.create_topics import (
        CreatableTopic,
        CreatableTopicConfig,
        CreateTopicsRequest,
        CreateTopicsResponse,
    )

    broker = server.broker
    answered: asyncio.Future[object] = asyncio.get_running_loop().create_future()
    request = CreateTopicsRequest(
        topics=[
            CreatableTopic(
                name,
                topic.partitions,
                topic.replicas,
                configs=[CreatableTopicConfig(key, value) for key, value in topic.configs.items()],
            )
            for name, topic in topics.items()
        ],
        timeout_ms=broker.request_timeout_ms,
    )
    broker.channel.request(
        FORWARD, CREATE_TOPICS, CREATE_TOPICS_VERSION, request, lambda response, _now: answered.set_result(response),
        timeout_ms=broker.request_timeout_ms, now=server.now(),
    )  # fmt: skip
    server.after_event()
    response = await answered
    if not isinstance(response, CreateTopicsResponse):
        raise KafkaCompatError("the topics were not created: no controller answers")
    for result in response.topics:
        if result.error_code not in (error_codes.NONE, error_codes.TOPIC_ALREADY_EXISTS):
            raise KafkaCompatError(
                f"topic {result.name!r} was not created: {result.error_message or result.error_code}"
            )
    while not all(name in broker.image.topics for name in topics):  # where another node is the controller
        await asyncio.sleep(0.001)
