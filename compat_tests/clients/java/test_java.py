"""The Java client, of the versions that people run."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import pytest

from compat_tests.clients.contract import ClientContract
from compat_tests.clients.program import Program

ERROR_NAMES = {
    "topic exists": "TopicExistsException",
    "invalid topic name": "InvalidTopicException",
    "invalid config": "InvalidConfigurationException",
    "unknown topic": "UnknownTopicOrPartitionException",
    "fewer partitions": "InvalidPartitionsException",
    "record too large": "RecordTooLargeException",
    "offset out of range": "OffsetOutOfRangeException",
    "delete beyond the end": "OffsetOutOfRangeException",
    "unknown group": "GroupIdNotFoundException",
    "group in use": "GroupNotEmptyException",
    "session too short": "InvalidSessionTimeoutException",
    "fenced instance": "FencedInstanceIdException",
}


class JavaContract(ClientContract):
    version: ClassVar[str]
    assignors = ("range", "roundrobin", "cooperative-sticky")
    error_names = ERROR_NAMES

    @pytest.fixture
    def program(self, java_clients: Callable[[str], Program]) -> Program:
        return java_clients(self.version)


class TestJava43(JavaContract):
    version = "4.3.1"


@pytest.mark.full
class TestJava44(JavaContract):
    version = "4.4.0"


@pytest.mark.full
class TestJava39(JavaContract):
    version = "3.9.2"


class TestJava28(JavaContract):
    version = "2.8.2"
    everyday = frozenset({
        "test_records_come_back_as_they_were_with_every_codec", "test_a_second_member_comes_and_goes",
        "test_create_and_describe_a_topic", "test_groups_are_listed_described_and_deleted",
    })  # fmt: skip
