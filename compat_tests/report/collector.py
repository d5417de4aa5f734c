"""A pytest plugin that keeps what each test did and fails those that proved nothing."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

import pytest

from compat_tests.api.raw import Difference
from compat_tests.recorder.client import Answered, Recorder
from compat_tests.report.ledger import Ledger

LEDGER = pytest.StashKey[Ledger]()
RECORDER = pytest.StashKey[Recorder]()
PAIRS = pytest.StashKey[int]()
"""How many pairs of answers a test compared."""
DIFFERENCES = pytest.StashKey[Sequence[Difference]]()
"""What a test failed with."""
_ANSWERED = pytest.StashKey[Answered]()

PASS, FAIL, SKIP, VACUOUS = "PASS", "FAIL", "SKIP", "VACUOUS"
_BROKER_FIXTURES = {"broker", "shared_broker", "new_broker", "compare"}


@dataclass
class Result:
    """One test's end."""

    test: str
    suite: str
    broker: str
    result: str
    seconds: float
    why: str = ""
    pairs: int = 0
    answered: Answered = field(default_factory=dict)
    differences: Sequence[Difference] = ()


class Collector:
    """Counts on the wire around each test; `results` has a line for each that ended."""

    def __init__(self) -> None:
        self.began = time.time()
        self.results: list[Result] = []
        self.left_out: dict[str, int] = {}

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        for item in items:
            reason = item.stash.get(LEFT_OUT, "not chosen by the command line")
            self.left_out[reason] = self.left_out.get(reason, 0) + 1

    def lines(self) -> list[str]:
        """A summary for people: what was left out or skipped, and why."""
        skipped = Counter(one.why for one in self.results if one.result == SKIP)
        slow = sorted(self.results, key=lambda one: -one.seconds)[:3]
        return [
            *(f"left out, {count} tests: {reason}" for reason, count in sorted(self.left_out.items())),
            *(f"skipped, {count} tests: {reason}" for reason, count in sorted(skipped.items())),
            "slowest: " + ", ".join(f"{one.test.rpartition('/')[2]} {one.seconds:.0f} s" for one in slow),
        ]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        item.config.stash[RECORDER].take()  # what came before belongs to nobody
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        try:
            return (yield)
        finally:
            item.stash[_ANSWERED] = item.config.stash[RECORDER].take()

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        vacuous = ""
        if report.when == "call" and report.passed:
            vacuous = _proved_nothing(item)
            if vacuous:
                report.outcome = "failed"
                report.longrepr = f"{VACUOUS}: {vacuous}"
        if report.when == "call" or not report.passed:
            self._enter(item, report, vacuous)
        return report

    def _enter(self, item: pytest.Item, report: pytest.TestReport, vacuous: str) -> None:
        result = VACUOUS if vacuous else {"passed": PASS, "failed": FAIL, "skipped": SKIP}[report.outcome]
        if report.when == "teardown":
            self.results = [one for one in self.results if one.test != item.nodeid]  # its end is what counts
        self.results.append(
            Result(
                item.nodeid, suite_of(item.nodeid), broker_of(item), result, round(report.duration, 3),
                vacuous or _why(report), item.stash.get(PAIRS, 0), item.stash.get(_ANSWERED, {}),
                item.stash.get(DIFFERENCES, ()) if result == FAIL else (),
            )
        )  # fmt: skip


LEFT_OUT = pytest.StashKey[str]()
"""Why a test is not run; the summary counts the reasons."""


def suite_of(test: str) -> str:
    """The folder below compat_tests that a test is in."""
    folders = test.partition("::")[0].split("/")[:-1]
    return "/".join(folders[folders.index("compat_tests") + 1 :] if "compat_tests" in folders else folders)


def broker_of(item: pytest.Item) -> str:
    """Which broker a test ran on: `both` where answers were compared, none where no broker is needed."""
    callspec = getattr(item, "callspec", None)
    kind = callspec.params.get("broker_kind") if callspec else None
    return kind or ("both" if uses_broker(item) else "")


def named_apis(item: pytest.Item) -> set[str]:
    """The APIs that a test says it is about."""
    return {name for marker in item.iter_markers("api") for name in marker.args}


def uses_broker(item: pytest.Item) -> bool:
    """Whether a test talks to a broker."""
    return bool(_BROKER_FIXTURES & set(getattr(item, "fixturenames", ())))


def _proved_nothing(item: pytest.Item) -> str:
    """Why a test that passed is worth nothing; empty if it is worth something."""
    if not uses_broker(item):
        return ""
    names = named_apis(item)
    if not names:
        return "it names no API that it is about (pytest.mark.api)"
    by_protocol = {name for marker in item.iter_markers("unanswered") for name in marker.args}
    if not names - by_protocol:
        return "it names no API that has an answer to prove anything with"
    silent = sorted(names - by_protocol - item.stash[_ANSWERED].keys())
    if silent:
        return f"no request of {', '.join(silent)} was answered while it ran"
    if "compare" in getattr(item, "fixturenames", ()) and not item.stash.get(PAIRS, 0):
        return "nothing was compared"
    return ""


def _why(report: pytest.TestReport) -> str:
    if report.passed:
        return ""
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash else report.longrepr)[:4000]
