from __future__ import annotations

from kafkacompat.traffic.bindings import GENERATION, LEADER_EPOCH, MEMBER_ID, TOPIC_ID, Bindings


def test_a_value_stands_for_one_other() -> None:
    bindings = Bindings()
    assert bindings.replayed(MEMBER_ID, (), "a") == "a"
    assert bindings.bind(MEMBER_ID, (), "a", "x")
    assert bindings.bind(MEMBER_ID, (), "a", "x")
    assert not bindings.bind(MEMBER_ID, (), "a", "y"), "it was x before"
    assert not bindings.bind(MEMBER_ID, (), "b", "x"), "x is a"
    assert (bindings.replayed(MEMBER_ID, (), "a"), bindings.is_taken(MEMBER_ID, "x")) == ("x", True)


def test_scopes_are_apart() -> None:
    bindings = Bindings()
    assert bindings.bind(GENERATION, ("g",), 5, 1)
    assert bindings.bind(GENERATION, ("h",), 5, 2)
    assert (bindings.replayed(GENERATION, ("g",), 5), bindings.replayed(GENERATION, ("h",), 5)) == (1, 2)


def test_nothing_stands_for_nothing_only() -> None:
    bindings = Bindings()
    assert bindings.bind(MEMBER_ID, (), "", "")
    assert not bindings.bind(MEMBER_ID, (), "", "x")
    assert not bindings.bind(MEMBER_ID, (), "a", "")
    assert not bindings.bind(TOPIC_ID, (), bytes(16), b"t" * 16)
    assert not bindings.bind(GENERATION, ("g",), 3, -1)


def test_leaders_may_move_on() -> None:
    bindings = Bindings()
    assert bindings.bind(LEADER_EPOCH, ("t", 0), 3, 0)
    assert bindings.bind(LEADER_EPOCH, ("t", 0), 3, 1)
    assert bindings.replayed(LEADER_EPOCH, ("t", 0), 3) == 1


def test_a_topic_is_found_by_its_new_id() -> None:
    bindings = Bindings()
    bindings.bind(TOPIC_ID, (), b"a" * 16, b"b" * 16)
    assert bindings.captured_topic(b"b" * 16) == b"a" * 16
    assert bindings.captured_topic(b"c" * 16) == b"c" * 16
