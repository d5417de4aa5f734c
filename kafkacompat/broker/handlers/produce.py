"""Produce (0), versions 3-13; 0-2 are listed and refused (KIP-896).

v3 brought record batches v2 and the transactional id, v5 the log start offset, v8 record errors (KIP-467), v9 is
flexible, v10 names the new leader in the response (KIP-951), v11 answers TRANSACTION_ABORTABLE, v12 adds partitions to
transactions (KIP-890), v13 names topics by id (KIP-516).

Behavior:
- The first batch of a transaction on a partition waits until the transaction's coordinator was asked
  (`broker/produce_verification.py`). Transactional batches without a transactional id:
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED; those of several producers in a request: INVALID_PRODUCER_ID_MAPPING.
- A request of more than PARTITIONS_AT_ONCE_MAX partitions is appended in several turns of the event loop, in order,
  also if its client disconnects meanwhile.
"""

from itertools import islice
from types import GeneratorType

from kafkacompat.broker.answers import NO_RESPONSE
from kafkacompat.broker.connection import CloseConnection
from kafkacompat.broker.internal_topics import may_produce
from kafkacompat.broker.leader_hints import MOVED, name_leaders
from kafkacompat.broker.produce_shape import FIRST_VERSION_WITH_ZSTD, SMALL_FRAME_MAX_BYTES, ProduceShapes
from kafkacompat.broker.purgatory import OpenParts, Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import ACKS_ALL, ACKS_LEADER, ACKS_NONE, NO_TIMESTAMP, UNKNOWN_OFFSET
from kafkacompat.protocol.messages import produce as messages
from kafkacompat.protocol.messages.produce import (
    BatchIndexAndErrorMessage,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)
from kafkacompat.protocol.primitives import ZERO_UUID
from kafkacompat.protocol.records.batch import RecordBatchError, is_transactional
from kafkacompat.protocol.records.compression import ZSTD
from kafkacompat.steps import UNITS_PER_ITERATION, at_once
from kafkacompat.storage.background import RECOMPRESSION
from kafkacompat.storage.errors import LogError, RecordsRefusedError
from kafkacompat.storage.validate import first_batch, the_batch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sized

    from kafkacompat.broker.answers import Answer, Encoded, Late
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.produce_verification import Verified
    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition
    from kafkacompat.steps import Steps
    from kafkacompat.storage.recompress import Recompression
    from kafkacompat.storage.verification_entries import VerificationEntry

    Place = tuple[str | bytes, int]  #: topic, by name or id, and partition
    Asked = dict[Place, Sized | None]

FIRST_VERSION = 3
FIRST_VERSION_WITH_TOPIC_IDS = 13
PARTITIONS_AT_ONCE_MAX = 50
"""Partitions of a request that are appended to in one turn: 1 to 2 ms, and 4 to 10 where files have to be opened, as
for the first time.
"""
BATCH_BYTES_MIN = 61
"""The smallest batch that is not refused unread."""
_ACKS = (ACKS_NONE, ACKS_LEADER, ACKS_ALL)
_RAISED_BY_PARTITION = frozenset(
    (
        errors.OUT_OF_ORDER_SEQUENCE_NUMBER, errors.INVALID_PRODUCER_EPOCH, errors.INVALID_TXN_STATE,
        errors.NOT_ENOUGH_REPLICAS,
    )
)  # fmt: skip
"""Errors raised after the partition accepted the request: Kafka fills in the log start offset for these."""


class _Waiting:
    """An appended batch whose response waits for the high watermark (acks=all) or for a sync (flush.messages)."""

    __slots__ = ("acks", "last_offset", "needs_sync", "partition", "response")

    def __init__(
        self,
        partition: "Partition",
        response: PartitionProduceResponse,
        last_offset: int,
        acks: int,
        *,
        needs_sync: bool,
    ) -> None:
        self.partition = partition
        self.response = response
        self.last_offset = last_offset
        self.acks = acks
        self.needs_sync = needs_sync

    def try_complete(self, now: "Now") -> bool:
        """Whether the response is complete; sets its error, if any."""
        error = self.partition.ack_error(self.last_offset, self.acks, now, needs_sync=self.needs_sync)
        if error is None:
            return False
        if error != errors.NONE:
            _fail(self.response, error)
        return True


def handle(request: ProduceRequest, context: "Context") -> "Answer":
    """Append each partition's batch; respond at once, or when acks and flush settings are met."""
    if context.version < FIRST_VERSION:
        raise CloseConnection(f"produce version {context.version} is listed only for discovery (KIP-896)")
    if len(context.frame) > PARTITIONS_AT_ONCE_MAX * BATCH_BYTES_MIN and _is_wide(request):
        return _begin_in_steps(request, context)
    return _begin(request, context)


def _is_wide(request: ProduceRequest) -> bool:
    return sum(len(topic.partition_data) for topic in request.topic_data) > PARTITIONS_AT_ONCE_MAX


def _begin_in_steps(request: ProduceRequest, context: "Context") -> "Steps[Late]":
    """The same, begun in the turn that makes the first step."""
    if _lacks_id(request):
        return _without_id(request)
    asked = _asked(request, by_id=context.version >= FIRST_VERSION_WITH_TOPIC_IDS)
    if request.transactional_id is not None:
        return (yield from _verified(request, context, asked))
    return (yield from _write_in_steps(request, context, asked, None))


def _begin(request: ProduceRequest, context: "Context") -> "Answer":
    if _lacks_id(request):
        return _without_id(request)
    asked = _asked(request, by_id=context.version >= FIRST_VERSION_WITH_TOPIC_IDS)
    if request.transactional_id is not None:
        return at_once(_verified(request, context, asked))
    return _written(request, context, asked, None)


def _lacks_id(request: ProduceRequest) -> bool:
    return request.transactional_id is None and any(
        is_transactional(data.records) for topic in request.topic_data for data in topic.partition_data
    )


def _without_id(request: ProduceRequest) -> "ProduceResponse | Encoded":
    refusal = failed(request, errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    return _unanswered(refusal) if request.acks == ACKS_NONE else refusal


def _verified(request: ProduceRequest, context: "Context", asked: "Asked") -> "Steps[Late]":
    """Have the coordinator asked about a transactional request, then append it."""
    from kafkacompat.broker.produce_verification import ProduceVerification, SeveralProducersError

    write = _write_in_steps if len(asked) > PARTITIONS_AT_ONCE_MAX else _written

    def append(verified: "Verified") -> object:
        return write(request, context, asked, verified)

    try:
        answer = yield from ProduceVerification(request.transactional_id or "", asked, context, append).answer()
    except SeveralProducersError:
        refusal = failed(request, errors.INVALID_PRODUCER_ID_MAPPING)
        for topic in refusal.responses:
            for partition in topic.partition_responses:
                partition.error_message = "the request has records of several transactional producers"
        return _unanswered(refusal) if request.acks == ACKS_NONE else refusal
    if type(answer) is GeneratorType:
        answer = yield from answer
    return answer  # type: ignore[return-value] # what `append` returns, or a Pending that does


def _written(request: ProduceRequest, context: "Context", asked: "Asked", verified: "Verified | None") -> "Answer":
    recompressions = {} if request.acks == ACKS_NONE else _recompressions(asked.items(), context)
    if recompressions:
        return _recompressed(request, context, asked, recompressions, verified)
    return _append_all(request, context, asked, recompressions, verified)


def _write_in_steps(
    request: ProduceRequest, context: "Context", asked: "Asked", verified: "Verified | None"
) -> "Steps[Late]":
    """As `_written`, in several turns."""
    recompressions: dict[Place, Recompression] = {}
    left = iter(asked.items() if request.acks != ACKS_NONE else ())
    while some := list(islice(left, PARTITIONS_AT_ONCE_MAX)):
        recompressions.update(_recompressions(some, context))
        yield PARTITIONS_AT_ONCE_MAX
    if recompressions:
        return _recompressed(request, context, asked, recompressions, verified)
    return (yield from _Appended(request, context, recompressions, verified).in_steps(asked))


def _append_all(
    request: ProduceRequest,
    context: "Context",
    asked: "Asked",
    recompressions: "dict[Place, Recompression]",
    verified: "Verified | None",
) -> "Answer":
    appended = _Appended(request, context, recompressions, verified)
    if len(asked) > PARTITIONS_AT_ONCE_MAX:
        return appended.in_steps(asked)
    appended.add(asked.items())
    return appended.answer()


class _Appended:
    """The partitions of a request that were appended to, and what is answered for them."""

    __slots__ = ("_answers", "_context", "_recompressions", "_request", "_verified", "_waiting")

    def __init__(
        self,
        request: ProduceRequest,
        context: "Context",
        recompressions: "dict[Place, Recompression]",
        verified: "Verified | None",
    ) -> None:
        self._request = request
        self._context = context
        self._recompressions = recompressions
        self._verified = verified
        self._waiting: list[_Waiting] = []
        self._answers: dict[str | bytes, TopicProduceResponse] = {}

    def in_steps(self, asked: "Asked") -> "Steps[ProduceResponse | Pending | Encoded]":
        """Append in several turns. Other requests may append in between, as other threads do in Kafka."""
        left = iter(asked.items())
        while some := list(islice(left, PARTITIONS_AT_ONCE_MAX)):
            earlier, self._waiting = self._waiting, []
            self.add(some)
            self._waiting = earlier + [entry for entry in self._waiting if not entry.try_complete(self._context.now)]
            yield UNITS_PER_ITERATION
        return self.answer()

    def add(self, some: "Iterable[tuple[Place, Sized | None]]") -> None:
        """Append to some partitions of the request, in its order."""
        context, recompressions, verified = self._context, self._recompressions, self._verified
        image, acks, waiting, answers = context.services.image, self._request.acks, self._waiting, self._answers
        for (key, index), records in some:
            name = image.topic_name(key) if isinstance(key, bytes) else key
            recompression = recompressions.get((key, index)) if recompressions else None
            if verified is None:
                answer = _append(name, index, records, acks, context, waiting, recompression)
            elif (key, index) in verified.refused:
                code, message = verified.refused[key, index]
                answer = _fail(PartitionProduceResponse(index=index, error_message=message), code)
            else:
                guard = verified.guards.get((key, index))
                answer = _append(name, index, records, acks, context, waiting, recompression, guard)
            topic = answers.get(key)
            if topic is None:
                name_and_id = ("", key) if isinstance(key, bytes) else (key, ZERO_UUID)
                topic = answers[key] = TopicProduceResponse(*name_and_id, [])
            assert isinstance(topic.partition_responses, list)
            topic.partition_responses.append(answer)

    def answer(self) -> "ProduceResponse | Pending | Encoded":
        """The response, when all were appended to; a Pending while some are not acknowledged."""
        request, context, image = self._request, self._context, self._context.services.image
        topics = list(self._answers.values())
        response = ProduceResponse(responses=topics)
        if request.acks == ACKS_NONE:
            return _unanswered(response)
        refused = [
            (topic.name or image.topic_name(topic.topic_id), answer.index, answer)
            for topic in topics
            for answer in topic.partition_responses
            if answer.error_code in MOVED
        ]
        if refused:
            response.node_endpoints = name_leaders(refused, messages, context)
        waiting = [entry for entry in self._waiting if not entry.try_complete(context.now)]
        if waiting:
            return _wait(response, waiting, request.timeout_ms, context)
        if all(answer.error_code == errors.NONE for topic in topics for answer in topic.partition_responses):
            _learn(request, context)
        return response


def _recompressions(some: "Iterable[tuple[Place, Sized | None]]", context: "Context") -> "dict[Place, Recompression]":
    """Large batches that must be recompressed, by their topics' compression.type."""
    services, found = context.services, {}
    for (key, index), records in some:
        name = services.image.topic_name(key) if isinstance(key, bytes) else key
        partition = None if name is None else services.partitions.get(name, index)
        if partition is None or not partition.log.opens_batches or type(records) is not memoryview:
            continue
        if partition.leader_error() == errors.NONE and may_produce(context.header.client_id, partition.topic):
            recompression = partition.log.recompression(records, context.now)
            if recompression is not None:
                found[key, index] = recompression
    return found


def _recompressed(
    request: ProduceRequest,
    context: "Context",
    asked: "Asked",
    recompressions: "dict[Place, Recompression]",
    verified: "Verified | None",
) -> Pending:
    """Recompress batches outside the event loop, then append all of the request. Until then the connection's next
    request waits, as it does after any request that is not written yet.
    """
    services, left = context.services, len(recompressions)
    is_appended = False
    answer: Answer | None = None

    def recompressed(_outcome: object, now: "Now") -> None:
        nonlocal left
        left -= 1
        if not left:
            services.purgatory.touch(pending, now)

    def finish(now: "Now", expired: bool) -> object | None:
        nonlocal answer, is_appended
        if left:
            return failed(request, errors.REQUEST_TIMED_OUT) if expired else None
        if not is_appended:
            is_appended = True  # the append itself touches the keys that this waits for
            context.now = now
            answer = _append_all(request, context, asked, recompressions, verified)
            if isinstance(answer, Pending) and not expired:
                services.timers.set(pending, answer.deadline_ms, lambda at: services.purgatory.expire(pending, at))
        if isinstance(answer, Pending):
            answer.touched = pending.touched
        return answer.finish(now, expired) if isinstance(answer, Pending) else answer

    keys = [(services.image.topic_name(key) if isinstance(key, bytes) else key, index) for key, index in asked]
    pending = Pending(keys, context.now.monotonic_ms + services.request_timeout_ms, finish)
    pending.keys = [pending, *keys]
    for recompression in recompressions.values():
        services.background.submit(RECOMPRESSION, recompression.run, recompressed)
    return pending


def _asked(request: ProduceRequest, *, by_id: bool) -> "Asked":
    """Records by topic and partition; if a partition is named twice, the last ones count, as in Kafka."""
    return {
        (topic.topic_id if by_id else topic.name, data.index): data.records
        for topic in request.topic_data
        for data in topic.partition_data
    }


def _learn(request: ProduceRequest, context: "Context") -> None:
    """Remember the shape of a small request to one partition, so that the next one like it takes the fast path."""
    if len(context.frame) > SMALL_FRAME_MAX_BYTES or len(request.topic_data) != 1:
        return
    topic = request.topic_data[0]
    if len(topic.partition_data) != 1 or request.transactional_id is not None or request.acks not in _ACKS:
        return
    pipeline, key = context.services.pipeline, context.header.api_key
    if key in pipeline.steps_of and key not in pipeline.gates:
        return
    name = topic.name or context.services.image.topic_name(topic.topic_id)
    partition = context.services.partitions.get(name or "", topic.partition_data[0].index)
    if partition is not None and partition.commits_at_once:
        connection = context.connection
        if connection.produce_shapes is None:
            connection.produce_shapes = ProduceShapes()
        connection.produce_shapes.learn(
            context.frame, context.header, request, partition, context.services.partitions.append
        )


def failed(request: ProduceRequest, error_code: int) -> ProduceResponse:
    """The response with the same error for every partition of the request, each once."""
    asked: dict[tuple[str, bytes], dict[int, PartitionProduceResponse]] = {}
    for topic in request.topic_data:
        for data in topic.partition_data:
            answer = PartitionProduceResponse(index=data.index, error_code=error_code, base_offset=UNKNOWN_OFFSET)
            asked.setdefault((topic.name, topic.topic_id), {})[data.index] = answer
    return ProduceResponse(
        responses=[TopicProduceResponse(*key, list(answers.values())) for key, answers in asked.items()]
    )


def _append(
    name: str | None,
    index: int,
    records: "Sized | None",
    acks: int,
    context: "Context",
    waiting: list[_Waiting],
    recompression: "Recompression | None",
    guard: "VerificationEntry | None" = None,
) -> PartitionProduceResponse:
    services = context.services
    if name is None:
        return _fail(PartitionProduceResponse(index=index), errors.UNKNOWN_TOPIC_ID)
    partition = services.partitions.get(name, index)
    if not may_produce(context.header.client_id, name):
        return _fail(PartitionProduceResponse(index=index), _internal_topic_error(name, index, records, acks, context))
    if partition is None:
        error = services.partitions.find(services.image, name, index)
        assert isinstance(error, int)
        return _fail(PartitionProduceResponse(index=index), error)
    try:
        writable = _writable(records)
        if context.version < FIRST_VERSION_WITH_ZSTD or acks not in _ACKS:
            _check_request(writable, acks, context.version)
        info = services.partitions.append(
            partition, writable, acks, context.now, recompression=recompression, guard=guard
        )
    except (LogError, RecordBatchError) as refused:
        return _refuse(partition, index, refused)
    response = PartitionProduceResponse(
        index=index,
        base_offset=info.first_offset,
        log_append_time_ms=info.append_time_ms,
        log_start_offset=info.log_start_offset,
    )
    if info.sync_required:
        services.request_flush(partition)
    if acks == ACKS_ALL or (acks == ACKS_LEADER and info.sync_required):
        waiting.append(_Waiting(partition, response, info.last_offset, acks, needs_sync=info.sync_required))
    return response


def _internal_topic_error(name: str, index: int, records: "Sized | None", acks: int, context: "Context") -> int:
    """The error for a client that may not produce to the topic; as in Kafka, other errors of the request go first."""
    topic = context.services.image.topics.get(name)
    if topic is None or not 0 <= index < len(topic.partitions):
        return errors.UNKNOWN_TOPIC_OR_PARTITION
    try:
        _check_request(_writable(records), acks, context.version)
    except (LogError, RecordBatchError) as refused:
        return refused.error_code
    return errors.INVALID_TOPIC_EXCEPTION


def _check_request(records: memoryview, acks: int, version: int) -> None:
    """Validate the request as a whole, in Kafka's order (``ProduceRequest.validateRecords``). Raises LogError."""
    if version < FIRST_VERSION_WITH_ZSTD and first_batch(records).compression == ZSTD:
        raise LogError(errors.UNSUPPORTED_COMPRESSION_TYPE, f"zstd in produce version {version}")
    the_batch(records)
    if acks not in _ACKS:
        raise LogError(errors.INVALID_REQUIRED_ACKS, f"acks={acks}")


def _refuse(partition: "Partition", index: int, refused: LogError | RecordBatchError) -> PartitionProduceResponse:
    """As in Kafka, errors raised by the partition have its log start, and refused records their index."""
    partition.traffic.failed_produce_requests += 1
    response = _fail(PartitionProduceResponse(index=index), refused.error_code)
    if isinstance(refused, RecordsRefusedError) or refused.error_code in _RAISED_BY_PARTITION:
        response.log_start_offset = partition.log_start_offset
        if isinstance(refused, RecordsRefusedError) and refused.indexes:
            response.error_message = "records were refused, and with them the whole batch"
            response.record_errors = [BatchIndexAndErrorMessage(index, str(refused)) for index in refused.indexes]
    return response


def _writable(records: "Sized | None") -> memoryview:
    """The batch in writable memory, as offsets are written into it: a small frame is immutable bytes."""
    if type(records) is not memoryview:
        raise LogError(errors.INVALID_RECORD, "the request has no records for this partition")
    return memoryview(bytearray(records)) if records.readonly else records


def _fail(response: PartitionProduceResponse, error_code: int) -> PartitionProduceResponse:
    response.error_code = error_code
    response.base_offset = UNKNOWN_OFFSET
    response.log_append_time_ms = NO_TIMESTAMP
    response.log_start_offset = UNKNOWN_OFFSET
    return response


def _wait(response: ProduceResponse, waiting: list[_Waiting], timeout_ms: int, context: "Context") -> Pending:
    left = OpenParts({entry: (entry.partition.watch_key,) for entry in waiting})

    is_wide = len(waiting) > PARTITIONS_AT_ONCE_MAX

    def finish(now: "Now", expired: bool) -> "ProduceResponse | Steps[ProduceResponse] | None":
        if not left.try_complete(pending.touched, lambda entry: entry.try_complete(now)) and not expired:
            return None
        for entry in left:
            _fail(entry.response, errors.REQUEST_TIMED_OUT)
        return _encoded_apart(response) if is_wide else response

    pending = Pending(left.keys, context.now.monotonic_ms + max(timeout_ms, 0), finish, is_written=True)
    return pending


def _encoded_apart(response: ProduceResponse) -> "Steps[ProduceResponse]":
    """The response of many partitions, which is encoded in a turn of its own."""
    yield 0  # that turn is the first one of these steps
    return response


def _unanswered(response: ProduceResponse) -> "Encoded":
    """With acks=0 the only way to report an error is to close the connection, so that the client requests metadata."""
    for topic in response.responses:
        for partition in topic.partition_responses:
            if partition.error_code != errors.NONE:
                failure = errors.name(partition.error_code)
                to = f"{topic.name[:249]!r}-{partition.index}"
                raise CloseConnection(f"produce with acks=0 to {to} failed with {failure}")
    return NO_RESPONSE
