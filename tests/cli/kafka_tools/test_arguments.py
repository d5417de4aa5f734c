"""Arguments as Kafka's tools read them."""

from __future__ import annotations

import pytest

from kafkacompat.cli.kafka_tools.arguments import ToolError, parse


def test_values_follow_or_are_attached_and_flags_repeat() -> None:
    given = parse(["--a", "1", "--a=2", "--on", "rest", "-"], ["--a", "--b"], ["--on", "--off"], max_rest=2)
    assert given.get_all("--a") == ["1", "2"]
    assert given.get("--b", "--a") == "2"
    assert ("--on" in given, "--off" in given, "--a" in given) == (True, False, True)
    assert given.rest == ["rest", "-"]
    assert given.integer("--a") == 2
    assert given.integer("--b") is None


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--x"], "^x is not a recognized option"),
        (["--help"], "^Options: --a$"),
        (["--a"], "Option a requires an argument"),
        (["one"], "unexpected argument one"),
    ],
)
def test_what_cannot_be_read_is_named(arguments: list[str], says: str) -> None:
    with pytest.raises(ToolError, match=says):
        parse(arguments, ["--a"])


def test_a_missing_flag_and_a_number_that_is_none_are_named() -> None:
    given = parse(["--a", "x"], ["--a", "--b"])
    with pytest.raises(ToolError, match=r'Missing required argument "\[b\]"'):
        given.require("--b")
    with pytest.raises(ToolError, match="Cannot parse argument 'x' of option a"):
        given.integer("--a")


def test_one_action_is_taken() -> None:
    assert parse(["--on"], (), ["--on", "--off"]).one_of(["--on", "--off"]) == "--on"
    for arguments in ([], ["--on", "--off"]):
        with pytest.raises(ToolError, match="exactly one action: --on or --off"):
            parse(arguments, (), ["--on", "--off"]).one_of(["--on", "--off"], " or ")
