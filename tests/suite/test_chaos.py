"""The parts of the chaos runs that need no broker: plans, ledgers, numbers."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from compat_tests.chaos import __main__ as program
from compat_tests.chaos import faults, history, ledger, plan, summary, view
from compat_tests.chaos.history import OK, Assign, Commit, Poll, Send
from compat_tests.chaos.view import Part

EVERYTHING = (plan.NETWORK, plan.DISK, plan.CLOCK, plan.POWER_OF_ONE, plan.POWER_OF_ALL)


def cycles(
    seed: int, count: int = 50, possible: tuple[str, ...] = EVERYTHING, only: tuple[str, ...] = ()
) -> list[plan.Cycle]:
    return list(itertools.islice(plan.plan(seed, possible, only), count))


def test_a_seed_is_a_plan() -> None:
    assert cycles(1) == cycles(1)
    assert cycles(1) != cycles(2)


def test_every_fault_is_drawn() -> None:
    assert {cycle.fault for cycle in cycles(1, 500)} == {kind.name for kind in plan.KINDS}


def test_what_the_machine_cannot_do_is_not_drawn() -> None:
    needy = {kind.name for kind in plan.KINDS if kind.needs}
    assert needy
    assert not needy & {cycle.fault for cycle in cycles(1, 500, possible=())}


def test_chosen_faults_alone() -> None:
    assert {cycle.fault for cycle in cycles(1, only=("kill-all", "reassign"))} == {"kill-all", "reassign"}
    with pytest.raises(plan.NoFaultError, match="no fault of mute-leader is possible"):
        cycles(1, possible=(), only=("mute-leader",))


def test_clocks_jump_by_a_second_to_a_day() -> None:
    jumps = [plan.jump_s(pick / 1000) for pick in range(1000)]
    assert {jump > 0 for jump in jumps} == {True, False}
    sizes = [abs(jump) for jump in jumps]
    assert 1 <= min(sizes) < 2
    assert 80_000 < max(sizes) < 86_400
    assert 240 < sum(size < plan.MAX_JUMP_S**0.25 for size in sizes) < 260


PARTS = [Part("t", 0, 1, (1, 2), (1, 2), 5), Part("t", 1, 2, (1, 2), (1, 2), 7)]


@pytest.mark.parametrize(
    ("index", "changed", "what"),
    [
        (0, {}, ""),
        (0, {"isr": (1,)}, "isr=(1,)"),
        (0, {"leader": view.NONE}, "leader=-1"),
        (0, {"leader": 2, "epoch": 6}, "epoch=6"),
        (1, {"leader": 1, "epoch": 8}, ""),  # given back to the preferred replica
    ],
)
def test_unrest(monkeypatch: pytest.MonkeyPatch, index: int, changed: dict[str, object], what: str) -> None:
    now = list(PARTS)
    now[index] = now[index]._replace(**changed)
    monkeypatch.setattr(view, "ask", lambda _, question: question(None))
    monkeypatch.setattr(view, "parts", lambda _: now)
    monkeypatch.setattr(view, "quorum", lambda _: (1, 3))
    since = {(part.topic, part.number): part for part in PARTS}
    found = view.unrest(None, since, 3)  # type: ignore[arg-type]
    assert what in found if what else found == ""
    assert "the controllers are in epoch 3, and were in 2" in view.unrest(None, since, 2)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("unrest", "jumps", "complaints"),
    [
        ((False,), 1, 0),
        ((True, False), 2, 0),
        ((True, True, False), 3, 0),
        ((True, True, True), 3, 1),
    ],
)
def test_a_clock_is_blamed_for_what_each_of_its_jumps_does(
    monkeypatch: pytest.MonkeyPatch, unrest: Sequence[bool], jumps: int, complaints: int
) -> None:
    jumped: list[float] = []
    nodes = SimpleNamespace(nodes={2: SimpleNamespace(machine=SimpleNamespace(jump=jumped.append))})
    found = faults.Faults(nodes, "t", 1)  # type: ignore[arg-type]
    monkeypatch.setattr(faults, "CLOCK_WATCH_S", 0.0)
    monkeypatch.setattr(faults, "AFTER_CLOCK_S", 0.001)
    monkeypatch.setattr(view, "wait", lambda *_: 0.0)
    monkeypatch.setattr(view, "ask", lambda _, question: question(None))
    monkeypatch.setattr(view, "parts", lambda _: PARTS)
    monkeypatch.setattr(view, "quorum", lambda _: (1, 3))
    monkeypatch.setattr(view, "unrest", lambda *_: "an election" if unrest[(len(jumped) - 1) // 2] else "")
    cycle = plan.Cycle(7, "clock-leader", 0.25, 0.001, 0.0, waits=False)
    found._shift_clock(2, cycle)
    assert jumped == [plan.jump_s(0.25), 0.0] * jumps
    assert len(found.complaints) == complaints
    assert all("cycle 7: each time that a clock jumped" in complaint for complaint in found.complaints)
    assert all(complaint.count("an election") == jumps for complaint in found.complaints)


def test_a_clock_does_not_jump_before_the_cluster_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(*_: object) -> None:
        raise view.SilentError("no broker answers")

    jumped: list[float] = []
    nodes = SimpleNamespace(nodes={2: SimpleNamespace(machine=SimpleNamespace(jump=jumped.append))})
    found = faults.Faults(nodes, "t", 1)  # type: ignore[arg-type]
    monkeypatch.setattr(view, "wait", lambda *_: None)
    monkeypatch.setattr(view, "ask", silent)
    found._shift_clock(2, plan.Cycle(7, "clock-leader", 0.25, 0.001, 0.0, waits=False))
    assert jumped == []
    assert found.complaints.pop().endswith("; ".join(["no broker answers"] * faults.JUMPS))
    assert all("not in sync before" in complaint for complaint in found.complaints)


def test_a_fault_is_held_as_long_as_it_may_be() -> None:
    limits = {kind.name: kind.hold_s for kind in plan.KINDS}
    for cycle in cycles(3, 500):
        low, high = limits[cycle.fault]
        assert low <= cycle.hold_s <= high


def write(path: Path) -> None:
    """Two writers, a reader, a group, and a fault during which nothing is acknowledged."""
    book = ledger.Ledger(path)
    entry = {"key": "t/0", "idempotent": True, "ms": 1.0}
    book.enter("send", process="w1", value="w1.2", end=OK, offset=1, **entry)
    book.enter("send", process="w1", value="w1.1", end=OK, offset=0, **entry)
    book.enter("send", process="w2", value="w2.1", end=history.INFO, offset=None, error="_MSG_TIMED_OUT", **entry)
    book.enter("assign", process="r", keys=["t/0"], group="")
    book.enter("poll", process="r", reads={"t/0": [(0, "w1.1"), (1, "w1.2")]})
    book.enter("commit", process="m", group="g", offsets={"t/0": 2}, end=OK)
    book.enter("fault", fault="kill-leader", number=1, began=0.0, target="1", hold_s=0.0, well_s=1.5)
    assert book.acknowledged == 2
    assert book.last_acknowledged.keys() == {"t/0"}
    book.close()
    book.enter("send", process="w1", value="w1.3", end=OK, offset=2, **entry)  # too late to be written


def test_a_ledger_is_a_history(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    write(path)
    assert ledger.operations(ledger.lines(path)) == [
        Send("w1", "t/0", "w1.1", OK, 0),
        Send("w1", "t/0", "w1.2", OK, 1),
        Send("w2", "t/0", "w2.1", history.INFO),
        Assign("r", frozenset({"t/0"})),
        Poll("r", {"t/0": [(0, "w1.1"), (1, "w1.2")]}),
        Commit("m", "g", {"t/0": 2}, OK),
    ]


def test_numbers_of_a_run(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    write(path)
    entries = list(ledger.lines(path))
    found = summary.summarize(entries, history.check(ledger.operations(entries)))
    assert (found["acknowledged"], found["unknown"], found["unknown_and_there"], found["read"]) == (2, 1, 0, 2)
    assert (found["lost"], found["duplicated"], found["anomalies"]) == (0, 0, {})
    assert found["faults"] == {"kill-leader": 1}
    assert found["well_after_s"]["max"] == 1.5
    assert "2 acknowledged" in summary.text(found, [])


def test_gaps() -> None:
    times = {"t/0": [0.0, 0.1, 0.2, 3.2, 3.3], "t/1": [0.0, 0.4, 0.8, 1.2]}
    entries = [{"op": "send", "end": OK, "key": key, "t": t} for key, each in times.items() for t in each]
    assert summary.gaps(entries) == [(0.2, pytest.approx(3.0))]
    fault = {"op": "fault", "fault": "kill-all", "began": 0.25, "t": 2.0}
    calm = {"op": "fault", "fault": "reassign", "began": 3.25, "t": 3.3}
    found = summary.by_fault([*entries, fault, calm])
    assert found["kill-all"]["max"] == 3.0
    assert found["reassign"]["max"] == 0.0


def test_a_loss_in_a_ledger_fails_the_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The whole way from a ledger to the exit status."""
    path = tmp_path / "ledger.jsonl"
    write(path)
    assert program._check(path, {}) == 0
    path.write_text(path.read_text().replace('[1,"w1.2"]', '[2,"w9.9"]'))
    assert program._check(path, {}) == 1
    assert "lost-write" in capsys.readouterr().out
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["lost"] == 1
    assert {finding["anomaly"] for finding in report["findings"]} == {"unseen", "lost-write", "int-poll-skip"}
