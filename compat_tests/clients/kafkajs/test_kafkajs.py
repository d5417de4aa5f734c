"""KafkaJS, the client in JavaScript alone, with the codecs that its users plug in."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests.clients.contract import ClientContract
from compat_tests.clients.program import NODE, NPM, Program, build
from compat_tests.clients.samples import EDGE_SAMPLES, Sample

SOURCES = Path(__file__).parent / "program"
STEPS = [("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")]

EVERYDAY = frozenset({
    "test_records_come_back_as_they_were_with_every_codec", "test_idempotent", "test_keys_land_where_java_puts_them",
    "test_a_group_goes_on_where_it_committed", "test_create_and_describe_a_topic", "test_configs", "test_list_offsets",
})  # fmt: skip


@pytest.fixture(scope="session")
def program() -> Program:
    return Program(["node", build("kafkajs", SOURCES, [NODE, NPM], STEPS) / "main.js"])


def writable(sample: Sample) -> Sample:
    """The sample with its headers as KafkaJS can write them: an object, so the values of one name stand together."""
    names = list(dict.fromkeys(name for name, _ in sample.headers))
    grouped = tuple(header for wanted in names for header in sample.headers if header[0] == wanted)
    return sample._replace(headers=grouped)


class TestKafkaJS(ClientContract):
    assignors = ("roundrobin",)
    # it fails on a header without a value before anything is sent
    samples = tuple(
        writable(sample) for sample in EDGE_SAMPLES if all(value is not None for _, value in sample.headers)
    )
    everyday = EVERYDAY
    error_names = {  # noqa: RUF012
        "topic exists": "false",
        "invalid topic name": "INVALID_TOPIC_EXCEPTION",
        "invalid config": "INVALID_CONFIG",
        "unknown topic": "UNKNOWN_TOPIC_OR_PARTITION",
        "fewer partitions": "INVALID_PARTITIONS",
        "record too large": "MESSAGE_TOO_LARGE",
        "delete beyond the end": "OFFSET_OUT_OF_RANGE",
        "unknown group": "GROUP_ID_NOT_FOUND",
        "group in use": "NON_EMPTY_GROUP",
        "session too short": "INVALID_SESSION_TIMEOUT",
    }
    without = {  # noqa: RUF012
        "static members": "it has no group.instance.id",
        "fenced instance": "it has no group.instance.id",
        "offset out of range": "it goes on from the default offset without telling",
    }
