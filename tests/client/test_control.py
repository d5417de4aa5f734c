"""The client of the control API, against answers that are made by hand."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kafkacompat.client.control import ControlClient, parse_url, path_of
from kafkacompat.client.errors import ClientError, ControlError, ExpiredError, UnknownPeerError, UnreachableError

PROBLEM = b'{"type":"urn:kafkacompat:problem:no-topic","title":"Not found","status":404,"detail":"no\\ntopic"}'


@contextmanager
def answering(*answers: bytes) -> Iterator[tuple[ControlClient, list[bytes]]]:
    """A client of a server that answers each connection with these bytes, and what it received."""
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(30)

        def serve() -> None:
            for answer in answers:
                connection, _ = listening.accept()
                with connection:
                    connection.settimeout(30)
                    received.append(request(connection))
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        host, port = listening.getsockname()
        with ControlClient(f"http://{host}:{port}", token="secret", timeout_s=10) as client:
            yield client, received
        thread.join(30)


def request(connection: socket.socket) -> bytes:
    """What the client sends, with as much of a body as the header says."""
    data = connection.recv(65_536)
    while b"\r\n\r\n" not in data:
        data += connection.recv(65_536)
    header, _, body = data.partition(b"\r\n\r\n")
    length = int(next((line[15:] for line in header.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0))
    while len(body) < length:
        body += connection.recv(65_536)
    return header + b"\r\n\r\n" + body


def http(status: str, body: bytes) -> bytes:
    return b"HTTP/1.1 %s\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%s" % (status.encode(), len(body), body)


def test_a_request_has_token_type_and_query() -> None:
    with answering(http("200 OK", b'{"a": 1}'), http("200 OK", b"[]")) as (client, received):
        assert client.get("/v1/x", {"n": 3, "none": None}) == {"a": 1}
        client.close()
        assert client.post("/v1/y", {"b": 2}) == []
    assert received[0].startswith(b"GET /v1/x?n=3 HTTP/1.1\r\n")
    assert b"authorization: Bearer secret\r\n" in received[0]
    assert b"content-type: application/json\r\n" in received[1]
    assert received[1].endswith(b'{"b": 2}')


def test_a_problem_is_an_error_with_one_line() -> None:
    with (
        answering(http("404 Not Found", PROBLEM)) as (client, _),
        pytest.raises(ControlError, match=r"^no topic$") as raised,
    ):
        client.get("/v1/topics/x")
    assert (raised.value.status, raised.value.name) == (404, "no-topic")


@pytest.mark.parametrize(
    "answer",
    [
        b"\x00\x00\x00\x04\xff\xff\xff\xff", http("200 OK", b"<html>"), http("404 Not Found", b'{"error": "x"}'),
        http("302 Found", b"{}"), b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{}",
    ],
)  # fmt: skip
def test_other_servers_are_told_apart(answer: bytes) -> None:
    with answering(answer) as (client, _), pytest.raises(UnknownPeerError, match="is no control API of kafkacompat"):
        client.get("/v1/topics")


def test_a_server_that_says_nothing_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        host, port = listening.getsockname()
        with (
            ControlClient(f"{host}:{port}", timeout_s=0.1) as client,
            pytest.raises(ExpiredError, match=r"within 0\.1 s"),
        ):
            client.get("/v1")


def test_a_name_that_is_unknown_is_unreachable() -> None:
    with (
        ControlClient("http://nowhere.invalid:1") as client,
        pytest.raises(UnreachableError, match="cannot be reached"),
    ):
        client.get("/v1")


def test_a_token_of_other_characters_is_refused() -> None:
    with pytest.raises(ClientError, match="the token"):
        ControlClient("http://localhost:1", token="a\r\nb")


def test_addresses_may_leave_out_the_scheme_and_have_brackets() -> None:
    assert parse_url("localhost:9644") == ("http", "localhost", 9644)
    assert parse_url("http://[::1]:1/") == ("http", "::1", 1)
    assert parse_url("https://kafka.example") == ("https", "kafka.example", 443)
    assert ControlClient("[::1]:1").url == "http://[::1]:1"


def test_names_in_paths_are_quoted() -> None:
    assert path_of("topics", "a/b c") == "/v1/topics/a%2Fb%20c"
