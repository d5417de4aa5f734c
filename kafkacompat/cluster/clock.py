"""The clock of a cluster, for tests that cannot wait: `kafka.clock.advance(minutes=5)`."""

from __future__ import annotations

from kafkacompat.cluster.running import RunningCluster

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from kafkacompat.cluster.nodes import Ask
    from kafkacompat.control_api.clock import Advanced, ClockView


class Clock:
    """The wall clock of a cluster's brokers, and the clock of their clients' timers.

    ask: asks the brokers. Every method raises KafkaCompatError if the cluster is not running.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def advance(
        self,
        *,
        days: float = 0,
        hours: float = 0,
        minutes: float = 0,
        seconds: float = 0,
        ms: int = 0,
        sessions: bool = True,
    ) -> Advanced:
        """Move the clock forward. Timers on the way fire in order: members of groups whose sessions end are expelled,
        rebalances end, committed offsets expire. Returns what fired, when all of it is committed.

        Connections, long polls and the cluster's own liveness stay in real time: no broker is fenced, no client times
        out. `sessions=False` moves no timers of clients: members of groups keep the time that they had left.
        """
        from kafkacompat.control_api import clock

        whole_ms = round((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000) + ms
        clock.check_way(whole_ms)
        done = self._ask("change_resources:advance", body={"ms": whole_ms, "sessions": sessions})
        return clock.Advanced(done["wall_ms"], tuple(done["fired"]))

    def freeze(self) -> None:
        """Stop the clock. Clients are served as before; timestamps stay the same, and no session ends."""
        self._ask("change_resources:freeze")

    def resume(self) -> None:
        """Let a frozen clock go on from where it stands."""
        self._ask("change_resources:resume")

    @property
    def view(self) -> ClockView:
        """The time, its distance from the system's, and whether it stands still."""
        from kafkacompat.control_api.clock import ClockView

        return ClockView(**self._ask("change_resources:see_clock"))

    @property
    def now(self) -> datetime:
        """The time of the wall clock, in UTC."""
        from datetime import UTC, datetime

        return datetime.fromtimestamp(self.view.wall_ms / 1000, UTC)


class HasClock(RunningCluster):
    """The clock that `Cluster` offers."""

    @property
    def clock(self) -> Clock:
        """The clock of the brokers, which a test can move: `kafka.clock.advance(minutes=5)`."""
        return Clock(self._ask)
