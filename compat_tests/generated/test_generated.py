"""Generated sequences of steps on both brokers: what clients can see must be equal after each.

They are the same in every run, so that a change fails for what it does: new ones are for `python -m
compat_tests.generated`, which runs for as long as asked. `--hypothesis-seed=N` runs those of another seed.

A sequence that finds a difference is shrunk and printed as the body of a test: mend the difference and keep the test
in `test_found.py`. The seed is printed with what was found.
"""

from __future__ import annotations

import zlib

import pytest

from compat_tests.artifacts import KAFKA_VERSION
from compat_tests.generated.pair import Brokers
from compat_tests.generated.running import run_sequences

pytestmark = pytest.mark.api(
    "CreateTopics", "DeleteTopics", "CreatePartitions", "IncrementalAlterConfigs", "DescribeConfigs", "Metadata",
    "DescribeTopicPartitions", "Produce", "Fetch", "ListOffsets", "DeleteRecords", "OffsetForLeaderEpoch",
    "DescribeProducers", "OffsetCommit", "OffsetFetch", "OffsetDelete", "JoinGroup", "SyncGroup", "Heartbeat",
    "LeaveGroup", "DescribeGroups", "ListGroups", "DeleteGroups",
)  # fmt: skip
EVERY_DAY, FULL = 40, 600
"""Sequences: 20 s, and 5 minutes."""
SEED = zlib.crc32(KAFKA_VERSION.encode())
"""With a newer Apache Kafka there are other sequences: whoever changes it has differences to look for anyway."""


def test_sequences(brokers: Brokers, pytestconfig: pytest.Config) -> None:
    _run(brokers, EVERY_DAY, pytestconfig)


@pytest.mark.full
def test_many_sequences(brokers: Brokers, pytestconfig: pytest.Config) -> None:
    _run(brokers, FULL, pytestconfig)


def _run(brokers: Brokers, count: int, config: pytest.Config) -> None:
    chosen = config.getoption("--hypothesis-seed")
    seed = SEED if chosen is None else chosen
    try:
        run_sequences(brokers, count, seed)
    except BaseException as error:
        error.add_note(f"again with --hypothesis-seed={seed}; {brokers.tally}")
        raise
