"""What becomes of results and errors."""

from __future__ import annotations

import asyncio
import json
import time
from functools import partial
from typing import Any

import pytest

from kafkacompat.broker.loop_lag import LoopLag
from kafkacompat.control_api.http.access import Access
from kafkacompat.control_api.http.application import Application, serve
from kafkacompat.control_api.http.calls import Call
from kafkacompat.control_api.http.http import Request
from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.control_api.resources import change_resources, cluster_resources, wait_resource
from tests.control_api.harness import serving
from tests.waiting import later_event, until


def test_without_a_node_there_is_nothing_to_ask() -> None:
    with pytest.raises(ProblemError) as found:
        cluster_resources.cluster(Call({}, {}, {}))
    assert found.value.status == 503


def test_a_bug_is_logged_and_answered_as_one(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(cluster_resources, "index", lambda _call: 1 / 0)
    request = Request("GET", "/v1", {"host": "localhost"}, b"", "127.0.0.1", "127.0.0.1")
    response = asyncio.run(Application(dict, Access(), "0").handle(request))
    assert response.status == 500
    assert json.loads(response.body)["type"] == "urn:kafkacompat:problem:bug"
    assert "ZeroDivisionError" in caplog.text


def test_a_slash_at_the_end_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_resources, "index", lambda _call: {})
    request = Request("GET", "/v1/", {"host": "localhost"}, b"", "127.0.0.1", "127.0.0.1")
    assert asyncio.run(Application(dict, Access(), "0").handle(request)).status == 200


def test_a_request_that_holds_the_loop_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    turns: list[tuple[int, object]] = []

    def busy(_call: object) -> dict[str, list[str]]:
        until_s = time.monotonic() + 0.02
        while time.monotonic() < until_s:
            pass
        return {"brokers": []}

    monkeypatch.setattr(cluster_resources, "brokers", busy)
    monkeypatch.setattr(LoopLag, "took", lambda _lag, duration_ms, _now_ms, what: turns.append((duration_ms, what)))
    with serving() as (_, api):
        api.send("GET", "/v1/brokers")
    (held_ms,) = [duration_ms for duration_ms, what in turns if what == "GET /v1/brokers"]
    assert held_ms >= 19


def test_a_change_goes_on_when_its_client_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []

    async def change(name: str, may_end: asyncio.Event, _call: object) -> None:
        steps.append(f"{name} begins")
        await may_end.wait()
        steps.append(f"{name} ends")

    async def scenario() -> None:
        application = Application(dict, Access(), "0")
        headers = {"host": "localhost", "content-type": "application/json"}
        for path, module, name in (("/v1/reset", change_resources, "reset"), ("/v1/wait", wait_resource, "wait")):
            may_end = asyncio.Event()
            monkeypatch.setattr(module, name, partial(change, name, may_end))
            body = b'{"what": "cluster"}' if name == "wait" else b""
            request = Request("POST", path, headers, body, "127.0.0.1", "127.0.0.1")
            task = asyncio.ensure_future(application.handle(request))
            await until(lambda: steps[-1:] == [f"{name} begins"])  # noqa: B023 (it is called here)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            may_end.set()
            await later_event()

    asyncio.run(scenario())
    assert steps == ["reset begins", "reset ends", "wait begins"]


class Node:
    """A node that counts how often it is told of an event."""

    def __init__(self) -> None:
        self.events = 0

    def after_event(self) -> None:
        self.events += 1


def test_nodes_look_at_their_timers_after_each_request_whoever_has_sent_it() -> None:
    nodes: dict[int, Any] = {1: Node(), 2: Node()}
    application = Application(lambda: nodes, Access(), "0")
    asyncio.run(application.ask("cluster_resources:index", {}, {}, None))
    assert [node.events for node in nodes.values()] == [1, 1]
    request = Request("GET", "/v1", {"host": "localhost"}, b"", "127.0.0.1", "127.0.0.1")
    assert asyncio.run(application.handle(request)).status == 200
    assert [node.events for node in nodes.values()] == [2, 2]


def test_a_change_whose_client_has_gone_ends_with_the_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        began = asyncio.Event()

        async def change(_call: object) -> None:
            changing.append(asyncio.current_task())
            began.set()
            await asyncio.Event().wait()

        changing: list[Any] = []
        monkeypatch.setattr(change_resources, "freeze", change)
        node: Any = Node()
        application = Application(lambda: {1: node, 2: node}, Access(), "0")
        headers = {"host": "localhost", "content-type": "application/json"}
        request = Request("POST", "/v1/clock/freeze", headers, b"{}", "127.0.0.1", "127.0.0.1")
        asking = asyncio.ensure_future(application.handle(request))
        await began.wait()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        assert not changing[0].done()
        events = node.events
        _, close = serve(application)
        close()
        await asyncio.wait(changing, timeout=10)
        assert changing[0].cancelled()
        await until(lambda: not application._changes)
        await until(lambda: node.events > events)

    asyncio.run(scenario())
