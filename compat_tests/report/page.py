"""report.html: one file without scripts from elsewhere, for reading a run's results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from compat_tests.report.ledger import DECIDED, EQUAL

MAX_SHOWN = 400
"""Longest value that is shown whole; a test's output has the rest."""

_STYLE = """
:root { --ink: #1f2933; --soft: #616e7c; --line: #d9e0e7; --ground: #fff; --good: #1a7f4b; --bad: #b3261e; --even: #f5f7fa }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e7eb; --soft: #9aa5b1; --line: #3e4c59; --ground: #161b22; --good: #4cc38a; --bad: #ff8a80; --even: #1f262e }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); max-width: 76rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem; margin: 0 } h2 { font-size: 1.15rem; margin: 2.2rem 0 .5rem } p { margin: .3rem 0; color: var(--soft) }
table { border-collapse: collapse; width: 100% } td, th { border-bottom: 1px solid var(--line); padding: .25rem .5rem; text-align: left; vertical-align: top }
th { font-weight: 600; color: var(--soft) } td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }
code, pre { font: 13px/1.4 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 }
.cards { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1.2rem 0 } .card { border: 1px solid var(--line); border-radius: .5rem; padding: .6rem 1rem; min-width: 8rem }
.card b { display: block; font-size: 1.5rem } .good { color: var(--good) } .bad { color: var(--bad) }
td.v { text-align: center; padding: .15rem; font-variant-numeric: tabular-nums; min-width: 1.6rem }
td.equal { background: color-mix(in srgb, var(--good) 22%, var(--ground)) } td.decided { background: color-mix(in srgb, #d9a400 30%, var(--ground)) }
.wide { overflow-x: auto } details { margin: .6rem 0; border-left: 3px solid var(--line); padding-left: .8rem } summary { cursor: pointer }
"""  # noqa: E501 (style sheets read best a rule a line)


def html(results: Mapping[str, Any]) -> str:
    """The whole page."""
    parts = [
        _heading(results), _cards(results), _failures(results), _versions(results), _decisions(results),
        _suites(results), _left_out(results),
    ]  # fmt: skip
    title = f"{results['subject']} beside {results['reference']}"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )


def _heading(results: Mapping[str, Any]) -> str:
    return (
        f"<h1>{escape(str(results['subject']))} beside {escape(results['reference'])}</h1>"
        f"<p>{escape(results['began'])} · {results['form']} form · {results['seconds']} s · "
        f"suite of kafkacompat {escape(results['kafkacompat'])} · {escape(results['machine'])}</p>"
    )


def _cards(results: Mapping[str, Any]) -> str:
    ends = Counter(test["result"] for test in results["tests"])
    states = Counter(kind[-1] for kind in results["kinds"])
    shown = [
        (ends["PASS"], "tests passed", "good"),
        (ends["FAIL"], "failed", "bad" if ends["FAIL"] else ""),
        (ends["VACUOUS"], "proved nothing", "bad" if ends["VACUOUS"] else ""),
        (ends["SKIP"], "skipped", ""),
        (results["pairs"], "pairs of answers", ""),
        (len(results["kinds"]), "different by API, version, outcome", ""),
        (states[EQUAL], "of them equal", "good"),
    ]
    cards = (f'<div class="card"><b class="{style}">{count:,}</b>{label}</div>' for count, label, style in shown)
    return f'<div class="cards">{"".join(cards)}</div>'


def _failures(results: Mapping[str, Any]) -> str:
    wrong = [test for test in results["tests"] if test["result"] in ("FAIL", "VACUOUS")]
    if not wrong:
        return ""
    blocks = []
    for test in wrong:
        body = _side_by_side(results, test["differences"]) or f"<pre>{escape(test['why'])}</pre>"
        name = f"{test['result']} · {test['test']}"
        blocks.append(f'<details open><summary class="bad">{escape(name)}</summary>{body}</details>')
    return "<h2>What failed</h2>" + "".join(blocks)


def _side_by_side(results: Mapping[str, Any], differences: Sequence[Sequence[str]]) -> str:
    if not differences:
        return ""
    rows = "".join(
        f"<tr><td><code>{escape(path or '.')}</code></td><td><code>{_shown(ours)}</code></td>"
        f"<td><code>{_shown(theirs)}</code></td></tr>"
        for path, ours, theirs in differences
    )
    head = _head("field", str(results["subject"]), results["reference"])
    return f"<table>{head}{rows}</table>"


def _shown(value: str) -> str:
    return escape(value if len(value) <= MAX_SHOWN else f"{value[:MAX_SHOWN]}… ({len(value):,} characters)")


def _versions(results: Mapping[str, Any]) -> str:
    """A grid: how many different outcomes were compared of each API in each version."""
    counts: dict[str, dict[int, Counter[str]]] = {}
    for api, version, _, state in results["kinds"]:
        counts.setdefault(api, {}).setdefault(version, Counter())[state] += 1
    if not counts:
        return ""
    last = max(version for versions in counts.values() for version in versions)
    rows = []
    for api, versions in sorted(counts.items()):
        cells = "".join(_cell(versions.get(version)) for version in range(last + 1))
        total = sum(states.total() for states in versions.values())
        rows.append(f'<tr><td>{escape(api)}</td>{cells}<td class="number">{total}</td></tr>')
    head = "".join(f'<th class="number">{version}</th>' for version in range(last + 1))
    return (
        "<h2>Different outcomes compared, by API and version</h2>"
        "<p>Green: both brokers gave each of them. Yellow: for some a decision, below, says why they differ.</p>"
        f'<div class="wide"><table><tr><th>API</th>{head}<th class="number">all</th></tr>{"".join(rows)}</table></div>'
    )


def _cell(states: Counter[str] | None) -> str:
    if states is None:
        return "<td></td>"
    return f'<td class="v {DECIDED if states[DECIDED] else EQUAL}">{states.total()}</td>'


def _decisions(results: Mapping[str, Any]) -> str:
    if not results["decisions"]:
        return ""
    blocks = (
        f"<details><summary>{escape(one['name'])} · {one['fields']} fields</summary><p>{escape(one['why'])}</p>"
        f"<p>First met in <code>{escape(one['test'])}</code></p>{_side_by_side(results, [one['example']])}</details>"
        for one in results["decisions"]
    )
    return "<h2>Differences that are meant</h2>" + "".join(blocks)


def _suites(results: Mapping[str, Any]) -> str:
    suites: dict[tuple[str, str], Counter[str]] = {}
    seconds: Counter[tuple[str, str]] = Counter()
    for test in results["tests"]:
        where = test["suite"], test["broker"]
        suites.setdefault(where, Counter())[test["result"]] += 1
        seconds[where] += test["seconds"]
    rows = "".join(
        f"<tr><td>{escape(suite)}</td><td>{escape(broker)}</td>"
        + "".join(f'<td class="number">{ends[name] or ""}</td>' for name in ("PASS", "FAIL", "VACUOUS", "SKIP"))
        + f'<td class="number">{seconds[suite, broker]:.1f}</td></tr>'
        for (suite, broker), ends in sorted(suites.items())
    )
    return (
        f"<h2>Suites</h2><table>{_head('suite', 'broker', 'passed', 'failed', 'vacuous', 'skipped', 's')}{rows}</table>"
    )


def _left_out(results: Mapping[str, Any]) -> str:
    rows = "".join(
        f'<tr><td>{escape(reason)}</td><td class="number">{count}</td></tr>'
        for reason, count in results["left_out"].items()
    )
    skipped = "".join(
        f"<tr><td>{escape(test['test'])}</td><td>{escape(test['why'])}</td></tr>"
        for test in results["tests"]
        if test["result"] == "SKIP"
    )
    if not rows and not skipped:
        return ""
    return f"<h2>Left out</h2><table>{_head('reason', 'tests')}{rows}</table><table>{skipped}</table>"


def _head(*names: str) -> str:
    return f"<tr>{''.join(_th(name) for name in names)}</tr>"


def _th(name: str) -> str:
    return f"<th>{escape(name)}</th>"
