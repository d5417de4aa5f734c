"""Verdicts for machines."""

from __future__ import annotations

from xml.etree import ElementTree as Xml

from kafkacompat.spark.audit.audit_findings import OF_LOGS, Finding, report_of
from kafkacompat.spark.audit.audit_output import as_json, as_junit

FOUND = [
    Finding("checksum", "orders", 1, 20, 29, "checksum <0>", "/data", "/data/orders-1/0.log", 100),
    Finding("checksum", "orders", 0, 5, 5, "checksum 1", "/data"),
]


def test_json_has_everything_in_order() -> None:
    plain = as_json(report_of("log", FOUND, {"records": 7}, more={"checksum": 3}))
    assert (plain["audit"], plain["is_clean"], plain["counts"]) == ("log", False, {"checksum": 5})
    assert [each["partition"] for each in plain["findings"]] == [0, 1]
    assert as_json(report_of("log", (), {}))["is_clean"]


def test_junit_has_a_case_for_each_kind() -> None:
    suites = Xml.fromstring(as_junit(report_of("log", FOUND, {})))
    assert [case.get("name") for case in suites.iter("testcase")] == list(OF_LOGS)
    (failure,) = suites.iter("failure")
    assert failure.get("message", "").startswith("2 times: ")
    assert failure.text == "\n".join(
        [
            "checksum: orders-0 at 5: checksum 1 (/data)",
            "checksum: orders-1 at 20 to 29: checksum <0> (/data/orders-1/0.log, position 100)",
        ]
    )
    assert [suite.get("failures") for suite in suites] == ["1"]
