"""`POST /v1/wait`: waits until something that the views show is as the caller says."""

from __future__ import annotations

import asyncio

from kafkacompat.control_api.health import missing
from kafkacompat.control_api.problems import FieldError, ProblemError, alike
from kafkacompat.control_api.view_resources import connections, joined_groups, joined_topics, producers
from kafkacompat.protocol.constants import UNKNOWN_OFFSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.control_api.calls import Call

    Plain = dict[str, Any]

POLL_S = 0.01
WAIT_MAX_MS = 600_000
DEFAULT_TIMEOUT_MS = 10_000
SEEN_MAX = 5
"""So many of what came nearest are told when a wait runs out."""
CLUSTER, PARTITIONS, GROUPS, CONNECTIONS, PRODUCERS = "cluster", "partitions", "groups", "connections", "producers"

FIELDS: dict[str, tuple[str, ...]] = {
    CLUSTER: ("ready", "controller_id", "topic_count"),
    PARTITIONS: ("topic", "partition", "leader", "leader_epoch", "isr_count", "log_start_offset", "high_watermark"),
    GROUPS: ("group_id", "state", "generation", "member_count", "lag"),
    CONNECTIONS: ("client_id", "listener", "client_software_name", "broker"),
    PRODUCERS: ("topic", "partition", "producer_id", "epoch", "last_sequence"),
}
"""What can be waited for, and the fields that `where` may name."""


async def wait(call: Call) -> Plain:
    """POST /v1/wait; 408 with what was seen after `timeout_ms`."""
    what, where = call.body["what"], call.body.get("where", {})
    timeout_ms = call.body.get("timeout_ms", DEFAULT_TIMEOUT_MS)
    errors = [
        FieldError(f"/where/{name}", f"{what} have no such field", alike(name, FIELDS[what]))
        for name in where
        if name not in FIELDS[what]
    ]
    if errors:
        raise ProblemError(400, "body", f"{errors[0].pointer}: {errors[0].message}", errors=errors)
    loop = asyncio.get_running_loop()
    deadline_s = loop.time() + timeout_ms / 1000
    while True:
        items = await _items(call, what)
        found = [item for item in items if _matches(item, where)]
        if found:
            return {"what": what, "found": found[:SEEN_MAX], "count": len(found)}
        if loop.time() >= deadline_s:
            nearest = sorted(items, key=lambda item: -sum(_fits(item[name], where[name]) for name in where))
            raise ProblemError(
                408, "time-out", f"nothing in {what} was as wanted within {timeout_ms} ms; `seen` came nearest",
                members={"seen": nearest[:SEEN_MAX]},
            )  # fmt: skip
        await asyncio.sleep(POLL_S)


async def _items(call: Call, what: str) -> list[Plain]:
    if what == CLUSTER:
        server = call.server
        is_ready = not any(missing(each) for each in call.servers.values())
        return [
            {
                "ready": is_ready, "controller_id": server.view.quorum.leader_id,
                "topic_count": len(server.broker.image.topics),
            }
        ]  # fmt: skip
    if what == PARTITIONS:
        return [
            {
                "topic": topic["name"], "partition": each["partition"], "leader": each["leader"],
                "leader_epoch": each["leader_epoch"], "isr_count": len(each["isr"]),
                "log_start_offset": each["logs"][0]["log_start_offset"] if each["logs"] else UNKNOWN_OFFSET,
                "high_watermark": each["logs"][0]["high_watermark"] if each["logs"] else UNKNOWN_OFFSET,
            }
            for topic in await joined_topics(call._replace(query={}))
            for each in topic["partitions"]
        ]  # fmt: skip
    if what == GROUPS:
        return [
            {
                "group_id": group["group_id"], "state": group["state"], "generation": group["generation"],
                "member_count": len(group["members"]), "lag": sum(each["lag"] or 0 for each in group["offsets"]),
            }
            for group in await joined_groups(call._replace(query={}))
        ]  # fmt: skip
    view = {CONNECTIONS: connections, PRODUCERS: producers}[what]
    found: list[Plain] = (await view(call._replace(query={})))[what]
    return [{name: item[name] for name in FIELDS[what]} for item in found]


def _matches(item: Plain, where: Plain) -> bool:
    return all(_fits(item[name], wanted) for name, wanted in where.items())


def _fits(value: Any, wanted: object) -> bool:
    if not isinstance(wanted, dict):
        return bool(value == wanted)
    if not isinstance(value, int):
        return False
    return bool(wanted.get("min", value) <= value <= wanted.get("max", value))
