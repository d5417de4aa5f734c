"""What is replayed, and what came of it. Importable without pyspark."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from kafkacompat.protocol.records.compression import NAMES
from kafkacompat.spark.archives.archive_manifests import checked
from kafkacompat.spark.archives.archive_ranges import TopicPartition
from kafkacompat.spark.archives.archive_spec import ArchiveError, check_topics

FOLDER = "replays"
FORMAT_VERSION = 2
"""2: whether it is transactional."""
MAX = "max"
REALTIME = "realtime"


class ReplayError(ArchiveError):
    """Why an archive cannot be replayed, with what to do next."""


class ReplaySpec(NamedTuple):
    """Which archive is replayed into which cluster.

    path: of the archive. topics: a regular expression for whole names. topic_map: other names at the target. until_ms,
    until_offsets: a point in time, as for `read_archive`. speed: "max", "realtime", or times of it such as "10x".
    resume: the id of a replay that was ended; then everything but path, bootstrap_servers, properties and speed is
    what it was. allow_expired: write into topics that remove records by retention or compaction. compression: a codec's
    name in Kafka. is_transactional: write in transactions, with the progress in them. properties: as for an archive, of
    the target.
    """

    path: str
    bootstrap_servers: str
    topics: str = ".*"
    topic_map: Mapping[str, str] = {}
    until_ms: int | None = None
    until_offsets: Mapping[TopicPartition, int] | None = None
    speed: str = MAX
    resume: str | None = None
    allow_expired: bool = False
    compression: str = "none"
    is_transactional: bool = False
    properties: Mapping[str, str] = {}


def check_replay(spec: ReplaySpec) -> None:
    """Raises ReplayError, ArchiveError for what cannot be meant."""
    factor_of(spec.speed)
    check_topics(spec.topics)
    if spec.compression not in NAMES:
        raise ReplayError(f"compression is one of {', '.join(NAMES)}, not {spec.compression!r}")
    if len(set(spec.topic_map.values())) < len(spec.topic_map):
        raise ReplayError("topic_map gives two topics the same name: their records would be mixed")
    if spec.resume is not None:
        name_of(spec.resume)
        if spec.topics != ".*" or spec.topic_map or spec.until_ms is not None or spec.until_offsets:
            raise ReplayError("a replay that is resumed has the topics, names and end of its first run: leave them out")


class ReplayReport(NamedTuple):
    """What is at the target now. `sent`: records that this run has written. `found`: those that were there from the
    runs before. notes: a line each."""

    replay_id: str
    partitions: int
    sent: int
    found: int
    notes: tuple[str, ...]


class ReplayedLog(NamedTuple):
    """A partition of a replay: up to which offset it is replayed, where to, and where the log at the target ended then.

    The n-th record of the source gets the offset `base_offset + n`, as long as nobody else writes there.
    """

    topic: str
    partition: int
    end_offset: int
    target: str
    base_offset: int


class Replay(NamedTuple):
    """A replay as its file has it, which is written before the first record."""

    replay_id: str
    cluster_id: str
    logs: tuple[ReplayedLog, ...]
    is_transactional: bool = False

    @property
    def group_id(self) -> str:
        """The group whose offsets are the progress of a transactional replay."""
        return f"kafkacompat-replay-{self.replay_id}"

    def to_json(self) -> str:
        """The file's text."""
        plain = {**self._asdict(), "logs": [log._asdict() for log in self.logs]}
        return json.dumps({"format_version": FORMAT_VERSION, **plain}, indent=1)


def parse(text: str, name: str) -> Replay:
    """Raises ReplayError, which names the file."""
    try:
        plain = json.loads(text)
        version = plain.pop("format_version")
        if version not in (1, FORMAT_VERSION):
            raise ReplayError(f"{name} has format version {version}: resume it with the kafkacompat that began it")
        logs = tuple(checked(ReplayedLog(**log)) for log in plain.pop("logs"))
        return checked(Replay(**plain, logs=logs))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ReplayError(f"{name} says nothing of a replay ({type(error).__name__}: {error})") from None


def name_of(replay_id: str) -> str:
    """The path of a replay's file below the archive. Raises ReplayError for what is no id."""
    if not replay_id.isalnum():
        raise ReplayError(f"{replay_id!r} is no id of a replay: it is in the first line of the run that was ended")
    return f"{FOLDER}/{replay_id}.json"


def factor_of(speed: str) -> float | None:
    """How many times as fast as the records were made; None: as fast as it goes. Raises ReplayError."""
    if speed == MAX:
        return None
    try:
        factor = 1.0 if speed == REALTIME else float(speed.removesuffix("x"))
    except ValueError:
        factor = 0.0
    if not 0 < factor < float("inf") or (speed != REALTIME and not speed.endswith("x")):
        raise ReplayError(f"speed is max, realtime, or times of it such as 10x, not {speed!r}")
    return factor


class Pace(NamedTuple):
    """When records are due: the first one, of time `first_ms`, at `begin_s`, and others as much later as they were made
    later, divided by `factor`."""

    begin_s: float
    first_ms: int
    factor: float

    def due_s(self, made_ms: int) -> float:
        """When a record is due that was made at that time."""
        return self.begin_s + (made_ms - self.first_ms) / 1000 / self.factor
