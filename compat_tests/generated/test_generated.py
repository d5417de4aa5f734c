"""Random sequences of steps on both brokers: what clients can see must be equal after each.

A sequence that finds a difference is shrunk and printed as the body of a test: mend the difference and keep the test
in `test_found.py`. `--hypothesis-seed=N` runs the sequences of a seed again; it is printed with what was found.
"""

from __future__ import annotations

import secrets

import pytest

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


def test_sequences(brokers: Brokers, pytestconfig: pytest.Config) -> None:
    _run(brokers, EVERY_DAY, pytestconfig)


@pytest.mark.full
def test_many_sequences(brokers: Brokers, pytestconfig: pytest.Config) -> None:
    _run(brokers, FULL, pytestconfig)


def _run(brokers: Brokers, count: int, config: pytest.Config) -> None:
    chosen = config.getoption("--hypothesis-seed")
    seed = secrets.randbelow(2**32) if chosen is None else chosen
    try:
        run_sequences(brokers, count, seed)
    except BaseException as error:
        error.add_note(f"again with --hypothesis-seed={seed}; {brokers.tally}")
        raise
