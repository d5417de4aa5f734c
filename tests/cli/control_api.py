"""A verb of the control API as a user runs it, against a broker with a client of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kafkacompat import Cluster
from kafkacompat.client.client import Client
from tests.cli.json_schema import misfits
from tests.cli.verbs import Done, run
from tests.tidy.tree import PACKAGE

SCHEMA: dict[str, Any] = json.loads((PACKAGE / "cli" / "control.schema.json").read_text(encoding="utf-8"))


class Node:
    """A broker whose control API verbs are told of by KAFKACOMPAT_CONTROL."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.url = cluster.control_url

    def run(self, *arguments: str, stdin: bytes | str = b"", **variables: str) -> Done:
        """Run `kafkacompat ...` to its end."""
        environment = {"KAFKACOMPAT_CONTROL": self.url, **variables}
        return run(*arguments, servers=self.cluster.bootstrap_servers, stdin=stdin, environment=environment)

    def printed(self, kind: str, *arguments: str) -> list[dict[str, Any]]:
        """What a verb prints where stdout is no terminal: JSON Lines that fit a definition of the schema."""
        done = self.run(*arguments)
        assert (done.status, done.err) == (0, ""), done.err
        for line in done.json_lines:
            assert misfits(line, SCHEMA["$defs"][kind], kind, SCHEMA) == []
        return done.json_lines

    def client(self) -> Client:
        """A client of the broker."""
        return Client(self.cluster.bootstrap_servers, timeout_s=10)


@contextmanager
def node(**options: Any) -> Iterator[Node]:
    """A broker with its control API."""
    with Cluster(**options) as cluster:
        yield Node(cluster)
