"""The faults of links of nodes in several processes: kept here, for Python and HTTP alike."""

from __future__ import annotations

import asyncio

from kafkacompat.control_api.faults.node_links import plain, with_proxied

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from kafkacompat.control_api.faults.node_links import Faults
    from kafkacompat.control_api.joined.joined_nodes import JoinedNodes

    Plain = dict[str, Any]

LINKS = "/v1/links"


class JoinedLinks:
    """The links that are cut (None) or slow (so many ms), by sender and receiver: node ids and "clients".

    proxied: returns the faults that proxies in front of the nodes make; they are shown, and changed elsewhere.
    """

    def __init__(self, nodes: JoinedNodes, proxied: Callable[[], Faults] = dict) -> None:
        self._nodes = nodes
        self._proxied = proxied
        self._faults: Faults = {}
        self._urls: dict[int, str] = {}  # of the nodes that have them: a node that was started again has another
        self._changing = asyncio.Lock()

    def view(self) -> Plain:
        """`GET /v1/links`."""
        return {"links": plain(with_proxied(self._faults, self._proxied()))}

    async def put(self, links: list[Plain]) -> Plain:
        """Have these faults and no others. Raises ProblemError; then the former ones stay."""
        async with self._changing:
            return await self._put(links)

    async def add(self, faults: Mapping[tuple[int | str, int | str], int | None]) -> Plain:
        """Add faults; a link that has one already gets this one. Raises ProblemError."""
        async with self._changing:
            return await self._put(plain({**self._faults, **faults}))

    async def heal(self, node_id: int | None = None) -> None:
        """End the faults of a node's links, or all."""
        async with self._changing:
            left = {pair: delay for pair, delay in self._faults.items() if node_id is not None and node_id not in pair}
            if left != self._faults:
                await self._put(plain(left))

    def forget(self) -> None:
        """The nodes have ended all faults."""
        self._faults.clear()

    async def node_started(self, node_id: int) -> None:
        """A node that was started again has sound links; one that goes on after a pause gets what it has missed."""
        url = self._nodes.check(node_id)
        if self._urls.setdefault(node_id, url) != url:
            self._urls[node_id] = url
            await self.heal(node_id)
        elif self._faults:
            async with self._changing:
                await self._put(plain(self._faults))

    async def _put(self, links: list[Plain]) -> Plain:
        if not self._nodes.ids and not links:
            self._faults.clear()
            return {"links": []}
        for node_id in self._nodes.ids:
            self._urls.setdefault(node_id, self._nodes.check(node_id))
        parts = await self._nodes.ask_all("PUT", LINKS, {"links": links})
        done: Plain = next(iter(parts.values()))
        self._faults = {(link["from"], link["to"]): link.get("delay_ms") for link in done["links"]}
        return done
