"""Mutants: known mistakes, put into the code for the duration of a `with`, which the tests must detect."""

from __future__ import annotations

import inspect
import sys
import textwrap
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Mutant:
    """A mutant replaces `old` by `new` in `function`. The schedule `caught_by`, or one of its seeds, detects it."""

    def __init__(
        self,
        name: str,
        function: Any,
        old: str,
        new: str,
        caught_by: range | Callable[[], None],
    ) -> None:
        self.name = name
        self.caught_by = caught_by
        self._function: Any = function
        self._old = old
        self._new = new

    @contextmanager
    def made(self) -> Iterator[None]:
        """Run with the mutant. Raises LookupError unless the code contains `old` exactly once."""
        function = self._function
        source = textwrap.dedent(inspect.getsource(function))
        if source.count(self._old) != 1:
            raise LookupError(f"{self.name}: {self._old!r} is not there once")
        module = sys.modules[function.__module__]
        made: dict[str, object] = {}
        lines = source.replace(self._old, self._new).splitlines()
        while lines[0].startswith("@"):
            del lines[0]
        exec("\n".join(lines), vars(module), made)  # our own source, changed in one place
        own_code = function.__code__
        mutated: Any = made[function.__name__]
        function.__code__ = mutated.__code__
        try:
            yield
        finally:
            function.__code__ = own_code

    def run_seeds(self, run: Callable[[int], object]) -> None:
        """`run(seed)` with the mutant for its seeds, one of which has to raise."""
        if not isinstance(self.caught_by, range):
            raise TypeError(f"{self.name} is detected by a schedule")
        with self.made():
            for seed in self.caught_by:
                run(seed)
