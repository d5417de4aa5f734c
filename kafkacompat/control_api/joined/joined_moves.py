"""Changes of nodes in several processes: one node makes them, and they are done when all nodes follow."""

from __future__ import annotations

from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.control_api.joined import joined_views
from kafkacompat.control_api.joined.joined_nodes import target_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.control_api.joined.joined_nodes import JoinedCall, JoinedNodes

    Plain = dict[str, Any]

TOPIC, LAG = "/v1/topics/{topic}", "/v1/lag"
MOVES_MAX = 5
"""So often the controller is asked to move to one that others were quicker than."""


async def move_leader(call: JoinedCall) -> Plain:
    """POST /v1/leaders/move and /v1/coordinators/move: by the active controller."""
    active = await call.nodes.active_controller()
    moved: Plain = await call.nodes.ask(active, "POST", call.target, call.body)
    await call.nodes.follow(active)
    return moved


async def move_controller(call: JoinedCall) -> Plain:
    """POST /v1/controller/move: the active controller resigns, until the wanted one is elected."""
    nodes, wanted = call.nodes, call.body.get("to")
    for _ in range(MOVES_MAX):
        active = await nodes.active_controller()
        await nodes.ask(active, "POST", call.target, call.body)
        elected = await _elected(nodes)
        if wanted in (None, elected):
            return {"controller": elected}
    raise ProblemError(408, "time-out", f"node {wanted} was not elected {MOVES_MAX} times: see its log")


async def _elected(nodes: JoinedNodes) -> int:
    """The active controller that all nodes know, once they agree."""
    found: list[int] = []

    async def is_known() -> bool:
        states = (await nodes.states()).values()
        found[:] = [state["node_id"] for state in states if state["is_active_controller"]]
        views = {(state["controller_id"], state["controller_epoch"]) for state in states}
        return len(views) == len(found) == 1 and next(iter(views))[0] == found[0]

    await nodes.until(is_known, "the nodes do not agree on a controller")
    return found[0]


async def change_isr(call: JoinedCall) -> Plain:
    """POST /v1/isr: the replica's broker stops or begins to fetch, the leader removes it or takes it back."""
    nodes, broker_id, topic = call.nodes, call.body["broker_id"], call.body["topic"]
    partition = call.body.get("partition", 0)
    nodes.check(broker_id)
    by = broker_id
    if not call.body["in_sync"]:
        await nodes.ask(broker_id, "PUT", LAG, {"topic": topic, "partition": partition, "broker_id": broker_id})
        path = target_of(f"{TOPIC}/partitions/{{partition}}", {"topic": topic, "partition": partition}, {})
        by = (await nodes.ask(broker_id, "GET", path))["leader"]
    changed: Plain = await nodes.ask(by, "POST", call.target, call.body)
    await nodes.follow(by)
    return changed


async def lag(call: JoinedCall) -> Plain:
    """PUT /v1/lag: by the broker in the body."""
    await call.nodes.ask(call.body["broker_id"], "PUT", LAG, call.body)
    return await joined_views.lists(call._replace(route=call.route._replace(method="GET")))


async def catch_up(call: JoinedCall) -> Plain:
    """DELETE /v1/lag: by all brokers, or by the one that the query names."""
    if "broker_id" in call.query:
        await call.nodes.ask(call.query["broker_id"], "DELETE", call.target)
    else:
        await call.nodes.ask_all("DELETE", call.target)
    return await joined_views.lists(call._replace(query={}))


async def expire_session(call: JoinedCall) -> Plain:
    """POST /v1/sessions/expire: by the coordinator, whose id the first node knows."""
    by = call.nodes.first
    try:
        found: Plain = await call.nodes.ask(by, "POST", call.target, call.body)
    except ProblemError as problem:
        if problem.name != "not-coordinator":
            raise
        coordinator: Any = problem.members["coordinator"]
        found = await call.nodes.ask(coordinator, "POST", call.target, call.body)
    return found


async def put_advertised(call: JoinedCall) -> Plain:
    """PUT /v1/brokers/{broker_id}/advertised: by the broker in the path."""
    broker_id = call.path["broker_id"]
    told: Plain = await call.nodes.ask(broker_id, "PUT", call.target, call.body)
    await call.nodes.follow(broker_id)
    return told


async def create_topic(call: JoinedCall) -> Plain:
    """POST /v1/topics: by any node."""
    by = call.nodes.first
    made = await call.nodes.ask(by, "POST", call.target, call.body)
    await call.nodes.follow(by)
    route = call.route._replace(path=TOPIC)
    return await joined_views.topic(call._replace(route=route, path={"topic": made["name"]}))


async def delete_topic(call: JoinedCall) -> Plain:
    """DELETE /v1/topics/{topic}: by any node."""
    by = call.nodes.first
    done: Plain = await call.nodes.ask(by, "DELETE", call.target)
    await call.nodes.follow(by)
    return done


async def write_records(call: JoinedCall) -> Plain:
    """POST /v1/topics/{topic}/records: each leader writes those of its partitions."""
    from kafkacompat.control_api.resources.record_writing import seed_of

    name = call.path["topic"]
    topic = await joined_views.topic(call._replace(route=call.route._replace(path=TOPIC)))
    seed = seed_of(name, call.body["records"])
    of_leaders: dict[int, list[Plain]] = {}
    for record, partition in zip(call.body["records"], seed.partitions_of(name, len(topic["partitions"])), strict=True):
        leader = topic["partitions"][partition]["leader"]
        of_leaders.setdefault(leader, []).append({**record, "partition": partition})
    written: list[Plain] = []
    for leader, records in of_leaders.items():
        if leader not in call.nodes.ids:
            raise ProblemError(409, "state", f"{name!r:.300} has partitions whose leader does not run: try again")
        written += (await call.nodes.ask(leader, "POST", call.target, {"records": records}))["partitions"]
    return {"topic": name, "partitions": sorted(written, key=lambda each: int(each["partition"]))}
