"""One child process for each cut: a fork of a pytest that has collected, with the code changed in its memory."""

from __future__ import annotations

import ast
import gc
import importlib
import os
import shutil
import signal
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.tidy.tree import ROOT
from tests.wiring.cuts import without

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.wiring.cuts import Cut
    from tests.wiring.passing import Passing

    Key = tuple[str, int]

PASSED, FAILED, NOT_PATCHED = 0, 1, 3
"""How a child ends."""
HANGS_AFTER_S = 60
"""And four times what the tests took when they were recorded."""
POLL_S = 0.02


class _Child(NamedTuple):
    cut: Cut
    directory: Path
    ends_s: float
    tests: int


class Children:
    """A plugin for pytest that takes out one cut after the other, in place of running what was collected.

    missed: the cuts that all tests let pass. `budget_s`: how long the tests of a cut may take, as they were recorded.
    """

    def __init__(
        self, cuts: Sequence[Cut], passing: Passing, jobs: int, budget_s: float, say: Callable[[str], None]
    ) -> None:
        self.missed: list[Cut] = []
        self._cuts = cuts
        self._passing = passing
        self._jobs = jobs
        self._budget_s = budget_s
        self._say = say
        self._running: dict[int, _Child] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        functions = _functions({cut.path for cut in self._cuts})
        for cut in self._cuts:
            chosen = [items[test] for test in self._chosen(cut) if test in items]
            if not chosen:
                self._end(cut, "MISSED: no test comes there")
                continue
            while len(self._running) >= self._jobs:
                self._wait()
            self._start(cut, chosen, functions)
        while self._running:
            self._wait()
        return True

    def _chosen(self, cut: Cut) -> Iterator[str]:
        left_s = self._budget_s
        for test in self._passing.of(cut):
            left_s -= self._passing.seconds[test]
            if left_s < 0:
                return
            yield test

    def _start(self, cut: Cut, items: list[pytest.Item], functions: dict[str, dict[Key, list[FunctionType]]]) -> None:
        directory = Path(tempfile.mkdtemp(prefix="wiring-"))
        took_s = sum(self._passing.seconds[item.nodeid] for item in items)
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            status = FAILED
            try:
                _leave_traces_in(directory)
                is_patched = _patch(cut, functions[str(ROOT / cut.path)])
                status = _run(items, directory) if is_patched else NOT_PATCHED
            finally:
                os._exit(status)
        with suppress(OSError):
            os.setpgid(pid, pid)  # whoever comes first
        self._running[pid] = _Child(cut, directory, time.monotonic() + HANGS_AFTER_S + 4 * took_s, len(items))

    def _wait(self) -> None:
        """Until a child has ended."""
        while True:
            for pid, child in list(self._running.items()):
                ended, status = os.waitpid(pid, os.WNOHANG)
                hangs = not ended and time.monotonic() > child.ends_s
                if ended or hangs:
                    with suppress(ProcessLookupError):
                        os.killpg(pid, signal.SIGKILL)  # with all that it has started
                    if hangs:
                        os.waitpid(pid, 0)
                    del self._running[pid]
                    self._end(child.cut, "hangs" if hangs else _outcome(child, os.waitstatus_to_exitcode(status)))
                    shutil.rmtree(child.directory, ignore_errors=True)
                    return
            time.sleep(POLL_S)

    def _end(self, cut: Cut, outcome: str) -> None:
        if outcome.startswith("MISSED"):
            self.missed.append(cut)
        self._say(f"{cut}\n    {outcome}")


def _outcome(child: _Child, status: int) -> str:
    if status == PASSED:
        return f"MISSED by {child.tests} tests"
    if status == NOT_PATCHED:
        return "MISSED: not part of a function"
    failure = child.directory / "failure"
    return failure.read_text() if failure.exists() else f"status {status}"


def _functions(paths: set[str]) -> dict[str, dict[Key, list[FunctionType]]]:
    """The functions of some files, by file, then by name and line."""
    found: dict[str, dict[Key, list[FunctionType]]] = {str(ROOT / path): {} for path in paths}
    for path in paths:
        importlib.import_module(path.removesuffix(".py").replace("/", "."))
    for known in gc.get_objects():
        if isinstance(known, FunctionType) and known.__code__.co_filename in found:
            code = known.__code__
            found[code.co_filename].setdefault((code.co_qualname, code.co_firstlineno), []).append(known)
    return found


def _patch(cut: Cut, functions: dict[Key, list[FunctionType]]) -> bool:
    """Let the functions of the file go without the cut; whether there is one that has it."""
    file = ROOT / cut.path
    whole = dict(_codes(compile(ast.parse(file.read_text()), str(file), "exec")))
    is_patched = False
    for key, code in _codes(compile(without(file.read_text(), cut), str(file), "exec")):
        for function in functions.get(key, ()):
            function.__code__ = code
            is_patched = is_patched or code != whole[key]
    return is_patched


def _codes(code: CodeType) -> Iterator[tuple[Key, CodeType]]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield (inner.co_qualname, inner.co_firstlineno), inner
            yield from _codes(inner)


def _leave_traces_in(directory: Path) -> None:
    """What the tests say goes nowhere, and their files to where the parent removes them."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    tempfile.tempdir = str(directory)
    for name in ("TMPDIR", "PYTEST_DEBUG_TEMPROOT"):
        os.environ[name] = str(directory)


def _run(items: list[pytest.Item], directory: Path) -> int:
    """Run the tests until one fails."""

    class Reports:
        @pytest.hookimpl(tryfirst=True)
        def pytest_runtest_logreport(self, report: Any) -> None:
            if report.failed:
                (directory / "failure").write_text(f"{report.nodeid} ({report.when})")
                os._exit(FAILED)

    items[0].config.pluginmanager.register(Reports())
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    return PASSED
