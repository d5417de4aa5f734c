"""What tests tell a cluster: topics, reset, the clock, advertised addresses."""

from __future__ import annotations

import asyncio

from kafkacompat.control_api import clock, state
from kafkacompat.control_api.advertise import advertise, advertised, registered
from kafkacompat.control_api.http.problems import ProblemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.control_api.http.calls import Call

    Plain = dict[str, Any]

ADVERTISED_TIMEOUT_S = 10.0
POLL_S = 0.005


async def create_topic(call: Call) -> Plain:
    """POST /v1/topics."""
    from kafkacompat.control_api.resources.view_resources import joined_topics
    from kafkacompat.server.seed import NewTopic
    from kafkacompat.server.startup_topics import create_topics

    body, server = call.body, call.server
    name = body["name"]
    if name in server.broker.image.topics:
        raise ProblemError(409, "topic-exists", f"topic {name!r:.300} exists already: choose another name")
    topic = NewTopic(**{name: value for name, value in body.items() if name != "name"})
    await create_topics(server, {name: topic})
    (found,) = await joined_topics(call, [name])
    return found


async def delete_topic(call: Call) -> Plain:
    """DELETE /v1/topics/{topic}."""
    from kafkacompat.control_api.resources.topic_deletion import delete_topic as delete

    await delete(call.server, call.path["topic"])
    return {}


async def reset(call: Call) -> Plain:
    """POST /v1/reset."""
    if "part" in call.body:
        from kafkacompat.control_api.resources import reset_parts

        return await reset_parts.act(call)
    return await state.reset(
        call.all_nodes, keep=call.body.get("keep", ()), close_connections=call.body.get("close_connections", False),
        delete_data=call.body.get("delete_data", False),
    )  # fmt: skip


def see_clock(call: Call) -> clock.ClockView:
    """GET /v1/clock."""
    return clock.view(call.server.clock)


async def advance(call: Call) -> clock.Advanced:
    """POST /v1/clock/advance."""
    servers = list(call.servers.values())
    sessions = call.body.get("sessions", True)
    return await clock.advance(servers, call.server.clock, call.body["ms"], sessions=sessions)


def freeze(call: Call) -> clock.ClockView:
    """POST /v1/clock/freeze."""
    call.server.clock.freeze()
    return clock.view(call.server.clock)


def resume(call: Call) -> clock.ClockView:
    """POST /v1/clock/resume."""
    call.server.clock.resume()
    return clock.view(call.server.clock)


def see_advertised(call: Call) -> dict[str, str]:
    """GET /v1/brokers/{broker_id}/advertised."""
    return advertised(call.node(call.path["broker_id"]))


async def put_advertised(call: Call) -> dict[str, str]:
    """PUT /v1/brokers/{broker_id}/advertised; returns when the nodes here tell clients the new addresses."""
    broker_id = call.path["broker_id"]
    told = advertise(call.node(broker_id), call.body)
    try:
        async with asyncio.timeout(ADVERTISED_TIMEOUT_S):
            while not all(registered(server, broker_id) == told for server in call.servers.values()):
                await asyncio.sleep(POLL_S)
    except TimeoutError:
        raise ProblemError(408, "time-out", "the controller has not registered the new addresses yet") from None
    return told
