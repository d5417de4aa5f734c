"""Pictures: how time is cut into bins, and how many elements a strip has."""

from __future__ import annotations

from kafkacompat.spark.audit.page_charts import (
    MAX_POINTS,
    STRIP_SLOTS,
    Bar,
    Mark,
    area,
    bars,
    binned,
    legend,
    lines,
    strip,
)

MINUTE = 60_000
START = 1357000020000


def test_bins_hold_all_that_is_drawn() -> None:
    curve = binned({START + MINUTE * number: (100, 2) for number in range(10_000)})
    assert curve is not None
    assert len(curve.sums[0]) <= MAX_POINTS + 1
    assert (sum(curve.sums[0]), sum(curve.sums[1]), curve.outside) == (1_000_000, 20_000, 0)
    assert max(curve.rates(1)) == 2 / 60


def test_few_records_of_another_age_do_not_squeeze_the_others() -> None:
    times = {START + MINUTE * number: (100, 1000) for number in range(60)} | {0: (1, 1), 1 << 62: (1, 1), -1: (1, 1)}
    curve = binned(times)
    assert curve is not None
    assert (curve.bin_ms, curve.outside, sum(curve.sums[1])) == (MINUTE, 2, 60_000)


def test_without_times_there_is_no_curve() -> None:
    assert binned({}) is None
    assert binned({-1: (5, 5)}) is None


def test_one_record_is_drawn() -> None:
    curve = binned({START: (60, 0)})
    assert curve is not None
    assert curve.rates(0) == [1.0]
    assert area(curve, 1, "nothing", ("1", "2")).find("polyline") is not None


def test_a_line_has_a_gap_where_nothing_is_known() -> None:
    drawn = lines(START, MINUTE, [(1, (4, -1, 2, 2)), (2, (-1, -1, -1, -1)), (3, (0, 0, 0, 0))], "lag", ("2", "4"))
    pieces = drawn.findall("polyline")
    assert [each.get("style") for each in pieces] == [f"stroke:var(--c{number})" for number in (1, 1, 3)]
    assert [len((each.get("points") or "").split()) for each in pieces] == [2, 4, 8]
    assert (pieces[0].get("points") or "").startswith("76.0,12.0 307.0,12.0")


def test_a_strip_has_few_elements_however_much_is_marked() -> None:
    shapes = strip(0, 1 << 40, (Mark(at << 20, at << 20, at) for at in range(1 << 15)))
    assert len(shapes) <= STRIP_SLOTS
    ends = strip(10, 10, [Mark(-5, 1 << 62, 1)])
    assert (ends[0].get("x"), ends[0].get("width")) == ("0.0", "1000.0")


def test_bars_keep_inside_of_their_track() -> None:
    (row,) = bars([Bar("a", ((7.0, 9),), "7")])
    (fill,) = row.iter("i")
    assert fill.get("style") == "width:100.00%;background:var(--c1)"
    assert [each.get("style") for each in legend([("a", 3)]).iter("i")] == ["background:var(--c3)"]
