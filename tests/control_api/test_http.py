"""What is refused before any route is looked at, and how connections are kept."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Iterator

import pytest

from kafkacompat import Cluster
from kafkacompat.control_api import http
from tests.control_api.harness import TIMEOUT_S, Api, serving
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def api() -> Iterator[Api]:
    with serving() as (_, api):
        yield api


def status(data: bytes) -> int:
    return int(data.split(b" ", 2)[1])


def test_a_connection_is_kept_and_head_has_no_body(api: Api) -> None:
    api.send("GET", "/v1")
    before = api.connection.sock
    answered = api.send("HEAD", "/v1/cluster")
    assert answered.status == 200
    assert answered.text == ""
    assert int(answered.headers["content-length"]) > 100
    assert api.connection.sock is before


def test_requests_that_come_together_are_answered_in_order(api: Api) -> None:
    targets = ("/v1/cluster", "/healthz", "/v1/nothing")
    last = "connection: close\r\n"
    sent = "".join(
        f"GET {target} HTTP/1.1\r\nhost: localhost\r\n{last if target == targets[-1] else ''}\r\n" for target in targets
    )
    found = api.raw(sent.encode()).decode()
    assert found.index("cluster_id") < found.index("healthy") < found.index("no-resource")


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"\x00\x00\x00\x10\x00\x12\x00\x00\x00\x00\x00\x07 a Kafka client\r\n\r\n", 400),
        (b"GET /v1 SMTP/1.0\r\nhost: localhost\r\n\r\n", 400),
        (b"GET /v1 HTTP/1.1\r\n\r\n", 400),
        (b"GET /v1 HTTP/1.1\r\nhost: localhost\r\nx: " + b"a" * 20_000 + b"\r\n\r\n", 431),
        (b"GET /v1 HTTP/1.1\r\nhost: localhost\r\nx: " + b"a" * 2_000_000, 431),
        (b"POST /v1 HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9999999\r\n\r\n" + b" " * 9_999_999, 413),
        (b"POST /v1 HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", 400),
    ],
)
def test_what_is_not_http_or_too_large_is_refused_with_a_problem(api: Api, sent: bytes, expected: int) -> None:
    found = api.raw(sent)
    assert status(found) == expected
    problem = json.loads(found.partition(b"\r\n\r\n")[2])
    assert problem["status"] == expected
    assert problem["type"].startswith("urn:kafkacompat:problem:")
    assert problem["detail"]


def test_more_connections_than_the_limit_are_closed(api: Api) -> None:
    with serving() as (_, other):
        open_ones = [socket.create_connection(other.address, TIMEOUT_S) for _ in range(http.CONNECTIONS_MAX)]
        try:
            for sock in open_ones:
                sock.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
                assert sock.recv(100).startswith(b"HTTP/1.1 200")
            with contextlib.suppress(ConnectionError), socket.create_connection(other.address, TIMEOUT_S) as refused:
                refused.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
                assert refused.recv(1) == b""
        finally:
            for sock in open_ones:
                sock.close()
        wait_until(lambda: answers(other), what="there is room again")


def answers(api: Api) -> bool:
    try:
        return api.send("GET", "/healthz").status == 200
    except OSError:
        api.close()
        return False


def test_a_request_that_never_ends_and_an_idle_connection_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "REQUEST_TIMEOUT_S", 0.2)
    monkeypatch.setattr(http, "IDLE_TIMEOUT_S", 0.2)
    with serving() as (_, api):
        for sent in (b"", b"GET /v1 HTT", b"POST /v1 HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\n"):
            begun = time.monotonic()
            with contextlib.suppress(ConnectionResetError):
                assert api.raw(sent) == b""
            assert 0.15 < time.monotonic() - begun < 10
        assert status(api.raw(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")) == 200


def test_a_client_that_sends_no_more_gets_its_answer_and_no_long_wait() -> None:
    with serving() as (kafka, api), socket.create_connection(api.address, TIMEOUT_S) as sock:
        sock.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
        sock.shutdown(socket.SHUT_WR)
        assert sock.recv(100).startswith(b"HTTP/1.1 200")
        body = b'{"what": "producers", "timeout_ms": 600000}'
        with socket.create_connection(api.address, TIMEOUT_S) as waits:
            waits.sendall(
                b"POST /v1/wait HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
                b"content-length: %d\r\n\r\n%b" % (len(body), body)
            )
            wait_until(lambda: kafka._call(1, lambda server: server.on_event))
        wait_until(lambda: not kafka._call(1, lambda server: server.on_event))


def test_stopping_the_cluster_closes_connections_and_the_port() -> None:
    with Cluster() as kafka:
        api = Api(kafka.control_url)
        api.get("/v1")
        assert kafka.control_url == kafka.control_url
    with pytest.raises(OSError):
        api.raw(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
    api.close()
