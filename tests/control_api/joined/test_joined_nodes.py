"""Several nodes are asked as one: what they know, who is left out, and when all have followed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kafkacompat.control_api.clock import ADVANCE_TIMEOUT_S
from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.control_api.joined import joined_nodes
from kafkacompat.control_api.joined.joined_clock import JoinedClock
from kafkacompat.control_api.joined.joined_nodes import JoinedNodes, target_of


class Nodes(JoinedNodes):
    """Nodes whose metadata grows by one with each look."""

    def __init__(self, *offsets: int) -> None:
        self.offsets = dict(enumerate(offsets, 1))
        self.gone: set[int] = set()
        super().__init__(lambda: {node_id: "" for node_id in self.offsets if node_id not in self.gone})

    async def ask(self, node_id: int, method: str, target: str, body: object = None, *, timeout_s: float = 0) -> Any:
        if node_id == 9:
            self.gone.add(9)
            raise ProblemError(503, "node-gone", "node 9 does not answer")
        if target != "/v1/nodes":
            raise ProblemError(404, "no-topic", f"{target} is not there")
        offset = self.offsets[node_id]
        self.offsets[node_id] += node_id != 3
        state = {"node_id": node_id, "metadata_offset": offset, "is_applied": True, "is_active_controller": False}
        return {"nodes": [state]}


def test_a_change_is_done_when_all_nodes_have_its_metadata() -> None:
    nodes = Nodes(7, 2)
    asyncio.run(nodes.follow(1))
    assert nodes.offsets[2] > 7


def test_a_node_that_does_not_follow_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joined_nodes, "FOLLOW_TIMEOUT_S", 0.02)
    monkeypatch.setattr(JoinedNodes.until, "__defaults__", (0.02,))
    with pytest.raises(ProblemError, match="the change is made, but node 3 has not applied it within"):
        asyncio.run(Nodes(7, 7, 2).follow(1))


def test_a_node_that_ends_meanwhile_is_left_out_and_others_are_not() -> None:
    nodes = Nodes(1, 2)
    nodes.offsets[9] = 0
    assert list(asyncio.run(nodes.ask_all("GET", "/v1/nodes"))) == [1, 2]
    with pytest.raises(ProblemError, match="is not there"):
        asyncio.run(nodes.ask_all("GET", "/v1/topics/t", or_404=True))
    with pytest.raises(ProblemError, match="no node runs: start one"):
        asyncio.run(JoinedNodes(dict).ask_all("GET", "/v1/nodes"))
    with pytest.raises(ProblemError, match="node 7 does not run, or is paused: these do: 1, 2"):
        nodes.check(7)


def test_a_clock_has_more_time_to_move_than_a_node_takes() -> None:
    given: list[float] = []

    class Clocks(Nodes):
        async def ask(
            self, node_id: int, method: str, target: str, body: object = None, *, timeout_s: float = 0
        ) -> Any:
            if target.endswith("/advance"):
                given.append(timeout_s)
            return {"wall_ms": node_id, "offset_ms": node_id, "is_frozen": False, "fired": []}

    clock = JoinedClock(Clocks(1, 2))
    assert asyncio.run(clock.advance({"ms": 1})) == {"wall_ms": 2, "fired": []}
    asyncio.run(clock.resume())
    assert len(given) == 3
    assert min(given) > ADVANCE_TIMEOUT_S


def test_targets_are_those_that_were_asked_for() -> None:
    path = "/v1/topics/{topic}/partitions/{partition}/records"
    target = target_of(path, {"topic": "a/b ü", "partition": 3}, {"from": 5, "partitions": True})
    assert target == "/v1/topics/a%2Fb%20%C3%BC/partitions/3/records?from=5&partitions=true"


def test_a_node_that_ends_while_it_is_asked_is_a_problem_and_no_bug() -> None:
    running = [{1: "http://127.0.0.1:1"}]  # nothing listens there
    nodes = JoinedNodes(lambda: running.pop() if running else {})
    with pytest.raises(ProblemError, match="node 1 does not answer"):
        asyncio.run(nodes.answer(1, "GET", "/v1"))


def test_the_controller_is_waited_for_and_the_client_of_a_node_that_has_gone_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed = []
    monkeypatch.setattr(joined_nodes.NodeClient, "close", lambda client: closed.append(client._port))
    urls = {1: "http://127.0.0.1:1001", 2: "http://127.0.0.1:1002"}
    nodes = JoinedNodes(lambda: urls)
    first = nodes._client(urls[1])
    assert nodes._client(urls[1]) is first, "kept"
    nodes._client(urls[2])
    urls[2] = "http://127.0.0.1:2002"
    nodes._client(urls[2])
    assert closed == [1002]
    nodes.close()
    assert sorted(closed) == [1001, 1002, 2002]

    class Elects(Nodes):
        async def ask(self, node_id: int, *asked: Any, **more: Any) -> Any:
            answer = await super().ask(node_id, *asked, **more)
            answer["nodes"][0]["is_active_controller"] = node_id == 2 and self.offsets[2] > 5
            return answer

    assert asyncio.run(Elects(0, 0).active_controller()) == 2
