"""The two clocks a core is given, read once by the shell for each event."""

NEVER = 1 << 62
"""A moment that does not come (monotonic ms); see `LONG_AGO`."""
LONG_AGO = -NEVER
"""A moment before all others (monotonic ms)."""


class Now:
    """A moment: `monotonic_ms` for deadlines, `wall_ms` (since the epoch) for what is written into records."""

    __slots__ = ("monotonic_ms", "wall_ms")

    def __init__(self, monotonic_ms: int, wall_ms: int) -> None:
        self.monotonic_ms = monotonic_ms
        self.wall_ms = wall_ms

    def __repr__(self) -> str:
        return f"Now(monotonic_ms={self.monotonic_ms}, wall_ms={self.wall_ms})"
