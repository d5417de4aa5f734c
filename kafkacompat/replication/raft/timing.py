"""Time-outs of a quorum replica, with the defaults of Kafka's QuorumConfig (§3.10)."""

from kafkacompat.replication.raft.messages import MAX_FETCH_BYTES

MIN_TIMEOUT_MS = 10
"""The shortest time-out in effect, whatever the configuration says: with shorter ones a node is busy electing."""


class Timing:
    """Time-outs of one replica in ms. They affect liveness only; safety does not depend on clocks."""

    __slots__ = (
        "backoff_max_ms", "election_timeout_ms", "fetch_max_bytes", "fetch_max_wait_ms", "fetch_timeout_ms",
        "refetch_ms", "retry_ms", "snapshot_max_bytes",
    )  # fmt: skip

    def __init__(
        self,
        *,
        election_timeout_ms: int = 1000,
        fetch_timeout_ms: int = 2000,
        backoff_max_ms: int = 1000,
        refetch_ms: int = 50,
        fetch_max_bytes: int = MAX_FETCH_BYTES,
        snapshot_max_bytes: int = MAX_FETCH_BYTES,
    ) -> None:
        """refetch_ms: the pause after a failed fetch. The sizes limit what one fetch asks for."""
        self.refetch_ms = max(MIN_TIMEOUT_MS, refetch_ms)
        self.fetch_max_bytes = fetch_max_bytes
        self.snapshot_max_bytes = snapshot_max_bytes
        self.election_timeout_ms = max(MIN_TIMEOUT_MS, election_timeout_ms)
        self.fetch_timeout_ms = max(MIN_TIMEOUT_MS, fetch_timeout_ms)
        self.backoff_max_ms = backoff_max_ms
        self.fetch_max_wait_ms = min(500, self.fetch_timeout_ms // 4)
        self.retry_ms = 50

    @property
    def check_quorum_timeout_ms(self) -> int:
        """How long a leader leads on without fetches of a majority (§3.7; Kafka's LeaderState)."""
        return self.fetch_timeout_ms * 3 // 2

    def backoff_ms(self, lost_elections: int) -> int:
        """The exclusive bound of the random pause after an election is lost: it doubles with each lost in a row."""
        return max(1, min(self.backoff_max_ms, self.retry_ms << min(lost_elections, 10)))
