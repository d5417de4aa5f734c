"""What goes between the demo and the process that runs Spark; importable without Spark."""

from __future__ import annotations

from typing import NamedTuple


class SparkPlan(NamedTuple):
    """What the job is given. `folder` is for its checkpoint and scratch files."""

    bootstrap_servers: str
    source: str
    sink: str
    records: int
    folder: str
    settings: dict[str, str]


class Started(NamedTuple):
    """The session is up."""

    version: str


class BatchRead(NamedTuple):
    """The topic as a batch: how many records, and a checksum over those of each key in order."""

    records: int
    checksums: dict[str, str]
    seconds: float


class Streaming(NamedTuple):
    """The stream has come so far."""

    records: int


class Streamed(NamedTuple):
    """The stream is at the end. `before` and `after` are the records read before and after it was started again."""

    before: int
    after: int
    triggers: int
    seconds: float


class SparkFailed(NamedTuple):
    """The job ended early."""

    reason: str
