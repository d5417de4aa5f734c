"""Runs a coordinator's shard on a partition that is led here (Kafka's CoordinatorRuntime).

For each event the runtime appends the records, replays them and carries out the effects. Responses wait until the high
watermark has passed all records that the shard has replayed; the next event runs meanwhile, on the newest state. Reads
are answered at once from committed state. A client therefore never sees state that could be lost.
"""

import logging
from collections import deque
from typing import Generic, TypeVar

from kafkacompat.broker.coordinator.held_notices import HeldNotices
from kafkacompat.broker.coordinator.loading import LogReplay, Release, advance
from kafkacompat.broker.coordinator.producer_batches import in_transaction, marker_batch
from kafkacompat.broker.coordinator.result import CancelTimer, Notify, Reply, SetTimer
from kafkacompat.broker.coordinator.waiters import EarlyRead, Waiter
from kafkacompat.broker.purgatory import OpenParts, Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import ACKS_ALL, NO_PRODUCER_EPOCH, NO_PRODUCER_ID
from kafkacompat.protocol.primitives import MalformedMessageError
from kafkacompat.protocol.records.batch import RecordBatchError
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Protocol

    from kafkacompat.broker import services
    from kafkacompat.broker.coordinator.coordinator_shard import CoordinatorRecord, CoordinatorShard
    from kafkacompat.broker.coordinator.loading import Loader
    from kafkacompat.broker.coordinator.producer_batches import Marker, TransactionalProducer
    from kafkacompat.broker.coordinator.result import Effect, Job, Result
    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition
    from kafkacompat.storage.append_info import AppendInfo
    from kafkacompat.storage.verification_entries import VerificationEntry

    Asked = TypeVar("Asked")
    Built = TypeVar("Built")
    Refusal = TypeVar("Refusal")
    Response = TypeVar("Response")

    class Node(services.Compacting, services.Partitions, services.Storage, services.Waiting, Protocol):
        """What this takes of its node."""


log = logging.getLogger(__name__)

ShardT = TypeVar("ShardT", bound="CoordinatorShard")

#: The shard's timers answer requests that wait for other members (JoinGroup, SyncGroup). This deadline is a safeguard;
#: it is as long as the longest timeout that a client can ask for.
LONGEST_WAIT_MS = 2**31 - 1

#: Errors of an append, or of the verification of its transaction, and what the coordinator's client receives (Kafka's
#: CoordinatorOperationExceptionHelper).
CLIENT_ERRORS = {
    errors.NETWORK_EXCEPTION: errors.COORDINATOR_LOAD_IN_PROGRESS,
    errors.UNKNOWN_TOPIC_OR_PARTITION: errors.COORDINATOR_NOT_AVAILABLE,
    errors.NOT_ENOUGH_REPLICAS: errors.COORDINATOR_NOT_AVAILABLE,
    errors.REQUEST_TIMED_OUT: errors.COORDINATOR_NOT_AVAILABLE,
    errors.NOT_LEADER_OR_FOLLOWER: errors.NOT_COORDINATOR,
    errors.KAFKA_STORAGE_ERROR: errors.NOT_COORDINATOR,
    errors.MESSAGE_TOO_LARGE: errors.UNKNOWN_SERVER_ERROR,
    errors.RECORD_LIST_TOO_LARGE: errors.UNKNOWN_SERVER_ERROR,
}


EARLY_READ_WAIT_MS = 1_000
"""How long a read on a new leader waits at most for the high watermark to pass its predecessor's records."""

ANSWERS_PER_EVENT = 100
"""Requests that one event answers at once; the loader answers the rest in later iterations."""

ANSWER_COST = 10
RECORD_COST = 2
"""The cost of a response and of a written record, in units of the loader's budget."""

MAX_JOBS = 1_000
"""Queued jobs of one shard, such as those of deleted topics. Beyond that, retention removes the offsets."""

RETRY = "retry"
RETRY_MS = 5_000
"""The delay before a job starts again whose records could not be written, or loading that could open no file."""

MAX_UNCOMMITTED = 200_000
"""Uncommitted records of one shard; beyond that, writes are refused. Each takes about 300 bytes, as the shard keeps the
value that it replaces."""

TOO_LARGE = (errors.MESSAGE_TOO_LARGE, errors.RECORD_LIST_TOO_LARGE)


class _RunningJob:
    """A job in progress. `begin` starts it again from the beginning."""

    __slots__ = ("begin", "results")

    def __init__(self, begin: "Job", now: "Now") -> None:
        self.begin = begin
        self.results = begin(now)


class CoordinatorContext(Generic[ShardT]):
    """One partition's shard at run time (Kafka's CoordinatorContext).

    `make_shard` creates an empty shard; `encode` and `decode` are the codec of its records. `notify(notice, now)` gets
    what the shard tells its service (`Notify`), once it is committed.

    Requests receive COORDINATOR_LOAD_IN_PROGRESS during loading, and NOT_COORDINATOR if the log cannot be read.
    """

    def __init__(
        self,
        node: "Node",
        loader: "Loader",
        partition: "Partition",
        make_shard: "Callable[[], ShardT]",
        encode: "Callable[[Sequence[CoordinatorRecord], int], bytearray]",
        decode: "Callable[[bytes, bytes | None], CoordinatorRecord | None]",
        *,
        replays_every_record: bool,
        notify: "Callable[[object, Now], None]" = lambda _notice, _now: None,
    ) -> None:
        self.partition = partition
        self.shard = make_shard()
        self._node = node
        self._loader = loader
        self._make_shard = make_shard
        self._encode = encode
        self._decode = decode
        self._replays_every_record = replays_every_record
        self.passed_over = 0
        """The number of records that could not be decoded during loading."""
        self.loaded_at_ms = 0
        """When loading ended, on the monotonic clock; `load_time_ms` is what it took."""
        self.load_time_ms = 0
        self._now: Now  # during loading
        self._end_offset = 0  # of the records that the shard has replayed
        self._loaded_end_offset = 0  # a predecessor may have committed all below
        self._early_read_deadline_ms = 0  # monotonic; reads no longer wait from then on
        self._has_lost_high_watermark = False
        self._early_reads: dict[EarlyRead, None] = {}
        self._timers: set[tuple[str, ...]] = set()
        self._waiting: dict[Waiter, None] = {}  # requests without a response
        self._held: dict[Waiter, None] = {}  # responses that wait for the high watermark, by offset
        self._notices = HeldNotices(notify)
        self._error = errors.NOT_COORDINATOR  # NONE once the shard is loaded
        self._loading: Iterator[int] | None = None
        self._replay: LogReplay[ShardT]
        self._jobs: deque[_RunningJob] = deque()
        self._answerable: deque[Waiter] = deque()  # committed responses that are not sent yet
        self._missed: list[Callable[[ShardT], Result]] = []  # events that came during loading

    @property
    def is_loading(self) -> bool:
        """Whether the log is being read."""
        return self._loading is not None

    @property
    def is_active(self) -> bool:
        """Whether the shard is loaded and serves requests (Kafka's state ACTIVE)."""
        return self._error == errors.NONE

    @property
    def has_work(self) -> bool:
        """Whether the loader should call `work`."""
        return self._loading is not None or bool(self._jobs) or bool(self._answerable)

    @property
    def is_settled(self) -> bool:
        """Whether nothing is to do and all records are committed. Also true of a shard that was unloaded."""
        is_committed = not self.is_active or self._end_offset <= self.partition.high_watermark
        return is_committed and not self.has_work and not self._notices

    def load(self, now: "Now") -> None:
        """Start to replay the log; the loader continues."""
        self._error = errors.COORDINATOR_LOAD_IN_PROGRESS
        self._load_began_ms = now.monotonic_ms
        self._replay = LogReplay(
            self.partition, self._decode, self._make_shard, replays_every_record=self._replays_every_record,
            kept_bytes=lambda: self._loader.kept_bytes,
        )  # fmt: skip
        self._loading = self._load(self._replay)
        self._loader.add(self, now)

    def work(self, budget: int, now: "Now") -> int:
        """Continue long work. Returns its approximate cost."""
        done = self._answer(budget // ANSWER_COST + 1, now) * ANSWER_COST
        if done < budget and self._loading is not None:
            done += self._load_more(budget - done, now)
        while done < budget and self._jobs and self._loading is None:
            done += self._run_job(now)
        return done

    def _run_job(self, now: "Now") -> int:
        """One result of the first job. If it cannot be written and says nothing else, the job starts again later."""
        job = self._jobs[0]
        result = next(job.results, None)
        if result is None:
            self._jobs.popleft()
            return 1
        shard = self.shard
        if self._perform(result, now) != errors.NONE and self.shard is shard:
            self._jobs.popleft()
            if result.otherwise is None:
                again_ms = now.life_ms + RETRY_MS
                self._set_timer(SetTimer((RETRY, str(id(job))), again_ms), lambda at: self._start(job.begin, at))
        return 1 + result.cost + RECORD_COST * len(result.records)

    def _start(self, job: "Job", now: "Now") -> None:
        if len(self._jobs) < MAX_JOBS:
            self._jobs.append(_RunningJob(job, now))
            self._loader.add(self, now)

    def _load_more(self, budget: int, now: "Now") -> int:
        """Load up to `budget`. Returns the cost. The shard is loaded if less than the budget was used."""
        loading = self._loading
        assert loading is not None
        self._now = now
        try:
            done = advance(loading, budget)
        except Exception as error:  # other shards still load
            is_bug = not isinstance(error, (LogError, RecordBatchError, MalformedMessageError, OSError))
            name = f"{self.partition.topic}-{self.partition.index}"
            log.error("%s cannot be loaded: %s", name, error, exc_info=is_bug)
            self._loading = None
            self._error = errors.NOT_COORDINATOR
            if isinstance(error, LogError) and error.error_code == errors.KAFKA_STORAGE_ERROR:
                self._load_later(now)
            return 0
        if self._loading is not loading:
            return done  # an append failed meanwhile: the shard was unloaded
        if done < budget:
            self._loading = None
            self._error = errors.NONE
            self.loaded_at_ms, self.load_time_ms = now.monotonic_ms, now.monotonic_ms - self._load_began_ms
            self._end_offset = self._loaded_end_offset = self.partition.log_end_offset
            self._early_read_deadline_ms = now.monotonic_ms + EARLY_READ_WAIT_MS
            self._has_lost_high_watermark = self.partition.high_watermark <= self.partition.log.log_start_offset
            self.shard.on_committed(self.partition.high_watermark)
            missed, self._missed = self._missed, []
            for event in missed:
                self.do(event, now)
        return done

    def _load_later(self, now: "Now") -> None:
        """Load again after a pause, unless the disk failed: the process could open no more files."""
        if not self.partition.has_failed:
            self._error = errors.COORDINATOR_LOAD_IN_PROGRESS
            self._loader.add(Release(self._replay.release()), now)
            self._set_timer(SetTimer((RETRY, "load"), now.life_ms + RETRY_MS), self.load)

    def _load(self, replay: LogReplay[ShardT]) -> "Iterator[int]":
        """Replay the log, then set the timers."""
        yield from replay.run()
        self.passed_over = replay.passed_over
        self._end_offset = self.partition.log_end_offset
        shard = self.shard = replay.shard
        for result in shard.on_loaded(self._now):
            self._perform(result, self._now)
            if self.shard is not shard:
                return  # the shard was unloaded
            yield 1 + result.cost

    def unload(self, now: "Now") -> None:
        """Drop the state. Waiting requests receive NOT_COORDINATOR, so that clients look for the next coordinator."""
        self._error = errors.NOT_COORDINATOR
        self._missed.clear()
        self._loader.drop(self)
        self._loader.add(Release(self._replay.release() if self.is_loading else self.shard.release()), now)
        self._loading = None
        self._jobs.clear()
        self.shard = self._make_shard()
        for key in self._timers:
            self._node.life_timers.cancel((self, *key))
        self._timers.clear()
        early_reads = list(self._early_reads)
        self._early_reads.clear()
        for early in early_reads:
            self._node.purgatory.touch(early, now)
        for waiter in (*self._held, *self._waiting):
            waiter.response = waiter.failed(errors.NOT_COORDINATOR)
            waiter.offset = 0
            self._answerable.append(waiter)
        self._held.clear()
        self._waiting.clear()
        self._notices.clear()
        self._answer_some(now)

    def write(
        self,
        event: "Callable[[ShardT, Waiter], Result]",
        failed: "Callable[[int], Response]",
        now: "Now",
        *,
        timeout_ms: int,
        knows_committed: bool = False,
    ) -> "Response | Pending":
        """Have the shard process a request. Returns its response or a Pending. The event answers with a response of the
        same API as `failed`. knows_committed: the shard answers without a record only what cannot be lost, so that such
        a response need not wait.
        """
        if self._error != errors.NONE:
            return failed(self._error)
        waiter = Waiter(self, failed)
        result = event(self.shard, waiter)
        error = self._perform(result, now)
        if error != errors.NONE:
            return failed(error)
        response: Response | None = waiter.response or result.response
        if response is None:
            self._waiting[waiter] = None
            return Pending([waiter], now.monotonic_ms + LONGEST_WAIT_MS, waiter.finish)
        if knows_committed and not result.records:
            return response
        return self._hold(response, failed, now, timeout_ms)

    def read(
        self, question: "Callable[[ShardT], Asked]", failed: "Callable[[int], Refusal]", now: "Now"
    ) -> "Asked | Refusal | Pending":
        """Read committed state from the shard.

        A new leader does not know yet how much its predecessor has committed. Reads wait for that (a Pending), up to
        EARLY_READ_WAIT_MS, unless too few replicas are in sync. A leader that has lost its high watermark answers
        COORDINATOR_LOAD_IN_PROGRESS until it knows.
        """
        if self._error != errors.NONE:
            return failed(self._error)
        partition = self.partition
        knows_all = partition.high_watermark >= self._loaded_end_offset
        if knows_all:
            return question(self.shard)
        if now.monotonic_ms >= self._early_read_deadline_ms or len(partition.isr) < partition.in_sync.min_isr:
            return self._answer_early(question, failed)
        early = EarlyRead(self, question, failed)
        self._early_reads[early] = None
        return Pending([early], self._early_read_deadline_ms, early.finish)

    def read_newest(
        self, question: "Callable[[ShardT], Asked]", failed: "Callable[[int], Refusal]", now: "Now", *, timeout_ms: int
    ) -> "Asked | Refusal | Pending":
        """Read the newest state from the shard. The answer is a Pending until that state is committed."""
        if self._error != errors.NONE:
            return failed(self._error)
        return self._hold(question(self.shard), failed, now, timeout_ms)

    def _hold(
        self, response: "Asked", failed: "Callable[[int], object]", now: "Now", timeout_ms: int
    ) -> "Asked | Pending":
        if self.partition.high_watermark >= self._end_offset:
            return response
        waiter = Waiter(self, failed)
        waiter.response = response
        waiter.offset = self._end_offset
        self._held[waiter] = None
        return Pending([waiter], now.monotonic_ms + timeout_ms, waiter.finish)

    def complete(self, marker: "Marker", now: "Now", *, timeout_ms: int) -> "int | Pending":
        """Write the end of a producer's transaction and replay it in one step. Returns NONE once that is committed, or
        the error that the transaction coordinator receives.
        """
        if self._error != errors.NONE:
            return errors.NOT_LEADER_OR_FOLLOWER
        try:
            info = self._append_batch(
                marker_batch(marker, now.wall_ms), now, transaction_version=marker.transaction_version
            )
            self.shard.replay_end_transaction(
                marker.producer_id, marker.epoch, info.last_offset, is_commit=marker.is_commit
            )
        except LogError as failure:
            if self.partition.has_failed:
                self.unload(now)
            return failure.error_code
        return self._hold(errors.NONE, _marker_error, now, timeout_ms)

    def do(self, event: "Callable[[ShardT], Result]", now: "Now") -> None:
        """Run an event without a client. During loading it is kept until the shard is loaded."""
        if self._error == errors.NONE:
            self._perform(event(self.shard), now)
        elif self._error == errors.COORDINATOR_LOAD_IN_PROGRESS:
            self._missed.append(event)

    def forget(self, waiter: Waiter) -> None:
        """The waiter's request has ended."""
        self._held.pop(waiter, None)
        self._waiting.pop(waiter, None)

    def answer_early(self, early: EarlyRead, *, expired: bool) -> object | None:
        """The answer to an early read; None while it must wait."""
        if early not in self._early_reads:
            return early.failed(errors.NOT_COORDINATOR)
        if not expired and self.partition.high_watermark < self._loaded_end_offset:
            return None
        del self._early_reads[early]
        return self._answer_early(early.question, early.failed)

    def _answer_early(
        self, question: "Callable[[ShardT], Asked]", failed: "Callable[[int], Refusal]"
    ) -> "Asked | Refusal":
        if self._has_lost_high_watermark and self.partition.high_watermark < self._loaded_end_offset:
            return failed(errors.COORDINATOR_LOAD_IN_PROGRESS)
        return question(self.shard)

    def on_high_watermark(self, now: "Now") -> None:
        """Send the responses whose records are committed now."""
        high_watermark = self.partition.high_watermark
        self.shard.on_committed(high_watermark)
        if self._early_reads and high_watermark >= self._loaded_end_offset:
            for early in list(self._early_reads):
                self._node.purgatory.touch(early, now)
            self._early_reads.clear()  # those left belong to closed connections
        committed = []
        for waiter in self._held:
            if waiter.offset > high_watermark:
                break
            committed.append(waiter)
        for waiter in committed:
            del self._held[waiter]
        self._answerable.extend(committed)
        if self._answerable:
            self._answer_some(now)
        if self._notices:
            self._release_notices_soon(now)

    def _answer_some(self, now: "Now") -> None:
        """Send committed responses. The loader sends the rest of many, as each costs as much as a request."""
        self._answer(ANSWERS_PER_EVENT, now)
        if self._answerable:
            self._loader.add(self, now)

    def _answer(self, budget: int, now: "Now") -> int:
        count = 0
        while self._answerable and count < budget:  # an answer may lead to others, which are sent within its call
            self._node.purgatory.touch(self._answerable.popleft(), now)
            count += 1
        return count

    def _perform(self, result: "Result", now: "Now") -> int:
        if result.records:
            try:
                self._append(result.records, now, result.producer, may_split=not result.is_atomic)
            except LogError as failure:
                error = CLIENT_ERRORS.get(failure.error_code, failure.error_code)
                if self.partition.has_failed:  # a log that cannot be read again serves no client
                    self.unload(now)
                elif result.otherwise is not None:
                    self._perform(result.otherwise(error), now)
                return error
        for effect in result.effects:
            if isinstance(effect, Notify):
                self._notices.hold(effect.notice, self._end_offset)
                self._release_notices_soon(now)
            elif effect.waits_for_commit:
                self._hold_back(effect)
            else:
                self._carry_out(effect)
        if self._answerable:
            self._answer_some(now)
        if result.job is not None:
            self._start(result.job, now)
        return errors.NONE

    def _release_notices_soon(self, now: "Now") -> None:
        """By a timer: the response to a client leaves before what follows from it, and an append or a follower's fetch
        may be under way here.
        """
        if (self, "notices") not in self._node.timers:
            self._node.timers.set((self, "notices"), now.monotonic_ms, self._release_notices)

    def _release_notices(self, now: "Now") -> None:
        if self._notices.release(self.partition.high_watermark, now):
            self._node.timers.set((self, "notices"), now.monotonic_ms, self._release_notices)

    def _append(
        self,
        records: "Sequence[CoordinatorRecord]",
        now: "Now",
        producer: "TransactionalProducer | None",
        *,
        may_split: bool,
    ) -> None:
        batch = self._encode(records, now.wall_ms)
        producer_id, epoch, guard = NO_PRODUCER_ID, NO_PRODUCER_EPOCH, None
        if producer is not None:
            batch = in_transaction(batch, producer)
            producer_id, epoch, guard = producer.producer_id, producer.epoch, producer.guard
        try:
            info = self._append_batch(batch, now, guard)
        except LogError as refused:
            if not may_split or len(records) == 1 or refused.error_code not in TOO_LARGE:
                raise
            half = len(records) // 2
            self._append(records[:half], now, producer, may_split=True)
            self._append(records[half:], now, producer, may_split=True)
            return
        for offset, record in enumerate(records, info.first_offset):
            self.shard.replay(offset, producer_id, epoch, record, info.last_offset, now.wall_ms)

    def _append_batch(
        self, batch: bytearray, now: "Now", guard: "VerificationEntry | None" = None, *, transaction_version: int = 0
    ) -> "AppendInfo":
        if self._end_offset - self.partition.high_watermark > MAX_UNCOMMITTED:
            raise LogError(errors.NOT_ENOUGH_REPLICAS, f"{MAX_UNCOMMITTED} records are not committed yet")
        self._node.compaction.bound_tail(self.partition, now)
        info = self._node.partitions.append(
            self.partition, memoryview(batch), ACKS_ALL, now, internal=True, guard=guard,
            transaction_version=transaction_version,
        )  # fmt: skip
        if info.sync_required:
            self._node.request_flush(self.partition)
        self._end_offset = info.last_offset + 1
        return info

    def _carry_out(self, effect: "Effect") -> None:
        if isinstance(effect, CancelTimer):
            self._timers.discard(effect.key)
            self._node.life_timers.cancel((self, *effect.key))
        else:
            assert isinstance(effect, SetTimer)
            self._set_timer(effect)

    def _hold_back(self, reply: "Effect") -> None:
        """Keep a reply until all records that the shard has replayed are committed."""
        assert isinstance(reply, Reply)
        waiter = reply.token
        assert isinstance(waiter, Waiter)
        waiter.response = reply.response
        waiter.offset = self._end_offset
        if waiter in self._waiting:  # otherwise it is this event's own request, or its client is gone
            del self._waiting[waiter]
            if self.partition.high_watermark < waiter.offset:
                self._held[waiter] = None
            else:
                self._answerable.append(waiter)

    def _set_timer(self, timer: SetTimer, action: "Callable[[Now], None] | None" = None) -> None:
        key, timers = timer.key, self._node.life_timers

        def fire(now: "Now") -> None:
            self._timers.discard(key)
            if action is not None:
                action(now)
            else:
                self._perform(self.shard.timer_fired(key, now), now)

        self._timers.add(key)
        set_timer = timers.set_periodic if timer.is_periodic else timers.set
        set_timer((self, *key), timer.deadline_ms, fire)


def _marker_error(error_code: int) -> int:
    """The error of a marker that was written and not committed: it took too long, or the shard was unloaded."""
    is_late = error_code == errors.COORDINATOR_NOT_AVAILABLE
    return errors.REQUEST_TIMED_OUT if is_late else errors.NOT_LEADER_OR_FOLLOWER


def then(answer: "Asked | Pending", translate: "Callable[[Asked], Built]") -> "Built | Pending":
    """Translate an answer, which may be Pending."""
    if isinstance(answer, Pending):
        return together([answer], lambda answers: translate(answers[0]))
    return translate(answer)


def together(answers: "Sequence[Asked | Pending]", build: "Callable[[Sequence[Asked]], Built]") -> "Built | Pending":
    """Build one response from several answers, some of which may be Pending."""
    waiting = [answer for answer in answers if isinstance(answer, Pending)]
    if not waiting:
        return build([answer for answer in answers if not isinstance(answer, Pending)])
    done: dict[Pending, Asked] = {}
    left = OpenParts({pending: pending.keys for pending in waiting})

    def finish(now: "Now", expired: bool) -> "Built | None":
        def complete(pending: Pending) -> bool:
            pending.touched = whole.touched
            response = pending.finish(now, expired)
            if response is not None:
                done[pending] = response
            return response is not None

        if not left.try_complete(whole.touched, complete):
            return None
        return build([done[answer] if isinstance(answer, Pending) else answer for answer in answers])

    whole = Pending(left.keys, min(pending.deadline_ms for pending in waiting), finish)
    return whole
