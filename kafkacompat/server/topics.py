"""Topics that a program asks for when it starts a broker: through the controller, without a client."""

from __future__ import annotations

import asyncio

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkacompat.server.runtime import BrokerServer

BROKER_DEFAULT = -1


async def create_topics(server: BrokerServer, topics: Mapping[str, int]) -> None:
    """Create topics with so many partitions each (-1: the broker's default); those that exist stay as they are.

    Raises KafkaCompatError with the controller's reason for the first one that it refuses.
    """
    from kafkacompat.protocol import error_codes
    from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest, CreateTopicsResponse
    from kafkacompat.replication.controller import topics as controller

    broker = server.broker
    missing = [CreatableTopic(name, count, BROKER_DEFAULT) for name, count in topics.items()]
    request = CreateTopicsRequest(topics=missing)
    submission = broker.quorum.submit(
        lambda image, _now: controller.create_topics(request, image, broker.settings, broker.rng), server.now()
    )
    response = submission.response
    assert isinstance(response, CreateTopicsResponse)
    for result in response.topics:
        if result.error_code not in (error_codes.NONE, error_codes.TOPIC_ALREADY_EXISTS):
            raise KafkaCompatError(
                f"topic {result.name!r} was not created: {result.error_message or result.error_code}"
            )
    server.turn_ended()
    while not submission.committed:  # only where the metadata log is synced to disk
        await asyncio.sleep(0.001)
