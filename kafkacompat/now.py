"""The two clocks. The shell reads them once per event and passes them to the cores."""

NEVER = 1 << 62
"""A time that is never reached (monotonic ms)."""
LONG_AGO = -NEVER
"""A time before all others (monotonic ms)."""


class Now:
    """The current time: `monotonic_ms` for deadlines, `wall_ms` (since the epoch) for timestamps."""

    __slots__ = ("monotonic_ms", "wall_ms")

    def __init__(self, monotonic_ms: int, wall_ms: int) -> None:
        self.monotonic_ms = monotonic_ms
        self.wall_ms = wall_ms

    def __repr__(self) -> str:
        return f"Now(monotonic_ms={self.monotonic_ms}, wall_ms={self.wall_ms})"
