"""COMPATIBILITY.md: what works, from the table of APIs, the handlers' docstrings and the last full run of the suite."""

from __future__ import annotations

import inspect
import json
import re
import tomllib
from typing import Any

from compat_tests.spark.behaviours import Behaviour, behaviours
from kafkacompat.broker.connection import BROKER, CONTROLLER
from kafkacompat.broker.registry import APIS_OF, Api
from kafkacompat.protocol import error_codes, messages
from kafkacompat.protocol.api_keys import NAMES
from tests.tidy.pages import topic_configs
from tests.tidy.tree import text

_HEADING = re.compile(
    r"(?P<name>\w+) \((?P<key>\d+)\), versions? (?P<min>\d+)(?:-(?P<max>\d+))?"
    r"(?:; (?P<listed>\d+)-\d+ are listed and refused \(KIP-\d+\))?[:.] ?(?P<purpose>[^.]*)"
)
_GAP = re.compile(r"^Not implemented: (.*?)(?=\n\n|\nNot implemented: |\Z)", re.DOTALL | re.MULTILINE)

# Versions that Kafka's messages have and that its broker offers only when told to serve unstable ones (KIP-939).
UNSTABLE = {22: 6}

NOTHING: dict[str, Any] = {"compared": {}, "codes": [], "clients": {}}
RUN = "docs/last_full_run.json"
FEATURES = ("produce", "consume", "groups", "admin", "idempotence", "compression", "headers", "timestamps", "errors")


class Heading:
    """The first line of a handler's docstring: name, key and versions of its API."""

    def __init__(self, match: re.Match[str]) -> None:
        self.name = match["name"]
        self.key = int(match["key"])
        self.min_version = int(match["min"])
        self.max_version = int(match["max"] or match["min"])
        self.listed_from = int(match["listed"] or match["min"])

    @classmethod
    def of(cls, api: Api) -> Heading:
        """Raises ValueError for a docstring that does not begin as it should."""
        match = _HEADING.match(" ".join((inspect.getdoc(api.handler) or "").split()))
        if match is None:
            raise ValueError(
                f"the docstring of handlers/{api.stem}.py does not begin `Name (key), versions a-b: what it does`"
            )
        return cls(match)


def gaps(api: Api) -> list[str]:
    """What a handler says is not implemented, one sentence each."""
    return [" ".join(gap.split()) for gap in _GAP.findall(inspect.getdoc(api.handler) or "")]


def last_run() -> dict[str, Any]:
    """What the last full run of the compatibility suite found (`python -m compat_tests.report` writes it)."""
    found: dict[str, Any] = json.loads(text(RUN))
    return found


def offered() -> dict[str, list[int]]:
    """The APIs and versions that the broker offers to clients now."""
    return {NAMES[api.key]: [api.min_version, api.max_version] for api in APIS_OF[BROKER].values()}


def page() -> str:
    """The whole page."""
    run = last_run()
    parts = (
        _introduction(run), _apis(run), _errors(run), topic_configs.section(), _clients(run), _spark(run),
        _decisions(run), _skipped(run),
    )  # fmt: skip
    return "\n".join(line for part in parts for line in (*part, ""))


def _introduction(run: dict[str, Any]) -> list[str]:
    where = f"kafkacompat {run['kafkacompat']} beside {run['reference']}, {run['machine']}"
    return [
        "# What works",
        "",
        "Made by `python3 .ci/dev.py generate` from the broker's own table of APIs and from the last full run of",
        "`compat_tests`; a test fails when it is stale. [How to repeat it, or run it on another",
        "broker](docs/compatibility-suite.md).",
        "",
        f"Last full run: {run['date']}, {where}, {run['seconds'] // 60} minutes.",
        "",
        f"- {run['tests']:,} tests without a failure.",
        f"- {run['pairs']:,} pairs of answers to the same request, compared field by field.",
        f"- {run['kinds']:,} of them are different by API, version and outcome (error codes, which lists are filled);",
        f"  {run['equal']:,} of these had the same outcome on both, the others differ as the decisions below say.",
        *_added(run.get("added")),
        *_forms(run["forms"]),
    ]


def _added(added: dict[str, Any] | None) -> list[str]:
    """What was run on its own since, and is counted with the rest."""
    if added is None:
        return []
    return [
        f"- {added['tests']:,} of these tests, with {added['pairs']:,} of the pairs, were run on their own on",
        f"  {added['date']}: {added['what']}. Their answers are not among the kinds above, but below.",
    ]


def _forms(forms: dict[str, str]) -> list[str]:
    everyday = [f"`{suite}`" for suite, form in forms.items() if form != "full" and suite]
    return [f"- Not in full, only in their everyday form: {', '.join(everyday)}."] if everyday else []


def _apis(run: dict[str, Any]) -> list[str]:
    lines = [
        "## APIs",
        "",
        "*Proved equal*: the same requests had the same outcome on both brokers, every time (in brackets: how many of",
        "the different outcomes). *But for decisions*: some have another outcome, and a decision below says why.",
        "*Works*: clients were answered. *Between nodes*: only on the controller's listener. *No*: not offered, so",
        "that clients see at once that it is missing. So is what is new in Kafka 4.4.",
        "",
        "| key | API | Kafka 4.4 | here | state by version | not there |",
        "|---|---|---|---|---|---|",
        *(_row(key, name, run["apis"].get(name, NOTHING)) for key, name in sorted(NAMES.items())),
    ]
    count = sum(1 for key in NAMES if key in APIS_OF[BROKER])
    between_nodes = sum(1 for key in NAMES if key in APIS_OF[CONTROLLER] and key not in APIS_OF[BROKER])
    return [
        *lines,
        "",
        f"{count} of {len(NAMES)} APIs, and {between_nodes} that nodes use among themselves; the others are messages",
        "that can be encoded and decoded, and nothing more.",
    ]


def _row(key: int, name: str, found: dict[str, Any]) -> str:
    codec = messages.load(key)
    theirs = _range(codec.MIN_VERSION, UNSTABLE[key] - 1 if key in UNSTABLE else codec.MAX_VERSION)
    api = APIS_OF[BROKER].get(key)
    if api is None and key in APIS_OF[CONTROLLER]:
        offered_there = APIS_OF[CONTROLLER][key]
        ours = _range(offered_there.min_version, offered_there.max_version)
        return f"| {key} | {name} | {theirs} | {ours} | between nodes | |"
    if api is None:
        return f"| {key} | {name} | {theirs} | | no | |"
    heading = Heading.of(api)
    ours = _range(heading.min_version, heading.max_version)
    states = [(version, _state(version, heading, found)) for version in range(api.min_version, api.max_version + 1)]
    counted, equal = (sum(numbers) for numbers in zip(*found["compared"].values(), (0, 0), strict=False))
    return f"| {key} | {name} | {theirs} | {ours} | {_ranges(states)} ({equal} of {counted}) | {' '.join(gaps(api))} |"


def _state(version: int, heading: Heading, found: dict[str, Any]) -> str:
    total, equal = found["compared"].get(str(version), (0, 0))
    if version < heading.min_version:
        return "listed and refused"
    if total:
        return "proved equal" if total == equal else "but for decisions"
    return "works" if str(version) in found["clients"] else "not shown"


def _ranges(states: list[tuple[int, str]]) -> str:
    """`0-3 proved equal, 4 works`: neighbours with the same state together."""
    grouped: list[tuple[int, int, str]] = []
    for version, state in states:
        if grouped and grouped[-1][2] == state:
            grouped[-1] = (grouped[-1][0], version, state)
        else:
            grouped.append((version, version, state))
    return ", ".join(f"{_range(first, last)} {state}" for first, last, state in grouped)


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def _errors(run: dict[str, Any]) -> list[str]:
    lines = ["## Errors that were caused and compared", "", "| API | errors |", "|---|---|"]
    for name, found in run["apis"].items():
        if codes := [code for code in found["codes"] if code]:
            lines.append(f"| {name} | {', '.join(error_codes.name(code) for code in codes)} |")
    return lines


def _clients(run: dict[str, Any]) -> list[str]:
    head = "| client | version | " + " | ".join(FEATURES) + " | all | where |"
    lines = [
        "## Clients",
        "",
        "How many tests of each kind passed here, and as many on Apache Kafka unless a second number is given. A dash:",
        "the client has no such thing, or no test is only about it. A test may be of several kinds.",
        "",
        head,
        "|---" * (len(FEATURES) + 4) + "|",
    ]
    for suite in tomllib.loads(text("docs/clients.toml"))["suite"]:
        found = run["clients"].get(suite["where"].removeprefix("compat_tests/clients/"))
        if found is not None:
            cells = " | ".join(_passed(found.get(feature)) for feature in (*FEATURES, "all"))
            lines.append(f"| {suite['client']} | {suite['version']} | {cells} | `{suite['where']}` |")
    return lines


def _passed(counts: dict[str, int] | None) -> str:
    if not counts:
        return "—"
    ours, theirs = counts.get("kafkacompat", 0), counts.get("kafka", 0)
    return str(ours) if ours == theirs else f"{ours}, Kafka {theirs}"


def _spark(run: dict[str, Any]) -> list[str]:
    lines = [
        "## Apache Spark",
        "",
        "What Spark's own Kafka suites check of its source and sink, as tests on both brokers with rows and offsets",
        "compared, on Spark 4.2.0. What Spark 4.0.0 lacks has the version that brought it.",
        "",
        "| | part | behaviour | state |",
        "|---|---|---|---|",
    ]
    return [*lines, *(_behaviour(one, run["spark"]) for one in behaviours())]


def _behaviour(one: Behaviour, passed: dict[str, list[str]]) -> str:
    if one.left_out:
        state = f"no: {one.left_out}"
    else:
        shown = [test for test in one.tests if passed.get(test)]
        state = f"equal, {len(shown)} test{'s' * (len(shown) != 1)}" if shown else "not shown in the last run"
        state += f"; without: {one.without}" if one.without else ""
        state += f"; since Spark {one.since}" if one.since else ""
    return f"| {one.number} | {one.part} | {one.words} | {state} |"


def _decisions(run: dict[str, Any]) -> list[str]:
    lines = ["## Where answers are meant to differ", "", "| what | fields met in the run | why |", "|---|---|---|"]
    return [*lines, *(f"| {one['name']} | {one['fields']} | {one['why']} |" for one in run["decisions"])]


def _skipped(run: dict[str, Any]) -> list[str]:
    if not run["skipped"]:
        return ["Nothing was skipped in that run."]
    return ["## Skipped in that run", "", *(f"- `{test}`: {why}" for test, why in sorted(run["skipped"].items()))]
