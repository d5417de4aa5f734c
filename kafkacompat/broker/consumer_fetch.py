"""Fetches of consumers (1): what a leader, or a follower since KIP-392, has for them.

`handlers/fetch.py` has the versions and the words. A fetch looks at the partitions that are due in its session: those
that moved, and those of which there is more to tell. All others are watched (`partition_watch.py`), so that a fetch of
many partitions costs what has happened in them.
"""

from kafkacompat.broker.purgatory import Pending
from kafkacompat.broker.read_replica import may_be_elsewhere, preferred_read_replica
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import INVALID_PREFERRED_REPLICA_ID, NO_PARTITION_LEADER_EPOCH
from kafkacompat.protocol.messages.fetch import EpochEndOffset, FetchResponse, PartitionData
from kafkacompat.replication.partition import READ_COMMITTED
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.truncation import diverging_epoch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.context import Context
    from kafkacompat.broker.fetch_session import CachedPartition
    from kafkacompat.broker.fetch_session_cache import FetchContext
    from kafkacompat.now import Now
    from kafkacompat.protocol.messages.fetch import FetchRequest
    from kafkacompat.replication.partition import Partition
    from kafkacompat.storage.slices import Slice

    Resolve = Callable[[CachedPartition, Context], Partition | int]
    Refuse = Callable[[int, int], PartitionData]
    Respond = Callable[..., FetchResponse]

FIRST_VERSION_WITH_RACKS = 11
NO_RECORDS = b""
_nothing = PartitionData()
NO_EPOCH_END, NO_LEADER, NO_SNAPSHOT = _nothing.diverging_epoch, _nothing.current_leader, _nothing.snapshot_id
NOBODY_TO_ASK = {errors.UNKNOWN_TOPIC_ID: 1, errors.UNKNOWN_TOPIC_OR_PARTITION: 2}
"""Errors of what does not exist, and where they come in an answer: after those of partitions, in this order."""


def answer_consumer(
    request: "FetchRequest",
    context: "Context",
    fetch: "FetchContext",
    resolve: "Resolve",
    refuse: "Refuse",
    respond: "Respond",
    *,
    is_follower: bool,
) -> "FetchResponse | Pending":
    """Answer with what there is, or wait for `min_bytes` up to `max_wait_ms`.

    `is_follower`: a replica asks where no other broker may, and gets errors alone.
    """
    this = _Round(request, context, fetch, resolve, refuse, is_follower=is_follower)
    this.look(context.now)
    waits = request.max_wait_ms > 0 and this.min_bytes > 0 and not fetch.is_empty
    if not waits or this.is_enough:
        return respond(this.end(), fetch, context, is_follower=is_follower)
    this.wait()

    def finish(now: "Now", expired: bool) -> FetchResponse | None:
        if fetch.is_overtaken:
            return FetchResponse(error_code=errors.INVALID_FETCH_SESSION_EPOCH, session_id=fetch.session_id)
        this.look(now)
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


class _Round:
    """One fetch of a consumer: what was found for it, and whether that is enough to answer with."""

    __slots__ = (
        "_context", "_fetch", "_is_follower", "_isolation_level", "_max_bytes", "_needs_leader", "_rack",
        "_reads_committed", "_refuse", "_resolve", "_slices", "_told", "answers", "min_bytes", "settled", "size_bytes",
    )  # fmt: skip

    def __init__(
        self,
        request: "FetchRequest",
        context: "Context",
        fetch: "FetchContext",
        resolve: "Resolve",
        refuse: "Refuse",
        *,
        is_follower: bool,
    ) -> None:
        services = context.services
        self._context = context
        self._fetch = fetch
        self._resolve = resolve
        self._refuse = refuse
        self._is_follower = is_follower
        self._isolation_level = request.isolation_level
        self._reads_committed = request.isolation_level == READ_COMMITTED
        self._max_bytes = min(request.max_bytes, services.fetch_max_bytes)
        self.min_bytes = min(request.min_bytes, self._max_bytes)  # never more than fits
        self._needs_leader = is_follower or context.version < FIRST_VERSION_WITH_RACKS
        self._rack = request.rack_id if request.rack_id and services.selects_by_rack else None
        neighbours = None if self._rack is None else (self._rack, context.connection.listener, services.image.brokers)
        fetch.asked.agree(
            (request.isolation_level, is_follower, self._needs_leader, neighbours, services.logs.offline_directories)
        )
        self.answers: dict[CachedPartition, PartitionData] = {}
        self.size_bytes = 0
        self.settled = False  # an error, a divergence, another replica: told at once, however little there is to read
        self._told: list[CachedPartition] = []
        self._slices: list[Slice] = []

    @property
    def is_enough(self) -> bool:
        """Whether there is no reason to wait."""
        return self.settled or self.size_bytes >= self.min_bytes

    def look(self, now: "Now") -> None:
        """Look at what is due. In a fetch that names all, what was found of the others before stays as it is.

        Written out, as a first fetch looks at thousands.
        """
        self.release()
        if self._fetch.incremental:
            self.answers = {}
        self.size_bytes = 0
        self.settled = False
        self._told = []
        session, resolve, context, answers = self._fetch.asked, self._resolve, self._context, self.answers
        needs_leader, reads_committed, is_plain = self._needs_leader, self._reads_committed, self._rack is None
        due, keeps_all = session.due, not self._fetch.incremental
        is_in_order = keeps_all and not answers  # as it was asked
        for wanted in list(due) if is_in_order else session.in_order(due):
            partition = resolve(wanted, context)
            if isinstance(partition, int):
                self._settle(wanted, self._refuse(wanted.index, partition))
                continue
            error = partition.leader_error(wanted.current_leader_epoch, needs_leader=needs_leader)
            if error or self._is_follower:
                self._settle(wanted, self._refuse(wanted.index, error or _error_of_follower(wanted)))
                continue
            wanted.key = partition.watch_key
            log, high_watermark = partition.log, partition.high_watermark
            stable = log.producers.last_stable_offset(high_watermark)
            answer = PartitionData(
                wanted.index, 0, high_watermark, stable, log.log_start_offset, NO_EPOCH_END, NO_LEADER, NO_SNAPSHOT,
                [] if reads_committed else None, INVALID_PREFERRED_REPLICA_ID, NO_RECORDS,
            )  # fmt: skip
            is_at_end = wanted.fetch_offset == (stable if reads_committed else high_watermark)
            if not (is_plain and is_at_end and wanted.last_fetched_epoch == NO_PARTITION_LEADER_EPOCH):
                if self._is_sent_elsewhere(partition, wanted, answer, now) or self._is_parted(
                    partition, wanted, answer
                ):
                    continue
                if not is_at_end:
                    self._read(partition, wanted, answer, now)
                    continue
                if self._may_be_sent_elsewhere(partition):
                    answers[wanted] = answer
                    continue
            if keeps_all:
                answers[wanted] = answer
                del due[wanted]  # this answer tells it
            else:
                self._rest(wanted, answer)

    def _settle(self, wanted: "CachedPartition", answer: PartitionData) -> None:
        self.settled = True
        self.answers[wanted] = answer

    def _rest(self, wanted: "CachedPartition", answer: PartitionData) -> None:
        """It is at its end: once the client knows where that is, it is due no more, and watched."""
        if wanted.has_changes(answer):
            self.answers[wanted] = answer
            self._told.append(wanted)
        else:
            del self._fetch.asked.due[wanted]
            self._context.services.fetch_sessions.watch.watch(self._fetch.asked, (wanted,))

    def _may_be_sent_elsewhere(self, partition: "Partition") -> bool:
        return self._rack is not None and may_be_elsewhere(partition, self._rack, self._context.services.image)

    def _is_sent_elsewhere(
        self, partition: "Partition", wanted: "CachedPartition", answer: PartitionData, now: "Now"
    ) -> bool:
        """Whether another replica is to be read (KIP-392): the answer names it, and has no records."""
        if self._rack is None:
            return False
        image, listener = self._context.services.image, self._context.connection.listener
        preferred = preferred_read_replica(partition, self._rack, wanted.fetch_offset, image, listener, now)
        if preferred is None:
            return False
        answer.preferred_read_replica = preferred
        answer.aborted_transactions = None
        self._settle(wanted, answer)
        return True

    def _is_parted(self, partition: "Partition", wanted: "CachedPartition", answer: PartitionData) -> bool:
        """Whether the client has read what is not in our log (KIP-595): the answer says from where on."""
        if wanted.last_fetched_epoch == NO_PARTITION_LEADER_EPOCH:
            return False
        agreed = partition.end_offset_for_epoch(wanted.last_fetched_epoch)
        if agreed[0] == NO_PARTITION_LEADER_EPOCH:
            self._settle(wanted, self._refuse(wanted.index, errors.OFFSET_OUT_OF_RANGE))
            return True
        where = diverging_epoch(wanted.fetch_offset, wanted.last_fetched_epoch, agreed)
        if where is None:
            return False
        answer.diverging_epoch = EpochEndOffset(*where)
        answer.aborted_transactions = None
        self._settle(wanted, answer)
        return True

    def _read(self, partition: "Partition", wanted: "CachedPartition", answer: PartitionData, now: "Now") -> None:
        max_bytes = max(0, min(wanted.max_bytes, self._max_bytes - self.size_bytes))
        at_least_one = self.size_bytes == 0
        try:
            part = partition.read(wanted.fetch_offset, max_bytes, self._isolation_level, now, at_least_one=at_least_one)
        except LogError as refused:
            self._settle(wanted, self._refuse(wanted.index, refused.error_code))
            return
        if len(part):
            self._slices.append(part)
            self.size_bytes += len(part)
            answer.records = part
        self.answers[wanted] = answer

    def wait(self) -> None:
        """Nothing is answered yet: give back what was read, and watch all that may bring more."""
        self.release()
        due = self._fetch.asked.due if self._fetch.incremental else self.answers
        self._context.services.fetch_sessions.watch.watch(self._fetch.asked, due)

    def release(self) -> None:
        """Give back what is not sent."""
        for part in self._slices:
            part.release()
        self._slices = []

    def end(self) -> "list[tuple[CachedPartition, PartitionData]]":
        """All answers: they are on their way. What the client now knows to be at its end is watched."""
        fetch, due = self._fetch, self._fetch.asked.due
        if fetch.session is not None:
            told = self._told if fetch.incremental else [wanted for wanted in self.answers if wanted not in due]
            self._context.services.fetch_sessions.watch.watch(fetch.asked, told)
        for wanted in self._told:
            due.pop(wanted, None)
        answers = list(self.answers.items())
        if self.settled:
            answers.sort(key=lambda pair: NOBODY_TO_ASK.get(pair[1].error_code, 0))
            if not fetch.incremental:
                for turn, (wanted, _) in enumerate(answers):
                    wanted.turn = turn
        return answers


def _error_of_follower(wanted: "CachedPartition") -> int:
    """A replica that is none of ours asks as a client."""
    names_epoch = wanted.current_leader_epoch != NO_PARTITION_LEADER_EPOCH
    return errors.UNKNOWN_LEADER_EPOCH if names_epoch else errors.NOT_LEADER_OR_FOLLOWER
