"""Produce and Fetch through a whole broker."""

import pytest

from kafkacompat.broker.connection import CloseConnection
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import PRODUCE
from kafkacompat.protocol.headers import RequestHeader, encode_request_header
from kafkacompat.protocol.messages import fetch, produce
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.reader import read_records
from tests.broker.harness import STEM_TO_API, Answer, BrokerHarness

ALL, LEADER, NONE = -1, 1, 0


@pytest.fixture
def broker() -> BrokerHarness:
    harness = BrokerHarness()
    harness.create_topic("t", 2)
    return harness


def batch(*values: bytes, **kwargs) -> bytearray:
    records = [Record(index, 1_700_000_000_000 + index, b"k", value) for index, value in enumerate(values)]
    return build_batch(records, **kwargs)


def produce_request(*partitions: tuple[int, object], acks: int = ALL, topic: str = "t", topic_id: bytes = bytes(16)):
    data = [produce.PartitionProduceData(index, records) for index, records in partitions]
    topic_data = produce.TopicProduceData("" if topic_id.strip(b"\0") else topic, topic_id, data)
    return produce.ProduceRequest(acks=acks, timeout_ms=1_000, topic_data=[topic_data])


def fetch_request(*partitions: tuple[int, int], **kwargs):
    wanted = [
        fetch.FetchPartition(index, fetch_offset=offset, partition_max_bytes=1 << 20) for index, offset in partitions
    ]
    defaults = {"max_wait_ms": 0, "min_bytes": 1, "max_bytes": 1 << 20}
    return fetch.FetchRequest(topics=[fetch.FetchTopic("t", partitions=wanted)], **{**defaults, **kwargs})


def values(answer) -> list[bytes]:
    found = []
    for topic in answer.responses:
        for partition in topic.partitions:
            data, position = bytes(partition.records), 0
            while position < len(data):
                found += [record.value for record in read_records(data, position)]
                position += 12 + int.from_bytes(data[position + 8 : position + 12], "big")
    return found


def only(response):
    (topic,) = response.responses
    (partition,) = getattr(topic, "partition_responses", None) or topic.partitions
    return partition


@pytest.mark.parametrize("version", range(3, 13))
def test_produced_records_come_back(broker, version):
    first = only(broker.ask(produce_request((0, batch(b"a", b"b"))), version))
    assert (first.error_code, first.base_offset) == (errors.NONE, 0)
    second = only(broker.ask(produce_request((0, batch(b"c")), acks=LEADER), version))
    assert second.base_offset == 2
    answer = broker.ask(fetch_request((0, 0)), 11)
    assert only(answer).high_watermark == 3
    assert values(answer) == [b"a", b"b", b"c"]


def test_topic_ids_from_version_13(broker):
    topic_id = broker.view.topics()["t"]
    assert only(broker.ask(produce_request((1, batch(b"a")), topic_id=topic_id), 13)).error_code == errors.NONE
    unknown = only(broker.ask(produce_request((1, batch(b"a")), topic_id=b"x" * 16), 13))
    assert unknown.error_code == errors.UNKNOWN_TOPIC_ID
    wanted = [fetch.FetchPartition(1, fetch_offset=0, partition_max_bytes=1 << 20)]
    request = fetch_request()
    request.topics = [fetch.FetchTopic("", topic_id, wanted), fetch.FetchTopic("", b"x" * 16, wanted)]
    answer = broker.ask(request, 18)
    assert [topic.partitions[0].error_code for topic in answer.responses] == [errors.NONE, errors.UNKNOWN_TOPIC_ID]
    assert values(answer) == [b"a"]


def test_a_recreated_topic_does_not_answer_to_its_old_id(broker):
    old_id = broker.view.topics()["t"]
    deleted = broker.ask(DeleteTopicsRequest(topics=[DeleteTopicState("t")], timeout_ms=1000), 6)
    assert deleted.responses[0].error_code == errors.NONE
    broker.create_topic("t")
    assert broker.view.topics()["t"] != old_id
    refused = only(broker.ask(produce_request((0, batch(b"a")), topic_id=old_id), 13))
    assert refused.error_code == errors.UNKNOWN_TOPIC_ID


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda data: data.__setitem__(30, data[30] ^ 1), errors.CORRUPT_MESSAGE),
        (lambda data: data.__setitem__(16, 1), errors.INVALID_RECORD),
        (lambda data: data.__delitem__(slice(70, None)), errors.INVALID_RECORD),
    ],
    ids=["crc", "magic", "cut off"],
)
def test_what_is_no_batch_gets_an_error_and_is_not_written(broker, change, error):
    data = batch(b"value" * 10)
    change(data)
    answer = only(broker.ask(produce_request((0, data)), 9))
    assert answer.error_code == error
    assert answer.base_offset == -1
    assert only(broker.ask(fetch_request((0, 0)), 11)).high_watermark == 0


def test_a_batch_above_the_limit_is_refused(broker):
    broker.create_topic("small", max_message_bytes="100")
    request = produce_request((0, batch(b"x" * 200)), topic="small")
    assert only(broker.ask(request, 9)).error_code == errors.MESSAGE_TOO_LARGE


def test_unknown_places_and_acks_are_refused(broker):
    assert only(broker.ask(produce_request((7, batch(b"a"))), 9)).error_code == errors.UNKNOWN_TOPIC_OR_PARTITION
    assert only(broker.ask(produce_request((0, batch(b"a")), topic="no"), 9)).error_code == (
        errors.UNKNOWN_TOPIC_OR_PARTITION
    )
    assert only(broker.ask(produce_request((0, batch(b"a")), acks=2), 9)).error_code == errors.INVALID_REQUIRED_ACKS


def test_partitions_are_answered_not_topics(broker):
    for acks in (ALL, 2):
        assert broker.ask(produce_request(acks=acks), 9).responses == []


def test_of_a_partition_that_is_named_twice_the_last_records_count(broker):
    answer = broker.ask(produce_request((0, batch(b"first")), (0, batch(b"second"))), 9)
    assert only(answer).base_offset == 0
    assert values(broker.ask(fetch_request((0, 0)), 11)) == [b"second"]


@pytest.mark.parametrize(("version", "error"), [(6, errors.UNSUPPORTED_COMPRESSION_TYPE), (7, errors.NONE)])
def test_zstd_came_with_version_7(broker, version, error):
    connection = broker.connect()
    for compression in (3, 3, 4):  # the second one takes the fast path, the third must not
        answer = only(broker.ask(produce_request((0, batch(b"a", compression=compression))), version, connection))
        assert answer.error_code == (error if compression == 4 else errors.NONE)
    two = batch(b"a", compression=4) + batch(b"b")
    assert only(broker.ask(produce_request((0, two)), version)).error_code == (error or errors.INVALID_RECORD)


def test_what_is_wrong_is_told_in_kafkas_order(broker):
    unknown = only(broker.ask(produce_request((9, batch(b"a")), acks=2), 9))
    shapeless = only(broker.ask(produce_request((0, batch(b"a")[:-1]), acks=2), 9))
    odd = only(broker.ask(produce_request((0, batch(b"a")), acks=2), 9))
    assert [answer.error_code for answer in (unknown, shapeless, odd)] == [
        errors.UNKNOWN_TOPIC_OR_PARTITION,
        errors.INVALID_RECORD,
        errors.INVALID_REQUIRED_ACKS,
    ]


def test_acks_0_is_silent_and_closes_on_an_error(broker):
    answer = broker.begin(produce_request((0, batch(b"a")), acks=NONE), 9)
    assert answer.is_there
    assert answer.message is None
    assert only(broker.ask(fetch_request((0, 0)), 11)).high_watermark == 1
    with pytest.raises(CloseConnection):
        broker.begin(produce_request((9, batch(b"a")), acks=NONE), 9)


def test_idempotent_producers(broker):
    def send(sequence: int, epoch: int = 0):
        data = batch(b"a", producer_id=5, producer_epoch=epoch, base_sequence=sequence)
        return only(broker.ask(produce_request((0, data)), 9))

    assert [send(number).base_offset for number in range(6)] == list(range(6))
    assert (send(3).error_code, send(3).base_offset) == (errors.NONE, 3)  # one of the last five: told where it went
    assert send(8).error_code == errors.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert send(0, epoch=1).error_code == errors.NONE
    assert send(6).error_code == errors.INVALID_PRODUCER_EPOCH
    assert only(broker.ask(fetch_request((0, 0)), 11)).high_watermark == 7


def test_flush_messages_1_answers_after_the_sync(broker):
    broker.create_topic("durable", flush_messages="1")
    broker.settle = lambda: None
    answer = broker.begin(produce_request((0, batch(b"a")), topic="durable"), 9)
    assert not answer.is_there
    broker.broker.background.run_inline(broker.now)
    assert only(answer.message).error_code == errors.NONE


def test_acks_all_times_out_when_the_disk_does_not_answer(broker):
    broker.create_topic("durable", flush_messages="1")
    broker.settle = lambda: None
    answer = broker.begin(produce_request((0, batch(b"a")), topic="durable"), 9)
    broker.advance(1_001)
    assert only(answer.message).error_code == errors.REQUEST_TIMED_OUT


def test_a_fetch_waits_for_data_and_is_answered_when_it_comes(broker):
    waiting = broker.begin(fetch_request((0, 0), (1, 0), max_wait_ms=500), 11)
    assert not waiting.is_there
    broker.ask(produce_request((1, batch(b"late"))), 9)
    assert values(waiting.message) == [b"late"]


def test_a_fetch_that_waits_in_vain_is_answered_empty(broker):
    waiting = broker.begin(fetch_request((0, 0), max_wait_ms=500), 11)
    broker.advance(499)
    assert not waiting.is_there
    broker.advance(1)
    assert values(waiting.message) == []


def test_a_fetch_makes_way_for_what_is_asked_behind_it_but_not_for_another(broker):
    connection = broker.connect()
    waiting = broker.begin(fetch_request((0, 0), max_wait_ms=500, min_bytes=300), 11, connection)
    broker.ask(produce_request((0, batch(b"few"))), 9)
    fetch_key, find_coordinator_key = b"\0\1", b"\0\x0a"
    broker.broker.complete_early(fetch_key + b"\0\x0b", connection, broker.now)
    broker.broker.complete_early(find_coordinator_key + b"\0\2", broker.connection, broker.now)
    assert not waiting.is_there
    broker.broker.complete_early(find_coordinator_key + b"\0\2", connection, broker.now)
    assert values(waiting.message) == [b"few"]


def test_producers_need_not_wait_for_what_they_sent_before(broker):
    broker.create_topic("durable", flush_messages="1")
    broker.settle = lambda: None
    connection = broker.connect()
    waiting = [broker.begin(produce_request((0, batch(b"a")), topic="durable"), 9, connection) for _ in range(3)]
    produce_key, fetch_key = b"\0\0\0\x09", b"\0\1\0\x0b"
    assert broker.broker.complete_early(produce_key, connection, broker.now)
    assert not broker.broker.complete_early(fetch_key, connection, broker.now)
    assert not broker.broker.complete_early(produce_key, broker.connection, broker.now)
    broker.broker.background.run_inline(broker.now)
    assert [only(each.message).base_offset for each in waiting] == [0, 1, 2]
    assert not broker.broker.complete_early(produce_key, connection, broker.now)  # there is nothing to go along with


def test_all_that_waits_is_forgotten_with_its_connection(broker):
    broker.create_topic("durable", flush_messages="1")
    broker.settle = lambda: None
    connection = broker.connect()
    for _ in range(3):
        broker.begin(produce_request((0, batch(b"a")), topic="durable"), 9, connection)
    assert broker.view.waiting_count == 3
    broker.broker.disconnected(connection, broker.now)
    assert broker.view.waiting_count == 0
    assert connection.waiting == []


def test_what_is_no_long_poll_makes_no_way(broker):
    """An acks=all has to wait for its own end, whatever comes behind it."""
    broker.create_topic("durable", flush_messages="1")
    broker.settle = lambda: None
    waiting = broker.begin(produce_request((0, batch(b"a")), topic="durable"), 9)
    broker.broker.complete_early(b"\0\x0a\0\2", broker.connection, broker.now)
    assert not waiting.is_there


def test_min_bytes_waits_for_enough(broker):
    waiting = broker.begin(fetch_request((0, 0), max_wait_ms=500, min_bytes=300), 11)
    for _ in range(3):
        broker.ask(produce_request((0, batch(b"x" * 10))), 9)
    assert 3 * len(batch(b"x" * 10)) < 300 <= 4 * len(batch(b"x" * 10))
    assert not waiting.is_there
    broker.ask(produce_request((0, batch(b"x" * 10))), 9)
    assert len(values(waiting.message)) == 4


def test_a_client_that_leaves_is_forgotten(broker):
    connection = broker.connect()
    waiting = broker.begin(fetch_request((0, 0), max_wait_ms=500), 11, connection)
    broker.broker.disconnected(connection, broker.now)
    broker.advance(1_000)
    assert not waiting.is_there
    assert broker.view.waiting_count == 0


def test_offsets_out_of_range(broker):
    broker.ask(produce_request((0, batch(b"a"))), 9)
    for offset, error in ((-1, errors.OFFSET_OUT_OF_RANGE), (1, errors.NONE), (2, errors.OFFSET_OUT_OF_RANGE)):
        assert only(broker.ask(fetch_request((0, offset)), 11)).error_code == error


def test_leader_epochs_fence(broker):
    current = broker.broker.image.partition("t", 0).leader_epoch
    for epoch, error in (
        (current - 1, errors.FENCED_LEADER_EPOCH if current else errors.NONE),
        (current, errors.NONE),
        (current + 1, errors.UNKNOWN_LEADER_EPOCH),
    ):
        request = fetch_request((0, 0))
        request.topics[0].partitions[0].current_leader_epoch = epoch
        assert only(broker.ask(request, 11)).error_code == error


def test_limits_give_the_first_batch_whole_and_share_the_rest(broker):
    for index in (0, 1):
        for _ in range(3):
            broker.ask(produce_request((index, batch(b"y" * 1_000))), 9)
    assert len(values(broker.ask(fetch_request((0, 0), (1, 0), max_bytes=1), 11))) == 1
    answer = broker.ask(fetch_request((0, 1)), 11)
    assert values(answer) == [b"y" * 1_000] * 2
    everything = broker.ask(fetch_request((0, 0), (1, 0)), 11)
    assert len(values(everything)) == 6


def test_unknown_partitions_are_named_behind_the_others(broker):
    answer = broker.ask(fetch_request((9, 0), (1, 0), (0, 5)), 11)
    assert [p.partition_index for p in answer.responses[0].partitions] == [1, 0, 9]


def test_a_session_forgets_what_it_is_told_in_the_same_request(broker):
    made = broker.ask(fetch_request((0, 0), session_epoch=0), 11)
    both = fetch_request((1, 5), session_id=made.session_id, session_epoch=1)
    both.forgotten_topics_data = [fetch.ForgottenTopic("t", partitions=[1])]
    assert broker.ask(both, 11).responses == []


def test_a_session_answers_what_is_new(broker):
    made = broker.ask(fetch_request((0, 0), (1, 0), session_epoch=0), 11)
    assert made.session_id
    nothing = broker.ask(fetch.FetchRequest(session_id=made.session_id, session_epoch=1), 11)
    assert nothing.responses == []
    broker.ask(produce_request((1, batch(b"new"))), 9)
    news = broker.ask(fetch.FetchRequest(session_id=made.session_id, session_epoch=2, max_bytes=1 << 20), 11)
    assert (only(news).partition_index, values(news)) == (1, [b"new"])
    wrong = broker.ask(fetch.FetchRequest(session_id=made.session_id, session_epoch=9), 11)
    assert wrong.error_code == errors.INVALID_FETCH_SESSION_EPOCH


def test_data_and_producers_survive_a_restart_of_any_kind(broker):
    data = batch(b"a", producer_id=5, producer_epoch=0, base_sequence=0)
    broker.ask(produce_request((0, bytearray(data))), 9)
    for clean in (True, False):
        broker.close(clean=clean)
        broker.fs.restart()
        broker = BrokerHarness(broker.fs)
        assert values(broker.ask(fetch_request((0, 0)), 11)) == [b"a"]
        duplicate = only(broker.ask(produce_request((0, bytearray(data))), 9))
        assert (duplicate.error_code, duplicate.base_offset) == (errors.NONE, 0)


def test_a_batch_larger_than_a_segment_is_refused_in_every_way(broker):
    broker.create_topic("small", segment_bytes="1048576", max_message_bytes="4000000")
    for _ in range(3):  # by now requests of this shape take the short way
        assert only(broker.ask(produce_request((0, batch(b"a")), topic="small"), 9)).error_code == errors.NONE
    large = produce_request((0, batch(b"a" * 2_000_000)), topic="small")
    api, out = STEM_TO_API["produce"], []
    api.messages.encode_request(large, 9, out)
    frame = bytearray(encode_request_header(RequestHeader(api.key, 9, 7, "tests")) + b"".join(map(bytes, out)))
    answer = Answer(broker.send_frame(frame), api, 9)
    assert only(answer.message).error_code == errors.RECORD_LIST_TOO_LARGE
    assert only(broker.ask(produce_request((0, batch(b"b")), topic="small"), 9)).base_offset == 3


INTERNAL = ("__consumer_offsets", "__transaction_state", "__share_group_state")


def sent_by(broker: BrokerHarness, client_id: str, request: produce.ProduceRequest, version: int, connection) -> Answer:
    parts: list = [encode_request_header(RequestHeader(PRODUCE, version, 7, client_id))]
    produce.encode_request(request, version, parts)
    frame = b"".join(map(bytes, parts))
    return Answer(broker.send_frame(frame, connection), STEM_TO_API["produce"], version)


@pytest.mark.parametrize("topic", INTERNAL)
@pytest.mark.parametrize("version", range(3, 14))
def test_internal_topics_take_records_of_the_admin_client_alone(
    broker: BrokerHarness, topic: str, version: int
) -> None:
    """Neither again on the same connection, where requests of one shape take the fast path."""
    broker.create_topic(topic)
    named = {"topic": topic, "topic_id": broker.view.topics()[topic] if version >= 13 else bytes(16)}
    connection = broker.connect()
    partition = broker.broker.partitions.get(topic, 0)
    for acks in (ALL, ALL, LEADER, LEADER):
        answer = sent_by(
            broker, "tests", produce_request((0, batch(b"hello")), acks=acks, **named), version, connection
        )
        assert only(answer.message).error_code == errors.INVALID_TOPIC_EXCEPTION
        assert only(answer.message).base_offset == -1
    with pytest.raises(CloseConnection, match="INVALID_TOPIC_EXCEPTION"):
        sent_by(broker, "tests", produce_request((0, batch(b"hello")), acks=NONE, **named), version, connection)
    assert partition.log_end_offset == 0
    for end_offset in (1, 2):
        answer = sent_by(broker, "__admin_client", produce_request((0, batch(b"x")), **named), version, connection)
        assert only(answer.message).error_code == errors.NONE
        assert partition.log_end_offset == end_offset
    answer = sent_by(broker, "tests", produce_request((0, batch(b"x")), **named), version, connection)
    assert only(answer.message).error_code == errors.INVALID_TOPIC_EXCEPTION
    assert partition.log_end_offset == 2


def test_an_internal_topic_is_refused_behind_what_is_wrong_with_the_request(broker):
    unknown = produce_request((0, batch(b"x")), topic="__consumer_offsets")
    assert only(broker.ask(unknown, 9)).error_code == errors.UNKNOWN_TOPIC_OR_PARTITION
    broker.create_topic("__consumer_offsets")
    cases = [
        (1, batch(b"x"), ALL, errors.UNKNOWN_TOPIC_OR_PARTITION),
        (0, None, ALL, errors.INVALID_RECORD),
        (0, batch(b"x") + batch(b"x"), ALL, errors.INVALID_RECORD),
        (0, batch(b"x"), 2, errors.INVALID_REQUIRED_ACKS),
    ]
    for index, records, acks, error_code in cases:
        request = produce_request((index, records), acks=acks, topic="__consumer_offsets")
        assert only(broker.ask(request, 9)).error_code == error_code
