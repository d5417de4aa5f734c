"""What of a full run is kept for COMPATIBILITY.md."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.report import summary


def run(*tests: dict[str, Any], form: str = "full", subject: str = "kafkacompat", **more: Any) -> dict[str, Any]:
    return {
        "began": "2026-01-02T03:04:05+00:00", "seconds": 60, "kafkacompat": "1", "reference": "Apache Kafka 1",
        "subject": subject, "form": form, "machine": "m", "left_out": {}, "conversations": 1, "pairs": 2,
        "kinds": [], "decisions": [], "tests": list(tests), **more,
    }  # fmt: skip


def ended(name: str, result: str = "PASS", broker: str = "kafkacompat", **answered: dict[str, int]) -> dict[str, Any]:
    path = name.partition("::")[0]
    suite = path.removeprefix("compat_tests/").rpartition("/")[0]
    return {
        "test": name, "suite": suite, "broker": broker, "result": result, "answered": answered, "why": "why",
        "pairs": 2,
    }  # fmt: skip


def test_pieces_are_put_together() -> None:
    kinds = [["Fetch", 4, "error_code 0", "equal"], ["Fetch", 4, "a.error_code 3,0; b items", "decided"]]
    client = ended("compat_tests/clients/kcat/test_x.py::test_codec[a]", Fetch={"4": 2}, Metadata={"1": 1})
    found = summary.of([run(client, kinds=kinds), run(ended("compat_tests/spark/test_s.py::test_b"), form="everyday")])
    assert found["apis"]["Fetch"] == {"compared": {"4": [2, 1]}, "codes": [0, 3], "clients": {"4": ["kcat"]}}
    assert found["apis"]["Metadata"] == {"compared": {}, "codes": [], "clients": {"1": ["kcat"]}}
    assert found["clients"]["kcat"]["compression"] == {"kafkacompat": 1}
    assert found["spark"] == {"test_s.py::test_b": ["kafkacompat"]}
    assert found["forms"] == {"clients/kcat": "full", "spark": "everyday"}
    assert (found["tests"], found["pairs"], found["kinds"], found["equal"], found["seconds"]) == (2, 4, 2, 1, 120)


def test_of_a_test_that_was_run_again_the_last_result_counts() -> None:
    name = "compat_tests/api/test_a.py::test_a"
    assert summary.of([run(ended(name, "FAIL")), run(ended(name))])["tests"] == 1
    with pytest.raises(ValueError, match="failed: compat_tests"):
        summary.of([run(ended(name)), run(ended(name, "FAIL"))])


@pytest.mark.parametrize(
    ("runs", "reason"),
    [
        ([run(form="everyday")], "only a full run"),
        ([run(subject="localhost:9092")], "only a full run"),
        ([run(), run(reference="Apache Kafka 2")], "different references"),
        ([run(ended("compat_tests/api/t.py::t", "VACUOUS"))], "without failures"),
    ],
)
def test_what_cannot_be_published(runs: list[dict[str, Any]], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        summary.of(runs)
