"""The part of a full run that COMPATIBILITY.md is made from, small enough to be kept with the code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from compat_tests.report.collector import PASS, SKIP
from compat_tests.report.ledger import EQUAL
from compat_tests.report.results import Results
from kafkacompat.broker.connection import BROKER
from kafkacompat.broker.registry import APIS_OF
from kafkacompat.protocol.api_keys import NAMES

CLIENTS = "clients/"
SPARK = "spark"
FEATURES: Mapping[str, re.Pattern[str]] = {
    "produce": re.compile(
        r"acks|megabyte|keys_|edge_records|records_come_back|verifiable|performance|batch_made|copied"
    ),
    "consume": re.compile(
        r"positions|latest|consume_from|small_fetches|where_reading|following|pause|verifiable|edge_records|come_back"
    ),
    "groups": re.compile(r"group|member|committed|auto_commit|static"),
    "admin": re.compile(
        r"test_admin|create|_partitions$|configs|delete|cluster|log_dirs|topics|metadata|compatibility"
    ),
    "idempotence": re.compile(r"idempotent|idempotence|verifiable_clients"),
    "compression": re.compile(r"codec|compress"),
    "headers": re.compile(r"edge_records|headers|records_come_back"),
    "timestamps": re.compile(r"timestamp|by_time|list_offsets|get_offset|test_offsets\b"),
    "errors": re.compile(r"error|cannot_be|too_large|not_there|unknown"),
}
"""What a client test is about, by the name of its module and function."""


def of(runs: Sequence[Results]) -> dict[str, Any]:
    """One summary of the pieces of a full run, and of what was run again behind them: of a test the last result counts.

    Raises ValueError for runs that cannot be put together.
    """
    if runs[0]["form"] != "full" or any(run["subject"] != "kafkacompat" for run in runs):
        raise ValueError("only a full run of kafkacompat itself (--broker both --full) can be published")
    references = {run["reference"] for run in runs}
    if len(references) != 1:
        raise ValueError(f"the runs have different references: {', '.join(sorted(references))}")
    tests = list({test["test"]: test for run in runs for test in run["tests"]}.values())
    if wrong := [test["test"] for test in tests if test["result"] not in (PASS, SKIP)]:
        raise ValueError(f"only a run without failures can be published; failed: {', '.join(wrong)}")
    kinds = {tuple(kind[:3]): kind[3] for run in runs for kind in run["kinds"]}
    return {
        "date": min(run["began"] for run in runs)[:10],
        "kafkacompat": runs[0]["kafkacompat"],
        "reference": references.pop(),
        "machine": runs[0]["machine"],
        "seconds": sum(run["seconds"] for run in runs),
        "forms": _forms(runs),
        "tests": len(tests),
        "pairs": sum(test["pairs"] for test in tests),
        "kinds": len(kinds),
        "equal": sum(1 for state in kinds.values() if state == EQUAL),
        "offered": {NAMES[api.key]: [api.min_version, api.max_version] for api in APIS_OF[BROKER].values()},
        "apis": _apis(kinds, tests),
        "clients": _clients(tests),
        "spark": _spark(tests),
        "decisions": _decisions(runs),
        "skipped": {test["test"]: test["why"] for test in tests if test["result"] == SKIP},
    }


def _forms(runs: Iterable[Results]) -> dict[str, str]:
    """For each suite whether it was run in full; where it was run twice, the fuller form counts."""
    forms: dict[str, str] = {}
    for run in runs:
        for test in run["tests"]:
            if forms.get(test["suite"]) != "full":
                forms[test["suite"]] = run["form"]
    return dict(sorted(forms.items()))


def _apis(kinds: Mapping[tuple[Any, ...], str], tests: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """For each API: the kinds of answers compared by version, the error codes among them, and who was answered."""
    found: dict[str, Any] = {}
    for (api, version, outcome), state in sorted(kinds.items()):
        row = found.setdefault(api, {"compared": {}, "codes": [], "clients": {}})
        counts = row["compared"].setdefault(str(version), [0, 0])
        counts[0] += 1
        counts[1] += state == EQUAL
        row["codes"] = sorted({*row["codes"], *codes_in(outcome)})
    for test in tests:
        suite = test["suite"]
        if test["broker"] != "kafkacompat" or not suite.startswith((CLIENTS, SPARK)):
            continue
        for api, versions in test["answered"].items():
            row = found.setdefault(api, {"compared": {}, "codes": [], "clients": {}})
            for version in versions:
                clients = row["clients"].setdefault(str(version), [])
                if (name := suite.removeprefix(CLIENTS)) not in clients:
                    clients.append(name)
                    clients.sort()
    return {api: {**row, "clients": dict(sorted(row["clients"].items()))} for api, row in sorted(found.items())}


def codes_in(outcome: str) -> set[int]:
    """The error codes that a kind of answer has."""
    fields = (part.rpartition(" ") for part in outcome.split("; "))
    return {int(code) for path, _, codes in fields if path.endswith("error_code") for code in codes.split(",")}


def _clients(tests: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """For each client: how many tests passed on each broker, by feature."""
    found: dict[str, dict[str, Counter[str]]] = {}
    for test in tests:
        if test["suite"].startswith(CLIENTS) and test["result"] == PASS:
            row = found.setdefault(test["suite"].removeprefix(CLIENTS), {})
            name = "::".join(test["test"].rpartition("/")[2].split("["))
            for feature in ["all", *(one for one, names in FEATURES.items() if names.search(name))]:
                row.setdefault(feature, Counter())[test["broker"]] += 1
    return {client: {feature: dict(counts) for feature, counts in row.items()} for client, row in sorted(found.items())}


def _spark(tests: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """For each Spark test that passed: on which brokers."""
    found: dict[str, set[str]] = {}
    for test in tests:
        if test["suite"] == SPARK and test["result"] == PASS:
            name = test["test"].rpartition("/")[2].partition("[")[0]
            found.setdefault(name, set()).add(test["broker"])
    return {name: sorted(brokers) for name, brokers in sorted(found.items())}


def _decisions(runs: Iterable[Results]) -> list[dict[str, Any]]:
    met: dict[str, dict[str, Any]] = {}
    for decision in (one for run in runs for one in run["decisions"]):
        kept = met.setdefault(decision["name"], {"name": decision["name"], "why": decision["why"], "fields": 0})
        kept["fields"] += decision["fields"]
    return [met[name] for name in sorted(met)]
