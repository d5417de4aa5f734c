"""Moves the clock of a cluster whose nodes run on one event loop.

The wall and the life clock move; the monotonic one, which is for sockets and for the nodes' own liveness, stays real
(`kafkacompat/now.py`). What becomes due on the way is done in order, each at its time.
"""

from __future__ import annotations

import asyncio
import itertools
from typing import NamedTuple

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.server.clock import SystemClock

ADVANCE_MAX_MS = 100 * 365 * 86_400_000
"""The longest way in one step: a hundred years."""
FIRED_MAX = 100_000
"""So many timers may become due in one step; a clock that would need more stops on its way."""
SETTLE_TIMEOUT_S = 10.0
"""How long a coordinator may wait for a commit, anew with each one on its partition (real time)."""
ADVANCE_TIMEOUT_S = 600.0
"""How long one step may take in all (real time): clients that commit without end leave no moment without a wait."""
SETTLE_POLL_S = 0.001
WALL_TASKS = ("producer expiration", "retention")
"""Keys of the periodic timers on the monotonic clock that look for what has become old by the wall clock."""


class ClockView(NamedTuple):
    """The clock of a cluster: its wall clock (ms since the epoch), and how far that is from the system's."""

    wall_ms: int
    offset_ms: int
    is_frozen: bool


class Advanced(NamedTuple):
    """What a step of the clock did.

    wall_ms: the time afterwards (ms since the epoch).
    fired: the timers that became due, in order, such as "session of member m in group g on node 1". One that has only
    set itself again is not among them, as that of a session that heartbeats have extended. Then what retention has
    removed, such as "retention of orders-0: 3 segments, 4096 bytes on node 1".
    """

    wall_ms: int
    fired: tuple[str, ...]


def view(clock: SystemClock) -> ClockView:
    """The clock as it is now."""
    return ClockView(clock.now().wall_ms, clock.offset_ms, clock.is_frozen)


async def advance(servers: Sequence[BrokerServer], clock: SystemClock, ms: int, *, sessions: bool = True) -> Advanced:
    """Move the clock forward by `ms`, and return when nothing is due and the effects are committed.

    sessions: timers of clients move, too. False leaves group members the time that they had left.

    Raises KafkaCompatError for a negative or too long way, and if effects are not committed in time (SETTLE_TIMEOUT_S,
    ADVANCE_TIMEOUT_S).
    """
    check_way(ms)
    until_s = asyncio.get_running_loop().time() + ADVANCE_TIMEOUT_S
    fired: list[str] = []
    if sessions:
        try:
            await _fire_timers(servers, clock, ms, fired, until_s)
        finally:
            for server in servers:
                server.broker.life_timers.restore_periodic()
    else:
        clock.move(ms, 0)
    for server in servers:
        if server.is_temporary:
            server.broker.retention.end_grace()
        server.broker.timers.look_for_old(server.now(), WALL_TASKS)
        server.after_event()
    await _settle(servers, until_s)
    for server in servers:
        fired += [f"{line} on node {server.broker.node_id}" for line in server.broker.retention.pop_gone()]
    return Advanced(clock.now().wall_ms, tuple(fired))


def check_way(ms: int) -> None:
    """Raises KafkaCompatError for a way that no clock goes in one step."""
    if not 0 <= ms <= ADVANCE_MAX_MS:
        raise KafkaCompatError(f"the clock cannot be advanced by {ms} ms: give 0 to {ADVANCE_MAX_MS}")


async def _fire_timers(
    servers: Sequence[BrokerServer], clock: SystemClock, ms: int, fired: list[str], until_s: float
) -> None:
    start = clock.now()
    target_ms = start.life_ms + ms
    for count in itertools.count():
        next_ms = [(server.broker.life_timers.next_single_ms(), server) for server in servers]
        due = [(at_ms, server) for at_ms, server in next_ms if at_ms is not None and at_ms <= target_ms]
        if not due:
            break
        if count == FIRED_MAX:
            raise KafkaCompatError(f"the clock stopped on its way, {FIRED_MAX} timers were due: take smaller steps")
        _check_time(asyncio.get_running_loop().time(), until_s)
        deadline_ms, server = min(due, key=lambda entry: entry[0])
        _move_to(clock, deadline_ms)
        key = server.broker.life_timers.run_single(server.now())
        if key not in server.broker.life_timers:
            fired.append(_describe(key, server.broker.node_id))
        server.after_event()
        await _settle(servers, until_s)
    _move_to(clock, target_ms)
    clock.move(max(0, start.wall_ms + ms - clock.now().wall_ms), 0)  # both clocks are rounded, each in its own moment


def _move_to(clock: SystemClock, life_ms: int) -> None:
    way_ms = max(0, life_ms - clock.now().life_ms)
    clock.move(way_ms, way_ms)


async def _settle(servers: Sequence[BrokerServer], until_s: float) -> None:
    """Wait until coordinators have committed what they did, and retention has ended.

    What one coordinator commits gives no other one more time: consumers may commit all the while.
    """
    loop = asyncio.get_running_loop()
    waits: dict[object, tuple[int, float]] = {}  # how far each has come, until when it may stay there
    while True:
        now_s, former, waits = loop.time(), waits, {}
        for server in servers:
            for each, done in server.broker.coordinators.unsettled():
                most, deadline_s = former.get(each, (done - 1, 0.0))
                waits[each] = (done, now_s + SETTLE_TIMEOUT_S) if done > most else (most, deadline_s)
        if not waits and not any(server.broker.retention.is_running for server in servers):
            return
        if any(now_s > deadline_s for _, deadline_s in waits.values()):
            raise KafkaCompatError(
                f"what became due is not committed after {SETTLE_TIMEOUT_S:.0f} s: are enough replicas in sync?"
            )
        _check_time(now_s, until_s)
        await asyncio.sleep(SETTLE_POLL_S)


def _check_time(now_s: float, until_s: float) -> None:
    if now_s > until_s:
        raise KafkaCompatError(f"the clock stopped on its way after {ADVANCE_TIMEOUT_S:.0f} s: take smaller steps")


def _describe(key: object, node_id: int) -> str:
    """A timer of a coordinator as text: its key is (context, kind, group id, member id)."""
    assert isinstance(key, tuple), "the life clock has timers of coordinators only"
    _, kind, *names = key
    group, *member = names or [""]
    whose = f" of member {member[0]}" if member else ""
    return f"{kind}{whose} in group {group} on node {node_id}"
