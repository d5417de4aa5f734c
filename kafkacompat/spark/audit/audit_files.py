"""What an audit reads of log directories before their segments: partitions, checkpoints, what is wrong with those."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from kafkacompat.spark.audit.audit_findings import CHECKPOINT, NO_PARTITION, AuditError, Finding
from kafkacompat.spark.audit.audit_segment import LogFacts, SegmentJob
from kafkacompat.spark.log.log_files import TopicPartition, log_directories, open_log, partition_folders
from kafkacompat.storage.checkpoints import (
    CLEANER_FILE,
    HIGH_WATERMARK_FILE,
    LOG_START_FILE,
    RECOVERY_POINT_FILE,
    CheckpointError,
    read_offsets,
)
from kafkacompat.storage.fs import RealFs
from kafkacompat.storage.leader_epochs import FILE_NAME as EPOCHS_FILE
from kafkacompat.storage.leader_epochs import LeaderEpochs


class Logs(NamedTuple):
    """The logs of some directories: the jobs of each, in the order of its segments, and what was found already."""

    jobs: dict[tuple[str, TopicPartition], list[SegmentJob]]
    findings: list[Finding]


def find_audited(paths: Iterable[str], topics: str) -> Logs:
    """The partitions whose topics match as a whole. Raises AuditError if there are none, LogReadError."""
    try:
        pattern = re.compile(topics)
    except re.error as error:
        raise AuditError(f"{topics!r} is no regular expression: {error}") from None
    logs = Logs({}, [])
    paths = list(paths)
    for directory in log_directories(paths):
        offsets = [
            _offsets(directory / name, logs.findings)
            for name in (LOG_START_FILE, HIGH_WATERMARK_FILE, RECOVERY_POINT_FILE, CLEANER_FILE)
        ]
        for key, folder in partition_folders(directory):
            if pattern.fullmatch(key[0]):
                starts, marks, synced, cleaned = (each.get(key, 0) for each in offsets)
                log = open_log(key, folder, starts, marks)
                if log is None:
                    continue
                epochs = _epochs(key, folder, logs.findings)
                facts = LogFacts(*key, str(directory), starts, marks, synced, cleaned, epochs)
                logs.jobs[str(directory), key] = [
                    SegmentJob(facts, segment, number == 0) for number, segment in enumerate(log.segments)
                ]
    if not logs.jobs:
        raise AuditError(f"no topic in {', '.join(paths)} matches {topics!r}")
    return logs


def _offsets(path: Path, findings: list[Finding]) -> dict[TopicPartition, int]:
    try:
        return read_offsets(RealFs(), str(path))
    except CheckpointError as error:
        findings.append(
            Finding(CHECKPOINT, "", NO_PARTITION, detail=str(error), replica=str(path.parent), file=str(path))
        )
        return {}


def _epochs(key: TopicPartition, folder: Path, findings: list[Finding]) -> tuple[tuple[int, int], ...]:
    path = str(folder / EPOCHS_FILE)
    try:
        return tuple(LeaderEpochs.load(RealFs(), path).entries)
    except CheckpointError as error:
        findings.append(Finding(CHECKPOINT, *key, detail=str(error), replica=str(folder.parent), file=path))
        return ()
