"""`/healthz` and `/readyz`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kafkacompat.broker.control.lifecycle import RUNNING
from kafkacompat.control_api.resources import health
from tests.control_api.harness import serving
from tests.waiting import wait_until


def test_a_new_cluster_is_healthy_and_ready() -> None:
    with serving(brokers=3) as (_, api):
        assert api.get("/healthz") == {"healthy": True, "nodes": {"1": [], "2": [], "3": []}}
        wait_until(lambda: api.send("GET", "/readyz").status == 200)


def test_a_node_that_hands_over_or_fails_is_not_ready_and_says_why() -> None:
    with serving() as (kafka, api):
        server = kafka._nodes.sole_server
        server._may_stop = object()
        answered = api.send("GET", "/readyz")
        assert answered.status == 503
        assert answered.body["missing"] == ["it hands over its partitions"]
        assert api.send("GET", "/healthz").status == 200
        server._may_stop = None
        server.runs_hooks = True
        assert api.send("GET", "/readyz").body["missing"] == ["the hooks of its start still run"]
        server.runs_hooks = False
        server._is_listening = False
        assert api.send("GET", "/readyz").body["missing"] == ["it does not listen"]
        server._is_listening = True
        server.failure = "the metadata log is full"
        assert api.send("GET", "/healthz").body == {
            "healthy": False, "nodes": {"1": ["the metadata log is full"]}, "missing": ["the metadata log is full"],
        }  # fmt: skip
        server.failure = None
        assert api.send("GET", "/readyz").status == 200


def test_an_offline_directory_is_not_healthy() -> None:
    with serving() as (kafka, api):
        logs = kafka._nodes.sole_server.broker.logs
        directory = logs.metadata_directory
        directory.offline, logs.offline_directories = "Input/output error", (directory,)
        try:
            answered = api.send("GET", "/healthz")
        finally:
            directory.offline, logs.offline_directories = None, ()
        assert answered.status == 503
        assert "Input/output error" in answered.body["missing"][0]


def test_a_loop_that_was_held_is_not_healthy() -> None:
    with serving() as (kafka, _):
        server = kafka._nodes.sole_server

        def held(server: object) -> list[str]:
            deadline_ms = server.broker.timers.next_deadline_ms()
            server.clock = type("Late", (), {"now": lambda self: Late(deadline_ms + 1_500)})()
            return health.ailments(server)

        class Late:
            def __init__(self, monotonic_ms: int) -> None:
                self.monotonic_ms = monotonic_ms

        real = server.clock
        found: list[str] = []

        def look(server: object) -> None:
            try:
                found.extend(held(server))
            finally:
                server.clock = real

        kafka._call(1, look)
        assert found == ["the event loop was 1500 ms late"]


def test_a_fenced_broker_is_not_ready() -> None:
    with serving(brokers=3) as (kafka, _):
        wait_until(lambda: kafka._call(1, health.missing) == [])

        def as_if_fenced(server: object) -> list[str]:
            image, broker = server.broker.image, server.broker
            mine = image.brokers[1].but(fenced=True)
            broker.image = image.but(brokers={**image.brokers, 1: mine})
            try:
                return health.missing(server)
            finally:
                broker.image = image

        assert kafka._call(1, as_if_fenced) == ["it is fenced"]


def ready_node() -> Any:
    """What health looks at of a node that lacks nothing."""
    registration = SimpleNamespace(fenced=False)
    broker = SimpleNamespace(
        node_id=1, is_ready=True, lifecycle=SimpleNamespace(state=RUNNING),
        image=SimpleNamespace(brokers={1: registration}, offset=9), partitions=SimpleNamespace(is_behind=False),
        quorum=SimpleNamespace(failure=None, raft=SimpleNamespace(leader_id=1, high_watermark=10)),
        logs=SimpleNamespace(failure=None),
    )  # fmt: skip
    return SimpleNamespace(
        broker=broker, is_listening=True, runs_hooks=False, is_handing_over=False, failure=None, late_ms=lambda: 0,
        view=SimpleNamespace(offline_directories={}), waits_for=lambda: "it waits for its registration",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("of", "name", "value", "line"),
    [
        ("broker", "is_ready", False, "it waits for its registration"),
        ("broker.lifecycle", "state", 7, "its registration is in state 7"),
        ("broker.image", "brokers", {}, "it is fenced"),
        ("broker.quorum.raft", "leader_id", -1, "it knows no active controller"),
        ("broker.partitions", "is_behind", True, "its partitions have not taken all roles of the newest metadata"),
        ("broker.quorum.raft", "high_watermark", 13, "3 committed metadata records are not applied yet"),
        ("broker.quorum", "failure", "Input/output error", "the metadata log has failed: Input/output error"),
    ],
)
def test_each_thing_that_a_node_lacks_has_a_line(of: str, name: str, value: object, line: str) -> None:
    node = ready_node()
    assert health.missing(node) == []
    part = node
    for step in of.split("."):
        part = getattr(part, step)
    setattr(part, name, value)
    assert health.missing(node) == [line]
    assert (health.ailments(node) == [line]) == (of == "broker.quorum")
