"""The verdict of an audit for machines: JSON, and JUnit's XML with a test case for each kind of finding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as Xml

from kafkacompat.spark.audit.audit_findings import (
    OF_ARCHIVES,
    OF_CLUSTERS,
    OF_LEDGERS,
    OF_LOGS,
    OF_REPLICAS,
    AuditReport,
)

KINDS: Mapping[str, Mapping[str, str]] = {
    "log": OF_LOGS, "replicas": OF_REPLICAS, "ledger": OF_LEDGERS, "clusters": OF_CLUSTERS,
    "archive": OF_ARCHIVES,
}  # fmt: skip
"""What each audit may find, and what that means."""


def as_json(report: AuditReport) -> dict[str, Any]:
    """What --json writes, and what is printed."""
    return {
        "audit": report.kind, "is_clean": report.is_clean, "counts": dict(report.counts),
        "totals": dict(report.totals), "findings": [each._asdict() for each in report.findings],
    }  # fmt: skip


def as_junit(report: AuditReport) -> str:
    """One test case for each kind of finding that the audit looks for; it fails with the findings of its kind."""
    kinds = KINDS[report.kind]
    suite = Xml.Element(
        "testsuite", name=f"kafkacompat spark audit {report.kind}", tests=str(len(kinds)),
        failures=str(len(report.counts)), errors="0", skipped="0",
    )  # fmt: skip
    for kind, meaning in kinds.items():
        case = Xml.SubElement(suite, "testcase", classname=f"audit.{report.kind}", name=kind)
        if kind in report.counts:
            count = report.counts[kind]
            failure = Xml.SubElement(case, "failure", type=kind, message=f"{count} times: {meaning}")
            failure.text = "\n".join(str(each) for each in report.findings if each.kind == kind)
    suites = Xml.Element("testsuites")
    suites.append(suite)
    Xml.indent(suites)
    return Xml.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"
