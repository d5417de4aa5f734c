"""Waits for a condition of a running cluster: events of its brokers wake it, so nothing sleeps and looks again."""

from __future__ import annotations

import threading
import time

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from typing import Any, TypeAlias

    from kafkacompat.server.broker_server import BrokerServer

    OnAll: TypeAlias = Callable[[Sequence[BrokerServer]], Coroutine[Any, Any, None]]
    RunOnAll: TypeAlias = Callable[[OnAll], None]

FALLBACK_S = 0.1
"""A condition may depend on more than the brokers, so it is looked at this often without an event, too."""
REST_MAX_S = 0.05
"""Under load, looking takes at most half of the time: after a look follows a rest as long, but not longer than this."""


def until(run_on_all: RunOnAll, look: Callable[[], str | None], timeout_s: float) -> str | None:
    """Call `look` until it returns None: at once, and after events of the brokers. After `timeout_s` its last text is
    returned. With brokers in other processes it is called every FALLBACK_S.

    run_on_all: runs a coroutine function with all running nodes on their loop.
    """
    seen = look()
    if seen is None or timeout_s <= 0:
        return seen
    deadline_s = time.monotonic() + timeout_s
    changed = threading.Event()
    changed.set()  # the first look was before the events were listened to

    def on_event() -> None:
        if not changed.is_set():
            changed.set()

    async def listen(servers: Sequence[BrokerServer]) -> None:
        for server in servers:
            if on_event not in server.on_event:
                server.on_event.append(on_event)

    async def end(servers: Sequence[BrokerServer]) -> None:
        for server in servers:
            if on_event in server.on_event:
                server.on_event.remove(on_event)

    try:
        while (left_s := deadline_s - time.monotonic()) > 0:
            _try_on_all(run_on_all, listen)  # also those that have started since
            changed.wait(min(left_s, FALLBACK_S))
            changed.clear()
            began_s = time.monotonic()
            seen = look()
            if seen is None:
                return None
            rest_s = min(time.monotonic() - began_s, REST_MAX_S, max(0, deadline_s - time.monotonic()))
            time.sleep(rest_s)
    finally:
        _try_on_all(run_on_all, end)
    return seen


def _try_on_all(run_on_all: RunOnAll, operation: OnAll) -> None:
    try:
        run_on_all(operation)
    except KafkaCompatError:  # stopped, or in other processes: then nothing wakes us
        return
