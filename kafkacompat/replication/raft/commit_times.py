"""How long batches of the metadata log take from the append to the commit, at the leader (Kafka's commit-latency)."""

from collections import deque

WAITING_MAX = 1_000
"""Most batches that are looked at until their commit; of more, the oldest are left out."""


class CommitTimes:
    """Counts committed batches. sum_ms: for each of them its time until the commit, shared among its records as in
    Kafka's KafkaRaftClient.
    """

    __slots__ = ("_waiting", "count", "sum_ms")

    def __init__(self) -> None:
        self.count = 0
        self.sum_ms = 0.0
        self._waiting: deque[tuple[int, int, int]] = deque(maxlen=WAITING_MAX)

    def begin(self) -> None:
        """An epoch begins: what was appended in an earlier one may never be committed."""
        self._waiting.clear()

    def appended(self, offset: int, end_offset: int, now_ms: int) -> None:
        """A batch was appended."""
        self._waiting.append((offset, end_offset, now_ms))

    def committed(self, high_watermark: int, now_ms: int) -> None:
        """All below this offset is committed."""
        waiting = self._waiting
        while waiting and waiting[0][1] <= high_watermark:
            offset, end_offset, appended_ms = waiting.popleft()
            self.count += 1
            self.sum_ms += (now_ms - appended_ms) / max(1, end_offset - offset)
