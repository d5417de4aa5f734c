"""Where verbs look for the control API, and what they say if it is not there."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from kafkacompat.cli.controlled import CONTROL, STATE_FILE, TOKEN
from kafkacompat.client.control import DEFAULT_URL
from kafkacompat.server.control_listener import DEFAULT_HOST, DEFAULT_PORT, TOKEN_VARIABLE
from tests.cli.control_api import node
from tests.cli.verbs import run

GONE = "http://127.0.0.1:1"


def test_the_default_is_where_serve_listens() -> None:
    assert f"http://{DEFAULT_HOST}:{DEFAULT_PORT}" == DEFAULT_URL
    assert TOKEN == TOKEN_VARIABLE


def test_flag_variable_and_state_file_say_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / "state"
    with node() as broker:
        path.write_text(json.dumps({"control_url": broker.url}))

        def status(*flags: str, **variables: str) -> int:
            environment = {CONTROL: "", STATE_FILE: "", **variables}
            return run("clock", "show", *flags, servers="", environment=environment).status

        assert status("--control", broker.url) == 0
        assert status("--control", broker.url.removeprefix("http://")) == 0
        assert status(**{CONTROL: broker.url}) == 0
        assert status("--control", broker.url, **{CONTROL: GONE, STATE_FILE: str(path)}) == 0
        assert status("--state-file", str(path)) == 0
        assert status("--state-file", str(path), **{CONTROL: GONE}) == 0
        assert status(**{STATE_FILE: str(path)}) == 0
        assert status(**{CONTROL: GONE, STATE_FILE: str(path)}) == 6
        path.write_text(json.dumps({"control_url": None, "brokers": [{"control_url": broker.url}]}))
        assert status("--state-file", str(path)) == 0


def test_the_token_is_that_of_the_variable() -> None:
    got = []

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            got.append(self.headers["authorization"])
            self.send_error(401)

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = Thread(target=server.handle_request)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        run("clock", "show", "--control", url, servers="", environment={TOKEN: "secret"})
        thread.join()
    assert got == ["Bearer secret"]


@pytest.mark.parametrize(
    ("content", "status", "line"),
    [
        (None, 6, "there is no state file {path}: the broker is not ready yet, or has stopped"),
        (b"{}", 6, "the state file {path} names no control API: start the broker without --no-control"),
        (b"[1]", 6, "the state file {path} names no control API: start the broker without --no-control"),
        (b'{"brokers": 5}', 6, "the state file {path} names no control API: start the broker without --no-control"),
        (b"\xff\x00", 2, "--state-file {path}: it is not JSON"),
        (b"[" * 100_000, 2, "--state-file {path}: it is not JSON"),
    ],
)
def test_a_state_file_that_says_nothing_is_explained(
    tmp_path: Path, content: bytes | None, status: int, line: str
) -> None:
    path = tmp_path / "state"
    if content is not None:
        path.write_bytes(content)
    done = run("inspect", "topics", "--state-file", str(path), servers="")
    assert done == (status, b"", f"kafkacompat: {line.format(path=path)}\n")


def test_a_port_that_is_closed_is_6_with_advice() -> None:
    assert run("inspect", "topics", "--control", GONE, servers="") == (
        6, b"",
        "kafkacompat: no control API at http://127.0.0.1:1: start a broker with kafkacompat serve, whose first line "
        "says where it is, or name another with --control URL\n",
    )  # fmt: skip


def test_a_broker_of_kafkas_protocol_is_no_control_api(servers: str) -> None:
    done = run("clock", "show", "--control", servers, "--timeout", "5", servers="")
    assert done.status == 6
    assert done.err.startswith(f"kafkacompat: http://{servers} is no control API of kafkacompat: ")


@pytest.mark.parametrize(
    "url", ["", " ", "http://", "ftp://a:1", "a:b", "http://h:99999", "h:1/path", "http://u@h:1", "\x00:1"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    from kafkacompat.client.control import parse_url
    from kafkacompat.client.errors import ClientError

    with pytest.raises(ClientError, match="is no address of a control API"):
        parse_url(url)


@pytest.mark.parametrize("url", ["http://me:hush@h:1", "me:hush@h:1", "http://me:hu/sh@h:1"])
def test_a_password_in_an_address_is_not_shown(url: str) -> None:
    from kafkacompat.client.control import parse_url
    from kafkacompat.client.errors import ClientError

    with pytest.raises(ClientError, match=r"^'\.\.\.@h:1' is no address of a control API"):
        parse_url(url)
