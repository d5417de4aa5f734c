"""Fetches of consumers (1), from a leader or, since KIP-392, from a follower.

`handlers/fetch.py` has the versions, `replication/serving.py` the rules for one partition. A fetch reads the partitions
that are due in its session: those that changed, and those with more records. All others are watched
(`partition_watch.py`), so that a fetch of many partitions costs as much as the changes in them.
"""

import logging

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
PARTITIONS_AT_ONCE_MAX = 1_000
"""Partitions of a fetch that is read in the turn of its request, and answered in it: 5 ms."""
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
    if len(fetch.asked.due) > PARTITIONS_AT_ONCE_MAX and not fetch.incremental:
        return _answer_in_turns(request, context, fetch, is_follower=is_follower)
    read = _read_or_wait(request, context, fetch, is_follower=is_follower)
    return read if isinstance(read, Pending) else respond(read.end(), fetch, context, is_follower=is_follower)


def _answer_in_turns(
    request: "FetchRequest", context: "Context", fetch: "FetchContext", *, is_follower: bool
) -> "Steps[FetchResponse | Pending]":
    """Decode, read and answer a fetch of all of many partitions in a turn each. What is read is watched in the turn
    that reads it, so that no change is missed.
    """
    fetch.asked.waiting += 1
    try:
        yield UNITS_PER_ITERATION
        read = _read_or_wait(request, context, fetch, is_follower=is_follower)
        if isinstance(read, Pending):
            return read
        answers = read.end()
        try:
            yield UNITS_PER_ITERATION
        except GeneratorExit:  # the client has gone
            read.release()
            raise
        return respond(answers, fetch, context, is_follower=is_follower)
    finally:
        fetch.asked.waiting -= 1
        if fetch.session is not None:
            context.services.fetch_sessions.release(fetch.session)


def _read_or_wait(
    request: "FetchRequest", context: "Context", fetch: "FetchContext", *, is_follower: bool
) -> "_ConsumerRead | Pending":
    """What was read, if that is enough to answer."""
    this = _ConsumerRead(request, context, fetch, is_follower=is_follower)
    this.read(context.now)
    waits = request.max_wait_ms > 0 and this.min_bytes > 0 and not fetch.is_empty
    if not waits or this.is_enough:
        return this
    this.wait()

    def finish(now: "Now", expired: bool) -> FetchResponse | None:
        if fetch.is_overtaken:
            return FetchResponse(error_code=errors.INVALID_FETCH_SESSION_EPOCH, session_id=fetch.session_id)
        this.read(now)
        if expired or this.is_enough:
            return respond(this.end(), fetch, context, is_follower=is_follower)
        this.wait()
        return None

    def ended() -> None:
        fetch.asked.waiting -= 1
        context.services.fetch_sessions.release(fetch.asked)

    fetch.asked.waiting += 1
    deadline_ms = context.now.monotonic_ms + request.max_wait_ms
    return Pending([fetch.asked], deadline_ms, finish, completes_early=True, on_end=ended)


class _ConsumerRead:
    """One fetch of a consumer: what was read for it, and whether that is enough to answer."""

    __slots__ = (
        "_context",
        "_fetch",
        "_finished",
        "_is_follower",
        "_isolation_level",
        "_max_bytes",
        "_needs_leader",
        "_rack",
        "_read_from",
        "_slices",
        "answers",
        "min_bytes",
        "must_respond",
        "size_bytes",
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
        self._is_follower = is_follower
        self._isolation_level = request.isolation_level
        self._max_bytes = min(request.max_bytes, services.fetch_max_bytes)
        self.min_bytes = min(request.min_bytes, self._max_bytes)  # never more than fits
        self._needs_leader = is_follower or context.version < FIRST_VERSION_WITH_RACKS
        self._rack = request.rack_id if request.rack_id and services.selects_by_rack else None
        neighbours = None if self._rack is None else (self._rack, context.connection.listener, services.image.brokers)
        fetch.asked.set_terms(
            (request.isolation_level, is_follower, self._needs_leader, neighbours, services.logs.offline_directories)
        )
        self.answers: dict[CachedPartition, PartitionData] = {}
        self.size_bytes = 0
        self.must_respond = False  # an error, divergence or preferred replica: answer at once
        self._finished: list[CachedPartition] = []
        self._slices: list[Slice] = []
        self._read_from: list[Partition] = []  # of each slice

    @property
    def is_enough(self) -> bool:
        """Whether the fetch is answered now. When no more partitions may have records, waiting brings none."""
        return self.must_respond or self.size_bytes >= self.min_bytes or len(self._slices) >= WITH_RECORDS_MAX

    def read(self, now: "Now") -> None:
        """Read the partitions that are due. A full fetch keeps the earlier answers of the others."""
        self.release()
        if self._fetch.incremental:
            self.answers = {}
        self.size_bytes = 0
        self.must_respond = False
        self._finished = []
        session, context, answers = self._fetch.asked, self._context, self.answers
        needs_leader, isolation_level, left_bytes = self._needs_leader, self._isolation_level, self._max_bytes
        preferred = INVALID_PREFERRED_REPLICA_ID
        budget = SearchBudget() if isolation_level else None
        due, keeps_all = session.due, not self._fetch.incremental
        is_in_order = keeps_all and not answers  # the order of the request
        for cached in list(due) if is_in_order else session.in_order(due):
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
                del due[cached]  # the client gets this answer
            else:
                self._at_end(cached, answer)

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
            del self._fetch.asked.due[cached]
            self._context.services.fetch_sessions.watch.watch(self._fetch.asked, (cached,))

    def _preferred_read_replica(self, partition: "Partition", cached: "CachedPartition", now: "Now") -> int:
        assert self._rack is not None
        image, listener = self._context.services.image, self._context.connection.listener
        preferred = preferred_read_replica(partition, self._rack, cached.fetch_offset, image, listener, now)
        return INVALID_PREFERRED_REPLICA_ID if preferred is None else preferred

    def wait(self) -> None:
        """Release what was read, and watch all partitions that may get more."""
        self.release()
        due = self._fetch.asked.due if self._fetch.incremental else self.answers
        self._context.services.fetch_sessions.watch.watch(self._fetch.asked, due)

    def release(self) -> None:
        """Release the slices that are not sent."""
        if not self._slices:
            return
        for part, partition in zip(self._slices, self._read_from, strict=True):
            partition.traffic.bytes_out -= len(part)
            part.release()
        self._slices, self._read_from = [], []

    def end(self) -> "list[tuple[CachedPartition, PartitionData]]":
        """All answers, to be sent now. Partitions that have no more records are watched."""
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
