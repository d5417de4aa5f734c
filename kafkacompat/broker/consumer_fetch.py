"""Fetches of consumers (1), from a leader or, since KIP-392, from a follower.

`handlers/fetch.py` has the versions, `replication/serving.py` the rules for one partition. A fetch reads the partitions
that are due in its session: those that changed, and those with more records. All others are watched
(`partition_watch.py`), so that a fetch of many partitions costs as much as the changes in them.
"""

import logging
from itertools import islice

from kafkacompat.broker.fetch_response import UNKNOWN_TOPICS, WITH_RECORDS_MAX, find_partition, refuse, respond
from kafkacompat.broker.purgatory import Pending
from kafkacompat.broker.read_replica import may_be_elsewhere, preferred_read_replica
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import INVALID_PREFERRED_REPLICA_ID
from kafkacompat.protocol.messages.fetch import FetchResponse
from kafkacompat.replication.serving import refuse_non_replica, serve_consumer
from kafkacompat.steps import UNITS_PER_ITERATION
from kafkacompat.storage.txn_index import SearchBudget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.fetch_session import CachedPartition
    from kafkacompat.broker.fetch_session_cache import FetchContext
    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.fetch import FetchRequest, PartitionData
    from kafkacompat.replication.partition import Partition
    from kafkacompat.steps import Steps
    from kafkacompat.storage.slices import Slice

log = logging.getLogger(__name__)
PARTITIONS_AT_ONCE_MAX = 500
"""Partitions that are read in one turn: 2 ms without records. A fetch of no more is read in the turn of its request,
and answered in it.
"""
READ_AGAIN_MAX = 100
"""A delayed fetch of no more partitions reads all again when one of them changes."""
FIRST_VERSION_WITH_RACKS = 11
BYTES_PER_ABORTED = 8 * 1024
"""Of the fetch's limit, for each aborted transaction that is named: 5,000 end the fetch, but for its first records."""


def answer_consumer(
    request: "FetchRequest",
    context: "Context",
    fetch: "FetchContext",
    *,
    is_follower: bool,
) -> "Answer":
    """Answer at once, or wait for `min_bytes` up to `max_wait_ms`.

    `is_follower`: a replica fetches on a client listener, and gets only errors.
    """
    this = _ConsumerRead(request, context, fetch, is_follower=is_follower)
    if len(fetch.asked.due) > PARTITIONS_AT_ONCE_MAX:
        return _answer_in_turns(this)
    this.read(context.now)
    return _delayed(this) if this.must_wait(context.now) else this.response()


def _answer_in_turns(this: "_ConsumerRead", *, is_expired: bool = False) -> "Steps[FetchResponse | Pending]":
    """Decode a fetch of many partitions, read some of them, and answer in a turn each. What is read is watched in the
    turn that reads it, so that no change is missed.
    """
    this.begins_to_wait()
    try:
        yield UNITS_PER_ITERATION
        while True:
            yield from this.read_in_turns()
            if is_expired or this.is_overtaken or not this.must_wait(this.now, is_watched=True):
                return this.response()
            if not this.has_enough(this.now):
                return _delayed(this)
    except BaseException:  # the client may have gone
        this.release()
        raise
    finally:
        this.ends_to_wait()


def _delayed(this: "_ConsumerRead") -> Pending:
    """A fetch without enough records, which waits for more. All of its partitions are watched."""

    def finish(now: "Now", expired: bool) -> "FetchResponse | Steps[FetchResponse | Pending] | None":
        if this.is_overtaken:
            return this.response()
        if not expired and len(this.session.due) > READ_AGAIN_MAX and not this.has_enough(now):
            return None
        if this.is_wide:
            return _answer_in_turns(this, is_expired=expired)
        this.read(now)
        return this.response() if expired or not this.must_wait(now) else None

    this.begins_to_wait()
    return Pending([this.session], this.deadline_ms, finish, completes_early=True, on_end=this.ends_to_wait)


class _ConsumerRead:
    """One fetch of a consumer: what was read for it, and whether that is enough to answer."""

    __slots__ = (
        "_context",
        "_fetch",
        "_finished",
        "_is_follower",
        "_isolation_level",
        "_left_bytes",
        "_max_bytes",
        "_needs_leader",
        "_rack",
        "_read_from",
        "_readable_bytes",
        "_slices",
        "answers",
        "deadline_ms",
        "min_bytes",
        "must_respond",
        "session",
        "size_bytes",
        "waits",
    )  # fmt: skip

    def __init__(
        self,
        request: "FetchRequest",
        context: "Context",
        fetch: "FetchContext",
        *,
        is_follower: bool,
    ) -> None:
        services = context.services
        self._context = context
        self._fetch = fetch
        self.session = fetch.asked
        self._is_follower = is_follower
        self._isolation_level = request.isolation_level
        self._max_bytes = min(request.max_bytes, services.fetch_max_bytes)
        self.min_bytes = min(request.min_bytes, self._max_bytes)  # never more than fits
        self.waits = request.max_wait_ms > 0 and self.min_bytes > 0 and not fetch.is_empty
        self.deadline_ms = context.now.monotonic_ms + request.max_wait_ms
        self._needs_leader = is_follower or context.version < FIRST_VERSION_WITH_RACKS
        self._rack = request.rack_id if request.rack_id and services.selects_by_rack else None
        neighbours = None if self._rack is None else (self._rack, context.connection.listener, services.image.brokers)
        fetch.asked.set_terms(
            (request.isolation_level, is_follower, self._needs_leader, neighbours, services.logs.offline_directories)
        )
        self.answers: dict[CachedPartition, PartitionData] = {}
        self.size_bytes = 0
        self.must_respond = False  # an error, divergence or preferred replica: answer at once
        self._left_bytes = 0
        self._readable_bytes: dict[CachedPartition, int] = {}  # of those with records, while it waits
        self._finished: list[CachedPartition] = []
        self._slices: list[Slice] = []
        self._read_from: list[Partition] = []  # of each slice

    @property
    def now(self) -> "Now":
        """The time of this turn."""
        return self._context.now

    @property
    def is_wide(self) -> bool:
        """Whether to read in several turns."""
        return len(self.session.due) > PARTITIONS_AT_ONCE_MAX

    @property
    def is_overtaken(self) -> bool:
        """Whether a later fetch of the session has come, on another connection."""
        return self._fetch.is_overtaken

    @property
    def is_enough(self) -> bool:
        """Whether the fetch is answered now. When no more partitions may have records, waiting brings none."""
        return self.must_respond or self.size_bytes >= self.min_bytes or len(self._slices) >= WITH_RECORDS_MAX

    def begins_to_wait(self) -> None:
        """Keep the session's watches until `ends_to_wait`, even if it ends."""
        self.session.waiting += 1

    def ends_to_wait(self) -> None:
        """The wait has ended, with a response or without."""
        self.session.waiting -= 1
        self._context.services.fetch_sessions.release(self.session)

    def read(self, now: "Now") -> None:
        """Read the partitions that are due. A full fetch keeps the earlier answers of the others."""
        self._read_some(self._begin(), now)

    def read_in_turns(self) -> "Steps[None]":
        """The same in several turns, until there is enough. The other partitions of a session are due in its next
        fetch.
        """
        left, watch = iter(self._begin()), self._context.services.fetch_sessions.watch
        is_watched = self._fetch.session is not None or self.waits
        while not self.is_overtaken and (some := list(islice(left, PARTITIONS_AT_ONCE_MAX))):
            self._read_some(some, self.now)
            if is_watched:
                good = [cached for cached in some if cached in self.answers and not self.answers[cached].error_code]
                watch.watch(self.session, good)
            yield UNITS_PER_ITERATION
            if self._fetch.incremental and self.size_bytes and self.is_enough:
                break
        self._finished = [cached for cached in self._finished if cached.watched is not None]

    def _begin(self) -> "Sequence[CachedPartition]":
        """What is due, in the order in which it is read."""
        self.release()
        if self._fetch.incremental:
            self.answers = {}
        self.size_bytes = 0
        self.must_respond = False
        self._finished = []
        self._left_bytes = self._max_bytes
        session = self.session
        is_in_order = not self._fetch.incremental and not self.answers  # the order of the request
        return list(session.due) if is_in_order else session.in_order(session.due)

    def _read_some(self, some: "Sequence[CachedPartition]", now: "Now") -> None:
        session, context, answers = self.session, self._context, self.answers
        needs_leader, isolation_level, left_bytes = self._needs_leader, self._isolation_level, self._left_bytes
        preferred = INVALID_PREFERRED_REPLICA_ID
        budget = SearchBudget() if isolation_level else None
        due, keeps_all = session.due, not self._fetch.incremental
        for cached in some:
            partition = find_partition(cached, context)
            if isinstance(partition, int):
                self._answer_at_once(cached, refuse(cached.index, partition))
                continue
            if self._is_follower:
                self._answer_at_once(cached, refuse_non_replica(partition, cached))
                continue
            if self._rack is not None:
                preferred = self._preferred_read_replica(partition, cached, now)
            cached.key = partition.watch_key
            max_bytes = cached.max_bytes if cached.max_bytes < left_bytes else left_bytes
            if len(self._slices) >= WITH_RECORDS_MAX:
                max_bytes = 0
            answer = serve_consumer(
                partition, cached, max_bytes, isolation_level, now, needs_leader=needs_leader,
                at_least_one=not self.size_bytes, preferred_read_replica=preferred, budget=budget,
            )  # fmt: skip
            if answer.error_code or answer.diverging_epoch.epoch >= 0 or preferred >= 0:
                self._go_on(partition, answer, now)
                self._answer_at_once(cached, answer)
            elif cached.fetch_offset != (answer.last_stable_offset if isolation_level else answer.high_watermark):
                size_bytes = len(answer.records)  # type: ignore[arg-type]
                if size_bytes:
                    self._slices.append(answer.records)  # type: ignore[arg-type]
                    self._read_from.append(partition)
                    partition.traffic.bytes_out += size_bytes
                    self.size_bytes += size_bytes
                    left_bytes -= size_bytes + BYTES_PER_ABORTED * len(answer.aborted_transactions or ())
                answers[cached] = answer
            elif self._rack is not None and may_be_elsewhere(partition, self._rack, context.services.image):
                answers[cached] = answer
            elif keeps_all:
                answers[cached] = answer
                due.pop(cached, None)  # the client gets this answer
            else:
                self._at_end(cached, answer)
        self._left_bytes = left_bytes

    def _answer_at_once(self, cached: "CachedPartition", answer: "PartitionData") -> None:
        self.must_respond = True
        self.answers[cached] = answer

    def _go_on(self, partition: "Partition", answer: "PartitionData", now: "Now") -> None:
        """If the client has to ask again, what it waits for is done meanwhile."""
        is_unfinished = answer.error_code == errors.KAFKA_STORAGE_ERROR
        work = partition.log.segments.aborted.go_on() if is_unfinished else None
        if work is None:
            return

        def failed(error: Exception, _now: "Now") -> None:
            log.error("the aborted transactions of %s are not known: %s", partition.log.path, error)

        self._context.services.long_answers.add(work, lambda _result, _now: None, failed, now)

    def _at_end(self, cached: "CachedPartition", answer: "PartitionData") -> None:
        """The partition has no more records: it is watched once the client was sent its current offsets."""
        if cached.has_changes(answer):
            self.answers[cached] = answer
            self._finished.append(cached)
        else:
            self.session.due.pop(cached, None)
            self._context.services.fetch_sessions.watch.watch(self._fetch.asked, (cached,))

    def _preferred_read_replica(self, partition: "Partition", cached: "CachedPartition", now: "Now") -> int:
        assert self._rack is not None
        image, listener = self._context.services.image, self._context.connection.listener
        preferred = preferred_read_replica(partition, self._rack, cached.fetch_offset, image, listener, now)
        return INVALID_PREFERRED_REPLICA_ID if preferred is None else preferred

    def must_wait(self, now: "Now", *, is_watched: bool = False) -> bool:
        """Whether there is not enough, and time to wait for more. Then what was read is released, and all partitions
        that may get more are watched, unless they are already.
        """
        if not self.waits or self.is_enough or now.monotonic_ms >= self.deadline_ms:
            return False
        self._readable_bytes = {
            cached: len(answer.records)
            for cached, answer in (self.answers.items() if self._slices else ())
            if answer.records
        }
        self.release()
        if not is_watched:
            due = self.session.due if self._fetch.incremental else self.answers
            self._context.services.fetch_sessions.watch.watch(self.session, due)
        return True

    def has_enough(self, now: "Now") -> bool:
        """Whether to read all that is due. Only those are looked at that have changed since they were read: they are
        not watched any more, and the last ones that are due.
        """
        moved: list[CachedPartition] = []
        for cached in reversed(self.session.due):
            if cached.watched is not None:
                break
            moved.append(cached)
        for cached in moved:
            self.size_bytes -= self._readable_bytes.pop(cached, 0)
        self._left_bytes = self._max_bytes - self.size_bytes
        earlier, self.answers = self.answers, {}
        self._read_some(moved, now)
        for cached, answer in self.answers.items():
            if answer.records:
                self._readable_bytes[cached] = len(answer.records)
        is_enough = self.is_enough or len(self._readable_bytes) >= WITH_RECORDS_MAX
        self.release()
        if not is_enough:
            self._context.services.fetch_sessions.watch.watch(self.session, self.answers)
        earlier.update(self.answers)
        self.answers = earlier
        return is_enough

    def release(self) -> None:
        """Release the slices that are not sent."""
        if not self._slices:
            return
        for part, partition in zip(self._slices, self._read_from, strict=True):
            partition.traffic.bytes_out -= len(part)
            part.release()
        self._slices, self._read_from = [], []

    def response(self) -> FetchResponse:
        """The response, to be sent now."""
        if self.is_overtaken:
            self.release()
            return FetchResponse(error_code=errors.INVALID_FETCH_SESSION_EPOCH, session_id=self._fetch.session_id)
        return respond(self.end(), self._fetch, self._context, is_follower=self._is_follower)

    def end(self) -> "list[tuple[CachedPartition, PartitionData]]":
        """All answers. Partitions that have no more records are watched."""
        fetch, due = self._fetch, self._fetch.asked.due
        if fetch.session is not None:
            finished = self._finished if fetch.incremental else [cached for cached in self.answers if cached not in due]
            self._context.services.fetch_sessions.watch.watch(fetch.asked, finished)
        for cached in self._finished:
            due.pop(cached, None)
        answers = list(self.answers.items())
        if self.must_respond:
            answers.sort(key=lambda pair: UNKNOWN_TOPICS.get(pair[1].error_code, 0))
            if not fetch.incremental:
                for turn, (cached, _) in enumerate(answers):
                    cached.turn = turn
        return answers
