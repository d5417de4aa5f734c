"""How long a member of the quorum waits for what, with the defaults of Kafka's QuorumConfig (§3.10)."""

from kafkacompat.replication.raft.messages import MAX_FETCH_BYTES

NEVER = 1 << 62
MIN_TIMEOUT_MS = 10
"""Below this a time-out would keep the node busy with nothing but elections, whatever the configuration says."""


class Timing:
    """Time-outs of one member. All are for liveness; nothing that is safe rests on a clock."""

    __slots__ = (
        "again_ms", "backoff_max_ms", "election_timeout_ms", "fetch_max_bytes", "fetch_max_wait_ms", "fetch_timeout_ms",
        "retry_ms", "snapshot_max_bytes",
    )  # fmt: skip

    def __init__(
        self,
        *,
        election_timeout_ms: int = 1000,
        fetch_timeout_ms: int = 2000,
        backoff_max_ms: int = 1000,
        again_ms: int = 50,
        fetch_max_bytes: int = MAX_FETCH_BYTES,
        snapshot_max_bytes: int = MAX_FETCH_BYTES,
    ) -> None:
        """again_ms: after a fetch without an answer; the sizes are of what one fetch asks for."""
        self.again_ms = max(MIN_TIMEOUT_MS, again_ms)
        self.fetch_max_bytes = fetch_max_bytes
        self.snapshot_max_bytes = snapshot_max_bytes
        self.election_timeout_ms = max(MIN_TIMEOUT_MS, election_timeout_ms)
        self.fetch_timeout_ms = max(MIN_TIMEOUT_MS, fetch_timeout_ms)
        self.backoff_max_ms = backoff_max_ms
        self.fetch_max_wait_ms = min(500, self.fetch_timeout_ms // 4)
        self.retry_ms = 50

    @property
    def silence_ms(self) -> int:
        """How long a leader goes on without hearing from a majority (§3.7)."""
        return self.fetch_timeout_ms * 3 // 2

    def backoff_ms(self, lost_rounds: int) -> int:
        """Below how much to choose the pause after so many lost elections in a row: twice as much after each."""
        return max(1, min(self.backoff_max_ms, self.retry_ms << min(lost_rounds, 10)))
