"""The table of both brokers has a ratio where both have a value, and says which bars hold."""

from benchmarks.bars import Bar
from benchmarks.side_by_side import KAFKA, OURS, report

MEDIANS = {"start": {KAFKA: {"ready_s": 4.0, "logs_s": 1.0, "load": 2.0}, OURS: {"ready_s": 1.0, "load": 1.0}}}
METRICS = {"ready_s": "s", "logs_s": "logs alone, s", "load": "load"}


def lines_of(factor: float) -> tuple[list[str], bool]:
    bar = Bar("start", "ready_s", at_least=False, factor=factor, peer=KAFKA, columns=(OURS,))
    return report("Title", "About.", MEDIANS, METRICS, [bar], {"cores": 2})


def test_values_and_ratios() -> None:
    lines, _ = lines_of(0.5)
    assert lines[0] == "# Title"
    assert "| start | s | 4.00 | 1.00 | 0.25 |" in lines
    assert "| start | logs alone, s | 1.00 |  |  |" in lines
    assert "| start | load | 2.00 | 1.00 |  |" in lines


def test_bars() -> None:
    lines, is_held = lines_of(0.5)
    assert is_held
    assert lines[-1] == "- held: start ready_s ≤ 0.5 × kafka: 1.00, at most 2.00"
    lines, is_held = lines_of(0.2)
    assert not is_held
    assert "**missed**" in lines[-1]
