"""`kafkacompat health`: for HEALTHCHECK."""

from __future__ import annotations

from tests.cli.verbs import run


def test_a_broker_that_serves_is_healthy(servers: str) -> None:
    done = run("health", servers=servers)
    assert (done.status, done.err) == (0, "")
    assert done.text.startswith("healthy: cluster ")
    assert done.text.endswith(", 1 broker\n")
    assert run("health", "-q", servers=servers) == (0, b"", "")


def test_none_is_not() -> None:
    assert run("health", servers="localhost:1") == (
        6,
        b"",
        "kafkacompat: localhost:1: Connection refused; is a broker started, and does it listen there?\n",
    )
