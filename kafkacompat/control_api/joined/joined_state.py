"""The reset of nodes in several processes: they carry it out part by part, see `reset_parts.py`.

A reset that fails half way has taken the data of some nodes and not of others. Then no node is left: `Resets.give_up`.
"""

from __future__ import annotations

import asyncio
import logging

from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.control_api.resources.reset_parts import DROP, LOOK, RENEW, SERVE
from kafkacompat.control_api.state import TOPICS, check_keep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any, Protocol

    from kafkacompat.control_api.joined.joined_faults import JoinedFaults
    from kafkacompat.control_api.joined.joined_links import JoinedLinks
    from kafkacompat.control_api.joined.joined_nodes import JoinedNodes
    from kafkacompat.server.filling import Fill
    from kafkacompat.server.seed import NewTopic

    Plain = dict[str, Any]

    class Resets(Protocol):
        """What a reset takes of whoever has started the nodes. Each raises KafkaCompatError; all may block."""

        @property
        def cluster_id(self) -> str:
            """It stays."""

        @property
        def roles(self) -> dict[int, list[str]]:
            """The sorted roles of all nodes that belong to the cluster by now, by id."""

        def check(self, *, delete_data: bool) -> None:
            """Refuse to delete data of the user's."""

        def begin(self, node_ids: Collection[int], snapshot: str | None) -> Fill:
            """Check whether these are all nodes, and open the snapshot to which they go back: None for that of the
            start, if there was one.
            """

        def starts_from_snapshot(self) -> bool:
            """Whether the start was from a snapshot."""

        def has_begun(self, snapshot: str | None) -> None:
            """From here on the directories do not fit each other; that survives this process."""

        def has_ended(self) -> None:
            """They do again."""

        def needs_snapshot(self) -> bool:
            """Whether the way back to a snapshot has failed half way, so that nothing else is left of the data."""

        def write_seed(self, topics: Mapping[str, NewTopic], *, with_start: bool) -> None:
            """Create these topics, and with `with_start` the topics and records of the start."""

        def give_up(self) -> None:
            """End all nodes at once."""


log = logging.getLogger(__name__)

RESET = "/v1/reset"
PART_TIMEOUT_S = 60.0
"""How long a node may take for a part: the second one ends with an election and its registration."""


class JoinedState:
    """The state of all nodes as a whole. resets: of whoever has started them; None if nobody can fill directories."""

    def __init__(self, nodes: JoinedNodes, resets: Resets | None, faults: JoinedFaults, links: JoinedLinks) -> None:
        self._nodes = nodes
        self._resets = resets
        self._faults = faults
        self._links = links
        self.changing = asyncio.Lock()
        """Held during a reset, and by whoever needs that there is none."""

    def resets(self) -> Resets:
        """What a reset takes of whoever has started the nodes. Raises ProblemError if that is nobody here."""
        if self._resets is None:
            raise ProblemError(409, "state", "nobody here can fill the directories of these nodes: stop them, and start"
                                             " others")  # fmt: skip
        return self._resets

    def needs_snapshot(self) -> bool:
        """Whether nothing but a snapshot is left of the data."""
        return self._resets is not None and self._resets.needs_snapshot()

    async def reset(
        self,
        *,
        keep: Collection[str] = (),
        close_connections: bool = False,
        delete_data: bool = False,
        topics: Mapping[str, NewTopic] | None = None,
        snapshot: str | None = None,
    ) -> Plain:
        """As `state.reset`. snapshot: the path of one to which the nodes go back. Goes on to its end if its caller is
        cancelled. Raises ProblemError and KafkaCompatError.
        """
        check_keep(keep)
        resets = self.resets()
        how = {"keep": list(keep), "close_connections": close_connections, "delete_data": delete_data}
        return await asyncio.shield(asyncio.ensure_future(self._one_at_a_time(resets, how, topics or {}, snapshot)))

    async def _one_at_a_time(
        self, resets: Resets, how: Plain, topics: Mapping[str, NewTopic], snapshot: str | None
    ) -> Plain:
        async with self.changing:
            resets.check(delete_data=how["delete_data"])
            fill = await asyncio.to_thread(resets.begin, self._nodes.ids, snapshot)
            try:
                return await self._carry_out(resets, fill, how, topics, snapshot)
            finally:
                fill.close()

    async def _carry_out(
        self, resets: Resets, fill: Fill, how: Plain, topics: Mapping[str, NewTopic], snapshot: str | None
    ) -> Plain:
        looks = await self._part(self._nodes.ids, {"part": LOOK, **how})
        later = await self._part(looks, {"part": LOOK, **how})  # a node may connect to one that was looked at before it
        await asyncio.to_thread(resets.has_begun, snapshot)  # if that fails, nothing has changed
        try:
            dropped = await self._part(looks, {"part": DROP, **how})
            self._faults.forget()
            self._links.forget()
            node_ids = sorted(dropped)
            offset_ms = await asyncio.to_thread(fill.run)
            await self._part(node_ids, {
                "part": RENEW, "cluster_id": resets.cluster_id, "clock_offset_ms": offset_ms,
                "first_producer_id": max(part["first_producer_id"] for part in dropped.values()),
            })  # fmt: skip
            resets.has_ended()
        except BaseException as error:  # noqa: BLE001 (also when this process stops)
            await asyncio.to_thread(resets.give_up)
            detail = error.detail if isinstance(error, ProblemError) else str(error) or type(error).__name__
            log.error("a reset has failed half way, so all nodes were ended: %s", detail)
            advice = "Stop it, and start it again: it then begins as new"
            if resets.needs_snapshot():
                advice = f"Its data are lost, but not the snapshot: start from {snapshot} in another directory"
            raise ProblemError(
                409, "reset-failed", f"the cluster is not reset, and its nodes have ended: {detail}. {advice}"
            ) from None
        kept = _topics(dropped.values()) if TOPICS in how["keep"] else {}
        with_start = snapshot is None and not resets.starts_from_snapshot()
        try:
            if with_start or kept or topics:
                await asyncio.to_thread(resets.write_seed, {**kept, **topics}, with_start=with_start)
        finally:
            await self._part([each for each in node_ids if each in self._nodes.ids], {"part": SERVE})
        return {"connections": _of_clients(looks, later)}

    async def _part(self, node_ids: Iterable[int], body: Plain) -> dict[int, Plain]:
        """Have all nodes carry out a part. Raises the first error when all have answered."""
        ids = list(node_ids)
        asked = (self._nodes.ask(node_id, "POST", RESET, body, timeout_s=PART_TIMEOUT_S) for node_id in ids)
        parts = await asyncio.gather(*asked, return_exceptions=True)
        for part in parts:
            if isinstance(part, BaseException):
                raise part
        return {node_id: part for node_id, part in zip(ids, parts, strict=True) if not isinstance(part, BaseException)}


def _of_clients(looks: Mapping[int, Plain], later: Mapping[int, Plain]) -> list[Plain]:
    """The connections of clients, without those of nodes, which connect to look whether others accept connections.

    later: what nodes tell when all have told their connections.
    """
    of_nodes = {address for part in (*looks.values(), *later.values()) for address in part["own_addresses"]}
    return [
        each for part in looks.values() for each, ends in zip(part["connections"], part["ends"], strict=True)
        if ends not in of_nodes and (each["request_count"] or len(looks) == 1)
    ]  # fmt: skip


def _topics(parts: Iterable[Plain]) -> dict[str, NewTopic]:
    """The topics as the node with the newest metadata had them."""
    from kafkacompat.server.seed import NewTopic

    newest = max(parts, key=lambda part: int(part["metadata_offset"]))
    return {name: NewTopic(**topic) for name, topic in newest["topics"].items()}
