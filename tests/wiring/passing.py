"""Which test passes which lines of some files: a run of the tests with a tracer."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.tidy.tree import ROOT

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path
    from types import FrameType

    from tests.wiring.cuts import Cut

PYTEST_OPTIONS = ("-q", "-s", "--tb=short", "-p", "no:randomly", "-p", "no:cacheprovider")


class Passing(NamedTuple):
    """`tests`: ids of the tests by "path:line"; `seconds`: how long each of them took under the tracer. `failed`: those
    that failed under it, and are nowhere else.
    """

    tests: dict[str, list[str]]
    seconds: dict[str, float]
    failed: list[str]

    def of(self, cut: Cut) -> list[str]:
        """The tests that pass a cut: a quick one of each module first, then the next of each."""
        found = {
            test for line in range(cut.line, cut.end_line + 1) for test in self.tests.get(f"{cut.path}:{line}", ())
        }
        ranked, seen = [], dict[str, int]()
        for test in sorted(found, key=self.seconds.__getitem__):
            module = test.partition("::")[0]
            seen[module] = seen.get(module, 0) + 1
            ranked.append((seen[module], self.seconds[test], test))
        return [test for _, _, test in sorted(ranked)]


def record(paths: Sequence[str], tests: Sequence[str], file: Path) -> None:
    """Run the tests in a process of its own, and keep what was found in `file`."""
    pid = os.fork()
    if pid == 0:
        recorder = _Recorder(paths)
        try:
            pytest.main([*PYTEST_OPTIONS, *tests], plugins=[recorder])
            file.write_text(json.dumps(recorder.found))
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


def load(file: Path) -> Passing:
    """What an earlier run has found."""
    return Passing(*json.loads(file.read_text()))


class _Recorder:
    """A plugin for pytest. It hears of lines on all threads, for as long as a test runs."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = {str(ROOT / path): path for path in paths}
        self._lines: set[str] = set()
        self._has_failed = False
        self.found = Passing({}, {}, [])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self._lines, self._has_failed = set(), False
        begin = time.monotonic()
        sys.settrace(self._enter)
        threading.settrace(self._enter)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]
            if self._has_failed:
                self.found.failed.append(item.nodeid)
            else:
                self.found.seconds[item.nodeid] = time.monotonic() - begin
                for line in sorted(self._lines):
                    self.found.tests.setdefault(line, []).append(item.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._has_failed = self._has_failed or report.failed

    def _enter(self, frame: FrameType, _event: str, _argument: object) -> Any:
        path = self._paths.get(frame.f_code.co_filename)
        if path is None:
            return None
        lines = self._lines

        def pass_line(frame: FrameType, event: str, _argument: object) -> Any:
            if event == "line":
                lines.add(f"{path}:{frame.f_lineno}")
            return pass_line

        return pass_line
