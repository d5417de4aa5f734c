"""Tables and progress as text."""

from __future__ import annotations

import io

from kafkacompat.demo.checks import Check
from kafkacompat.demo.progress import Progress
from kafkacompat.demo.report import Report, Speed, how_to_connect


def test_the_tables() -> None:
    report = Report()
    report.checks.append(Check("flights: records", "336,776", "336,776", is_equal=True))
    report.speeds.append(Speed("written", 1_000_000, 50_000_000, 2.0))
    report.left_out.append("Spark (no Java was found).")
    assert report.text().splitlines() == [
        "checked           expected      got",
        "----------------  --------  -------  -----",
        "flights: records   336,776  336,776  equal",
        "",
        "how fast    records  seconds  records/s  MB/s",
        "--------  ---------  -------  ---------  ----",
        "written   1,000,000      2.0    500,000  25.0",
        "",
        "Left out: Spark (no Java was found).",
        "",
        "All 1 checks are equal.",
    ]


def test_a_difference_is_said_at_the_end() -> None:
    report = Report()
    report.checks += [Check("a", "1", "1", is_equal=True), Check("  b", "1", "2", is_equal=False, detail="first: x")]
    assert not report.is_equal
    assert "DIFFERENT" in report.text()
    assert report.text().endswith("1 of 2 checks differ, first: b (first: x)")


def test_nothing_checked_is_not_equal() -> None:
    assert not Report().is_equal
    assert Report().text() == ""


def test_own_clients_are_pointed_at_the_broker_that_stays() -> None:
    assert how_to_connect("localhost:1234").count("localhost:1234") == 3
    assert "kafkacompat serve" in how_to_connect(None)


def run(*, is_terminal: bool) -> str:
    out, now = io.StringIO(), [0.0]
    progress = Progress(out, is_terminal=is_terminal, clock=lambda: now[0])
    progress.step("writing")
    for second in range(1, 21):
        now[0] = float(second)
        progress.update(second * 10, 200)
    progress.done("200 flights")
    return out.getvalue()


def test_progress_moves_on_a_terminal() -> None:
    shown = run(is_terminal=True)
    assert shown.count("\r") > 20
    assert shown.endswith("\r\x1b[Kwriting: 200 flights (20.0 s)\n")
    assert shown.count("\n") == 1


def test_progress_is_a_few_lines_elsewhere() -> None:
    assert run(is_terminal=False).splitlines() == [
        "writing ...",
        "writing: 100 of 200         10/s",
        "writing: 200 of 200         10/s",
        "writing: 200 flights (20.0 s)",
    ]
