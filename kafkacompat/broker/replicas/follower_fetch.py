"""Fetches of followers (1): the leader's side of replication.

`handlers/fetch.py` has the versions, `replication/serving.py` the rules. A follower fetches all its partitions from
this leader in one session. Its request reports its log ends (KIP-101, KIP-903), also those of partitions that it does
not name again; the response waits up to `max_wait_ms` for records.
"""

from itertools import islice

from kafkacompat.broker.fetch_response import WITH_RECORDS_MAX, find_partition, refuse, respond
from kafkacompat.broker.fetch_session import FollowerState
from kafkacompat.broker.purgatory import Pending
from kafkacompat.broker.replicas.delayed_follower_fetches import FULL_READ_MS
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import NO_BROKER_EPOCH, NO_PARTITION_LEADER_EPOCH
from kafkacompat.protocol.messages.fetch import FetchResponse
from kafkacompat.replication.serving import serve_follower
from kafkacompat.steps import UNITS_PER_ITERATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.fetch_session import CachedPartition
    from kafkacompat.broker.fetch_session_cache import FetchContext
    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.fetch import FetchRequest, PartitionData
    from kafkacompat.replication.partition import Partition
    from kafkacompat.steps import Steps
    from kafkacompat.storage.slices import Slice

    Answers = list[tuple[CachedPartition, PartitionData]]

FIRST_VERSION_WITH_TOPIC_IDS = 13
FIRST_VERSION_WITH_REPLICA_STATE = 15
PARTITIONS_AT_ONCE_MAX = 250
"""Partitions that are read in one turn. One whose high watermark moves may complete requests: 30 µs."""
TOLD_MAX = 1_000
"""Partitions of which an answer without records tells that they have moved; the next fetch does not wait then."""


class _FollowerRead:
    """One fetch of a follower, and what was read for it last."""

    def __init__(self, request: "FetchRequest", context: "Context", fetch: "FetchContext") -> None:
        by_state = context.version >= FIRST_VERSION_WITH_REPLICA_STATE
        self.replica_id = request.replica_state.replica_id if by_state else request.replica_id
        self.broker_epoch = request.replica_state.replica_epoch if by_state else NO_BROKER_EPOCH
        self.fetch = fetch
        self.min_bytes = request.min_bytes
        self.waits = request.max_wait_ms > 0 and request.min_bytes > 0 and not fetch.is_empty
        self.deadline_ms = context.now.monotonic_ms + request.max_wait_ms
        self.state = _state(self, fetch, context)
        self.waits = self.waits and not self.state.has_more
        self.state.has_more = False
        self._max_bytes = min(request.max_bytes, context.services.fetch_max_bytes)
        self._context = context
        self.answers: Answers = []
        self._told = 0
        self.size_bytes = 0
        self.must_respond = False  # an error or a divergence: answer at once
        self._slices: list[Slice] = []

    @property
    def is_full(self) -> bool:
        """Whether no more partitions may have records."""
        return len(self._slices) >= WITH_RECORDS_MAX

    @property
    def is_enough(self) -> bool:
        """Whether the fetch is answered now."""
        return self.must_respond or self.size_bytes >= self.min_bytes or self.is_full

    def read(self, partitions: "Iterable[CachedPartition]", now: "Now", *, has_waited: bool) -> None:
        """Answer the partitions; the slices read before have been released."""
        self._begin()
        self._read_some(partitions, now, has_waited=has_waited)

    def read_in_turns(
        self,
        moved: "Sequence[CachedPartition]",
        others: "Sequence[CachedPartition]",
        *,
        has_waited: bool,
        is_last: bool,
    ) -> "Steps[None]":
        """The same in several turns: enough of those that have moved, and all others. The next fetch begins with those
        that have moved and were not read. `is_last`: it is answered whatever is read.
        """
        self._begin()
        left = iter(moved)
        while not self.is_enough and (some := list(islice(left, PARTITIONS_AT_ONCE_MAX))):
            if is_last and self._told >= TOLD_MAX:
                self.state.has_more = True
                break
            self._read_some(some, self._context.now, has_waited=has_waited)
            yield UNITS_PER_ITERATION
        left = iter(others)
        while some := list(islice(left, PARTITIONS_AT_ONCE_MAX)):
            self._read_some(some, self._context.now, has_waited=has_waited)
            yield UNITS_PER_ITERATION

    def _begin(self) -> None:
        self.answers = []
        self._told = 0
        self.size_bytes = 0
        self.must_respond = False

    def _read_some(self, partitions: "Iterable[CachedPartition]", now: "Now", *, has_waited: bool) -> None:
        moved = self.state.moved
        for cached in partitions:
            found = find_partition(cached, self._context)
            is_at_end = False
            if isinstance(found, int):
                answer = refuse(cached.index, found)
            else:
                answer = self._serve(found, cached, now, has_waited=has_waited)
                is_at_end = cached.fetch_offset == found.log.log_end_offset
            if answer.error_code != errors.NONE or answer.diverging_epoch.epoch != NO_PARTITION_LEADER_EPOCH:
                self.must_respond = True
            if not has_waited:
                moved.pop(cached, None)  # what moves by this fetch is in its answer
            if not is_at_end or cached.has_changes(answer):
                self._told += 1
                moved[cached] = None
            self.answers.append((cached, answer))

    def _serve(
        self, partition: "Partition", cached: "CachedPartition", now: "Now", *, has_waited: bool
    ) -> "PartitionData":
        quota = self._context.services.leader_quota
        throttled = partition.log.config.leader_replication_throttled_replicas
        left, takes_one = max(0, min(cached.max_bytes, self._max_bytes - self.size_bytes)), self.size_bytes == 0
        if self.is_full or quota.holds_back(partition, self.replica_id, throttled, now):
            left, takes_one = 0, False
        answer = serve_follower(
            partition, self.replica_id, self.broker_epoch, cached, left, now,
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


def answer_follower(request: "FetchRequest", context: "Context", fetch: "FetchContext") -> "Answer":
    """Record the follower's log ends, and answer at once or when there are records for it.

    A fetch without partitions is a wake-up: the follower's delayed fetch is answered, as it has more to request.
    """
    now = context.now
    delayed = context.services.delayed_follower_fetches
    this = _FollowerRead(request, context, fetch)
    if fetch.is_empty:
        delayed.end(this.replica_id, now)
    moved, others = _due(this, context)
    if len(moved) + len(others) > PARTITIONS_AT_ONCE_MAX:
        return _answer_in_turns(this, moved, others, context)
    if this.waits:
        _begin_to_wait(this, context)  # now: a high watermark that moves by what is read may lead to further records
    try:
        this.read((*moved, *others), now, has_waited=False)
    except BaseException:
        _give_up(this, context)
        raise
    this.state.fetch_ms = now.monotonic_ms
    if not this.waits:
        return respond(this.answers, fetch, context, is_follower=True)
    if this.is_enough:
        return _response(this, context)
    this.release()
    return _delayed(this, context)


def _answer_in_turns(
    this: _FollowerRead,
    moved: "Sequence[CachedPartition]",
    others: "Sequence[CachedPartition]",
    context: "Context",
    *,
    has_waited: bool = False,
    is_expired: bool = False,
) -> "Steps[FetchResponse | Pending]":
    """Read many partitions in several turns. What moves meanwhile is noted, as while the fetch waits."""
    arrival_ms, state = context.now.monotonic_ms, this.state
    if not has_waited:
        _begin_to_wait(this, context)
    try:
        yield UNITS_PER_ITERATION
        while True:
            is_last = is_expired or not this.waits
            yield from this.read_in_turns(moved, others, has_waited=has_waited, is_last=is_last)
            if not has_waited:
                state.fetch_ms = arrival_ms
            if is_last or state.is_urgent or this.is_enough:
                return _response(this, context)
            this.release()
            if not state.was_woken:
                return _delayed(this, context)
            moved, others, has_waited = _waiting_for(this), (), True
    except BaseException:  # the follower may have gone
        _give_up(this, context)
        raise


def _begin_to_wait(this: _FollowerRead, context: "Context") -> None:
    this.release()
    this.state.is_waiting, this.state.is_urgent, this.state.was_woken = True, False, False
    if this.fetch.session is None and _is_broker(this, context):
        context.services.delayed_follower_fetches.add(this.state, context.now)


def _delayed(this: _FollowerRead, context: "Context") -> Pending:
    """A fetch without enough records, which waits for more."""
    state = this.state

    def finish(now: "Now", expired: bool) -> "FetchResponse | Steps[FetchResponse | Pending] | None":
        moved = _waiting_for(this)
        if len(moved) > PARTITIONS_AT_ONCE_MAX:
            return _answer_in_turns(this, moved, (), context, has_waited=True, is_expired=expired)
        this.read(moved, now, has_waited=True)
        if not (expired or state.is_urgent or this.is_enough):
            this.release()
            return None
        return _response(this, context)

    return Pending([state], this.deadline_ms, finish)


def _waiting_for(this: _FollowerRead) -> "Sequence[CachedPartition]":
    """The partitions to read again. `was_woken` tells whether others move after this."""
    this.state.was_woken = False
    return list(this.state.moved) if this.fetch.incremental else this.fetch.partitions


def _give_up(this: _FollowerRead, context: "Context") -> None:
    this.release()
    _end_waiting(this, context)


def _end_waiting(this: _FollowerRead, context: "Context") -> None:
    this.state.is_waiting = False
    if this.fetch.session is None:
        context.services.delayed_follower_fetches.drop(this.state)


def _response(this: _FollowerRead, context: "Context") -> FetchResponse:
    _end_waiting(this, context)
    return respond(this.answers, this.fetch, context, is_follower=True)


def _state(this: _FollowerRead, fetch: "FetchContext", context: "Context") -> FollowerState:
    """The state of the follower's session, new for its first fetch."""
    session, delayed = fetch.session, context.services.delayed_follower_fetches
    by_id = context.version >= FIRST_VERSION_WITH_TOPIC_IDS
    if session is None:
        partitions = {(each.topic_id if by_id else each.topic, each.index): each for each in fetch.partitions}
        return FollowerState(this.replica_id, partitions, by_id=by_id)
    state = session.follower
    if state is None or state.replica_id != this.replica_id or not delayed.knows(state):
        state = session.follower = FollowerState(this.replica_id, session.partitions, by_id=by_id)
        if _is_broker(this, context):
            delayed.add(state, context.now)
    return state


def _is_broker(this: _FollowerRead, context: "Context") -> bool:
    """Whether a broker with this id exists: no state is kept for other ids, which any client may send."""
    return this.replica_id in context.services.image.brokers


def _due(this: _FollowerRead, context: "Context") -> "tuple[Sequence[CachedPartition], Sequence[CachedPartition]]":
    """The partitions to read: those that are not idle and, behind them, those that the request names; from time to time
    all.

    The named ones were in the last response and come last: else a few busy ones would fill every response, and the
    others would fall out of the in-sync replicas.
    """
    state, fetch, now_ms = this.state, this.fetch, context.now.monotonic_ms
    session = fetch.session
    for gone in [each for each in state.moved if session is None or not session.has(each)]:
        del state.moved[gone]
    is_same = fetch.incremental and state.broker_epoch == this.broker_epoch
    if is_same and session is not None and now_ms - state.full_read_ms < FULL_READ_MS:
        named = dict.fromkeys(session.named)
        return [each for each in state.moved if each not in named], list(named)
    state.full_read_ms = now_ms
    state.broker_epoch = this.broker_epoch
    return (), fetch.partitions
