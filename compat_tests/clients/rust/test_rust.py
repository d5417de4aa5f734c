"""rust-rdkafka: librdkafka as its users in Rust have it, built from the source that the crate brings."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests.clients.contract import ClientContract
from compat_tests.clients.program import CARGO, Program, build

pytestmark = pytest.mark.full  # the first build takes minutes on two cores

STEPS = [("cargo", "install", "--debug", "--path", ".", "--root", "."), ("cargo", "clean")]


@pytest.fixture(scope="module")
def program() -> Program:
    folder = build("rust-rdkafka", Path(__file__).parent / "program", [CARGO], STEPS)
    return Program([folder / "bin" / "client"])


class TestRustRdkafka(ClientContract):
    assignors = ("range", "roundrobin", "cooperative-sticky")
    error_names = {  # noqa: RUF012
        "topic exists": "TopicAlreadyExists",
        "invalid topic name": "InvalidTopic",
        "invalid config": "InvalidConfig",
        "unknown topic": "UnknownTopicOrPartition",
        "fewer partitions": "InvalidPartitions",
        "record too large": "MessageSizeTooLarge",
        "offset out of range": "AutoOffsetReset",
        "delete beyond the end": "OffsetOutOfRange",
        "unknown group": "GroupIdNotFound",
        "group in use": "NonEmptyGroup",
        "session too short": "InvalidSessionTimeout",
        "fenced instance": "FencedInstanceId",
    }
