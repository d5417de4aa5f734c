"""Progress output: one line that is redrawn on a terminal, a few plain lines otherwise."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TextIO

BAR_CELLS = 24
REDRAW_S = 0.1
"""Interval between two drawings of the line on a terminal."""
PLAIN_S = 10.0
"""Interval between two plain lines."""


class Progress:
    """Writes progress to `out`. `clock` returns seconds."""

    def __init__(self, out: TextIO, *, is_terminal: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._out = out
        self._is_terminal = is_terminal
        self._clock = clock
        self._started = self._shown_at = 0.0
        self._label = ""
        self._is_open = False  # the line on the terminal has no line end yet

    def step(self, label: str) -> None:
        """Begin a step."""
        self.end()
        self._label = label
        self._started = self._shown_at = self._clock()
        if self._is_terminal:
            self._draw(label)
        else:
            self._line(f"{label} ...")

    def update(self, done: int, total: int) -> None:
        """Show `done` of `total`. It may be called often: most calls draw nothing."""
        now = self._clock()
        if now - self._shown_at < (REDRAW_S if self._is_terminal else PLAIN_S):
            return
        self._shown_at = now
        rate = done / (now - self._started) if now > self._started else 0.0
        figures = f"{done:>9,} of {total:,}  {rate:>9,.0f}/s"
        if self._is_terminal:
            filled = min(BAR_CELLS, BAR_CELLS * done // total) if total else BAR_CELLS
            self._draw(f"{self._label}  [{'#' * filled}{'.' * (BAR_CELLS - filled)}] {figures}")
        else:
            self._line(f"{self._label}: {figures.strip()}")

    def note(self, text: str) -> None:
        """Write a line."""
        self.end()
        self._line(f"  {text}")

    def done(self, text: str) -> None:
        """End the step with a line that shows `text` and the time taken."""
        taken_s = self._clock() - self._started
        if self._is_terminal:
            self._draw("")
            self._is_open = False
        self._line(f"{self._label}: {text} ({taken_s:.1f} s)")

    def end(self) -> None:
        """End the open line on the terminal, if there is one, so that other text starts on a new line."""
        if self._is_open:
            self._out.write("\n")
            self._out.flush()
            self._is_open = False

    def _draw(self, text: str) -> None:
        self._out.write(f"\r\x1b[K{text}")
        self._out.flush()
        self._is_open = True

    def _line(self, text: str) -> None:
        self._out.write(f"{text}\n")
        self._out.flush()
