"""All doors lead to one pipeline; steps in it see, refuse, hold and replace; without steps nothing is there."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

from kafkacompat.broker import pipeline as pipeline_module
from kafkacompat.broker.answers import Encoded, Failed
from kafkacompat.broker.connection import BROKER, CloseConnection, Connection
from kafkacompat.broker.context import Context
from kafkacompat.broker.local_calls import LocalCalls
from kafkacompat.broker.principal import ANONYMOUS, Principal
from kafkacompat.broker.registry import APIS
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import API_VERSIONS, CREATE_TOPICS, ENVELOPE, FETCH, METADATA, PRODUCE
from kafkacompat.protocol.headers import RequestHeader, encode_request_header
from kafkacompat.protocol.messages.api_versions import ApiVersionsRequest
from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.protocol.messages.envelope import EnvelopeRequest, EnvelopeResponse
from kafkacompat.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from kafkacompat.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from kafkacompat.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from kafkacompat.protocol.records.builder import Record, build_batch
from tests.broker.harness import STEM_TO_API, BrokerHarness
from tests.broker.journal import RequestJournal, of_clients

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.pipeline import Passage
    from kafkacompat.broker.registry import Api

ALICE = Principal("User", "alice")
ERRORS_OF_ITEMS = ("find_coordinator", "offset_fetch")
"""Their newest responses have an error for each item alone, and an empty request has none."""
CLIENTS_APIS = [api for api in APIS.values() if BROKER in api.listeners and api.stem not in ERRORS_OF_ITEMS]


class Step:
    """Does with requests of these keys, or with all, what a test says."""

    def __init__(self, on_request: Callable[[Passage], None], *keys: int) -> None:
        self.on_request = on_request
        self._keys = keys

    def sees(self, api: Api) -> bool:
        return api.key in self._keys or not self._keys


class Holding(Step):
    """Holds all requests until a test lets them go."""

    def __init__(self, *keys: int) -> None:
        self.held: list[Passage] = []
        super().__init__(self.held.append, *keys)


@pytest.fixture
def kafka() -> BrokerHarness:
    harness = BrokerHarness()
    harness.create_topic("t")
    return harness


def frame(request: Any, version: int, client_id: str = "tests") -> bytes:
    api = STEM_TO_API[type(request).__module__.rpartition(".")[2]]
    out: list[Any] = []
    api.messages.encode_request(request, version, out)
    return encode_request_header(RequestHeader(api.key, version, 7, client_id)) + b"".join(map(bytes, out))


def production(acks: int = -1, *, topic: str = "t") -> ProduceRequest:
    data = PartitionProduceData(0, build_batch([Record(0, 1_700_000_000_000, b"k", b"v")]))
    return ProduceRequest(acks=acks, timeout_ms=100, topic_data=[TopicProduceData(topic, partition_data=[data])])


def poll(max_wait_ms: int = 0) -> FetchRequest:
    topics = [FetchTopic("t", partitions=[FetchPartition(0, fetch_offset=0, partition_max_bytes=1000)])]
    return FetchRequest(max_wait_ms=max_wait_ms, min_bytes=1, max_bytes=1000, session_epoch=-1, topics=topics)


def creation(name: str) -> CreateTopicsRequest:
    return CreateTopicsRequest(topics=[CreatableTopic(name, 1, 1)])


def enveloped(request: Any, version: int, principal: Principal = ANONYMOUS) -> EnvelopeRequest:
    return EnvelopeRequest(frame(request, version, "far away"), principal.to_bytes(), bytes((10, 1, 2, 3)))


def call_locally(kafka: BrokerHarness, request: Any, version: int) -> list[Any]:
    answers: list[Any] = []
    api = STEM_TO_API[type(request).__module__.rpartition(".")[2]]
    LocalCalls(kafka.broker).call(api.key, version, request, kafka.now, lambda *answer: answers.append(answer[0]))
    return answers


# Every door


def test_a_step_sees_every_request_from_all_four_doors(kafka: BrokerHarness) -> None:
    journal = RequestJournal(kafka.broker.pipeline)
    for _ in range(3):  # from the second on its shape would be known
        kafka.ask(production(), 9)
    kafka.ask(MetadataRequest(), 9)
    call_locally(kafka, BrokerHeartbeatRequest(1, 0, 0), 2)
    kafka.settle()
    envelope = kafka.begin(enveloped(creation("u"), 7, ALICE), 0)
    kafka.settle()
    assert envelope.message.error_code == errors.NONE
    assert journal.stems == [*["produce"] * 3, "metadata", "broker_heartbeat", "envelope", "create_topics"]
    assert all(entry.response is not None for entry in journal.entries)
    envelope_entry, inner = journal.entries[-2:]
    assert (envelope_entry.principal, inner.principal) == (ANONYMOUS, ALICE)
    assert (inner.client_id, inner.topics) == ("far away", ["u"])


def test_versions_that_nobody_knows_pass_too(kafka: BrokerHarness) -> None:
    journal = RequestJournal(kafka.broker.pipeline)
    data = bytearray(frame(ApiVersionsRequest(), 4))
    data[2:4] = (77).to_bytes(2, "big")
    (parts,) = kafka.send_frame(bytes(data))
    assert parts is not None
    assert errors.UNSUPPORTED_VERSION.to_bytes(2, "big") == b"".join(map(bytes, parts))[4:6]
    assert journal.stems == ["api_versions"]


def test_a_request_that_is_forwarded_passes_where_its_client_is(
    kafka: BrokerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    forwarded: list[Any] = []

    def request(_lane: str, key: int, _version: int, envelope: EnvelopeRequest, done: Any, **_rest: Any) -> Any:
        if key == ENVELOPE:
            forwarded.append(envelope)
            header = b"\0\0\0\7\0"
            done(EnvelopeResponse(header + b"\0\0\0\0\1\0"), kafka.now)
        return type("Call", (), {"is_open": False})

    monkeypatch.setattr(type(kafka.broker.quorum), "is_active", False)
    monkeypatch.setattr(kafka.broker.channel, "request", request)
    journal = RequestJournal(kafka.broker.pipeline)
    connection = Connection(7, "10.0.0.1", "PLAINTEXT", principal=ALICE)
    answer = kafka.begin(creation("u"), 7, connection)
    assert list(answer.message.topics) == []
    assert journal.stems == ["create_topics"]
    assert Principal.from_bytes(forwarded[0].request_principal) == ALICE


def test_a_journal_of_clients_leaves_out_what_nodes_ask_of_each_other(kafka: BrokerHarness) -> None:
    journal = RequestJournal(kafka.broker.pipeline, of_clients)
    call_locally(kafka, BrokerHeartbeatRequest(1, 0, 0), 2)
    kafka.ask(MetadataRequest([MetadataRequestTopic(name="t")]), 9)
    assert [(entry.api.stem, entry.topics) for entry in journal.entries] == [("metadata", ["t"])]


# What a step may do


@pytest.mark.parametrize("api", CLIENTS_APIS, ids=lambda api: api.stem)
def test_a_step_refuses_in_the_form_of_the_api(kafka: BrokerHarness, api: Api) -> None:
    kafka.broker.pipeline.add(Step(lambda passage: passage.answer(Failed(errors.POLICY_VIOLATION))))
    name = next(name for name in vars(api.messages) if name.lower() == api.stem.replace("_", "") + "request")
    answer = kafka.begin(vars(api.messages)[name](), api.max_version)
    assert getattr(answer.message, "error_code", errors.POLICY_VIOLATION) == errors.POLICY_VIOLATION


def test_a_refusal_of_items_names_each(kafka: BrokerHarness) -> None:
    kafka.broker.pipeline.add(Step(lambda passage: passage.answer(Failed(errors.POLICY_VIOLATION)), CREATE_TOPICS))
    assert [topic.error_code for topic in kafka.ask(creation("u"), 7).topics] == [errors.POLICY_VIOLATION]
    assert "u" not in kafka.broker.image.topics
    (refused,) = call_locally(kafka, creation("u"), 7)
    assert [(topic.name, topic.error_code) for topic in refused.topics] == [("u", errors.POLICY_VIOLATION)]
    kafka.ask(production(), 9)  # another API, which the step does not see


def test_a_request_that_is_held_goes_on_later_as_of_then(kafka: BrokerHarness) -> None:
    step = Holding(FETCH)
    kafka.broker.pipeline.add(step)
    answer = kafka.begin(poll(max_wait_ms=100), 11)
    kafka.advance(1_000)
    assert not answer.is_there
    (passage,) = step.held
    passage.proceed(now=kafka.now)
    kafka.advance(99)
    assert not answer.is_there  # its poll began when it went on
    kafka.advance(1)
    assert answer.message.responses[0].partitions[0].error_code == errors.NONE


def test_a_response_is_held_and_replaced(kafka: BrokerHarness) -> None:
    seen: list[Any] = []

    def take(passage: Passage) -> None:
        def answered(response: Any) -> None:
            seen.append(response)
            response.throttle_time_ms = 77
            kafka.broker.timers.set("late", kafka.now.monotonic_ms + 500, lambda at: passage.answer(response, now=at))

        passage.proceed(answered)

    kafka.broker.pipeline.add(Step(take, PRODUCE))
    answer = kafka.begin(production(), 9)
    assert len(seen) == 1
    assert kafka.view.replica("t", 0).log_end_offset == 1  # type: ignore[union-attr]
    assert not answer.is_there
    kafka.advance(500)
    assert answer.message.throttle_time_ms == 77


def test_steps_come_in_their_order_and_see_what_those_behind_them_answer(kafka: BrokerHarness) -> None:
    order: list[str] = []

    def note(name: str) -> Callable[[Passage], None]:
        def take(passage: Passage) -> None:
            order.append(name)

            def answered(response: Any) -> None:
                order.append(f"{name} answered")
                passage.answer(response)

            passage.proceed(answered)

        return take

    kafka.broker.pipeline.add(Step(note("first")))
    kafka.broker.pipeline.add(Step(note("second"), METADATA))
    kafka.broker.pipeline.add(Step(lambda passage: passage.answer(Failed(errors.POLICY_VIOLATION)), METADATA))
    kafka.ask(MetadataRequest([MetadataRequestTopic(name="t")]), 9)
    assert order == ["first", "second", "second answered", "first answered"]


def test_a_step_that_was_removed_sees_nothing_more(kafka: BrokerHarness) -> None:
    step, journal = Holding(), RequestJournal(kafka.broker.pipeline)
    kafka.broker.pipeline.add(step)
    held = kafka.begin(MetadataRequest(), 9)
    kafka.broker.pipeline.remove(step)
    kafka.ask(MetadataRequest(), 9)
    kafka.broker.pipeline.remove(journal)
    kafka.ask(MetadataRequest(), 9)
    assert kafka.broker.pipeline.steps_of == {}
    step.held[0].proceed(now=kafka.now)
    assert held.is_there
    assert [entry.response is not None for entry in journal.entries] == [True, True]


# What may go wrong


def test_a_step_that_fails_harms_one_request(kafka: BrokerHarness, caplog: pytest.LogCaptureFixture) -> None:
    step = Step(lambda _passage: 1 // 0, METADATA)  # type: ignore[arg-type, return-value]
    kafka.broker.pipeline.add(step)
    assert kafka.ask(MetadataRequest(), 13).error_code == errors.UNKNOWN_SERVER_ERROR
    assert "ZeroDivisionError" in caplog.text
    kafka.ask(production(), 9)


def test_a_step_that_fails_on_a_response_harms_one_request(kafka: BrokerHarness) -> None:
    kafka.broker.pipeline.add(Step(lambda passage: passage.proceed(lambda _response: 1 // 0), METADATA))  # type: ignore[arg-type, return-value]
    assert kafka.ask(MetadataRequest(), 13).error_code == errors.UNKNOWN_SERVER_ERROR


def test_a_request_whose_client_has_gone_goes_nowhere(kafka: BrokerHarness) -> None:
    step = Holding(CREATE_TOPICS)
    kafka.broker.pipeline.add(step)
    connection = kafka.connect()
    answer = kafka.begin(creation("u"), 7, connection)
    kafka.broker.disconnected(connection, kafka.now)
    step.held[0].proceed(now=kafka.now)
    kafka.settle()
    assert not answer.is_there
    assert "u" not in kafka.broker.image.topics


@pytest.mark.parametrize("is_held", [False, True])
def test_a_connection_is_dropped_when_its_request_went_on_later(kafka: BrokerHarness, is_held: bool) -> None:
    step = Holding(PRODUCE) if is_held else Step(lambda passage: passage.proceed(), PRODUCE)
    kafka.broker.pipeline.add(step)
    connection, dropped = kafka.connect(), []
    connection.drop = dropped.append
    unknown = production(acks=0, topic="nobody's")
    if not isinstance(step, Holding):
        with pytest.raises(CloseConnection):
            kafka.begin(unknown, 9, connection)
        return
    kafka.begin(unknown, 9, connection)
    assert not dropped
    step.held[0].proceed(now=kafka.now)
    assert dropped == ['produce with acks=0 to "nobody\'s"-0 failed with UNKNOWN_TOPIC_OR_PARTITION']


def test_nothing_overtakes_what_a_step_holds(kafka: BrokerHarness) -> None:
    step = Holding(PRODUCE)
    kafka.broker.pipeline.add(step)
    connection = kafka.connect()
    kafka.begin(production(), 9, connection)
    assert not kafka.broker.complete_early(frame(production(), 9), connection, kafka.now)
    waiting = kafka.connect()
    kafka.broker.pipeline.remove(step)
    polling = kafka.begin(poll(max_wait_ms=60_000), 11, waiting)
    kafka.broker.pipeline.add(step)
    assert not polling.is_there
    waiting.waiting[-1].is_written = True  # as if it were a produce that waits for its followers
    assert kafka.broker.complete_early(frame(production(), 9), waiting, kafka.now)
    kafka.begin(production(), 9, waiting)
    assert not kafka.broker.complete_early(frame(production(), 9), waiting, kafka.now)
    step.held[-1].proceed(now=kafka.now)
    assert waiting.held_count == 0


# Nothing without steps


def test_shapes_are_neither_learned_nor_used_while_a_step_wants_produce_requests(
    kafka: BrokerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = Step(lambda passage: passage.proceed(), PRODUCE)
    learned, unlearned = kafka.connect(), kafka.connect()
    kafka.ask(production(), 9, learned)
    assert learned.produce_shapes is not None
    kafka.broker.pipeline.add(step)
    kafka.ask(production(), 9, unlearned)
    assert unlearned.produce_shapes is None
    handled: list[str] = []
    handle = APIS[PRODUCE].handler.handle

    def noted(request: Any, context: Context) -> Any:
        handled.append(context.client_id)
        return handle(request, context)

    monkeypatch.setattr(APIS[PRODUCE].handler, "handle", noted)
    kafka.ask(production(), 9, learned)
    assert len(handled) == 1
    kafka.broker.pipeline.remove(step)
    kafka.broker.pipeline.add(Step(lambda passage: passage.proceed(), METADATA))  # wants others
    kafka.ask(production(), 9, learned)
    assert len(handled) == 1


def test_without_steps_a_request_passes_and_nothing_is_allocated(
    kafka: BrokerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    response = Encoded([])
    api = APIS[API_VERSIONS]
    context = Context(kafka.broker, kafka.connection, RequestHeader(API_VERSIONS, 4, 7, "tests"), kafka.now)
    monkeypatch.setattr(api.handler, "handle", lambda _request, _context: response)
    found: list[Any] = []

    def send(api: Any, request: Any, context: Any, response: Any, reply: Any) -> None:  # no tuple is made for *given
        found.append((api, request, context, response, reply))
        snapshot = tracemalloc.take_snapshot()
        found.append(snapshot.filter_traces([tracemalloc.Filter(True, pipeline_module.__file__)]).traces)

    request = ApiVersionsRequest()
    tracemalloc.start()
    try:
        kafka.broker.pipeline.run(api, request, context, send, "reply")
    finally:
        tracemalloc.stop()
    assert found[0] == (api, request, context, response, "reply")
    assert not list(found[1])
