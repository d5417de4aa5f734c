"""Fetching from one leader (Kafka's ReplicaFetcherThread).

One Fetch for all partitions is in flight at a time, in an incremental session (KIP-227): a request names the partitions
that have changed, the session keeps the others. So a fetch costs as much as its changes. Records are appended from the
response's buffer without a copy.
"""

import logging
from collections import deque
from functools import partial

from kafkacompat.broker.network import FETCH
from kafkacompat.now import NEVER
from kafkacompat.protocol import api_keys
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import (
    EARLIEST_TIMESTAMP,
    FINAL_EPOCH,
    INITIAL_EPOCH,
    INVALID_SESSION_ID,
    NO_BROKER_EPOCH,
    UNKNOWN_OFFSET,
)
from kafkacompat.replication.following import BACK_OFF, FETCH_AGAIN, FIND_START, STOPPED
from kafkacompat.steps import UNITS_PER_ITERATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from kafkacompat.broker.network import Address, Network
    from kafkacompat.broker.replicas.fetch_settings import FetchSettings
    from kafkacompat.broker.replicas.replication_quota import ReplicationQuota
    from kafkacompat.broker.timers import Timers
    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.fetch import (
        FetchPartition,
        FetchRequest,
        FetchResponse,
        ForgottenTopic,
        PartitionData,
    )
    from kafkacompat.replication.partition import Partition

    Key = tuple[bytes, int]

    class Manager(Protocol):
        """What a fetcher uses of its manager (`fetchers.py`)."""

        node_id: int
        client_id: str
        settings: FetchSettings
        timers: Timers
        network: Network | None
        quota: ReplicationQuota
        broker_epoch: Callable[[], int]
        address_of: Callable[[int], Address | None]
        request_flush: Callable[[Partition, Callable[[Now], None]], None]
        carry_out: Callable[[Partition, Now], None]

        def lost(self, leader: int, now: Now) -> None: ...
        def found(self, leader: int, now: Now) -> None: ...


FETCH_VERSION = 18
LIST_OFFSETS_VERSION = 10
LAST_EPOCH = 0x7FFFFFFF
WAKE_UP_FETCH = "wake-up fetch"
"""The channel for a Fetch without partitions, which makes the leader answer the delayed one: there is more to fetch."""
FIRST_PAUSE_MS = 20
"""Pause after a first error; it doubles up to replica.fetch.backoff.ms. When leadership moves, leader and follower
often learn of it some milliseconds apart."""
THROTTLED_MS = 100
"""How long a throttled partition is not fetched."""
SYNC_WAIT_MS = 100
"""How long the next fetch waits for partitions that are being synced, to fetch all together."""
ITERATION_MAX_BYTES = 2 << 20
"""Bytes of records appended per event-loop iteration; the rest of a response waits for the next one."""
UNITS_PER_APPEND, UNITS_PER_PARTITION = 10, 2
"""What a partition with records counts as work, of which an iteration does UNITS_PER_ITERATION, and one without."""
FEW_UNITS = 200
"""What is done together with what comes before and after it: decoding a response, and the next request."""
NAMED_MAX = 500
"""Partitions that one request adds to the leader's session; the next one follows at once with the others. So neither
side works on all partitions in one turn, when a leader has come back.
"""

_log = logging.getLogger(__name__)


class Fetcher:
    """Fetches from one leader.

    A partition is ready (for the next request), requested, being synced, or delayed after an error. `_answered` are the
    other partitions of the leader's session: the next request fetches them again or forgets them.
    """

    def __init__(self, leader: int, manager: "Manager") -> None:
        self.leader = leader
        self._manager = manager
        self._ready: dict[Partition, None] = {}
        self._asked: dict[Key, tuple[Partition, int, FetchPartition]] = {}
        self._delayed: dict[Partition, int] = {}
        self._pauses: dict[Partition | None, int] = {}  # the last one of each partition, None: of the leader
        self._answered: dict[Key, FetchPartition] = {}
        self._session_id = INVALID_SESSION_ID
        self._session_epoch = INITIAL_EPOCH
        self._has_no_session = False  # the leader had no room for one
        self._is_fetching = False
        self._has_answered = False  # the last request
        self._has_sent_wake_up = False  # for the fetch in flight
        self._syncing: dict[Partition, int] = {}  # until when the others wait for them
        self._unprocessed: deque[tuple[Key, PartitionData]] = deque()  # of the last response
        self._address: Address | None = None
        self._is_closed = False

    @property
    def is_idle(self) -> bool:
        """Whether it has no partition."""
        return not (self._ready or self._asked or self._delayed or self._syncing)

    def add(self, partition: "Partition", now: "Now") -> None:
        """Fetch it with the next request; a response in flight is ignored."""
        self.remove(partition)
        self._ready[partition] = None
        self.send_soon(now)
        self._wake_leader()

    def _wake_leader(self) -> None:
        """End the leader's long poll: a new partition, and producers with acks=all to it, must not wait for it."""
        manager = self._manager
        if not self._is_fetching or self._has_sent_wake_up or manager.network is None or self._address is None:
            return
        from kafkacompat.protocol.messages.fetch import FetchRequest, ReplicaState

        self._has_sent_wake_up = True
        nothing = FetchRequest(
            replica_state=ReplicaState(manager.node_id, manager.broker_epoch()), session_epoch=FINAL_EPOCH
        )
        manager.network.send(
            self._address, WAKE_UP_FETCH, manager.client_id, api_keys.FETCH, FETCH_VERSION, nothing,
            manager.settings.timeout_ms, lambda _response, _now: None,
        )  # fmt: skip

    def remove(self, partition: "Partition") -> None:
        """Stop fetching it."""
        self._ready.pop(partition, None)
        self._delayed.pop(partition, None)
        self._syncing.pop(partition, None)
        self._pauses.pop(partition, None)
        key = _key(partition)
        entry = self._asked.pop(key, None)
        if entry is not None:
            self._answered[key] = entry[2]

    def close(self) -> None:
        """Stop fetching and close the connections."""
        self._is_closed = True
        manager = self._manager
        manager.timers.cancel((self, "send"))
        manager.timers.cancel((self, "process"))
        if self._address is not None and manager.network is not None:
            manager.network.close_channel(self._address, FETCH)
            manager.network.close_channel(self._address, WAKE_UP_FETCH)

    # --- requests ---

    def send_soon(self, now: "Now", pause_ms: int = 0) -> None:
        """Send at the end of this loop iteration, so that one request has all that is ready; or after a pause."""
        if not self._is_fetching and not self._is_closed:
            self._manager.timers.set((self, "send"), now.monotonic_ms + pause_ms, self._send)

    def _send(self, now: "Now") -> None:
        manager = self._manager
        if self._is_fetching or self._unprocessed or manager.network is None:
            return
        broker_epoch = manager.broker_epoch()
        if broker_epoch == NO_BROKER_EPOCH:
            return  # not registered: `resume` follows
        address = manager.address_of(self.leader)
        if address is None:
            self._pause_all(now)
            return
        self._end_delays(now)
        if self._waits_for_syncs(now):
            return
        request = self._request(broker_epoch, now)
        if request is None:
            self._send_after_delay()
            return
        self._is_fetching = True
        self._has_sent_wake_up = False
        if self._address not in (None, address):
            assert self._address is not None
            manager.network.close_channel(self._address, FETCH)
        self._address = address
        manager.network.send(
            address, FETCH, manager.client_id, api_keys.FETCH, FETCH_VERSION, request, manager.settings.timeout_ms,
            self._on_answer,
        )  # fmt: skip

    def _send_after_delay(self) -> None:
        until_ms = min(self._delayed.values(), default=NEVER)
        if until_ms != NEVER:
            self._manager.timers.set((self, "send"), until_ms, self._send)

    def _end_delays(self, now: "Now") -> None:
        for partition in [each for each, until_ms in self._delayed.items() if until_ms <= now.monotonic_ms]:
            del self._delayed[partition]
            self._ready[partition] = None

    def _waits_for_syncs(self, now: "Now") -> bool:
        """With flush.messages=1, appended records are synced before the next fetch (F7), in one sync for all. The
        others wait SYNC_WAIT_MS at most; a partition whose sync takes longer is fetched when it is done.
        """
        for partition in [each for each in self._ready if each.awaits_sync and not each.log.offline]:
            del self._ready[partition]
            self._syncing[partition] = now.monotonic_ms + SYNC_WAIT_MS
            self._manager.request_flush(partition, partial(self._on_synced, partition))
        until_ms = max(self._syncing.values(), default=0)
        if until_ms > now.monotonic_ms:
            self._manager.timers.set((self, "send"), until_ms, self._send)
        return until_ms > now.monotonic_ms

    def _on_synced(self, partition: "Partition", now: "Now") -> None:
        if self._syncing.pop(partition, None) is not None:
            self._ready[partition] = None
            self.send_soon(now)
            self._wake_leader()

    def _request(self, broker_epoch: int, now: "Now") -> "FetchRequest | None":
        """The changes since the last request; None if there is no partition to fetch."""
        from kafkacompat.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ReplicaState

        settings, quota, node_id = self._manager.settings, self._manager.quota, self._manager.node_id
        is_exceeded = quota.is_exceeded(now)
        topics: dict[bytes, list[FetchPartition]] = {}
        room = len(self._ready) if self._has_no_session else NAMED_MAX
        for partition in list(self._ready):
            key = _key(partition)
            is_new = key not in self._answered  # the session does not have it
            if is_new and not room:
                continue
            del self._ready[partition]
            throttled = partition.log.config.follower_replication_throttled_replicas
            if is_exceeded and quota.applies_to(partition, node_id, throttled):
                self._delayed[partition] = now.monotonic_ms + THROTTLED_MS
                continue
            asked = partition.next_fetch(settings.partition_max_bytes)
            if asked is None:  # its log is offline until the next start
                continue
            room -= is_new
            self._asked[key] = partition, *asked
            if _has_changed(asked[1], self._answered.pop(key, None)):
                topics.setdefault(partition.topic_id, []).append(asked[1])
        if not self._asked:
            return None
        return FetchRequest(
            replica_state=ReplicaState(node_id, broker_epoch),
            max_wait_ms=self._max_wait_ms(now),
            min_bytes=settings.min_bytes,
            max_bytes=settings.max_bytes,
            session_id=self._session_id,
            session_epoch=self._session_epoch,
            topics=[FetchTopic("", topic_id, partitions) for topic_id, partitions in topics.items()],
            forgotten_topics_data=self._forgotten(),
        )

    def _max_wait_ms(self, now: "Now") -> int:
        """At most until a delay ends, as one request is in flight at a time. Zero where the next one names more
        partitions, and after an error, to learn at once whether the leader answers again.
        """
        if None in self._pauses or self._ready:
            return 0
        waits_ms = self._manager.settings.max_wait_ms
        if self._delayed:
            waits_ms = max(0, min(waits_ms, min(self._delayed.values()) - now.monotonic_ms))
        return waits_ms

    def _forgotten(self) -> "list[ForgottenTopic]":
        from kafkacompat.protocol.messages.fetch import ForgottenTopic

        answered, self._answered = self._answered, {}
        topics: dict[bytes, list[int]] = {}
        if self._session_epoch != INITIAL_EPOCH:
            for topic_id, index in answered:
                topics.setdefault(topic_id, []).append(index)
        return [ForgottenTopic("", topic_id, indexes) for topic_id, indexes in topics.items()]

    # --- answers ---

    def _on_answer(self, response: object | None, now: "Now") -> None:
        self._is_fetching = False
        if self._is_closed:
            return
        has_answered, self._has_answered = self._has_answered, response is not None
        if response is None:
            if has_answered:
                self._manager.lost(self.leader, now)
            self._reset_session(INVALID_SESSION_ID)
            self._pause_all(now)
            return
        if not has_answered:
            self._manager.found(self.leader, now)
        answer: FetchResponse = response  # type: ignore[assignment]
        if answer.error_code != errors.NONE:
            is_unknown = answer.error_code == errors.FETCH_SESSION_ID_NOT_FOUND
            self._reset_session(INVALID_SESSION_ID if is_unknown else self._session_id)
            self._pause_all(now)
            return
        self._pauses.pop(None, None)
        self._session_id = answer.session_id
        self._has_no_session = answer.session_id == INVALID_SESSION_ID
        self._session_epoch = (
            _next_epoch(self._session_epoch) if answer.session_id != INVALID_SESSION_ID else INITIAL_EPOCH
        )
        self._unprocessed.extend(
            ((topic.topic_id, data.partition_index), data) for topic in answer.responses for data in topic.partitions
        )
        if len(self._unprocessed) > FEW_UNITS:  # to decode so many took a turn
            self._manager.timers.set((self, "process"), now.monotonic_ms, self._process)
        else:
            self._process(now)

    def _reset_session(self, session_id: int) -> None:
        """The session is lost and no response will come: fetch everything again, in a new session."""
        self._session_id, self._session_epoch = session_id, INITIAL_EPOCH
        self._answered.clear()
        asked, self._asked = self._asked, {}
        for partition, ticket, _ in asked.values():
            if partition.fetch_failed(ticket):
                self._ready[partition] = None

    def _pause_all(self, now: "Now") -> None:
        self.send_soon(now, self._pause_ms(None))

    def _pause_ms(self, partition: "Partition | None") -> int:
        pause_ms = min(self._pauses.get(partition, FIRST_PAUSE_MS // 2) * 2, self._manager.settings.backoff_ms)
        self._pauses[partition] = pause_ms
        return pause_ms

    def _process(self, now: "Now") -> None:
        """Append the response's records, ITERATION_MAX_BYTES and UNITS_PER_ITERATION per loop iteration; then send the
        next fetch.
        """
        appended_bytes = units = 0
        while self._unprocessed:
            if appended_bytes >= ITERATION_MAX_BYTES or units >= UNITS_PER_ITERATION:
                self._manager.timers.set((self, "process"), now.monotonic_ms, self._process)
                return
            key, data = self._unprocessed.popleft()
            appended_bytes += len(data.records) if data.records else 0
            units += UNITS_PER_APPEND if data.records else UNITS_PER_PARTITION
            entry = self._asked.pop(key, None)
            if entry is not None:
                partition, ticket, self._answered[key] = entry
                self._process_safely(partition, ticket, data, now)
        if self._session_id == INVALID_SESSION_ID:
            self._reset_session(INVALID_SESSION_ID)
        if units > FEW_UNITS:
            self.send_soon(now)
        else:
            self._send(now)

    def _process_safely(self, partition: "Partition", ticket: int, data: "PartitionData", now: "Now") -> None:
        """Process one partition; a bug delays only this one."""
        following = partition.following
        try:
            self._process_partition(partition, ticket, data, now)
        except Exception:  # noqa: BLE001 (whatever it is)
            _log.exception("a bug: handling the response of broker %d for %s failed", self.leader, partition.watch_key)
            partition.fetch_failed(ticket)  # else it could not be fetched again
            if following is not None and partition.following is following:
                self._delayed[partition] = now.monotonic_ms + self._pause_ms(partition)

    def _process_partition(self, partition: "Partition", ticket: int, data: "PartitionData", now: "Now") -> None:
        following = partition.following
        if data.records:
            throttled = partition.log.config.follower_replication_throttled_replicas
            self._manager.quota.record(partition, throttled, len(data.records), now)
        outcome = partition.fetch_answered(ticket, data, now)
        self._manager.carry_out(partition, now)
        if outcome == FIND_START and following is not None:
            self._find_start(partition, following.leader_epoch)
        else:
            self._schedule_next(partition, outcome, now)

    def _schedule_next(self, partition: "Partition", outcome: str | None, now: "Now") -> None:
        if outcome == FETCH_AGAIN:
            self._pauses.pop(partition, None)
            self._ready[partition] = None
        elif outcome in (BACK_OFF, FIND_START):
            self._delayed[partition] = now.monotonic_ms + self._pause_ms(partition)
        elif outcome == STOPPED:
            _log.error("%s-%d: fetching stops", partition.topic, partition.index)

    def _find_start(self, partition: "Partition", leader_epoch: int) -> None:
        """Ask for the leader's log start with ListOffsets; only this broker's leaders send it in the response."""
        from kafkacompat.protocol.messages.list_offsets import (
            ListOffsetsPartition,
            ListOffsetsRequest,
            ListOffsetsResponse,
            ListOffsetsTopic,
        )

        manager = self._manager
        self._delayed[partition] = NEVER

        def found(response: object | None, now: "Now") -> None:
            if self._delayed.get(partition) != NEVER:
                return  # its leader or epoch has changed
            del self._delayed[partition]
            start = UNKNOWN_OFFSET
            if response is not None:
                assert isinstance(response, ListOffsetsResponse)
                start = max(
                    (each.offset for topic in response.topics for each in topic.partitions), default=UNKNOWN_OFFSET
                )
            self._schedule_next(partition, partition.leader_starts_at(leader_epoch, start, now), now)
            manager.carry_out(partition, now)
            self.send_soon(now)

        entry = ListOffsetsPartition(partition.index, leader_epoch, EARLIEST_TIMESTAMP)
        request = ListOffsetsRequest(manager.node_id, topics=[ListOffsetsTopic(partition.topic, [entry])])
        assert manager.network is not None
        assert self._address is not None
        manager.network.send(
            self._address, FETCH, manager.client_id, api_keys.LIST_OFFSETS, LIST_OFFSETS_VERSION, request,
            manager.settings.timeout_ms, found,
        )  # fmt: skip


def _key(partition: "Partition") -> "Key":
    return partition.topic_id, partition.index


def _has_changed(asked: "FetchPartition", known: "FetchPartition | None") -> bool:
    """Whether a request must name the partition: the leader's session has it with other values, or not at all."""
    return (
        known is None
        or asked.fetch_offset != known.fetch_offset
        or asked.current_leader_epoch != known.current_leader_epoch
        or asked.last_fetched_epoch != known.last_fetched_epoch
        or asked.log_start_offset != known.log_start_offset
    )


def _next_epoch(epoch: int) -> int:
    return 1 if epoch == LAST_EPOCH else epoch + 1
