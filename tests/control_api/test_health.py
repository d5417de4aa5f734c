"""`/healthz` and `/readyz`."""

from __future__ import annotations

from kafkacompat.control_api import health
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
