"""franz-go: kgo and kadm."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests.clients.contract import ClientContract
from compat_tests.clients.program import GO, Program, build


@pytest.fixture(scope="module")
def program() -> Program:
    folder = build("franz-go", Path(__file__).parent / "program", [GO], [["go", "build", "-o", "client", "."]])
    return Program([folder / "client"])


class TestFranzGo(ClientContract):
    assignors = ("range", "roundrobin", "cooperative-sticky")
    error_names = {  # noqa: RUF012
        "topic exists": "TOPIC_ALREADY_EXISTS",
        "invalid topic name": "INVALID_TOPIC_EXCEPTION",
        "invalid config": "INVALID_CONFIG",
        "unknown topic": "UNKNOWN_TOPIC_OR_PARTITION",
        "fewer partitions": "INVALID_PARTITIONS",
        "record too large": "MESSAGE_TOO_LARGE",
        "offset out of range": "OFFSET_OUT_OF_RANGE",
        "delete beyond the end": "OFFSET_OUT_OF_RANGE",
        "unknown group": "GROUP_ID_NOT_FOUND",
        "group in use": "NON_EMPTY_GROUP",
        "session too short": "INVALID_SESSION_TIMEOUT",
        "fenced instance": "FENCED_INSTANCE_ID",
    }
