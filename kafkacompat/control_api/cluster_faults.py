"""Faults of a cluster by name: leaders, coordinators and the controller move, replicas lag, sessions end.

Each waits until what it did shows on all nodes here, at most TIMEOUT_S.
"""

from __future__ import annotations

import asyncio

from kafkacompat.control_api import healing, leaders, replicas, session_expiry
from kafkacompat.control_api.problems import ProblemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from kafkacompat.control_api.calls import Call
    from kafkacompat.server.broker_server import BrokerServer

    Plain = dict[str, Any]

TIMEOUT_S = 10.0
CATCH_UP_TIMEOUT_S = 30.0
POLL_S = 0.005
OFFSETS_TOPIC = "__consumer_offsets"


async def move_leader(call: Call) -> Plain:
    """POST /v1/leaders/move."""
    topic, partition = call.body["topic"], call.body.get("partition", 0)
    return {"leader": await _move(call, topic, partition, call.body.get("to"))}


async def move_coordinator(call: Call) -> Plain:
    """POST /v1/coordinators/move."""
    partition = leaders.coordinator_partition(call.server, call.body["group_id"])
    return {"coordinator": await _move(call, OFFSETS_TOPIC, partition, call.body.get("to"))}


async def move_controller(call: Call) -> Plain:
    """POST /v1/controller/move."""
    active, to = await _controller(call), call.body.get("to")
    first = leaders.controller(active)
    leaders.move_controller(active, to)
    active.after_event()

    def is_elected() -> bool:
        known = {leaders.controller(server) for server in call.servers.values()}
        return len(known) == 1 and all(
            leader >= 0 and epoch > first[1] and leader in call.servers for leader, epoch in known
        )

    await _until(is_elected, "no other controller is active")
    chosen = leaders.controller(call.server)[0]
    await _until(lambda: leaders.is_controller_active(call.servers[chosen]), "the new controller is not active")
    return {"controller": chosen}


async def lag(call: Call) -> Plain:
    """PUT /v1/lag: a follower stops fetching a partition."""
    server = call.node(call.body["broker_id"])
    replicas.lag(server, call.body["topic"], call.body.get("partition", 0))
    return see_lag(call)


def catch_up(call: Call) -> Plain:
    """DELETE /v1/lag: all followers fetch again."""
    for server in call.servers.values():
        replicas.catch_up(server)
        server.after_event()
    return see_lag(call)


def see_lag(call: Call) -> Plain:
    """GET /v1/lag."""
    return {
        "lagging": [
            {"broker_id": node_id, "topic": topic, "partition": partition}
            for node_id, server in call.servers.items()
            for topic, partition in replicas.lagging(server)
        ]
    }


async def change_isr(call: Call) -> Plain:
    """POST /v1/isr: a replica leaves the ISR of a partition, or returns to it."""
    body = call.body
    topic, partition, broker_id = body["topic"], body.get("partition", 0), body["broker_id"]
    server = call.node(broker_id)
    is_in = body["in_sync"]
    if is_in:
        replicas.catch_up(server, topic, partition)
    else:
        replicas.lag(server, topic, partition)

    def is_done() -> bool:
        leader = call.servers.get(leaders.leader(server, topic, partition)[0])
        if not is_in and leader is not None:
            replicas.propose_shrink(leader, topic, partition, broker_id)
            leader.after_event()
        return all((broker_id in replicas.isr(each, topic, partition)) is is_in for each in call.servers.values())

    what = f"broker {broker_id} {'is not in' if is_in else 'has not left'} the ISR of {topic}-{partition}"
    await _until(is_done, what, CATCH_UP_TIMEOUT_S if is_in else TIMEOUT_S)
    return {"isr": list(replicas.isr(server, topic, partition))}


def heal(call: Call) -> Plain:
    """POST /v1/heal: end cut links, faults of disks and replicas that lag."""
    for server in call.servers.values():
        healing.heal(server)
        server.after_event()
    return {}


def expire_session(call: Call) -> Plain:
    """POST /v1/sessions/expire."""
    group_id = call.body["group_id"]
    partition = leaders.coordinator_partition(call.server, group_id)
    coordinator = leaders.leader(call.server, OFFSETS_TOPIC, partition)[0]
    return {"member_id": session_expiry.expire_session(call.node(coordinator), group_id, call.body["member"])}


async def _move(call: Call, topic: str, partition: int, to: int | None) -> int:
    active = await _controller(call)
    before = leaders.leader(active, topic, partition)
    chosen = leaders.move_leader(active, topic, partition, to)
    active.after_event()

    def has_moved() -> bool:
        views = [(leaders.leader(server, topic, partition), server) for server in call.servers.values()]
        return all(
            epoch > before[1] and leader == chosen and leaders.is_applied(server) for (leader, epoch), server in views
        )

    await _until(has_moved, f"broker {chosen} does not lead {topic}-{partition}")
    return chosen


async def _controller(call: Call) -> BrokerServer:
    found: list[BrokerServer] = []

    def is_there() -> bool:
        found[:] = [server for server in call.servers.values() if leaders.is_controller_active(server)]
        return bool(found)

    await _until(is_there, "no controller is active in this process")
    return found[0]


async def _until(is_done: Callable[[], bool], what: str, timeout_s: float = TIMEOUT_S) -> None:
    """Wait for a condition. Raises ProblemError."""
    try:
        async with asyncio.timeout(timeout_s):
            while not is_done():
                await asyncio.sleep(POLL_S)
    except TimeoutError:
        raise ProblemError(408, "time-out", f"{what} within {timeout_s:g} s") from None
