"""What nodes in several processes show, joined."""

from __future__ import annotations

from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.control_api.resources.view_resources import REQUESTS_MAX, found_group, found_partition
from kafkacompat.control_api.views.of_all_brokers import ends_of, join_groups, join_topics
from kafkacompat.control_api.views.transaction_views import PAGE_MAX, join_transactions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.control_api.joined.joined_nodes import JoinedCall, JoinedNodes

    Plain = dict[str, Any]

LISTS = ("nodes", "producers", "fetch_sessions", "connections", "lagging")
"""Resources whose answers are lists of this name, which are put together."""


async def topics(call: JoinedCall) -> Plain:
    """GET /v1/topics."""
    return {"topics": await _topics(call.nodes, call.target)}


async def topic(call: JoinedCall) -> Plain:
    """GET /v1/topics/{topic}."""
    parts = await call.nodes.ask_all("GET", call.target, or_404=True)
    (joined,) = join_topics([[part] for part in parts.values()])
    return joined


async def partition(call: JoinedCall) -> Plain:
    """GET /v1/topics/{topic}/partitions/{partition}."""
    whole = await topic(call._replace(route=call.route._replace(path="/v1/topics/{topic}"), query={}))
    return found_partition(whole, call.path["partition"])


async def records(call: JoinedCall) -> Plain:
    """GET /v1/topics/{topic}/partitions/{partition}/records: from the leader, or from another replica if it is gone."""
    found = await partition(call)
    on = [log["broker"] for log in found["logs"]]
    if not on:
        raise ProblemError(
            404, "no-replica", f"no replica of {found['topic']}-{found['partition']} runs: start {found['replicas']}"
        )
    page: Plain = await call.nodes.ask(on[0], "GET", call.target)
    return page


async def groups(call: JoinedCall) -> Plain:
    """GET /v1/groups."""
    return {"groups": await _groups(call.nodes)}


async def group(call: JoinedCall) -> Plain:
    """GET /v1/groups/{group_id}."""
    return found_group(await _groups(call.nodes), call.path["group_id"])


async def lists(call: JoinedCall) -> Plain:
    """A resource that is one list: those of all nodes, one after the other."""
    parts = await call.nodes.ask_all("GET", call.target)
    limit = call.query.get("limit")
    names = [name for name in LISTS if all(name in part for part in parts.values())]
    return {name: [each for part in parts.values() for each in part[name]][:limit] for name in names}


async def transactions(call: JoinedCall) -> Plain:
    """GET /v1/transactions."""
    parts = await call.nodes.ask_all("GET", call.target)
    return join_transactions(list(parts.values()), call.query.get("limit", PAGE_MAX))


async def requests(call: JoinedCall) -> Plain:
    """GET /v1/requests."""
    return _join_requests(await call.nodes.ask_all("GET", call.target), call.query.get("limit", REQUESTS_MAX))


async def switch_requests(call: JoinedCall) -> Plain:
    """PUT /v1/requests."""
    return _join_requests(await call.nodes.ask_all("PUT", call.target, call.body), REQUESTS_MAX)


def _join_requests(parts: dict[int, Plain], limit: int) -> Plain:
    found = sorted((each for part in parts.values() for each in part["requests"]), key=lambda each: each["at_ms"])
    return {
        "is_on": any(part["is_on"] for part in parts.values()), "count": sum(part["count"] for part in parts.values()),
        "requests": found[-limit:] if limit else [],
    }  # fmt: skip


async def _topics(nodes: JoinedNodes, target: str = "/v1/topics") -> list[Plain]:
    return join_topics([part["topics"] for part in (await nodes.ask_all("GET", target)).values()])


async def _groups(nodes: JoinedNodes) -> list[Plain]:
    parts = [part["groups"] for part in (await nodes.ask_all("GET", "/v1/groups")).values()]
    return join_groups(parts, ends_of(await _topics(nodes)))
