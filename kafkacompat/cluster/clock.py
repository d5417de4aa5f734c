"""The clock of a cluster, for tests that cannot wait: `kafka.clock.advance(minutes=5)`."""

from __future__ import annotations

from kafkacompat.cluster.running import RunningCluster

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from typing import Any

    from kafkacompat.cluster.joined_processes import JoinedProcesses
    from kafkacompat.control_api.clock import Advanced, ClockView
    from kafkacompat.server.broker_server import BrokerServer

    RunOnAll = Callable[[Callable[[Sequence[BrokerServer]], Any]], Any]


class Clock:
    """The wall clock of a cluster's brokers, and the clock of their clients' timers.

    joined: asks nodes in other processes; None if they run in this one. Every method raises KafkaCompatError if the
    cluster is not running.
    """

    def __init__(self, run_on_all: RunOnAll, joined: JoinedProcesses | None) -> None:
        self._run_on_all = run_on_all
        self._joined = joined

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
        if self._joined is not None:
            clock.check_way(whole_ms)
            body = {"ms": whole_ms, "sessions": sessions}
            done = self._joined.ask("change_resources:advance", body=body)
            return clock.Advanced(done["wall_ms"], tuple(done["fired"]))

        async def on_all(servers: Sequence[BrokerServer]) -> Advanced:
            return await clock.advance(servers, servers[0].clock, whole_ms, sessions=sessions)

        return self._run_on_all(on_all)  # type: ignore[no-any-return]

    def freeze(self) -> None:
        """Stop the clock. Clients are served as before; timestamps stay the same, and no session ends."""

        if self._joined is not None:
            self._joined.ask("change_resources:freeze")
            return

        async def on_all(servers: Sequence[BrokerServer]) -> None:
            servers[0].clock.freeze()

        self._run_on_all(on_all)

    def resume(self) -> None:
        """Let a frozen clock go on from where it stands."""

        if self._joined is not None:
            self._joined.ask("change_resources:resume")
            return

        async def on_all(servers: Sequence[BrokerServer]) -> None:
            servers[0].clock.resume()
            for server in servers:
                server.after_event()

        self._run_on_all(on_all)

    @property
    def view(self) -> ClockView:
        """The time, its distance from the system's, and whether it stands still."""
        from kafkacompat.control_api import clock

        if self._joined is not None:
            return clock.ClockView(**self._joined.ask("change_resources:see_clock"))

        async def on_all(servers: Sequence[BrokerServer]) -> ClockView:
            return clock.view(servers[0].clock)

        return self._run_on_all(on_all)  # type: ignore[no-any-return]

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
        return Clock(self._run_on_all, self._joined)
