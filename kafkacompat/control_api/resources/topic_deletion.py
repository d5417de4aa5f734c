"""Deletes a topic through the controller, without a client."""

from __future__ import annotations

import asyncio

from kafkacompat.control_api.http.problems import ProblemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.server.broker_server import BrokerServer

DELETE_TOPICS_VERSION = 6
POLL_S = 0.002


async def delete_topic(server: BrokerServer, name: str) -> None:
    """Delete a topic; returns when this node's metadata lacks it. Raises ProblemError."""
    from kafkacompat.broker.network import FORWARD
    from kafkacompat.protocol import error_codes
    from kafkacompat.protocol.api_keys import DELETE_TOPICS
    from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse, DeleteTopicState

    broker = server.broker
    topic = broker.image.topics.get(name)
    if topic is None:
        raise ProblemError(404, "no-topic", f"there is no topic {name!r:.300}: GET /v1/topics lists those that exist")
    answered: asyncio.Future[object] = asyncio.get_running_loop().create_future()
    request = DeleteTopicsRequest(topics=[DeleteTopicState(name=name)], timeout_ms=broker.request_timeout_ms)
    broker.channel.request(
        FORWARD, DELETE_TOPICS, DELETE_TOPICS_VERSION, request, lambda response, _now: answered.set_result(response),
        timeout_ms=broker.request_timeout_ms, now=server.now(),
    )  # fmt: skip
    server.after_event()
    response = await answered
    if not isinstance(response, DeleteTopicsResponse):
        raise ProblemError(503, "no-controller", "the topic was not deleted: no controller answers")
    (result,) = response.responses
    if result.error_code != error_codes.NONE:
        why = result.error_message or error_codes.name(result.error_code)
        raise ProblemError(409, "state", f"topic {name!r:.300} was not deleted: {why}")
    while (left := broker.image.topics.get(name)) is not None and left.topic_id == topic.topic_id:
        await asyncio.sleep(POLL_S)
