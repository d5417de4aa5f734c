"""The fetchers of this broker, one for each leader (Kafka's ReplicaFetcherManager)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.network import Address, Network
    from kafkacompat.broker.replicas.fetch_settings import FetchSettings
    from kafkacompat.broker.replicas.fetcher import Fetcher
    from kafkacompat.broker.replicas.replication_quota import ReplicationQuota
    from kafkacompat.broker.timers import Timers
    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition


ELECTION_WAIT_MS = 500
"""How long after the loss of a leader's connection metadata requests may wait for the next leader. An election takes
half of that; franz-go asks once, and then waits for five seconds."""


class FetcherManager:
    """All fetchers of a broker.

    broker_epoch: of this incarnation of the broker, -1 while it is not registered and fetches nothing. address_of: of a
    broker's inter-broker listener. request_flush: sync a partition's log, and call back, also after an error.
    carry_out: carry out a partition's effects. quota: the throttle for followers. leader_found: a leader whose
    connection was lost answers again.
    """

    def __init__(
        self,
        node_id: int,
        settings: "FetchSettings",
        timers: "Timers",
        *,
        broker_epoch: "Callable[[], int]",
        address_of: "Callable[[int], Address | None]",
        request_flush: "Callable[[Partition, Callable[[Now], None]], None]",
        carry_out: "Callable[[Partition, Now], None]",
        quota: "ReplicationQuota",
        leader_found: "Callable[[Now], None]",
    ) -> None:
        self.node_id = node_id
        self.client_id = f"broker-{node_id}-fetcher-0"
        self.settings = settings
        self.timers = timers
        self.broker_epoch = broker_epoch
        self.address_of = address_of
        self.request_flush = request_flush
        self.carry_out = carry_out
        self.quota = quota
        self._leader_found = leader_found
        self.network: Network | None = None
        self._fetchers: dict[int, Fetcher] = {}
        self._at: dict[Partition, Fetcher] = {}
        self._lost_until_ms: dict[int, int] = {}
        self.held: set[tuple[str, int]] = set()
        """Partitions that are not fetched, because a test lets them lag."""

    def follow(self, partition: "Partition", now: "Now") -> None:
        """The partition follows a leader in a new epoch."""
        assert partition.following is not None
        if self.held and (partition.topic, partition.index) in self.held:
            self.leave(partition)
            return
        leader = partition.following.leader
        before = self._at.get(partition)
        if before is not None and before.leader != leader:
            self.leave(partition)
        fetcher = self._fetchers.get(leader)
        if fetcher is None:
            from kafkacompat.broker.replicas.fetcher import Fetcher  # a lone broker never needs it

            fetcher = self._fetchers[leader] = Fetcher(leader, self)
        self._at[partition] = fetcher
        fetcher.add(partition, now)

    def leave(self, partition: "Partition") -> None:
        """Stop fetching a partition that no longer follows a leader."""
        fetcher = self._at.pop(partition, None)
        if fetcher is not None:
            fetcher.remove(partition)
            # it does not fetch for an offline log: it may have become idle, and been removed, before this one left
            if fetcher.is_idle and self._fetchers.get(fetcher.leader) is fetcher:
                del self._fetchers[fetcher.leader]
                self._lost_until_ms.pop(fetcher.leader, None)
                fetcher.close()

    def hold(self, topic: str, index: int, partition: "Partition | None") -> None:
        """Do not fetch this partition until `release`; a response in flight is ignored."""
        self.held.add((topic, index))
        if partition is not None:
            self.leave(partition)
            if partition.following is not None and partition.following.open_ticket is not None:
                partition.fetch_failed(partition.following.open_ticket)

    def release(self, topic: str, index: int, partition: "Partition | None", now: "Now") -> None:
        """Fetch this partition again."""
        self.held.discard((topic, index))
        if partition is not None and partition.following is not None and partition not in self._at:
            self.follow(partition, now)

    def resume(self, now: "Now") -> None:
        """This broker is registered, or its network is available."""
        for fetcher in self._fetchers.values():
            fetcher.send_soon(now)

    def lost(self, leader: int, now: "Now") -> None:
        """A leader no longer answers: it may be dead."""
        self._lost_until_ms[leader] = now.monotonic_ms + ELECTION_WAIT_MS

    def found(self, leader: int, now: "Now") -> None:
        """The leader answers."""
        if self._lost_until_ms.pop(leader, None) is not None:
            self._leader_found(now)

    def lost_leaders(self, now: "Now") -> dict[int, int]:
        """Leaders lost just now, and until when metadata requests wait for new ones (monotonic, ms)."""
        if not self._lost_until_ms:
            return self._lost_until_ms
        return {leader: until_ms for leader, until_ms in self._lost_until_ms.items() if until_ms > now.monotonic_ms}

    def close(self) -> None:
        """Stop fetching."""
        for fetcher in self._fetchers.values():
            fetcher.close()
        self._fetchers.clear()
        self._at.clear()

    def __len__(self) -> int:
        """The number of leaders that this broker fetches from."""
        return len(self._fetchers)
