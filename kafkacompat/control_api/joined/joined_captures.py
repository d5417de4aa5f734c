"""The capture of nodes in several processes: a file of each node, and another one when it is started again."""

from __future__ import annotations

import asyncio

from kafkacompat.control_api.http.problems import ProblemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.control_api.joined.joined_nodes import JoinedNodes

    Plain = dict[str, Any]

CAPTURES = "/v1/captures"


class JoinedCaptures:
    """The capture that was started here. files: what is known of each of its files, by path."""

    def __init__(self, nodes: JoinedNodes) -> None:
        self._nodes = nodes
        self._body: Plain | None = None
        self._changing = asyncio.Lock()
        self.files: dict[str, Plain] = {}

    async def start(self, body: Plain) -> Plain:
        """`POST /v1/captures` at all nodes. Raises ProblemError, also while one of them has a capture."""
        async with self._changing:
            if running := (await self._ask("GET"))["captures"]:
                detail = f"a capture into {running[0]['path']} is running: DELETE /v1/captures ends it"
                raise ProblemError(409, "state", detail)
            self.files.clear()
            try:
                done = await self._ask("POST", body)
            except BaseException:
                await self._ask("DELETE")
                raise
            self._body = body
        return done

    async def view(self) -> Plain:
        """`GET /v1/captures`."""
        return await self._ask("GET")

    async def stop(self) -> Plain:
        """`DELETE /v1/captures` at all nodes."""
        async with self._changing:
            self._body = None
            return await self._ask("DELETE")

    async def node_started(self, node_id: int) -> None:
        """A node that was started again gets a further file."""
        async with self._changing:
            if self._body is None or (await self._nodes.ask(node_id, "GET", CAPTURES))["captures"]:
                return
            self._seen(await self._nodes.ask(node_id, "POST", CAPTURES, self._body))

    async def _ask(self, method: str, body: Plain | None = None) -> Plain:
        parts = await self._nodes.ask_all(method, CAPTURES, body)
        found = {"captures": [each for part in parts.values() for each in part["captures"]]}
        self._seen(found)
        return found

    def _seen(self, answer: Plain) -> None:
        self.files.update({each["path"]: each for each in answer["captures"]})
