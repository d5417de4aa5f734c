"""The clock of nodes in several processes: all of them move alike."""

from __future__ import annotations

import asyncio

from kafkacompat.control_api.clock import ADVANCE_TIMEOUT_S
from kafkacompat.control_api.joined.joined_nodes import ASK_TIMEOUT_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.control_api.joined.joined_nodes import JoinedNodes

    Plain = dict[str, Any]

CLOCK = "/v1/clock"
MOVE_TIMEOUT_S = ADVANCE_TIMEOUT_S + ASK_TIMEOUT_S
"""Longer than a node takes at most, so that it ends its step itself: the next one would run beside it."""


class JoinedClock:
    """The wall clock of all nodes, and the clock of their clients' timers."""

    def __init__(self, nodes: JoinedNodes) -> None:
        self._nodes = nodes
        self._changing = asyncio.Lock()

    async def view(self) -> Plain:
        """The clock of the first node, which is that of all."""
        view: Plain = await self._nodes.ask_any("GET", CLOCK)
        return view

    async def advance(self, body: Plain) -> Plain:
        """Move all clocks by the same time. What became due is told node by node."""
        async with self._changing:
            parts = await self._nodes.ask_all("POST", f"{CLOCK}/advance", body, timeout_s=MOVE_TIMEOUT_S)
        return {
            "wall_ms": max(part["wall_ms"] for part in parts.values()),
            "fired": [line for part in parts.values() for line in part["fired"]],
        }

    async def freeze(self) -> Plain:
        """Stop all clocks, at the same time."""
        async with self._changing:
            await self._nodes.ask_all("POST", f"{CLOCK}/freeze")
            await self._level("wall_ms")
        return await self.view()

    async def resume(self) -> Plain:
        """Let all clocks go on, equally far from the system's."""
        async with self._changing:
            await self._nodes.ask_all("POST", f"{CLOCK}/resume")
            await self._level("offset_ms")
        return await self.view()

    async def node_started(self, node_id: int) -> None:
        """Give a node that has started the time of the others. Clients' timers on it begin anew."""
        async with self._changing:
            others = [each for each in self._nodes.ids if each != node_id]
            if not others:
                return
            known = await self._nodes.ask(others[0], "GET", CLOCK)
            if known["is_frozen"]:
                await self._nodes.ask(node_id, "POST", f"{CLOCK}/freeze")
            own = await self._nodes.ask(node_id, "GET", CLOCK)
            by = "wall_ms" if known["is_frozen"] else "offset_ms"
            await self._move(node_id, known[by] - own[by])

    async def _level(self, by: str) -> None:
        views = await self._nodes.ask_all("GET", CLOCK)
        latest = max(view[by] for view in views.values())
        for node_id, view in views.items():
            await self._move(node_id, latest - view[by])

    async def _move(self, node_id: int, ms: int) -> None:
        """Move one clock forward; a clock that is ahead stays."""
        if ms > 0:
            body = {"ms": ms, "sessions": False}
            await self._nodes.ask(node_id, "POST", f"{CLOCK}/advance", body, timeout_s=MOVE_TIMEOUT_S)
