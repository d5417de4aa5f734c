"""One process for each version of the Java client, for all tests of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from compat_tests.clients.java.resident import Resident
from compat_tests.clients.java.using import java_client


@pytest.fixture(scope="session")
def java_clients() -> Iterator[Callable[[str], Resident]]:
    """`java_clients(version)` is the running program with the client of that version."""
    running: dict[str, Resident] = {}

    def client(version: str) -> Resident:
        if version not in running:
            running[version] = java_client(version)
        return running[version]

    yield client
    for program in running.values():
        program.close()
