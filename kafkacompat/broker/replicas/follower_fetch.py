"""Fetches of followers (1): the leader's end of replication.

`handlers/fetch.py` has the versions, `replication/serving.py` the rules.
A follower asks for everything that it follows here in one session. Its request tells what it holds (KIP-101, KIP-903),
also of partitions that it does not name again; the answer waits up to `max_wait_ms` for records.
"""

from kafkacompat.broker.fetch_response import find_partition, refuse, respond
from kafkacompat.broker.fetch_session import FollowerState
from kafkacompat.broker.purgatory import Pending
from kafkacompat.broker.replicas.delayed_follower_fetches import LOOK_MS
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import NO_BROKER_EPOCH, NO_PARTITION_LEADER_EPOCH
from kafkacompat.protocol.messages.fetch import FetchResponse
from kafkacompat.replication.serving import serve_follower

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkacompat.broker.context import Context
    from kafkacompat.broker.fetch_session import CachedPartition
    from kafkacompat.broker.fetch_session_cache import FetchContext
    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.fetch import FetchRequest, PartitionData
    from kafkacompat.replication.partition import Partition
    from kafkacompat.storage.slices import Slice

    Answers = list[tuple[CachedPartition, PartitionData]]

FIRST_VERSION_WITH_TOPIC_IDS = 13
FIRST_VERSION_WITH_REPLICA_STATE = 15


class _Round:
    """One request of a follower, and what was read for it last."""

    def __init__(
        self,
        request: "FetchRequest",
        context: "Context",
    ) -> None:
        by_state = context.version >= FIRST_VERSION_WITH_REPLICA_STATE
        self.replica_id = request.replica_state.replica_id if by_state else request.replica_id
        self.broker_epoch = request.replica_state.replica_epoch if by_state else NO_BROKER_EPOCH
        self._max_bytes = min(request.max_bytes, context.services.fetch_max_bytes)
        self._context = context
        self.answers: Answers = []
        self.not_quiet: dict[CachedPartition, None] = {}
        self.size_bytes = 0
        self.settled = False  # an error or a divergence: told at once
        self._slices: list[Slice] = []

    def read(self, partitions: "Iterable[CachedPartition]", now: "Now", *, has_waited: bool) -> None:
        """Answer the partitions; what was read before has been released."""
        self.answers = []
        self.not_quiet = {}
        self.size_bytes = 0
        self.settled = False
        for wanted in partitions:
            found = find_partition(wanted, self._context)
            is_at_end = False
            if isinstance(found, int):
                answer = refuse(wanted.index, found)
            else:
                answer = self._serve(found, wanted, now, has_waited=has_waited)
                is_at_end = wanted.fetch_offset == found.log.log_end_offset
            if answer.error_code != errors.NONE or answer.diverging_epoch.epoch != NO_PARTITION_LEADER_EPOCH:
                self.settled = True
            if not is_at_end or wanted.has_changes(answer):
                self.not_quiet[wanted] = None
            self.answers.append((wanted, answer))

    def _serve(
        self, partition: "Partition", wanted: "CachedPartition", now: "Now", *, has_waited: bool
    ) -> "PartitionData":
        quota = self._context.services.leader_quota
        throttled = partition.log.config.leader_replication_throttled_replicas
        left, takes_one = max(0, min(wanted.max_bytes, self._max_bytes - self.size_bytes)), self.size_bytes == 0
        if quota.holds_back(partition, self.replica_id, throttled, now):
            left, takes_one = 0, False
        answer = serve_follower(
            partition, self.replica_id, self.broker_epoch, wanted, left, now,
            has_waited=has_waited, at_least_one=takes_one,
        )  # fmt: skip
        self._context.services.partitions.carry_out(partition, now)
        if answer.records:
            self.size_bytes += len(answer.records)
            quota.record(partition, throttled, len(answer.records), now)
            self._slices.append(answer.records)  # type: ignore[arg-type]
        return answer

    def release(self) -> None:
        """Release the slices that are not sent."""
        for part in self._slices:
            part.release()
        self._slices = []


def answer_follower(
    request: "FetchRequest",
    context: "Context",
    fetch: "FetchContext",
) -> "FetchResponse | Pending":
    """Note what the follower holds, and answer at once or when there are records for it.

    One that asks for nothing wants to have the answer to what it asked for before, as there is more to ask for.
    """
    now = context.now
    holds = context.services.delayed_follower_fetches
    this = _Round(request, context)
    if fetch.is_empty:
        holds.end(this.replica_id, now)
    state = _state(this, fetch, context)
    this.read(_due(state, this, fetch, context), now, has_waited=False)
    state.moved = this.not_quiet
    state.fetch_ms = now.monotonic_ms
    waits = request.max_wait_ms > 0 and request.min_bytes > 0 and not fetch.is_empty
    if not waits or this.settled or this.size_bytes >= request.min_bytes:
        return respond(this.answers, fetch, context, is_follower=True)
    this.release()
    state.is_held, state.is_urgent = True, False
    if fetch.session is None and _is_broker(this, context):
        holds.add(state, now)

    def finish(now: "Now", expired: bool) -> FetchResponse | None:
        this.read(list(state.moved) if fetch.incremental else fetch.partitions, now, has_waited=True)
        if not (expired or state.is_urgent or this.settled or this.size_bytes >= request.min_bytes):
            this.release()
            return None
        state.is_held = False
        state.moved.update(this.not_quiet)
        if fetch.session is None:
            holds.drop(state)
        return respond(this.answers, fetch, context, is_follower=True)

    return Pending([state], now.monotonic_ms + request.max_wait_ms, finish)


def _state(this: _Round, fetch: "FetchContext", context: "Context") -> FollowerState:
    """The state of the follower's session, new for its first fetch."""
    session, holds = fetch.session, context.services.delayed_follower_fetches
    by_id = context.version >= FIRST_VERSION_WITH_TOPIC_IDS
    if session is None:
        wanted = {(each.topic_id if by_id else each.topic, each.index): each for each in fetch.partitions}
        return FollowerState(this.replica_id, wanted, by_id=by_id)
    state = session.follower
    if state is None or state.replica_id != this.replica_id or not holds.knows(state):
        state = session.follower = FollowerState(this.replica_id, session.partitions, by_id=by_id)
        if _is_broker(this, context):
            holds.add(state, context.now)
    return state


def _is_broker(this: _Round, context: "Context") -> bool:
    """Whether a broker with this id exists: for any other id that a client may choose nothing is kept."""
    return this.replica_id in context.services.image.brokers


def _due(state: FollowerState, this: _Round, fetch: "FetchContext", context: "Context") -> "Iterable[CachedPartition]":
    """The partitions to look at: those that are not idle and those that the request names, now and then all.

    Those that it names had their share a moment ago: they come last, or a few busy ones would take all that an answer
    holds, and the others, though sound, would fall out of the in-sync replicas.
    """
    now_ms = context.now.monotonic_ms
    is_same = fetch.incremental and fetch.session is not None and state.broker_epoch == this.broker_epoch
    if is_same and fetch.session is not None and now_ms - state.looked_ms < LOOK_MS:
        named = dict.fromkeys(fetch.session.named)
        return (*(each for each in state.moved if each not in named and fetch.session.has(each)), *named)
    state.looked_ms = now_ms
    state.broker_epoch = this.broker_epoch
    return fetch.partitions
