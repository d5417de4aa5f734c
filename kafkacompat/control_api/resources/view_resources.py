"""What nodes show: `/v1/topics`, `/v1/groups`, `/v1/producers`, `/v1/connections` and more, joined over all nodes."""

from __future__ import annotations

from kafkacompat.control_api.http.problems import ProblemError, alike
from kafkacompat.control_api.views import views
from kafkacompat.control_api.views.of_all_brokers import ends_of, join_groups, join_topics
from kafkacompat.control_api.views.request_views import switch_journal
from kafkacompat.control_api.views.topic_views import PRODUCERS_MAX
from kafkacompat.control_api.views.transaction_views import PAGE_MAX, join_transactions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from kafkacompat.control_api.http.calls import Call
    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.steps import Steps

    Plain = dict[str, Any]

REQUESTS_MAX = 256
"""As many as a journal keeps."""


async def topics(call: Call) -> Plain:
    """GET /v1/topics."""
    return {"topics": await joined_topics(call)}


async def topic(call: Call) -> Plain:
    """GET /v1/topics/{topic}."""
    name = call.path["topic"]
    for found in await joined_topics(call, [name]):
        return found
    known = sorted(call.server.broker.image.topics)
    guess = alike(name, known)
    hint = f"did you mean {guess!r}?" if guess else "GET /v1/topics lists those that exist"
    raise ProblemError(404, "no-topic", f"there is no topic {name!r:.300}: {hint}")


async def partition(call: Call) -> Plain:
    """GET /v1/topics/{topic}/partitions/{partition}."""
    return found_partition(await topic(call), call.path["partition"])


def found_partition(found: Plain, index: int) -> Plain:
    """A partition of a topic, with the topic's name. Raises ProblemError if it has none with this number."""
    partitions: list[Plain] = found["partitions"]
    if index >= len(partitions):
        count = len(partitions)
        raise ProblemError(
            404, "no-partition", f"topic {found['name']!r} has {count} partitions, so there is no {index}"
        )
    return {"topic": found["name"], **partitions[index]}


async def records(call: Call) -> Plain:
    """GET /v1/topics/{topic}/partitions/{partition}/records, from the leader if it is here."""
    found, name, index = await partition(call), call.path["topic"], call.path["partition"]
    on = [log["broker"] for log in found["logs"]]
    if not on:
        raise ProblemError(
            404, "no-replica", f"no node here has a replica of {name}-{index}: ask one of {found['replicas']}"
        )
    server = call.servers[on[0]]
    return await views.in_turns(
        views.records(server, name, index, from_offset=call.query.get("from"), limit=call.query.get("limit", 100))
    )


async def groups(call: Call) -> Plain:
    """GET /v1/groups."""
    return {"groups": await joined_groups(call)}


async def group(call: Call) -> Plain:
    """GET /v1/groups/{group_id}."""
    group_id = call.path["group_id"]
    return found_group(await joined_groups(call, [group_id]), group_id)


def found_group(groups: list[Plain], group_id: str) -> Plain:
    """The group with this id. Raises ProblemError if there is none."""
    for found in groups:
        if found["group_id"] == group_id:
            return found
    raise ProblemError(
        404, "no-group", f"there is no group {group_id!r:.300} here: GET /v1/groups lists those that are"
    )


async def producers(call: Call) -> Plain:
    """GET /v1/producers."""
    limit = call.query.get("limit", PRODUCERS_MAX)
    chosen = {name: value for name, value in call.query.items() if name != "limit"}
    found = await _of_all(call, lambda server: views.producers(server, **chosen, limit=limit))
    return {"producers": found[:limit]}


async def transactions(call: Call) -> Plain:
    """GET /v1/transactions."""
    chosen: Plain = dict(call.query)
    parts = [await views.in_turns(views.transactions(server, **chosen)) for server in call.all_nodes]
    return join_transactions(parts, chosen.get("limit", PAGE_MAX))


async def fetch_sessions(call: Call) -> Plain:
    """GET /v1/fetch_sessions."""
    return {"fetch_sessions": await _of_all(call, views.fetch_sessions)}


async def connections(call: Call) -> Plain:
    """GET /v1/connections."""
    return {"connections": await _of_all(call, views.connections)}


async def requests(call: Call) -> Plain:
    """GET /v1/requests."""
    limit = call.query.get("limit", REQUESTS_MAX)
    parts = [await views.in_turns(views.requests(server, limit=limit)) for server in call.all_nodes]
    found = sorted((each for part in parts for each in part["requests"]), key=lambda each: each["at_ms"])
    return {
        "is_on": any(part["is_on"] for part in parts), "count": sum(part["count"] for part in parts),
        "requests": found[-limit:] if limit else [],
    }  # fmt: skip


async def switch_requests(call: Call) -> Plain:
    """PUT /v1/requests: switch the journal on or off."""
    for server in call.servers.values():
        switch_journal(server, on=call.body["is_on"])
    return await requests(call)


async def joined_topics(call: Call, names: list[str] | None = None) -> list[Plain]:
    """The topics with the replicas of all nodes here."""
    with_configs = call.query.get("configs") == "all"
    return join_topics(
        [await views.in_turns(views.topics(server, names, all_configs=with_configs)) for server in call.all_nodes]
    )


async def joined_groups(call: Call, group_ids: list[str] | None = None) -> list[Plain]:
    """The groups of all coordinators here."""
    parts = [await views.in_turns(views.groups(server, group_ids)) for server in call.all_nodes]
    if len(call.servers) == 1:
        return join_groups(parts, {})
    names = sorted({offset["topic"] for part in parts for group in part for offset in group["offsets"]})
    return join_groups(parts, ends_of(await joined_topics(call._replace(query={}), names)))


async def _of_all(call: Call, view: Callable[[BrokerServer], Steps[list[Plain]]]) -> list[Plain]:
    return [each for server in call.all_nodes for each in await views.in_turns(view(server))]
