"""A broker in this process with its control API, and a plain HTTP client."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from kafkacompat import Cluster
from kafkacompat.control_api.http.routes import Route
from tests.control_api.answers import check_answer

TIMEOUT_S = 30
IDS = {"topic": "orders", "partition": "0", "group_id": "billing"}
"""What to put into paths; for others it is 1."""
JSON = {"content-type": "application/json"}


class Answered(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str

    @property
    def body(self) -> Any:
        return json.loads(self.text)


class Api:
    """Requests to a control API, over one connection that is kept. Each answer has to fit its schema."""

    def __init__(self, url: str) -> None:
        self.address = urlsplit(url).hostname or "", urlsplit(url).port or 0
        self.connection = HTTPConnection(*self.address, timeout=TIMEOUT_S)

    def send(
        self,
        method: str,
        target: str,
        body: object = None,
        headers: dict[str, str] | None = None,
        raw: bytes | None = None,
    ) -> Answered:
        sent = None if body is None else json.dumps(body).encode()
        given = {**(JSON if method in ("POST", "PUT") else {}), **(headers or {})}
        self.connection.request(method, target, sent if raw is None else raw, given)
        response = self.connection.getresponse()
        headers_of = {k.lower(): v for k, v in response.getheaders()}
        answered = Answered(response.status, headers_of, response.read().decode("utf-8", "surrogateescape"))
        check_answer(method, target, answered.status, headers_of, answered.text)
        return answered

    def get(self, target: str, **headers: str) -> Any:
        answered = self.send("GET", target, headers=headers)
        assert answered.status == 200, answered
        return answered.body

    def raw(self, data: bytes) -> bytes:
        """What comes back on a connection of its own, until the broker closes it."""
        with socket.create_connection(self.address, timeout=TIMEOUT_S) as sock:
            sock.sendall(data)
            found = b""
            while piece := sock.recv(65_536):
                found += piece
            return found

    def close(self) -> None:
        self.connection.close()


def target_of(route: Route) -> str:
    """The path of a route, with ids of things that may be there."""
    return re.sub(r"{(\w+)}", lambda match: IDS.get(match[1], "1"), route.path)


@contextmanager
def serving(**options: Any) -> Iterator[tuple[Cluster, Api]]:
    with Cluster(**options) as kafka:
        api = Api(kafka.control_url)
        try:
            yield kafka, api
        finally:
            api.close()
