"""An audit of log directories without Spark."""

from __future__ import annotations

from pathlib import Path

from kafkacompat.spark.audit.audit_files import find_audited
from kafkacompat.spark.audit.audit_findings import Finding
from kafkacompat.spark.audit.audit_partition import PartitionAudit
from kafkacompat.spark.audit.audit_segment import audit_segment


def findings(*directories: Path, topics: str = ".*") -> list[Finding]:
    """All findings, partition after partition."""
    logs = find_audited([str(each) for each in directories], topics)
    found = list(logs.findings)
    for jobs in logs.jobs.values():
        found += PartitionAudit(jobs).findings([audit_segment(job) for job in jobs])
    return found
