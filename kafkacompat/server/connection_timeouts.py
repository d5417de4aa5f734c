"""Time-outs for idle connections, slow frames and slow readers. Pure: each sweep passes in its observation and time."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.server.limits import Limits


class Observation:
    """A sweep's observation of one connection."""

    __slots__ = ("is_inside_frame", "is_waiting_for_us", "received_bytes", "requests", "unsent_bytes")

    def __init__(
        self, *, requests: int, received_bytes: int, unsent_bytes: int, is_inside_frame: bool, is_waiting_for_us: bool
    ) -> None:
        self.requests = requests
        self.received_bytes = received_bytes
        self.unsent_bytes = unsent_bytes  # in the transport's buffer: decreases when the peer reads
        self.is_inside_frame = is_inside_frame
        self.is_waiting_for_us = is_waiting_for_us  # a request is in flight, or reading is paused


class ConnectionTimeouts:
    """What one connection's earlier sweeps observed. All times are monotonic milliseconds."""

    __slots__ = ("_active_ms", "_last", "_stuck_since_ms", "_window_bytes", "_window_ms")

    def __init__(self, now_ms: int) -> None:
        self._active_ms = self._window_ms = self._stuck_since_ms = now_ms
        self._window_bytes = 0
        self._last = Observation(
            requests=0, received_bytes=0, unsent_bytes=0, is_inside_frame=False, is_waiting_for_us=False
        )

    def verdict(self, seen: Observation, limits: Limits, now_ms: int) -> str:
        """The reason to close the connection, or "". Accurate to the interval between sweeps."""
        last, self._last = self._last, seen
        if seen.unsent_bytes != last.unsent_bytes or not seen.unsent_bytes:
            self._stuck_since_ms = now_ms
        elif now_ms - self._stuck_since_ms >= limits.slow_reader_timeout_ms:
            return f"{seen.unsent_bytes} bytes of responses not read for {now_ms - self._stuck_since_ms} ms"
        if seen.is_waiting_for_us or seen.unsent_bytes:
            self._active_ms = self._window_ms = now_ms
            self._window_bytes = seen.received_bytes
            return ""
        if not seen.requests:
            if now_ms - self._active_ms >= limits.first_request_timeout_ms:
                return f"no request within {limits.first_request_timeout_ms} ms"
        elif seen.requests != last.requests:
            self._active_ms = now_ms
        return self._slow_frame(seen, last, limits, now_ms) or self._idle(limits, now_ms)

    def _slow_frame(self, seen: Observation, last: Observation, limits: Limits, now_ms: int) -> str:
        if not seen.is_inside_frame or not last.is_inside_frame or seen.requests != last.requests:
            self._window_ms = now_ms
            self._window_bytes = seen.received_bytes
        elapsed_ms = now_ms - self._window_ms
        if elapsed_ms < limits.slow_frame_window_ms:
            return ""
        arrived = seen.received_bytes - self._window_bytes
        if arrived * 1000 < limits.slow_frame_min_bytes_per_s * elapsed_ms:
            return f"{arrived} bytes of a request in {elapsed_ms} ms"
        self._window_ms = now_ms
        self._window_bytes = seen.received_bytes
        return ""

    def _idle(self, limits: Limits, now_ms: int) -> str:
        idle_ms = now_ms - self._active_ms
        return f"idle for {idle_ms} ms" if 0 <= limits.idle_timeout_ms <= idle_ms else ""
