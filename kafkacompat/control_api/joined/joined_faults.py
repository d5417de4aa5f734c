"""Fault rules of nodes in several processes: one id, counts of all nodes together.

Each node has a rule of its own; `times` and `skip` they count together (`server/shared_counts.py`). The hits of a node
that has ended are kept.
"""

from __future__ import annotations

import asyncio
from itertools import count

from kafkacompat.broker.faults.near_misses import NEAR_MISSES_MAX
from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.control_api.resources.fault_resources import SHARED_COUNTS
from kafkacompat.server.shared_counts import COUNT_MAX, CountFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from kafkacompat.control_api.joined.joined_nodes import JoinedNodes

    Plain = dict[str, Any]

WAIT_SLACK_S = 10.0
"""How much later than its time-out a node may answer a wait."""


class _Rule:
    """One rule. at: its id on each node. counts: as each node showed it last; gone: as nodes showed it that ended."""

    def __init__(self, rule_id: int, spec: Plain) -> None:
        self.id = rule_id
        self.spec = spec
        self.at: dict[int, int] = {}
        self.counts: dict[int, Plain] = {}
        self.gone: list[Plain] = []
        self.drawn = 0
        """With `times`: how many hits the nodes have drawn."""

    def joined(self) -> Plain:
        """The rule as one node would show it."""
        parts = [*self.gone, *self.counts.values()]
        times = self.spec.get("times")
        hits = sum(part["hits"] for part in parts) if times is None else min(self.drawn, times)
        is_over = hits == times or (bool(self.counts) and all(part["has_ended"] for part in self.counts.values()))
        return {
            **parts[-1], "id": self.id, "hits": hits, "left": None if times is None else max(0, times - hits),
            "has_ended": is_over, "near_misses": _nearest([part["near_misses"] for part in parts]),
        }  # fmt: skip


class JoinedFaults:
    """The rules that were added through the parent, in their order. Those added at a node itself are not among them."""

    def __init__(self, nodes: JoinedNodes) -> None:
        self._nodes = nodes
        self._rules: dict[int, _Rule] = {}
        self._numbers = count(1)
        self._files = CountFiles()
        self._changing = asyncio.Lock()

    async def add(self, spec: Plain) -> Plain:
        """Add a rule on all nodes. Raises the problem of the first node that refuses it; then none has it."""
        if SHARED_COUNTS in spec:
            raise ProblemError(400, "fault-rule", f"{SHARED_COUNTS}: it is for one node; leave it out")
        async with self._changing:
            rule = _Rule(next(self._numbers), spec)
            self._share(rule)
            try:
                for node_id in self._nodes.ids:
                    await self._install(rule, node_id)
            except BaseException:
                await self._remove(rule)
                raise
            self._rules[rule.id] = rule
        return rule.joined()

    async def list_all(self) -> list[Plain]:
        """All rules with their counts."""
        await self.refresh()
        return self.last_known()

    def last_known(self) -> list[Plain]:
        """All rules, as the nodes showed them last."""
        return [rule.joined() for rule in self._rules.values()]

    async def get(self, rule_id: int) -> Plain:
        """One rule with its counts. Raises ProblemError."""
        rule = self._rule(rule_id)
        await self.refresh()
        return rule.joined()

    async def wait(self, rule_id: int, hits: int, timeout_ms: int) -> Plain:
        """Wait until a rule has so many hits on all nodes together. Raises ProblemError with what was seen."""
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + timeout_ms / 1000
        while True:
            seen = await self.get(rule_id)
            if seen["hits"] >= hits:
                return seen
            left_s = deadline_s - loop.time()
            if left_s <= 0:
                name = f"fault rule {rule_id}" + (f" ({seen['label']})" if seen["label"] else "")
                raise ProblemError(
                    408, "time-out", f"{name} had {seen['hits']} of {hits} hits after {timeout_ms} ms",
                    members={"seen": seen},
                )  # fmt: skip
            await self._next_hit(self._rule(rule_id), left_s)

    async def remove(self, rule_id: int) -> Plain:
        """Remove a rule from all nodes, and return its last counts. Raises ProblemError."""
        async with self._changing:
            rule = self._rule(rule_id)
            await self.refresh()
            await self._remove(rule)
            del self._rules[rule_id]
        return {**rule.joined(), "has_ended": True}

    async def clear(self) -> None:
        """Remove all rules, also those that were added at a node itself."""
        async with self._changing:
            self._rules.clear()
            await self._nodes.ask_all("DELETE", "/v1/faults")
            self._files.close()

    def forget(self) -> None:
        """The nodes have lost all rules in a reset."""
        self._rules.clear()
        self._files.close()

    def close(self) -> None:
        """Remove the files of the counts; what is known of them stays."""
        self._files.close()

    async def node_started(self, node_id: int) -> None:
        """Give a node that has started the rules that still apply."""
        async with self._changing:
            await self.refresh()
            for rule in self._rules.values():
                if node_id in rule.counts:
                    rule.gone.append(rule.counts.pop(node_id))
                    del rule.at[node_id]
                if not rule.joined()["has_ended"]:
                    await self._install(rule, node_id)

    async def refresh(self) -> None:
        """Take the counts of all nodes."""
        if not self._rules:
            return
        for node_id, answer in (await self._nodes.ask_all("GET", "/v1/faults")).items():
            shown = {each["id"]: each for each in answer["faults"]}
            for rule in self._rules.values():
                if (found := shown.get(rule.at.get(node_id, 0))) is not None:
                    rule.counts[node_id] = found
        for rule in self._rules.values():  # after the nodes' own counts, so that these are not ahead
            rule.drawn = max(rule.drawn, self._files.hits(rule.id))

    def _share(self, rule: _Rule) -> None:
        """Let the nodes count `times` and `skip` together. Raises ProblemError."""
        numbers = [each for each in (rule.spec.get("times"), rule.spec.get("skip")) if type(each) is int]
        if max(numbers, default=0) > COUNT_MAX:
            raise ProblemError(400, "fault-rule", f"times, skip: nodes in processes count up to {COUNT_MAX:,} together")
        if numbers:
            try:
                rule.spec = {**rule.spec, SHARED_COUNTS: self._files.add(rule.id)}
            except OSError as error:
                raise ProblemError(409, "state", f"hits cannot be counted: {error.strerror or error}") from None

    async def _install(self, rule: _Rule, node_id: int) -> None:
        made = await self._nodes.ask(node_id, "POST", "/v1/faults", rule.spec)
        rule.at[node_id], rule.counts[node_id] = made["id"], made

    async def _remove(self, rule: _Rule) -> None:
        for node_id, at in rule.at.items():
            if node_id in self._nodes.ids:
                answered = await self._nodes.answer(node_id, "DELETE", f"/v1/faults/{at}")
                if answered.status == 200:
                    rule.counts[node_id] = answered.value
        self._files.remove(rule.id)

    async def _next_hit(self, rule: _Rule, timeout_s: float) -> None:
        """Return when a node has one more hit, or after the time-out."""
        timeout_ms = max(1, round(timeout_s * 1000))
        waits = [
            asyncio.ensure_future(
                self._nodes.answer(
                    node_id, "GET",
                    f"/v1/faults/{rule.at[node_id]}?hits={counts['hits'] + 1}&timeout_ms={timeout_ms}",
                    timeout_s=timeout_s + WAIT_SLACK_S,
                )
            )
            for node_id, counts in rule.counts.items()
            if node_id in self._nodes.ids
        ]  # fmt: skip
        if not waits:
            await asyncio.sleep(min(timeout_s, WAIT_SLACK_S / 100))
            return
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()
            await asyncio.gather(*waits, return_exceptions=True)

    def _rule(self, rule_id: int) -> _Rule:
        rule = self._rules.get(rule_id)
        if rule is None:
            raise ProblemError(404, "no-fault", f"there is no fault rule {rule_id}: GET /v1/faults lists them")
        return rule


def _nearest(parts: list[list[Mapping[str, Any]]]) -> list[Plain]:
    """The near misses of all nodes: alike ones counted together, those first that were first on their node."""
    found: dict[tuple[object, ...], Plain] = {}
    ranked = sorted(((place, miss) for part in parts for place, miss in enumerate(part)), key=lambda each: each[0])
    for _, miss in ranked:
        key = (miss["api"], miss["version"], miss["client_id"], miss["failed"])
        known = found.setdefault(key, {**miss, "count": 0})
        known["count"] += miss["count"]
    return list(found.values())[:NEAR_MISSES_MAX]
