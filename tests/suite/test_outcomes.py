"""How a run counts what it compared."""

from __future__ import annotations

from compat_tests.api.outcomes import NO_ANSWER, Exchange, outcome
from compat_tests.api.raw import CLOSED, Difference
from compat_tests.report.ledger import DECIDED, EQUAL, Kind, Ledger

METADATA = 3


def topics(*codes: int) -> dict[str, object]:
    return {"topics": [{"name": f"t{n}", "error_code": code, "partitions": []} for n, code in enumerate(codes)]}


def test_the_same_kind_of_answer_however_many_items_it_has() -> None:
    assert outcome(topics(0)) == outcome(topics(0, 0)) == "topics items; topics.error_code 0; topics.partitions empty"
    assert outcome(topics(3, 0)) == outcome(topics(0, 3)) != outcome(topics(3))
    assert outcome(topics()) == "topics empty"
    assert outcome({"topics": None, "error_code": 7}) == "error_code 7"
    assert outcome({"throttle_time_ms": 0}) == "answered"
    assert outcome(CLOSED) == NO_ANSWER


def test_pairs_are_counted_and_kinds_are_counted_once() -> None:
    ledger = Ledger()
    said = [Exchange(METADATA, 1, "a"), Exchange(METADATA, 1, "a"), Exchange(METADATA, 2, "a")]
    assert ledger.conversation(said, said) == 3
    assert ledger.conversation(said[:1], said) == 1  # the rest was asked of one side only
    assert ledger.kinds == {Kind("Metadata", 1, "a"): EQUAL, Kind("Metadata", 2, "a"): EQUAL}
    assert (ledger.conversations, ledger.pairs) == (2, 4)


def test_another_kind_of_answer_is_not_counted_as_equal() -> None:
    ledger = Ledger()
    ledger.conversation([Exchange(METADATA, 1, "b")], [Exchange(METADATA, 1, "a")])
    assert ledger.kinds == {Kind("Metadata", 1, "a"): DECIDED}


def test_a_decision_covers_its_own_difference_alone() -> None:
    ledger = Ledger()
    text = Difference(".topics[0].error_message", "no", "not so")
    code = Difference(".topics[0].error_code", 3, 7)
    assert ledger.undecided("test", "metadata", [text, code]) == [code]
    assert ledger.met["messages in our own words"].fields == 1
