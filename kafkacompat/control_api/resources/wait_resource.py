"""`POST /v1/wait`: waits until something that the views show is as the caller says."""

from __future__ import annotations

import asyncio

from kafkacompat.control_api.http.problems import FieldError, ProblemError, alike
from kafkacompat.control_api.http.routes import WAITED_FOR
from kafkacompat.control_api.resources.cluster_resources import cluster
from kafkacompat.control_api.resources.view_resources import (
    connections,
    joined_groups,
    joined_topics,
    producers,
    transactions,
)
from kafkacompat.protocol.constants import UNKNOWN_OFFSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.control_api.http.calls import Call
    from kafkacompat.server.broker_server import BrokerServer

    Plain = dict[str, Any]

WAITS_MAX = 32
"""More waits at once are refused."""
FALLBACK_S = 0.1
"""Some of what can be waited for changes without an event of a broker, so it is looked at this often, too."""
SHARE = 4
"""All waits together look for at most a fifth of the time: after a look each rests so many times longer."""
REST_MAX_S = 1.0
WAIT_MAX_MS = 600_000
DEFAULT_TIMEOUT_MS = 10_000
SEEN_MAX = 5
"""So many of what came nearest are told when a wait runs out."""
CLUSTER, PARTITIONS, GROUPS, CONNECTIONS, PRODUCERS, TRANSACTIONS = WAITED_FOR

FIELDS: dict[str, tuple[str, ...]] = {
    CLUSTER: ("ready", "controller_id", "topic_count"),
    PARTITIONS: ("topic", "partition", "leader", "leader_epoch", "isr_count", "log_start_offset", "high_watermark"),
    GROUPS: ("group_id", "state", "generation", "member_count", "lag"),
    CONNECTIONS: ("client_id", "listener", "client_software_name", "broker"),
    PRODUCERS: ("topic", "partition", "producer_id", "epoch", "last_sequence"),
    TRANSACTIONS: ("transactional_id", "producer_id", "epoch", "state", "partition_count"),
}
"""What can be waited for, and the fields that `where` may name."""


async def wait(call: Call) -> Plain:
    """POST /v1/wait; 408 with what was seen after `timeout_ms`."""
    what, where, timeout_ms = wanted_of(call.body)
    if len(call.server.on_event) >= WAITS_MAX:
        raise ProblemError(
            429, "too-many-waits", f"{WAITS_MAX} waits are open already: end one, or try again later",
            headers=[("retry-after", "1")],
        )  # fmt: skip
    loop = asyncio.get_running_loop()
    deadline_s = loop.time() + timeout_ms / 1000
    with _Changes() as changes:
        while True:
            call = call.again()
            changes.listen(call.all_nodes)
            began_s = loop.time()
            items = await _items(call, what, where)
            found = found_of(what, where, items)
            if found is not None:
                return found
            looked_at_s = loop.time()
            if looked_at_s >= deadline_s:
                raise ran_out(what, where, items or await _items(call, what, {}), timeout_ms)
            rest_s = min((looked_at_s - began_s) * SHARE * changes.wait_count, REST_MAX_S)
            await asyncio.sleep(min(rest_s, deadline_s - looked_at_s))
            await changes.next(min(FALLBACK_S, deadline_s - loop.time()))


def wanted_of(body: Plain) -> tuple[str, Plain, int]:
    """(what, where, timeout_ms) of a body. Raises ProblemError for a field that is not there."""
    what, where = body["what"], body.get("where", {})
    errors = [
        FieldError(f"/where/{name}", f"{what} have no such field", alike(name, FIELDS[what]))
        for name in where
        if name not in FIELDS[what]
    ]
    if errors:
        raise ProblemError(400, "body", f"{errors[0].pointer}: {errors[0].message}", errors=errors)
    return what, where, body.get("timeout_ms", DEFAULT_TIMEOUT_MS)


def found_of(what: str, where: Plain, items: list[Plain]) -> Plain | None:
    """The answer, if something is as it should be."""
    found = [item for item in items if _matches(item, where)]
    return {"what": what, "found": found[:SEEN_MAX], "count": len(found)} if found else None


def ran_out(what: str, where: Plain, items: list[Plain], timeout_ms: int) -> ProblemError:
    """The problem of a wait that ran out, with what came nearest."""
    nearest = sorted(items, key=lambda item: -sum(_fits(item[name], where[name]) for name in where))
    return ProblemError(
        408, "time-out", f"nothing in {what} was as wanted within {timeout_ms} ms; `seen` came nearest",
        members={"seen": nearest[:SEEN_MAX]},
    )  # fmt: skip


class _Changes:
    """The events of the nodes that are listened to, until the end of the block."""

    def __init__(self) -> None:
        self._servers: list[BrokerServer] = []
        self._changed = asyncio.Event()
        self._on_event = self._changed.set

    def __enter__(self) -> _Changes:
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers:
            server.on_event.remove(self._on_event)

    @property
    def wait_count(self) -> int:
        """How many waits listen, this one among them."""
        return max(len(server.on_event) for server in self._servers)

    def listen(self, servers: list[BrokerServer]) -> None:
        """Listen to these, too. What happens from now on ends `next`."""
        self._changed.clear()
        for server in servers:
            if server not in self._servers:
                server.on_event.append(self._on_event)
                self._servers.append(server)

    async def next(self, timeout_s: float) -> None:
        """Wait for an event since `listen`, at most `timeout_s`."""
        try:
            async with asyncio.timeout(max(0, timeout_s)):
                await self._changed.wait()
        except TimeoutError:
            return


async def _items(call: Call, what: str, where: Plain) -> list[Plain]:
    if what == CLUSTER:
        shown = [cluster(call)]
    elif what == PARTITIONS:
        shown = await joined_topics(call, _named(where, "topic"))
    elif what == GROUPS:
        shown = await joined_groups(call, _named(where, "group_id"))
    else:
        views = {CONNECTIONS: connections, PRODUCERS: producers, TRANSACTIONS: transactions}
        shown = (await views[what](call._replace(query=query_of(what, where))))[what]
    return items_of(what, shown)


def query_of(what: str, where: Plain) -> Plain:
    """The query by which a view shows only what can fit, if there may be more of them than it shows at once."""
    chosen = {
        TRANSACTIONS: ("transactional_id", "producer_id", "state"), PRODUCERS: ("topic", "partition", "producer_id"),
    }.get(what, ())  # fmt: skip
    kinds = {"producer_id": int, "partition": int}
    return {name: where[name] for name in chosen if type(where.get(name)) is kinds.get(name, str)}


def items_of(what: str, shown: list[Plain]) -> list[Plain]:
    """What `where` may name, from what the views show: for partitions, topics."""
    if what == PARTITIONS:
        return [
            {
                "topic": topic["name"], "partition": each["partition"], "leader": each["leader"],
                "leader_epoch": each["leader_epoch"], "isr_count": len(each["isr"]),
                "log_start_offset": each["logs"][0]["log_start_offset"] if each["logs"] else UNKNOWN_OFFSET,
                "high_watermark": each["logs"][0]["high_watermark"] if each["logs"] else UNKNOWN_OFFSET,
            }
            for topic in shown
            for each in topic["partitions"]
        ]  # fmt: skip
    if what == GROUPS:
        return [
            {
                "group_id": group["group_id"], "state": group["state"], "generation": group["generation"],
                "member_count": len(group["members"]), "lag": sum(each["lag"] or 0 for each in group["offsets"]),
            }
            for group in shown
        ]  # fmt: skip
    return [{name: item[name] for name in FIELDS[what]} for item in shown]


def _named(where: Plain, field: str) -> list[str] | None:
    """The only name that can fit; None if there is none such. A short look at few things is one that is repeated."""
    name = where.get(field)
    return [name] if isinstance(name, str) else None


def _matches(item: Plain, where: Plain) -> bool:
    return all(_fits(item[name], wanted) for name, wanted in where.items())


def _fits(value: Any, wanted: object) -> bool:
    if not isinstance(wanted, dict):
        return bool(value == wanted)
    if not isinstance(value, int):
        return False
    return bool(wanted.get("min", value) <= value <= wanted.get("max", value))
