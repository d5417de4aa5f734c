"""Routes of cluster faults by name: leaders, coordinators and the controller move, replicas lag, sessions end."""

from __future__ import annotations

from kafkacompat.control_api.faults import healing, leaders, moves, replicas
from kafkacompat.control_api.http.problems import ProblemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.control_api.http.calls import Call

    Plain = dict[str, Any]


async def move_leader(call: Call) -> Plain:
    """POST /v1/leaders/move."""
    topic, partition = call.body["topic"], call.body.get("partition", 0)
    return {"leader": await moves.move_leader(call.all_nodes, topic, partition, call.body.get("to"))}


async def move_coordinator(call: Call) -> Plain:
    """POST /v1/coordinators/move: of a group, or of a transactional id."""
    group_id, transactional_id = call.body.get("group_id"), call.body.get("transactional_id")
    if (group_id is None) == (transactional_id is None):
        raise ProblemError(400, "body", "give group_id or transactional_id")
    if group_id is not None:
        moved = await moves.move_coordinator(call.all_nodes, group_id, call.body.get("to"))
    else:
        moved = await moves.move_transaction_coordinator(call.all_nodes, transactional_id, call.body.get("to"))
    return {"coordinator": moved}


async def move_controller(call: Call) -> Plain:
    """POST /v1/controller/move."""
    return {"controller": await moves.move_controller(call.all_nodes, call.body.get("to"))}


async def lag(call: Call) -> Plain:
    """PUT /v1/lag: a follower stops fetching a partition."""
    replicas.lag(call.node(call.body["broker_id"]), call.body["topic"], call.body.get("partition", 0))
    return see_lag(call)


def catch_up(call: Call) -> Plain:
    """DELETE /v1/lag: all followers fetch again, or the one that the query names."""
    topic, broker_id = call.query.get("topic"), call.query.get("broker_id")
    if (topic is None) != (broker_id is None):
        raise ProblemError(400, "parameters", "give topic and broker_id together, or neither for all followers")
    for server in call.all_nodes if broker_id is None else [call.node(broker_id)]:
        replicas.catch_up(server, topic, call.query.get("partition", 0))
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
    """POST /v1/isr: a replica leaves the ISR of a partition, or returns to it.

    In a process with the leader alone, the replica has to lag already, or it returns at once.
    """
    topic, partition, broker_id = call.body["topic"], call.body.get("partition", 0), call.body["broker_id"]
    if call.body["in_sync"]:
        replicas.catch_up(call.node(broker_id), topic, partition)
        call.node(broker_id).after_event()
        return {"isr": list(await moves.expand_isr(call.all_nodes, topic, partition, broker_id))}
    leads_here = leaders.leader(call.server, topic, partition)[0] in call.servers
    if broker_id in call.servers or not leads_here:
        replicas.lag(call.node(broker_id), topic, partition)
        call.node(broker_id).after_event()
    return {"isr": list(await moves.shrink_isr(call.all_nodes, topic, partition, broker_id))}


def heal(call: Call) -> Plain:
    """POST /v1/heal: end faults of links and disks, and what lets replicas lag."""
    for server in call.all_nodes:
        healing.heal(server)
        server.after_event()
    return {}


def expire_session(call: Call) -> Plain:
    """POST /v1/sessions/expire; 409 with the coordinator's id if that does not run here."""
    group_id = call.body["group_id"]
    coordinator = moves.coordinator(call.all_nodes, group_id)
    if coordinator not in call.servers:
        raise ProblemError(
            409, "not-coordinator", f"broker {coordinator} coordinates group {group_id!r:.300}: ask that one",
            members={"coordinator": coordinator},
        )  # fmt: skip
    return {"member_id": moves.expire_session(call.all_nodes, group_id, call.body["member"])}
