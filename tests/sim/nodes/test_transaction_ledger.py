"""All or nothing: what clients were told is held against the logs, and each contradiction is found."""

from __future__ import annotations

import pytest

from tests.sim.invariants import InvariantError
from tests.sim.nodes.test_transaction_story import abort, commit, data
from tests.sim.nodes.transaction_ledger import Ledger, Told
from tests.sim.nodes.transaction_story import (
    COMPLETE_ABORT,
    EMPTY,
    ONGOING,
    PREPARE_ABORT,
    Data,
    Marker,
    PartitionStory,
    Results,
    Row,
    RowStory,
)

Logs = dict[str, list[Data | Marker]]


def ledger_of(
    sent: dict[str, str], *, acknowledged: int | None = None, asked: bool | None = None, ended: bool = False
) -> tuple[Ledger, Told]:
    """A ledger with the transaction A.1: its values with their partitions, of which the first were acknowledged."""
    ledger = Ledger()
    told = ledger.begin("A")
    told.sent.update(sent)
    told.acknowledged.update(list(sent.items())[:acknowledged])
    told.asked = asked
    if ended:
        ledger.ended(told)
    return ledger, told


def check(ledger: Ledger, logs: Logs) -> None:
    results = Results()
    stories = []
    for name, entries in logs.items():
        story = PartitionStory(name, results)
        stories.append(story)
        for entry in entries:
            story.add(entry)
    ledger.check_the_end(stories, results)


SENT = {"A.1.0": "t-0", "A.1.1": "t-1"}
IN_BOTH: Logs = {"t-0": [data(0, "A.1"), commit(1)], "t-1": [Data(0, 0, 7, 0, ("A.1.1",)), commit(1)]}
ABORTED: Logs = {"t-0": [data(0, "A.1"), abort(1)], "t-1": [Data(0, 0, 7, 0, ("A.1.1",)), abort(1)]}


def test_what_is_told_and_what_is_there_agree() -> None:
    check(ledger_of(SENT, asked=True, ended=True)[0], IN_BOTH)
    check(ledger_of(SENT, asked=True)[0], IN_BOTH)  # no answer
    check(ledger_of(SENT, asked=True)[0], ABORTED)
    check(ledger_of(SENT, asked=False, ended=True)[0], ABORTED)
    check(ledger_of(SENT, acknowledged=1, asked=False)[0], {"t-0": ABORTED["t-0"], "t-1": []})


@pytest.mark.parametrize(
    ("ledger", "logs", "found"),
    [
        (ledger_of(SENT, asked=True, ended=True)[0], ABORTED, "says its client"),
        (ledger_of(SENT, asked=True, ended=True)[0], {"t-0": [], "t-1": []}, "says its client"),
        (ledger_of(SENT, asked=True, ended=True)[0], {"t-0": IN_BOTH["t-0"], "t-1": []}, "without"),
        (ledger_of(SENT, asked=True)[0], {"t-0": IN_BOTH["t-0"], "t-1": []}, "without"),
        (ledger_of(SENT, asked=False, ended=True)[0], IN_BOTH, "did not ask"),
        (ledger_of(SENT)[0], IN_BOTH, "did not ask"),
        (ledger_of(SENT, asked=True)[0], {"t-0": [data(0, "A.1")], "t-1": []}, "T6"),
        (ledger_of(SENT, asked=True)[0], {"t-0": [data(0, "A.1"), data(1, "A.1"), commit(2)]}, "2 times"),
        (ledger_of({"A.1.0": "t-1"}, asked=True)[0], {"t-0": IN_BOTH["t-0"]}, "nobody sent"),
        (Ledger(), {"t-0": IN_BOTH["t-0"]}, "nobody sent"),
    ],
    ids=[
        "committed, and aborted in the logs", "committed, and not there", "committed in part",
        "in part, without an answer", "aborted, and committed in the logs", "never asked", "left open", "twice",
        "in another partition", "of nobody",
    ],
)  # fmt: skip
def test_a_contradiction(ledger: Ledger, logs: Logs, found: str) -> None:
    with pytest.raises(InvariantError, match=found):
        check(ledger, logs)


def test_an_epoch_belongs_to_one_life() -> None:
    ledger = Ledger()
    ledger.given(7, 3, "A-0/1")
    ledger.given(7, 3, "A-0/1")
    with pytest.raises(InvariantError, match="T9"):
        ledger.given(7, 3, "A-1/1")
    with pytest.raises(InvariantError, match="T9"):
        ledger.given(7, 32_767, "A-0/1")


@pytest.mark.parametrize(
    ("epochs", "state", "epoch", "is_used_up"),
    [
        ((32_765, 32_766), EMPTY, 32_765, True),
        ((32_766, 32_767), COMPLETE_ABORT, 32_766, True),
        ((3, 32_766), EMPTY, 3, True),
        ((32_765,), EMPTY, 32_764, False),
        ((32_766,), EMPTY, 32_766, False),
    ],
    ids=["a retry after the last epoch", "fenced in the last epoch", "fenced before", "one is left", "its own epoch"],
)
def test_whoever_names_another_epoch_where_all_are_used_up(
    epochs: tuple[int, ...], state: int, epoch: int, is_used_up: bool
) -> None:
    ledger = Ledger()
    ledger.rows.add(Row("A", 7, 0, EMPTY, frozenset(), 0))
    for each in epochs:
        if state == COMPLETE_ABORT:
            ledger.rows.add(Row("A", 7, each, ONGOING, frozenset(), 0))
            ledger.rows.add(Row("A", 7, each, PREPARE_ABORT, frozenset(), 0))
        ledger.rows.add(Row("A", 7, each, state, frozenset(), 0))
    assert ledger.is_used_up("A", 7, epoch) is is_used_up
    assert not ledger.is_used_up("A", 8, epoch)
    assert not ledger.is_used_up("B", 7, epoch)


def test_only_an_end_in_the_last_epoch_is_answered_with_the_one_for_fencing() -> None:
    ledger = Ledger()
    assert ledger.is_told_the_fence(32_766, 32_767)
    assert not ledger.is_told_the_fence(32_765, 32_766)
    assert not ledger.is_told_the_fence(32_766, 0)


def test_an_answer_that_is_not_committed() -> None:
    rows = RowStory()
    rows.add(Row("A", 7, 0, EMPTY, frozenset(), 0))
    ledger = Ledger(rows)
    ledger.must_have_had("A", 7, 0, EMPTY)
    with pytest.raises(InvariantError, match="T10"):
        ledger.must_have_had("A", 7, 1, EMPTY)


def test_a_producer_that_only_a_former_coordinator_refused_is_current() -> None:
    rows = RowStory()
    ledger = Ledger(rows)
    assert not ledger.is_current("A", 7, 0)
    rows.add(Row("A", 7, 0, EMPTY, frozenset(), 0))
    assert ledger.is_current("A", 7, 0)
    rows.add(Row("A", 7, 1, EMPTY, frozenset(), 1))
    assert not ledger.is_current("A", 7, 0)
    assert ledger.is_current("A", 7, 1)


def test_offsets_of_groups() -> None:
    ledger, told = ledger_of({"A.1.offset": "__consumer_offsets-0"}, asked=True, ended=True)
    assert ledger.committed_offsets["A"] == 1
    ledger.offset_found("A", 1, 1)
    with pytest.raises(InvariantError, match="T7"):
        ledger.offset_found("A", 0, 1)
    with pytest.raises(InvariantError, match="T8"):
        ledger.offset_found("A", 2, 1)
    told.asked = False
    with pytest.raises(InvariantError, match="T8"):
        ledger.offset_found("A", 1, 1)


def test_an_offset_that_was_seen_and_is_not_committed() -> None:
    ledger, _ = ledger_of({"A.1.offset": "__consumer_offsets-0"}, asked=True)
    ledger.offset_found("A", 1, 0)
    with pytest.raises(InvariantError, match="T8"):
        check(ledger, {"__consumer_offsets-0": [Data(0, 0, 7, 0, ("A.1.offset",)), abort(1)]})
