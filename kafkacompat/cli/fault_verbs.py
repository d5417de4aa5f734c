"""`kafkacompat fault`: adds, lists and removes fault rules of brokers of ours, and waits for their hits."""

from __future__ import annotations

import sys
import time

import click

from kafkacompat.cli.controlled import controlled
from kafkacompat.cli.durations import duration_ms
from kafkacompat.cli.exits import USAGE, VerbError, say
from kafkacompat.cli.rows import formatted_by_output, print_rows
from kafkacompat.client.texts import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from kafkacompat.client.control import ControlClient

    Rule = dict[str, Any]

COLUMNS = ("id", "label", "when", "then", "hits", "left")
WAIT_MAX_MS = 600_000
"""The longest wait that the control API takes."""
GRACE_S = 10.0
"""The answer of a wait may come so much later than its end."""
NEAR_MISSES_SHOWN = 3
_SELECTORS = (
    ("api", str, "The API: produce, FindCoordinator, FETCH."),
    ("api-version", str, "Its version: 9, 3-7, 9+."),
    ("broker", int, "The id of the node that gets the request."),
    ("listener", str, "The listener's name."),
    ("client-id", str, "The client id; * is any text."),
    ("connection", int, "The connection's id."),
    ("topic", str, "A topic that it names; * is any text."),
    ("topic-id", str, "The same by id."),
    ("partition", int, "A partition that it names."),
    ("group", str, "A group that it names."),
    ("txn-id", str, "A transactional id that it names."),
    ("resource", str, "A config resource, a member, a feature or a directory that it names."),
    ("request", str, 'A condition on a field: "acks == -1".'),
)
_MEMBERS = {"api_version": "version"}
"""Selectors of another name in a rule than on the command line."""


@click.group()
def fault() -> None:
    """Let requests fail, wait or be lost: rules that brokers of ours carry out (docs/faults.md)."""


def _selectors(function: Callable[..., Any]) -> Callable[..., Any]:
    for name, kind, text in reversed(_SELECTORS):
        function = click.option(
            f"--{name}", type=click.IntRange(0) if kind is int else str, multiple=True,
            metavar="N" if kind is int else "TEXT", help=text,
        )(function)  # fmt: skip
    return function


_ACTIONS = (
    click.option("--error", "error", metavar="CODE", help="An error of Kafka in place of the answer."),
    click.option("--level", type=click.Choice(["entity", "top"]), help="With --error: of each entity, or on top."),
    click.option("--work", type=click.Choice(["before", "after"]), help="With --error: after the work is done."),
    click.option("--leader-hint", is_flag=True, help="With --error: name the partition's leader."),
    click.option("--delay", "delay_ms", metavar="DURATION", type=duration_ms, help="The request waits, like 200ms."),
    click.option("--drop", is_flag=True, help="The connection is closed."),
    click.option("--silence", is_flag=True, help="No answer; the connection stays open."),
    click.option("--throttle", "throttle_ms", metavar="DURATION", type=duration_ms, help="Tell the client to wait."),
    click.option("--hide", is_flag=True, help="Leave what was selected out of the answer."),
    click.option("--stale", is_flag=True, help="Metadata as it is now."),
    click.option(
        "--at", type=click.Choice(["before", "after"]), help="With --delay, --drop, --silence: of the work.",
    ),
    click.option("--then", metavar="JSON", help='Any action: \'{"cut": {"after_bytes": 100}}\'.'),
)  # fmt: skip
_LIMITS = (
    click.option("--times", metavar="N", type=click.IntRange(1), help="It ends after N requests."),
    click.option("--skip", metavar="N", type=click.IntRange(0), help="It lets N requests pass first."),
    click.option("--for", "for_ms", metavar="DURATION", type=duration_ms, help="It ends after this time, like 30s."),
    click.option("--probability", metavar="P", type=click.FloatRange(0, 1), help="Of each request, 0 to 1."),
    click.option("--seed", metavar="N", type=int, help="The same chances each time."),
    click.option("--observe", is_flag=True, help="Only count."),
    click.option("--label", metavar="TEXT", help="Its name."),
)


def _options(options: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    def give(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return give


@fault.command()
@_selectors
@_options(_ACTIONS)
@_options(_LIMITS)
@click.option("--json", "text", metavar="RULE", help="The whole rule as JSON; @FILE reads it there, - from stdin.")
@click.option("--wait-hits", metavar="N", type=click.IntRange(1), help="Wait until it had N hits.")
@formatted_by_output
@controlled
def add(client: ControlClient, *, text: str | None, wait_hits: int | None, words: str, **given: Any) -> None:
    """Add a rule: which requests (all selectors must match), what happens to them, how often and how long.

    A selector may be repeated: one of its values must match. Without --times and --for the rule stays until it is
    removed, or the broker is reset.
    """
    rule = _add(client, given) if text is None else client.post("/v1/faults", _rule_in(text, given))
    if wait_hits is not None:
        say(f"fault {rule['id']} is added; waiting for {counted(wait_hits, 'hit')}")
        rule = _wait(client, rule["id"], wait_hits)
    _print([rule], words)


@fault.command("list")
@formatted_by_output
@controlled
def list_(client: ControlClient, *, words: str) -> None:
    """List rules with their hits, those that have ended as well. As JSON with near misses."""
    _print(client.get("/v1/faults")["faults"], words)


@fault.command()
@click.argument("ids", metavar="ID...", nargs=-1, type=click.IntRange(0))
@click.option("--all", "with_all", is_flag=True, help="All rules.")
@controlled
def remove(client: ControlClient, *, ids: Sequence[int], with_all: bool) -> None:
    """Remove rules."""
    if with_all == bool(ids):
        raise VerbError("say which: ids, as fault list shows them, or --all", USAGE)
    from kafkacompat.client.control import path_of

    if with_all:
        client.delete("/v1/faults")
        say("all faults are removed")
    for each in ids:
        removed = client.delete(path_of("faults", each))
        say(f"fault {each} is removed, after {counted(removed['hits'], 'hit')}")


@fault.command()
@click.argument("id_", metavar="ID", type=click.IntRange(0))
@click.option("--wait", "count", metavar="N", type=click.IntRange(1), help="Wait until it had N hits.")
@formatted_by_output
@controlled
def hits(client: ControlClient, *, id_: int, count: int | None, words: str) -> None:
    """Show how often a rule acted, and the requests that it nearly matched; with --wait once it had N hits."""
    from kafkacompat.client.control import path_of

    rule = client.get(path_of("faults", id_)) if count is None else _wait(client, id_, count)
    _print([rule], words)
    if words == "table" and not rule["hits"]:
        _say_near_misses(rule)


def _add(client: ControlClient, given: Mapping[str, Any]) -> Rule:
    """Add the rule of the flags. Raises VerbError, whose mistakes name flags in place of members."""
    from kafkacompat.client.errors import ControlError

    try:
        rule: Rule = client.post("/v1/faults", _rule(given))
    except ControlError as error:
        mistakes = [_mistake(each) for each in error.members.get("errors") or ()]
        if not mistakes:
            raise
        raise VerbError("; ".join(mistakes), USAGE) from None
    return rule


def _mistake(found: Mapping[str, str]) -> str:
    parts = [part for part in found["pointer"].split("/") if part]
    name = next((each for each in parts if each not in ("when", "then")), "rule")
    flag = next((flag for flag, member in _MEMBERS.items() if member == name), name).replace("_", "-")
    hint = f"; did you mean {found['did_you_mean']}?" if found.get("did_you_mean") else ""
    return f"--{flag}: {found['message']}{hint}"


def _rule(given: Mapping[str, Any]) -> Rule:
    """The rule of the flags. Raises VerbError."""
    when = {}
    for flag, _, _ in _SELECTORS:
        name = flag.replace("-", "_")
        values = given[name]
        if values:
            when[_MEMBERS.get(name, name)] = values[0] if len(values) == 1 else list(values)
    rule: Rule = {"when": when}
    then = _then(given)
    if then is not None:
        rule["then"] = then
    elif not given["observe"]:
        raise VerbError("say what happens: --error CODE, --delay 200ms, --drop, --silence, ..., or --observe", USAGE)
    limits = {
        "times": given["times"], "skip": given["skip"], "duration_ms": given["for_ms"],
        "probability": given["probability"], "seed": given["seed"], "observe": given["observe"] or None,
        "label": given["label"],
    }  # fmt: skip
    return {**rule, **{name: value for name, value in limits.items() if value is not None}}


def _then(given: Mapping[str, Any]) -> object:
    """The action of the flags, None without one. Raises VerbError."""
    at = {} if given["at"] is None else {"at": given["at"]}
    actions: dict[str, object] = {}
    if given["error"] is not None:
        members = {"level": given["level"], "work": given["work"], "leader_hint": given["leader_hint"] or None}
        actions["error"] = {
            "code": _number_or_text(given["error"]), **{name: one for name, one in members.items() if one is not None},
        }  # fmt: skip
    elif given["level"] or given["work"] or given["leader_hint"]:
        raise VerbError("--level, --work and --leader-hint are for --error: give a code", USAGE)
    if given["delay_ms"] is not None:
        actions["delay"] = {"ms": given["delay_ms"], **at}
    actions |= {name: dict(at) for name in ("drop", "silence") if given[name]}
    if at and not actions.keys() & {"delay", "drop", "silence"}:
        raise VerbError("--at is for --delay, --drop and --silence", USAGE)
    if given["throttle_ms"] is not None:
        actions["throttle"] = {"ms": given["throttle_ms"]}
    actions |= {name: {} for name in ("hide", "stale") if given[name]}
    if given["then"] is not None:
        actions["then"] = _json(given["then"], "--then")
    if len(actions) > 1:
        raise VerbError(f"--{' and --'.join(actions)} are {len(actions)} actions: a rule has one", USAGE)
    return actions.get("then", actions or None)


def _number_or_text(text: str) -> int | str:
    return int(text) if text.lstrip("-").isdecimal() else text


def _rule_in(text: str, given: Mapping[str, Any]) -> Rule:
    """The rule of --json. Raises VerbError."""
    others = [name for name, value in given.items() if value not in (None, False, ())]
    if others:
        raise VerbError("--json is the whole rule: leave out the other flags of a rule", USAGE)
    if text == "-":
        text = sys.stdin.read()
    elif text.startswith("@"):
        try:
            with open(text[1:], encoding="utf-8") as file:  # noqa: PTH123 (pathlib costs start-up time)
                text = file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise VerbError(f"--json {text}: {getattr(error, 'strerror', None) or 'it is not UTF-8'}", USAGE) from None
    rule = _json(text, "--json")
    if not isinstance(rule, dict):
        raise VerbError('--json: a rule is an object like {"when": {"api": "produce"}, "then": "drop"}', USAGE)
    return rule


def _json(text: str, flag: str) -> object:
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise VerbError(f"{flag}: no JSON: {error}", USAGE) from None


def _wait(client: ControlClient, id_: int, count: int) -> Rule:
    """The rule, once it had so many hits. Raises ControlError when the time is over."""
    from kafkacompat.client.control import path_of
    from kafkacompat.client.errors import ControlError

    deadline_s = time.monotonic() + client.timeout_s
    while True:
        left_ms = max(round((deadline_s - time.monotonic()) * 1000), 0)
        query = {"hits": count, "timeout_ms": min(left_ms, WAIT_MAX_MS)}
        try:
            rule: Rule = client.get(path_of("faults", id_), query, timeout_s=query["timeout_ms"] / 1000 + GRACE_S)
        except ControlError as error:
            if error.status == 408 and left_ms > WAIT_MAX_MS:
                continue
            if error.status == 408:
                _say_near_misses(error.members.get("seen") or {})
            raise
        return rule


def _say_near_misses(rule: Mapping[str, Any]) -> None:
    for miss in (rule.get("near_misses") or ())[:NEAR_MISSES_SHOWN]:
        times = f", {miss['count']} times" if miss["count"] > 1 else ""
        who = f"{miss['api']} v{miss['version']} of client {miss['client_id']!r}"
        say(f"near miss: {who}: {miss['failed']} is {miss['has']}{times}")


def _print(rules: Sequence[Rule], words: str) -> None:
    if words == "json":
        print_rows(rules, (), words)
        return
    rows = [{"then": None, **rule, "left": "ended" if rule["has_ended"] else rule["left"]} for rule in rules]
    print_rows(rows, COLUMNS, words)
