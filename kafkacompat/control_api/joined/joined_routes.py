"""How each route is answered for nodes in several processes: by one of them, by all joined, or by the parent."""

from __future__ import annotations

import asyncio

from kafkacompat.control_api.http.application import Application, serve
from kafkacompat.control_api.http.calls import Answer, Call, FileAt
from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.control_api.joined import joined_moves, joined_views
from kafkacompat.control_api.joined.joined_captures import JoinedCaptures
from kafkacompat.control_api.joined.joined_clock import JoinedClock
from kafkacompat.control_api.joined.joined_faults import JoinedFaults
from kafkacompat.control_api.joined.joined_links import JoinedLinks
from kafkacompat.control_api.joined.joined_nodes import JoinedCall, JoinedNodes
from kafkacompat.control_api.joined.joined_snapshots import JoinedSnapshots
from kafkacompat.control_api.joined.joined_state import JoinedState
from kafkacompat.control_api.resources import node_verbs
from kafkacompat.control_api.resources.cluster_resources import describe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from typing import Any, TypeAlias

    from kafkacompat.control_api.faults.node_links import Faults
    from kafkacompat.control_api.http.access import Access
    from kafkacompat.control_api.http.calls import NodeVerbs
    from kafkacompat.control_api.http.routes import Route
    from kafkacompat.control_api.joined.joined_state import Resets
    from kafkacompat.server.broker_server import BrokerServer

    Plain = dict[str, Any]
    Rule: TypeAlias = Callable[[JoinedCall], Awaitable[object]]

WAIT_POLL_S = 0.05
DEAD, STARTING = "it has died", "it is not ready yet"
FAULT_WAIT_MS = 10_000


class JoinedApplication(Application):
    """The control API of nodes in several processes, in the one that started them."""

    def __init__(
        self,
        nodes: JoinedNodes,
        access: Access,
        verbs: NodeVerbs | None,
        resets: Resets | None = None,
        proxied: Callable[[], Faults] = dict,
    ) -> None:
        super().__init__(dict, access, nodes.version, verbs)
        self.nodes = nodes
        self.faults = JoinedFaults(nodes)
        self.clock = JoinedClock(nodes)
        self.links = JoinedLinks(nodes, proxied)
        self.captures = JoinedCaptures(nodes)
        self.state = JoinedState(nodes, resets, self.faults, self.links)
        self.snapshots = JoinedSnapshots(nodes, self.state)
        self._keeps_journal = False
        self.rules = {**RULES, **self._own_rules()}

    async def node_started(self, node_id: int) -> None:
        """Give a node that has started, or goes on after a pause, what the others have: rules, clock, journal."""
        if self._keeps_journal:
            await self.nodes.ask(node_id, "PUT", "/v1/requests", {"is_on": True})
        await self.clock.node_started(node_id)
        await self.faults.node_started(node_id)
        await self.links.node_started(node_id)
        await self.captures.node_started(node_id)

    def _perform(
        self,
        route: Route,
        servers: Mapping[int, BrokerServer],  # noqa: ARG002 (as Application)
        path: Mapping[str, object],
        query: Mapping[str, object],
        body: object,
    ) -> Awaitable[object]:
        return self.rules[route.operation](JoinedCall(self.nodes, route, path, query, body, self._verbs))

    def _own_rules(self) -> dict[str, Rule]:
        """Those that need what is kept here."""
        faults, clock = self.faults, self.clock

        async def list_all(_call: JoinedCall) -> Plain:
            return {"faults": await faults.list_all()}

        async def get(call: JoinedCall) -> Plain:
            fault_id, hits = call.path["fault_id"], call.query.get("hits")
            if hits is None:
                return await faults.get(fault_id)
            return await faults.wait(fault_id, hits, call.query.get("timeout_ms", FAULT_WAIT_MS))

        async def clear(_call: JoinedCall) -> Plain:
            await faults.clear()
            return {"faults": []}

        async def near_misses(_call: JoinedCall) -> Plain:
            return {
                "near_misses": [
                    {"fault_id": rule["id"], "label": rule["label"], "requests": rule["near_misses"]}
                    for rule in await faults.list_all()
                    if not rule["hits"]
                ]
            }

        async def switch_requests(call: JoinedCall) -> Plain:
            self._keeps_journal = call.body["is_on"]
            return await joined_views.switch_requests(call)

        return {
            **self._state_rules(),
            "fault_resources:add": lambda call: faults.add(call.body),
            "fault_resources:list_all": list_all,
            "fault_resources:get": get,
            "fault_resources:remove": lambda call: faults.remove(call.path["fault_id"]),
            "fault_resources:clear": clear,
            "fault_resources:near_misses": near_misses,
            "change_resources:see_clock": lambda _call: clock.view(),
            "change_resources:advance": lambda call: clock.advance(call.body),
            "change_resources:freeze": lambda _call: clock.freeze(),
            "change_resources:resume": lambda _call: clock.resume(),
            "view_resources:switch_requests": switch_requests,
        }

    def _state_rules(self) -> dict[str, Rule]:
        """Those of resets, snapshots, captures and links."""
        links, kept = self.links, self.snapshots

        async def reset(call: JoinedCall) -> Plain:
            if others := set(call.body) - {"keep", "close_connections", "delete_data"}:
                raise ProblemError(400, "body", f"{', '.join(sorted(others))}: a part is for one node; leave it out")
            return await self.state.reset(**call.body)

        async def heal(call: JoinedCall) -> object:
            done = await on_all(call)
            links.forget()
            return done

        async def take(call: JoinedCall) -> Plain:
            if call.body:
                raise ProblemError(400, "body", "barrier: it is for one node; leave it out")
            return await kept.take()

        async def get_file(call: JoinedCall) -> Answer:
            return Answer(200, FileAt((await kept.get(call))["path"]))

        async def see_links(_call: JoinedCall) -> Plain:
            return links.view()

        return {
            "change_resources:reset": reset,
            "capture_resources:start": lambda call: self.captures.start(call.body),
            "capture_resources:list_all": lambda _call: self.captures.view(),
            "capture_resources:stop": lambda _call: self.captures.stop(),
            "snapshot_resources:take": take,
            "snapshot_resources:list_all": lambda _call: kept.list_all(),
            "snapshot_resources:get": kept.get,
            "snapshot_resources:get_file": get_file,
            "snapshot_resources:remove": kept.remove,
            "snapshot_resources:restore": kept.restore,
            "snapshot_uploads:put_file": kept.put_file,
            "machine_faults:see_links": see_links,
            "machine_faults:put_links": lambda call: links.put(call.body["links"]),
            "machine_faults:delete_links": lambda _call: links.put([]),
            "cluster_faults:heal": heal,
        }


def open_joined_api(
    application: JoinedApplication,
) -> tuple[Callable[[], asyncio.Protocol | None], Callable[[], None]]:
    """What `ControlListener` needs at the first connection."""
    return serve(application)


# By one node


async def by_any(call: JoinedCall) -> object:
    """The first node that answers."""
    return await call.nodes.ask_any(call.route.method, call.target, call.body)


async def by_the_broker(call: JoinedCall) -> object:
    """The node in the path."""
    return await call.nodes.ask(call.path["broker_id"], call.route.method, call.target, call.body)


async def metrics(call: JoinedCall) -> object:
    """GET /metrics: of one node, which the query names; series of several would have the same names and labels."""
    node_id = call.query.get("node_id")
    if node_id is None:
        known = ", ".join(map(str, call.nodes.ids))
        raise ProblemError(
            400, "parameters", f"several nodes answer here: ask for /metrics?node_id= with one of {known}"
        )
    return await call.nodes.ask(node_id, "GET", call.target)


# By all nodes


async def on_all(call: JoinedCall) -> object:
    """Tell all nodes; the first one's answer stands for all."""
    parts = await call.nodes.ask_all(call.route.method, call.target, call.body)
    return next(iter(parts.values()))


async def healthz(call: JoinedCall) -> Answer:
    """GET /healthz: of all nodes that should run; those that are not ready yet are not ill."""
    return await _health(call, "ailments", "healthy")


async def readyz(call: JoinedCall) -> Answer:
    """GET /readyz: of all nodes that should run."""
    return await _health(call, "missing", "ready", STARTING)


async def _health(call: JoinedCall, member: str, word: str, *starting: str) -> Answer:
    from kafkacompat.control_api.resources.health import answer_of

    async def lines(node_id: int) -> list[str]:
        try:
            answer = await call.nodes.ask(node_id, "GET", "/v1/nodes")
        except ProblemError as problem:  # it has just ended
            return [problem.detail]
        return answer["nodes"][0][member]  # type: ignore[no-any-return]

    ids = call.nodes.ids
    found = dict(zip(ids, await asyncio.gather(*map(lines, ids)), strict=True))
    found |= {node_id: [DEAD] if is_dead else list(starting) for node_id, is_dead in call.nodes.fallen().items()}
    return answer_of(found or {0: ["no node runs"]}, word)


async def cluster(call: JoinedCall) -> Plain:
    """GET /v1/cluster: as the node with the newest metadata sees it; ready if all nodes are."""
    parts = await call.nodes.ask_all("GET", call.target)
    newest = max(parts.values(), key=lambda part: int(part["metadata_offset"]))
    lacks = [f"node {node_id}: {line}" for node_id, part in parts.items() for line in part["missing"]]
    lacks += [f"node {node_id}: {DEAD if is_dead else STARTING}" for node_id, is_dead in call.nodes.fallen().items()]
    return {**newest, "ready": not lacks, "missing": lacks}


async def wait(call: JoinedCall) -> Plain:
    """POST /v1/wait: looks again every WAIT_POLL_S, as events of other processes wake nobody here."""
    from kafkacompat.control_api.resources import wait_resource as waits

    what, where, timeout_ms = waits.wanted_of(call.body)
    name = "topics" if what == waits.PARTITIONS else what
    rule = {
        waits.CLUSTER: cluster, "topics": joined_views.topics, waits.GROUPS: joined_views.groups,
        waits.TRANSACTIONS: joined_views.transactions,
    }  # fmt: skip
    query = waits.query_of(what, where)
    get = call._replace(route=call.route._replace(method="GET", path=f"/v1/{name}"), query=query)
    loop = asyncio.get_running_loop()
    deadline_s = loop.time() + timeout_ms / 1000
    while True:
        shown: Any = await rule.get(name, joined_views.lists)(get)
        items = waits.items_of(what, [shown] if what == waits.CLUSTER else shown[name])
        if (found := waits.found_of(what, where, items)) is not None:
            return found
        if loop.time() >= deadline_s:
            if not items and query:  # what came nearest is among those that the query left out
                shown = await rule.get(name, joined_views.lists)(get._replace(query={}))
                items = waits.items_of(what, shown[name])
            raise waits.ran_out(what, where, items, timeout_ms)
        await asyncio.sleep(WAIT_POLL_S)


# By the parent


async def index(call: JoinedCall) -> Plain:
    """GET /v1."""
    return describe(call.nodes.version, call.nodes.ids, has_verbs=call.verbs is not None)


async def document(call: JoinedCall) -> Plain:
    """GET /v1/openapi.json."""
    from kafkacompat.control_api.resources import openapi

    return openapi.document(Call({}, {}, {}, None, call.nodes.version))


RULES: dict[str, Rule] = {
    "health:healthz": healthz,
    "health:readyz": readyz,
    "metrics:metrics": metrics,
    "cluster_resources:index": index,
    "openapi:document": document,
    "cluster_resources:cluster": cluster,
    "node_resources:nodes": joined_views.lists,
    "cluster_resources:brokers": by_any,
    "cluster_resources:broker": by_any,
    "change_resources:see_advertised": by_the_broker,
    "change_resources:put_advertised": joined_moves.put_advertised,
    "view_resources:topics": joined_views.topics,
    "change_resources:create_topic": joined_moves.create_topic,
    "view_resources:topic": joined_views.topic,
    "change_resources:delete_topic": joined_moves.delete_topic,
    "view_resources:partition": joined_views.partition,
    "view_resources:records": joined_views.records,
    "record_writing:write_records": joined_moves.write_records,
    "view_resources:groups": joined_views.groups,
    "view_resources:group": joined_views.group,
    "view_resources:producers": joined_views.lists,
    "view_resources:transactions": joined_views.transactions,
    "view_resources:fetch_sessions": joined_views.lists,
    "view_resources:connections": joined_views.lists,
    "view_resources:requests": joined_views.requests,
    "wait_resource:wait": wait,
    "cluster_faults:move_leader": joined_moves.move_leader,
    "cluster_faults:move_coordinator": joined_moves.move_leader,
    "cluster_faults:move_controller": joined_moves.move_controller,
    "cluster_faults:change_isr": joined_moves.change_isr,
    "cluster_faults:see_lag": joined_views.lists,
    "cluster_faults:lag": joined_moves.lag,
    "cluster_faults:catch_up": joined_moves.catch_up,
    "cluster_faults:expire_session": joined_moves.expire_session,
    "machine_faults:put_disk": by_the_broker,
    "machine_faults:delete_disk": by_the_broker,
    "node_verbs:kill": node_verbs.kill,
    "node_verbs:stop": node_verbs.stop,
    "node_verbs:start": node_verbs.start,
    "node_verbs:restart": node_verbs.restart,
    "node_verbs:pause": node_verbs.pause,
    "node_verbs:resume": node_verbs.resume,
}
"""By the operation of each route; those of faults, the clock and the journal are `JoinedApplication`'s."""
