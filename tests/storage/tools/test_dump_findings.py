"""What is told when all files are read."""

from kafkacompat.storage.tools.dump_findings import OFFSETS_DIFFER, Findings


def test_gaps_are_no_faults_and_mismatches_are() -> None:
    findings = Findings()
    findings.gap("/x.log", 3, 9)
    assert not findings.is_bad
    findings.fault(OFFSETS_DIFFER, "/x.index", 4, 5)
    findings.fault(OFFSETS_DIFFER, "/x.index", 8, 9)
    assert findings.is_bad
    assert list(findings.lines()) == [
        "Mismatches in :/x.index", "  Index offset: 8, log offset: 9", "  Index offset: 4, log offset: 5",
        "Non-consecutive offsets in /x.log", "  3 is followed by 9",
    ]  # fmt: skip
    assert list(findings.rows()) == [
        {"path": "/x.index", "what": "Mismatches", "indexed": 4, "found": 5},
        {"path": "/x.index", "what": "Mismatches", "indexed": 8, "found": 9},
        {"path": "/x.log", "what": "Non-consecutive offsets", "after": 3, "found": 9},
    ]
