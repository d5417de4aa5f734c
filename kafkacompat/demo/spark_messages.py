"""Messages between the demo and the Spark process. Importable without Spark."""

from __future__ import annotations

from typing import NamedTuple


class SparkPlan(NamedTuple):
    """The parameters of the job. `folder` is for its checkpoint and scratch files."""

    bootstrap_servers: str
    source: str
    sink: str
    records: int
    folder: str
    settings: dict[str, str]


class Started(NamedTuple):
    """The session has started."""

    version: str


class BatchRead(NamedTuple):
    """The topic was read as a batch: number of records, and a checksum over the records of each key in order."""

    records: int
    checksums: dict[str, str]
    seconds: float


class Streaming(NamedTuple):
    """The stream has read `records` records."""

    records: int


class Streamed(NamedTuple):
    """The stream has read everything. `before` and `after` count the records read before and after the restart."""

    before: int
    after: int
    triggers: int
    seconds: float


class SparkFailed(NamedTuple):
    """The job failed."""

    reason: str
