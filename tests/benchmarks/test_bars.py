"""The bars of the benchmarks: what counts as held, and beside whom."""

from benchmarks.bars import BARS, Bar, judge
from benchmarks.table import UNITS, markdown, medians

FASTER = Bar("produce", "mb_s", at_least=True, factor=1.3, peer="kafka", columns=("ours",))
SMALLER = Bar("memory", "idle_mb", at_least=False, constant=35, columns=("ours",))


def test_a_ratio_is_taken_to_the_peer_of_the_same_row() -> None:
    [held] = judge(FASTER, {"produce": {"ours": {"mb_s": 130.0}, "kafka": {"mb_s": 100.0}}})
    [missed] = judge(FASTER, {"produce": {"ours": {"mb_s": 129.0}, "kafka": {"mb_s": 100.0}}})
    assert held.held
    assert not missed.held
    assert (held.limit, missed.ratio) == (130.0, 1.29)


def test_an_absolute_bar_needs_no_peer() -> None:
    assert [v.held for v in judge(SMALLER, {"memory": {"ours": {"idle_mb": 35.0}}})] == [True]
    assert [v.held for v in judge(SMALLER, {"memory": {"ours": {"idle_mb": 35.1}}})] == [False]


def test_a_peer_and_a_constant_add_up() -> None:
    bar = Bar("start", "ready_ms", at_least=False, factor=1.0, peer="import asyncio", constant=90, columns=("ours",))
    [verdict] = judge(bar, {"start": {"ours": {"ready_ms": 151.0}, "import asyncio": {"ready_ms": 60.0}}})
    assert verdict.limit == 150.0
    assert not verdict.held


def test_what_was_not_measured_gets_no_verdict() -> None:
    assert judge(FASTER, {}) == []
    assert judge(FASTER, {"produce": {"ours": {"mb_s": 1.0}}}) == []
    assert judge(FASTER, {"produce": {"kafka": {"mb_s": 1.0}}}) == []


def test_every_bar_has_a_metric_that_the_table_can_name() -> None:
    assert {bar.metric for bar in BARS} <= UNITS.keys()
    assert len({(bar.row, bar.metric, bar.peer) for bar in BARS}) == len(BARS)


def test_the_table_shows_medians_spread_verdicts_and_what_did_not_count() -> None:
    samples = {
        "produce-1k": {
            "kafkacompat-uvloop": {"mb_s": [300.0, 200.0, 100.0], "client_cores": [1.2]},
            "kafka": {"mb_s": [250.0], "client_cores": [0.4]},
        }
    }
    assert medians(samples)["produce-1k"]["kafkacompat-uvloop"]["mb_s"] == 200.0
    text = markdown({"version": "1"}, samples, ["ping-1 kfake: read back 3 of 4"])
    assert "200 (100–300)" in text
    assert "**missed**" in text
    assert "The client was the limit (≥ 1 core): kafkacompat-uvloop." in text
    assert "ping-1 kfake: read back 3 of 4" in text
