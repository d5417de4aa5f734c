"""A progress bar."""

from __future__ import annotations

import sys
import time

BAR_WIDTH = 30
BAR_INTERVAL_S = 0.1


class Bar:
    """A progress bar on stderr, on terminals only."""

    def __init__(self, word: str, total: int) -> None:
        self._word = word
        self._total = total
        self._is_shown = sys.stderr.isatty()
        self._next_s = 0.0

    def show(self, done: int) -> None:
        """Draw it, a few times each second."""
        if not self._is_shown or time.monotonic() < self._next_s:
            return
        self._next_s = time.monotonic() + BAR_INTERVAL_S
        share = min(done / self._total, 1.0)
        filled = "█" * round(share * BAR_WIDTH)
        sys.stderr.write(f"\r{self._word} {done:,} {filled:░<{BAR_WIDTH}} {share:4.0%}")
        sys.stderr.flush()

    def end(self) -> None:
        """Remove it."""
        if self._is_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
