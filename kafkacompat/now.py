"""The clocks. The shell reads them once per event and passes them to the cores."""

NEVER = 1 << 62
"""A time that is never reached (monotonic ms)."""
LONG_AGO = -NEVER
"""A time before all others (monotonic ms)."""


class Now:
    """The current time of three clocks.

    monotonic_ms: for what is real: sockets, long polls, the liveness of nodes. Nothing moves it.
    wall_ms: since the epoch, for timestamps, and for every age that is measured from a timestamp.
    life_ms: for timers of clients that are only in memory: group sessions, joins, syncs. It is the monotonic clock plus
        what a test has advanced. Tests move it together with `wall_ms` (`Cluster.clock`).
    """

    __slots__ = ("life_ms", "monotonic_ms", "wall_ms")

    def __init__(self, monotonic_ms: int, wall_ms: int, life_ms: int | None = None) -> None:
        self.monotonic_ms = monotonic_ms
        self.wall_ms = wall_ms
        self.life_ms = monotonic_ms if life_ms is None else life_ms

    def __repr__(self) -> str:
        return f"Now(monotonic_ms={self.monotonic_ms}, wall_ms={self.wall_ms}, life_ms={self.life_ms})"
