"""What is refused before any route is looked at, and how connections are kept."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import time
from collections.abc import Iterator

import pytest

from kafkacompat import Cluster
from kafkacompat.control_api.http import http
from tests.control_api.harness import TIMEOUT_S, Api, serving
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def api() -> Iterator[Api]:
    with serving() as (_, api):
        yield api


def status(data: bytes) -> int:
    return int(data.split(b" ", 2)[1])


def wait_request(body: bytes) -> bytes:
    head = b"POST /v1/wait HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
    return head % len(body) + body


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


ASK = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"


def test_beyond_the_limit_a_new_connection_takes_the_place_of_the_oldest_that_is_not_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http, "REQUEST_TIMEOUT_S", 600)  # it ends nothing here
    with serving() as (_, other):
        open_ones = [socket.create_connection(other.address, TIMEOUT_S) for _ in range(http.CONNECTIONS_MAX)]
        try:
            for sock in open_ones:
                sock.sendall(ASK)
                assert sock.recv(100).startswith(b"HTTP/1.1 200")
            for sock in open_ones[:-1]:
                sock.sendall(b"GET /healthz HTT")  # slowly
            with socket.create_connection(other.address, TIMEOUT_S) as new:
                new.sendall(ASK)
                assert new.recv(100).startswith(b"HTTP/1.1 200")
            with contextlib.suppress(ConnectionError):
                while open_ones[0].recv(1000):
                    pass
            open_ones[-1].sendall(ASK)
            assert open_ones[-1].recv(1000)
        finally:
            for sock in open_ones:
                sock.close()
        wait_until(lambda: answers(other), what="there is room again")


def test_if_all_connections_are_served_one_more_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "CONNECTIONS_MAX", 1)
    with serving() as (kafka, api):
        body = b'{"what": "producers", "timeout_ms": 60000}'
        with socket.create_connection(api.address, TIMEOUT_S) as waits:
            waits.sendall(wait_request(body))
            wait_until(lambda: kafka._call(1, lambda server: server.on_event))
            with contextlib.suppress(ConnectionError), socket.create_connection(api.address, TIMEOUT_S) as refused:
                refused.sendall(ASK)
                assert refused.recv(1) == b""
        wait_until(lambda: answers(api), what="there is room again")


def test_a_request_that_trickles_in_is_given_up_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "REQUEST_TIMEOUT_S", 0.3)
    with serving() as (_, api), socket.create_connection(api.address, TIMEOUT_S) as sock:
        sock.settimeout(0.02)
        sock.sendall(b"GET /v1 HTTP/1.1\r\nhost: localhost\r\nx: ")

        def is_closed() -> bool:
            try:
                sock.sendall(b"a")
                return sock.recv(1) == b""
            except TimeoutError:
                return False
            except ConnectionError:
                return True

        wait_until(is_closed)


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
            waits.sendall(wait_request(body))
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


def test_a_busy_loop_answers_within_a_few_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other work takes a turn after each of ours, as under load: probes and metrics need few turns."""
    turns, came, needed = [0], [0], []
    complete, respond = http.HttpConnection._complete, http.HttpConnection._respond

    def completes(connection: http.HttpConnection) -> None:
        came[0] = turns[0]
        complete(connection)

    def responds(connection: http.HttpConnection, response: http.Response) -> None:
        needed.append(turns[0] - came[0])
        respond(connection, response)

    def keep_busy(_server: object) -> None:
        loop = asyncio.get_running_loop()

        def turn() -> None:
            turns[0] += 1
            if turns[0] >= 0:
                loop.call_soon(turn)

        loop.call_soon(turn)

    monkeypatch.setattr(http.HttpConnection, "_complete", completes)
    monkeypatch.setattr(http.HttpConnection, "_respond", responds)
    with serving(topics={"orders": 100}) as (kafka, api):
        kafka._call(1, keep_busy)
        for path in ("/healthz", "/readyz", "/metrics"):
            assert api.send("GET", path).status == 200
        turns[0] = -(10**9)
    assert needed[0] <= 3
    assert needed[1] <= 3
    assert 3 < needed[2] <= 30
