"""What an audit finds, and what it says in the end. Importable without pyspark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from kafkacompat.errors import KafkaCompatError
from kafkacompat.protocol.constants import UNKNOWN_OFFSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MAX_FINDINGS = 1000
"""Findings of one segment that are named one by one; the others are counted."""

NO_PARTITION = UNKNOWN_OFFSET
"""The partition of a finding that concerns a whole directory."""

CHECKSUM, FRAMING, FORMAT = "checksum", "framing", "format"
MISSING_OFFSETS, DUPLICATE_BATCH, ORDER = "missing-offsets", "duplicate-batch", "order"
BASE_OFFSET, BELOW_LOG_START, TRUNCATED_TAIL = "base-offset", "below-log-start", "truncated-tail"
LEADER_EPOCH, OFFSET_INDEX, TIME_INDEX, TXN_INDEX = "leader-epoch", "offset-index", "time-index", "txn-index"
PRODUCER_SEQUENCE, MISSING_MARKER = "producer-sequence", "missing-marker"
LOG_START, CHECKPOINT, UNREADABLE = "log-start", "checkpoint", "unreadable"
OF_LOGS: Mapping[str, str] = {
    CHECKSUM: "the bytes of a batch do not have the checksum that its header says",
    FRAMING: "bytes that are no batch: a length that cannot be, or a batch that its file cuts off",
    FORMAT: "a message of a format before v2",
    MISSING_OFFSETS: "offsets without a batch, above what compaction has cleaned",
    DUPLICATE_BATCH: "a batch is there a second time, with the same offsets",
    ORDER: "batches are there, and not in the order of their offsets",
    BASE_OFFSET: "a batch says another base offset than the one that its place gives it",
    BELOW_LOG_START: "a batch has offsets below those with which its log begins",
    TRUNCATED_TAIL: "the log ends before its high watermark, or before what was synced",
    LEADER_EPOCH: "a batch says another leader epoch than the leader-epoch-checkpoint, or one below the batch before",
    OFFSET_INDEX: "an entry of the offset index does not name a batch's position and last offset",
    TIME_INDEX: "an entry of the time index does not name a batch and its largest timestamp",
    TXN_INDEX: "the transaction index and the abort markers differ",
    PRODUCER_SEQUENCE: "the sequences of an idempotent producer have a gap, go back or come twice",
    MISSING_MARKER: "a transaction was ended, and no marker says how",
    LOG_START: "the checkpoint has a log start offset behind the end of the log",
    CHECKPOINT: "a checkpoint file cannot be read",
    UNREADABLE: "a file cannot be read",
}
"""Kinds of findings in one log, and what each means."""

REPLICA_MISSING, REPLICA_CHECKSUM, REPLICA_EPOCH = "replica-missing", "replica-checksum", "replica-epoch"
REPLICA_BASE_OFFSET, REPLICA_DIVERGED = "replica-base-offset", "replica-diverged"
OF_REPLICAS: Mapping[str, str] = {
    REPLICA_MISSING: "a replica lacks offsets below the lowest high watermark",
    REPLICA_CHECKSUM: "a batch has other bytes than on most replicas",
    REPLICA_EPOCH: "a batch has another leader epoch than on most replicas, with the same bytes",
    REPLICA_BASE_OFFSET: "the same batch has another base offset than on most replicas",
    REPLICA_DIVERGED: "from here on, up to the lowest high watermark, two replicas have different batches",
}
"""Kinds of findings between replicas."""

LOST, DUPLICATE, WRONG_OFFSET = "lost", "duplicate", "wrong-offset"
OUT_OF_ORDER, REFUSED_BUT_STORED = "out-of-order", "refused-but-stored"
OF_LEDGERS: Mapping[str, str] = {
    LOST: "an acknowledged write is not there",
    DUPLICATE: "a write of an idempotent producer is there more than once",
    WRONG_OFFSET: "an acknowledged write is at another offset than the one in its answer",
    OUT_OF_ORDER: "a write of a producer is not behind the one before it in the same partition",
    REFUSED_BUT_STORED: "a write that surely had failed is there",
}
"""Kinds of findings between a ledger and what is stored."""

ONLY_IN_A, ONLY_IN_B, DIFFERENT_RECORD = "only-in-a", "only-in-b", "different-record"
OF_CLUSTERS: Mapping[str, str] = {
    ONLY_IN_A: "a record is in the first cluster only",
    ONLY_IN_B: "a record is in the second cluster only",
    DIFFERENT_RECORD: "two records that belong together differ",
}
"""Kinds of findings between two clusters."""

ONLY_IN_ARCHIVE, ONLY_IN_BROKER = "only-in-archive", "only-in-broker"
OF_ARCHIVES: Mapping[str, str] = {
    ONLY_IN_ARCHIVE: "a record of the archive is not there, behind the log start",
    ONLY_IN_BROKER: "a record is there, and the archive of its partition does not have it",
    DIFFERENT_RECORD: OF_CLUSTERS[DIFFERENT_RECORD],
}
"""Kinds of findings between an archive and a broker."""


class AuditError(KafkaCompatError):
    """Why an audit cannot run, with what to do next."""


class Finding(NamedTuple):
    """One piece of damage. Offsets are inclusive, UNKNOWN_OFFSET (−1) where they are unknown; so is `position`, in
    bytes. `replica` is a log directory, or what else was audited.
    """

    kind: str
    topic: str
    partition: int
    first_offset: int = UNKNOWN_OFFSET
    last_offset: int = UNKNOWN_OFFSET
    detail: str = ""
    replica: str = ""
    file: str = ""
    position: int = UNKNOWN_OFFSET

    def __str__(self) -> str:
        offsets = str(self.first_offset) if self.first_offset == self.last_offset else self._range()
        place = f" ({self.file}, position {self.position})" if self.file and self.position >= 0 else ""
        at = f" at {offsets}" if self.first_offset >= 0 else ""
        return f"{self.kind}: {self.topic}-{self.partition}{at}: {self.detail}{place or self._elsewhere()}"

    def _range(self) -> str:
        return f"{self.first_offset} to {self.last_offset}"

    def _elsewhere(self) -> str:
        named = self.file or self.replica
        return f" ({named})" if named else ""


FINDING_SCHEMA = (
    "kind string, topic string, partition int, first_offset bigint, last_offset bigint, detail string, "
    "replica string, file string, position bigint"
)
"""Spark's schema of a finding."""


class AuditReport(NamedTuple):
    """The verdict. `findings`: at most MAX_FINDINGS of each segment or partition; `counts`: all, by kind. `totals`:
    what was looked at, by name. `partitions`: what is known of each, for pages.
    """

    kind: str
    findings: tuple[Finding, ...]
    counts: Mapping[str, int]
    totals: Mapping[str, int]
    partitions: tuple[Mapping[str, Any], ...] = ()

    @property
    def is_clean(self) -> bool:
        return not self.counts

    def to_frame(self, spark: SparkSession) -> DataFrame:
        """The findings, with the columns of FINDING_SCHEMA."""
        return spark.createDataFrame([tuple(each) for each in self.findings], FINDING_SCHEMA)


def report_of(
    kind: str,
    findings: Iterable[Finding],
    totals: Mapping[str, int],
    partitions: Iterable[Mapping[str, Any]] = (),
    more: Mapping[str, int] | None = None,
) -> AuditReport:
    """Findings in order. `more`: how many there are of each kind beyond those that are given."""
    ordered = tuple(sorted(findings, key=lambda each: (each.topic, each.partition, each.first_offset, each.kind)))
    counts = Counter(each.kind for each in ordered)
    counts.update(more or {})
    return AuditReport(kind, ordered, dict(sorted(counts.items())), dict(totals), tuple(partitions))
