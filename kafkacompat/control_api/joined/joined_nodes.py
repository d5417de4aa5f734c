"""The nodes of a cluster, each in a process of its own, behind one control API: they are asked over HTTP."""

from __future__ import annotations

import asyncio
from typing import NamedTuple
from urllib.parse import quote, urlencode

from kafkacompat.control_api.http.problems import URN, FieldError, ProblemError
from kafkacompat.control_api.joined.node_client import NodeClient, NodeGoneError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from kafkacompat.control_api.http.calls import NodeVerbs
    from kafkacompat.control_api.http.routes import Route
    from kafkacompat.control_api.joined.node_client import Answered

    Plain = dict[str, Any]

ASK_TIMEOUT_S = 60.0
"""How long a node may take to answer what does not wait."""
FOLLOW_TIMEOUT_S = 10.0
"""How long nodes may take to apply a change of the metadata."""
POLL_S = 0.01


class JoinedNodes:
    """The nodes that answer.

    urls: returns the control URL of each node that runs and is not paused, by its id. fallen: returns the ids of those
    that should serve and do not, with whether they have died; others are not ready yet.
    """

    def __init__(
        self, urls: Callable[[], Mapping[int, str]], fallen: Callable[[], Mapping[int, bool]] = dict, version: str = ""
    ) -> None:
        self._urls = urls
        self._clients: dict[str, NodeClient] = {}
        self.fallen = fallen
        self.version = version

    @property
    def ids(self) -> list[int]:
        """The nodes that answer, by id."""
        return sorted(self._urls())

    def close(self) -> None:
        """Close all connections."""
        for client in self._clients.values():
            client.close()
        self._clients.clear()

    def check(self, node_id: int) -> str:
        """The control URL of a node that runs. Raises ProblemError if it does not."""
        urls = self._urls()
        if node_id not in urls:
            known = ", ".join(map(str, sorted(urls))) or "none"
            raise ProblemError(404, "no-node", f"node {node_id} does not run, or is paused: these do: {known}")
        return urls[node_id]

    async def answer(
        self, node_id: int, method: str, target: str, body: object = None, *, timeout_s: float = ASK_TIMEOUT_S
    ) -> Answered:
        """The response of one node, whatever its status. Raises ProblemError if it does not answer."""
        try:
            return await self._client(self.check(node_id)).send(method, target, body, timeout_s=timeout_s)
        except NodeGoneError as error:
            raise ProblemError(503, "node-gone", f"node {node_id} does not answer: {error}") from None

    async def ask(
        self, node_id: int, method: str, target: str, body: object = None, *, timeout_s: float = ASK_TIMEOUT_S
    ) -> Any:
        """What one node answers. Raises its problem as ProblemError."""
        answered = await self.answer(node_id, method, target, body, timeout_s=timeout_s)
        if answered.status >= 400:
            raise _problem(answered)
        return answered.value

    async def ask_any(self, method: str, target: str, body: object = None) -> Any:
        """What the first node that answers says. Raises ProblemError."""
        return await self.ask(self.first, method, target, body)

    @property
    def first(self) -> int:
        """The first node. Raises ProblemError if none runs."""
        for node_id in self.ids:
            return node_id
        raise ProblemError(503, "no-node", "no node runs: start one")

    async def ask_all(
        self,
        method: str,
        target: str,
        body: object = None,
        *,
        or_404: bool = False,
        timeout_s: float = ASK_TIMEOUT_S,
    ) -> dict[int, Any]:
        """What each node answers, by id. A node that ends meanwhile is left out.

        or_404: nodes that answer 404 are left out, unless all do. Raises the first problem as ProblemError.
        """
        ids = self.ids
        if not ids:
            raise ProblemError(503, "no-node", "no node runs: start one")
        results = await asyncio.gather(
            *(self.ask(node_id, method, target, body, timeout_s=timeout_s) for node_id in ids), return_exceptions=True
        )
        found: dict[int, Any] = {}
        left_out: list[ProblemError] = []
        for node_id, result in zip(ids, results, strict=True):
            if isinstance(result, ProblemError):
                if node_id in self.ids and not (or_404 and result.status == 404):
                    raise result
                left_out.append(result)
            elif isinstance(result, BaseException):
                raise result
            else:
                found[node_id] = result
        if not found and left_out:
            raise left_out[0]
        return found

    # What nodes know

    async def states(self) -> dict[int, Plain]:
        """`GET /v1/nodes` of each node, by id."""
        return {node_id: answer["nodes"][0] for node_id, answer in (await self.ask_all("GET", "/v1/nodes")).items()}

    async def active_controller(self) -> int:
        """The active controller, once there is one. Raises ProblemError after FOLLOW_TIMEOUT_S."""
        found: list[int] = []

        async def is_there() -> bool:
            found[:] = [node_id for node_id, state in (await self.states()).items() if state["is_active_controller"]]
            return bool(found)

        await self.until(is_there, "no controller is active")
        return found[0]

    async def follow(self, node_id: int) -> None:
        """Wait until all nodes have applied the metadata that this one has. Raises ProblemError."""
        offset = (await self.states())[node_id]["metadata_offset"]
        behind: list[int] = []

        async def has_followed() -> bool:
            behind[:] = [
                each
                for each, state in (await self.states()).items()
                if state["metadata_offset"] < offset or not state["is_applied"]
            ]
            return not behind

        try:
            await self.until(has_followed, "")
        except ProblemError:
            ids = ", ".join(map(str, behind))
            raise time_out(f"the change is made, but node {ids} has not applied it", FOLLOW_TIMEOUT_S) from None

    async def until(self, is_done: Callable[[], Any], what: str, timeout_s: float = FOLLOW_TIMEOUT_S) -> None:
        """Wait for a condition (a coroutine function). Raises ProblemError with `what` after the time-out."""
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + timeout_s
        while not await is_done():
            if loop.time() > deadline_s:
                raise time_out(what, timeout_s)
            await asyncio.sleep(POLL_S)

    def _client(self, url: str) -> NodeClient:
        client = self._clients.get(url)
        if client is None:
            for gone in set(self._clients) - set(self._urls().values()):
                self._clients.pop(gone).close()
            client = self._clients[url] = NodeClient(url)
        return client


class JoinedCall(NamedTuple):
    """A call of a route that several nodes answer together. path, query, body: as those of `calls.Call`."""

    nodes: JoinedNodes
    route: Route
    path: Mapping[str, Any]
    query: Mapping[str, Any]
    body: Any = None
    verbs: NodeVerbs | None = None

    @property
    def target(self) -> str:
        """The target of the same request at a node."""
        return target_of(self.route.path, self.path, self.query)


def target_of(path: str, names: Mapping[str, object], query: Mapping[str, object]) -> str:
    """The target of a request, from a route's path, the parameters in it, and those of the query."""
    parts = [quote(str(names[part[1:-1]]), safe="") if part.startswith("{") else part for part in path.split("/")]
    texts = {name: str(value).lower() if isinstance(value, bool) else value for name, value in query.items()}
    return "/".join(parts) + (f"?{urlencode(texts)}" if texts else "")


def time_out(what: str, timeout_s: float) -> ProblemError:
    """The problem of a wait that ran out."""
    advice = "see the log, and whether a majority of the controllers runs"
    return ProblemError(408, "time-out", f"{what} within {timeout_s:g} s: {advice}")


def _problem(answered: Answered) -> ProblemError:
    """The problem that a node answered."""
    body: Plain = answered.value if isinstance(answered.value, dict) else {}
    errors = [FieldError(each["pointer"], each["message"], each.get("did_you_mean")) for each in body.get("errors", ())]
    own = {"type", "title", "status", "detail", "errors"}
    return ProblemError(
        answered.status, str(body.get("type", "")).removeprefix(URN) or "node", str(body.get("detail", answered.value)),
        errors=errors, members={name: value for name, value in body.items() if name not in own},
    )  # fmt: skip
