"""COMPATIBILITY.md: what works, from the table of APIs, the handlers' docstrings and the list of client suites."""

from __future__ import annotations

import inspect
import re
import tomllib

from kafkacompat.broker.registry import APIS, Api
from kafkacompat.protocol import messages
from kafkacompat.protocol.api_keys import NAMES
from tests.tidy.tree import text

_HEADING = re.compile(
    r"(?P<name>\w+) \((?P<key>\d+)\), versions? (?P<min>\d+)(?:-(?P<max>\d+))?"
    r"(?:; (?P<listed>\d+)-\d+ are listed and refused \(KIP-\d+\))?[:.] ?(?P<purpose>[^.]*)"
)
_GAP = re.compile(r"^Not implemented: (.*?)(?=\n\n|\nNot implemented: |\Z)", re.DOTALL | re.MULTILINE)

# Versions that Kafka's messages have and that its broker offers only when told to serve unstable ones (KIP-939).
UNSTABLE = {22: 6}

INTRODUCTION = """\
# What works

Made by `python3 .ci/dev.py generate` from the code's own table of APIs; a test fails when it is stale. The reference is
Apache Kafka 4.3.1. An API that is not here as *yes* or *partly* is not advertised, so that clients see at once that it
is missing.
"""


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


def page() -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *_apis(), "", *_clients(), ""])


def _apis() -> list[str]:
    lines = ["## APIs", "", "| key | API | Kafka 4.3 | here | state |", "|---|---|---|---|---|"]
    lines += [_row(key, name) for key, name in sorted(NAMES.items())]
    count = sum(1 for key in NAMES if key in APIS)
    return [
        *lines,
        "",
        f"{count} of {len(NAMES)} APIs; the others are messages that can be encoded and decoded, and nothing more.",
    ]


def _row(key: int, name: str) -> str:
    codec = messages.load(key)
    theirs = _range(codec.MIN_VERSION, UNSTABLE[key] - 1 if key in UNSTABLE else codec.MAX_VERSION)
    api = APIS.get(key)
    if api is None:
        return f"| {key} | {name} | {theirs} | | no |"
    heading = Heading.of(api)
    missing = gaps(api)
    refused = heading.listed_from < heading.min_version
    notes = (
        [f"{_range(heading.listed_from, heading.min_version - 1)} listed and refused, as Kafka does."]
        if refused
        else []
    )
    state = f"partly. Not: {' '.join(missing)}" if missing else "yes"
    ours = _range(heading.min_version, heading.max_version)
    return f"| {key} | {name} | {theirs} | {ours} | {' '.join([state, *notes])} |"


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def _clients() -> list[str]:
    suites = tomllib.loads(text("docs/clients.toml"))["suite"]
    lines = ["## Clients", "", "| client | version | what passes | where |", "|---|---|---|---|"]
    lines += [f"| {s['client']} | {s['version']} | {s['what']} | `{s['where']}` |" for s in suites]
    return lines
