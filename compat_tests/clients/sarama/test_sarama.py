"""Sarama, with the versions of each API that it knows newest and with those that it speaks by default."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests.clients.contract import ClientContract
from compat_tests.clients.program import GO, Program, build


@pytest.fixture(scope="session")
def folder() -> Path:
    return build("sarama", Path(__file__).parent / "program", [GO], [["go", "build", "-o", "client", "."]])


class SaramaContract(ClientContract):
    assignors = ("range", "roundrobin", "cooperative-sticky")
    error_names = {  # noqa: RUF012
        "topic exists": "ErrTopicAlreadyExists",
        "invalid topic name": "ErrInvalidTopic",
        "invalid config": "ErrInvalidConfig",
        "unknown topic": "ErrUnknownTopicOrPartition",
        "fewer partitions": "ErrInvalidPartitions",
        "record too large": "ErrMessageSizeTooLarge",
        "offset out of range": "ErrOffsetOutOfRange",
        "delete beyond the end": "ErrOffsetOutOfRange",
        "unknown group": "ErrGroupIDNotFound",
        "group in use": "ErrNonEmptyGroup",
        "session too short": "ErrInvalidSessionTimeout",
        "fenced instance": "ErrFencedInstancedId",
    }
    apis = {"offset out of range": ("ListOffsets",)}  # noqa: RUF012 (it compares with the ends itself)


class TestSarama(SaramaContract):
    @pytest.fixture
    def program(self, folder: Path) -> Program:
        return Program([folder / "client"])


@pytest.mark.full
class TestSaramaAsByDefault(SaramaContract):
    @pytest.fixture
    def program(self, folder: Path) -> Program:
        return Program([folder / "client"], {"SARAMA_VERSION": "2.8.0"})
