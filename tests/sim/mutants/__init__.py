"""Known mistakes, put into the code for the length of a `with`: whoever looks for faults has to find them."""

from __future__ import annotations

import inspect
import sys
import textwrap
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Mutant:
    """A mistake: in `function`, `old` is `new`. It is found by the schedule `caught_by`, or one of its seeds."""

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
        """With the mistake in place. Raises LookupError if the code no longer has the place for it."""
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
