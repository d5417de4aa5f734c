"""Fault rules of several nodes count together, wherever they act and whenever a node ends."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.control_api.joined.joined_faults import JoinedFaults
from kafkacompat.control_api.joined.joined_nodes import JoinedNodes
from kafkacompat.control_api.joined.node_client import Answered
from kafkacompat.server.shared_counts import HIT, SharedCounts

SPEC = {"when": {"api": "metadata"}, "then": {"silence": {}}}


class FakeNodes(JoinedNodes):
    """Nodes that keep rules, and have hits when a test says so."""

    def __init__(self, *ids: int) -> None:
        super().__init__(lambda: dict.fromkeys(self.running, "http://127.0.0.1:1"))
        self.running = list(ids)
        self.rules: dict[int, dict[int, dict[str, Any]]] = {node_id: {} for node_id in ids}
        self.refuses: set[int] = set()

    async def answer(self, *args: Any, **kwargs: Any) -> Any:
        return Answered(200, "application/json", json.dumps(await self.ask(*args, **kwargs)).encode())

    async def ask(self, node_id: int, method: str, target: str, body: Any = None, *, timeout_s: float = 0) -> Any:
        rules = self.rules[node_id]
        path, _, query = target.partition("?")
        if query:
            await asyncio.Event().wait()
        if path == "/v1/faults" and method == "GET":
            return {"faults": list(rules.values())}
        if method == "POST":
            if node_id in self.refuses:
                raise ProblemError(400, "fault-rule", "no")
            number = 100 * node_id + len(rules)
            rules[number] = {
                **body, "id": number, "label": "", "hits": 0, "left": body.get("times"), "has_ended": False,
                "near_misses": [],
            }  # fmt: skip
            return rules[number]
        found = int(path.rpartition("/")[2])
        return rules.pop(found) if method == "DELETE" else rules[found]

    def hit(self, node_id: int, times: int = 1) -> None:
        for rule in self.rules[node_id].values():
            rule["hits"] += times

    def restart(self, node_id: int) -> None:
        self.rules[node_id] = {}


def test_hits_of_all_nodes_are_added_also_of_those_that_ended() -> None:
    async def run() -> None:
        nodes = FakeNodes(1, 2)
        faults = JoinedFaults(nodes)
        added = await faults.add(SPEC)
        assert (added["id"], added["hits"], added["left"]) == (1, 0, None)
        nodes.hit(1), nodes.hit(2, 2)
        (seen,) = await faults.list_all()
        assert (seen["id"], seen["hits"]) == (1, 3)
        nodes.restart(2)
        await faults.node_started(2)
        nodes.hit(2)
        assert (await faults.get(1))["hits"] == 4
        assert (await faults.remove(1))["has_ended"]
        assert nodes.rules == {1: {}, 2: {}}
        assert faults.last_known() == []

    asyncio.run(run())


def test_times_are_counted_together_also_by_a_node_that_nobody_has_asked_before_its_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    async def run() -> None:
        nodes = FakeNodes(1, 2)
        faults = JoinedFaults(nodes)
        await faults.add({**SPEC, "times": 3})
        places = {rule["shared_counts"] for rules in nodes.rules.values() for rule in rules.values()}
        (place,) = places
        counts = SharedCounts(place)
        counts.draw(HIT), counts.draw(HIT)
        nodes.restart(2)
        await faults.node_started(2)
        (again,) = nodes.rules[2].values()
        assert (again["times"], again["shared_counts"]) == (3, place)
        seen = await faults.get(1)
        assert (seen["hits"], seen["left"], seen["has_ended"]) == (2, 1, False)
        counts.draw(HIT), counts.draw(HIT)
        seen = await faults.get(1)
        assert (seen["hits"], seen["left"], seen["has_ended"]) == (3, 0, True)
        nodes.restart(2)
        await faults.node_started(2)
        assert nodes.rules[2] == {}, "it is over"
        await faults.add({**SPEC, "skip": 1})
        await faults.remove(1)
        faults.close()
        assert [(rule["id"], rule["hits"]) for rule in faults.last_known()] == [(2, 0)]
        for spec in ({"times": (1 << 24) + 1}, {"skip": (1 << 24) + 1}, {"shared_counts": place}):
            with pytest.raises(ProblemError, match=r"together|leave it out"):
                await faults.add({**SPEC, **spec})

    asyncio.run(run())
    assert list(tmp_path.iterdir()) == []


def test_a_rule_that_a_node_refuses_is_on_no_node() -> None:
    async def run() -> None:
        nodes = FakeNodes(1, 2)
        nodes.refuses = {2}
        faults = JoinedFaults(nodes)
        with pytest.raises(ProblemError, match="no"):
            await faults.add(SPEC)
        assert nodes.rules == {1: {}, 2: {}}
        assert await faults.list_all() == []

    asyncio.run(run())


def test_near_misses_that_are_alike_are_counted_together() -> None:
    async def run() -> None:
        nodes = FakeNodes(1, 2)
        faults = JoinedFaults(nodes)
        await faults.add(SPEC)
        miss = {"api": "metadata", "version": 8, "client_id": "c", "failed": "topic", "has": "'t'", "count": 2}
        other = {**miss, "failed": "broker", "has": "2"}
        for misses, rules in zip(([miss], [other, miss]), nodes.rules.values(), strict=True):
            for rule in rules.values():
                rule["near_misses"] = misses
        (seen,) = await faults.list_all()
        assert seen["near_misses"] == [{**miss, "count": 4}, other]

    asyncio.run(run())


def test_a_wait_that_runs_out_says_what_was_seen() -> None:
    async def run() -> None:
        faults = JoinedFaults(FakeNodes(1, 2))
        await faults.add(SPEC)
        with pytest.raises(ProblemError, match="fault rule 1 had 0 of 2 hits after 0 ms") as told:
            await faults.wait(1, 2, 0)
        assert (told.value.status, told.value.members["seen"]) == (408, faults.last_known()[0])
        with pytest.raises(ProblemError, match="there is no fault rule 7"):
            await faults.get(7)

    asyncio.run(run())
