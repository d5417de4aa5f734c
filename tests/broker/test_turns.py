"""No turn of the event loop grows with what is asked for: work is counted, not timed."""

from collections.abc import Iterator
from contextlib import suppress

import pytest

from kafkacompat.broker.connection import CONTROLLER
from kafkacompat.broker.handlers import create_topics as create_topics_handler
from kafkacompat.broker.handlers import metadata as metadata_handler
from kafkacompat.broker.metadata_answers import MetadataAnswers
from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import metadata
from kafkacompat.protocol.messages.allocate_producer_ids import AllocateProducerIdsRequest
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest
from kafkacompat.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from kafkacompat.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from kafkacompat.protocol.messages.describe_topic_partitions import DescribeTopicPartitionsRequest
from kafkacompat.replication.metadata import batch_accumulator
from kafkacompat.replication.metadata.image import TOPIC_RESOURCE
from kafkacompat.steps import UNITS_PER_ITERATION, UNITS_PER_STEP
from kafkacompat.storage.errors import LogError
from tests.broker.harness import Answer, BrokerHarness

MANY = 5 * UNITS_PER_ITERATION
MAX_UNITS = UNITS_PER_ITERATION + UNITS_PER_STEP


class Work:
    """Units of work, by turn."""

    def __init__(self) -> None:
        self.turns = [0]

    def next_turn(self) -> None:
        self.turns.append(0)

    def did(self) -> None:
        self.turns[-1] += 1


@pytest.fixture
def kafka() -> Iterator[BrokerHarness]:
    harness = BrokerHarness()
    yield harness
    harness.close()


def turns_until_answered(kafka: BrokerHarness, answer: Answer, work: Work) -> int:
    """Turns of the loop that it takes, one run of the timers each."""
    for count in range(1, 100):
        if answer.is_there:
            return count
        work.next_turn()
        kafka.broker.timers.run(kafka.now)
        kafka.settle()
    raise AssertionError("no answer")


@pytest.fixture
def encoded_records(monkeypatch: pytest.MonkeyPatch) -> Work:
    work, encode = Work(), batch_accumulator.encode_record

    def counted(record):
        work.did()
        return encode(record)

    monkeypatch.setattr(batch_accumulator, "encode_record", counted)
    return work


def create(*topics: tuple[str, int]) -> CreateTopicsRequest:
    return CreateTopicsRequest(topics=[CreatableTopic(name, count, 1) for name, count in topics], timeout_ms=60_000)


@pytest.mark.parametrize("topics", [[("big", MANY)], [(f"t{n}", 1) for n in range(MANY // 2)]])
def test_a_large_change_of_the_metadata_takes_many_turns(kafka, encoded_records, topics):
    answer = kafka.begin(create(*topics), 7)
    assert turns_until_answered(kafka, answer, encoded_records) > 4
    assert not any(topic.error_code for topic in answer.message.topics)
    assert max(encoded_records.turns) <= MAX_UNITS
    assert sum(encoded_records.turns) == sum(1 + count for _, count in topics)
    assert sum(len(topic.partitions) for topic in kafka.broker.image.topics.values()) == sum(n for _, n in topics)


@pytest.mark.parametrize("version", [4, 5, 7])
def test_an_answer_about_many_new_topics_is_encoded_in_several_turns(kafka, monkeypatch, version):
    work, encode = Work(), create_topics_handler.encode_creatable_topic_result

    def counted(topic, version):
        work.did()
        return encode(topic, version)

    monkeypatch.setattr(create_topics_handler, "encode_creatable_topic_result", counted)
    names = [f"t{n}" for n in range(MANY // 5)]
    answer = kafka.begin(create(*((name, 1) for name in names), ("t0", 1)), version)
    turns_until_answered(kafka, answer, work)
    assert max(work.turns) <= UNITS_PER_ITERATION // create_topics_handler.UNITS_PER_TOPIC + 1
    found = {topic.name: topic for topic in answer.message.topics}
    assert [name for name, topic in found.items() if topic.error_code] == ["t0"]  # it was asked for twice
    assert found.keys() == set(names)
    if version >= 5:
        assert all(len(found[name].configs) > 30 for name in names[1:])


def test_what_comes_meanwhile_is_decided_in_order(kafka, encoded_records):
    answers = [kafka.begin(create(("big", MANY)), 7)]
    assert not answers[0].is_there
    connections = [kafka.connect() for _ in range(3)]
    answers.append(kafka.begin(create(("big", 1)), 7, connections[0]))
    answers.append(kafka.begin(create(("other", 1)), 7, connections[1]))
    request = AllocateProducerIdsRequest(1, kafka.broker.broker_epoch)
    answers.append(kafka.begin(request, 0, kafka.connect(CONTROLLER)))
    assert not any(answer.is_there for answer in answers)
    turns_until_answered(kafka, answers[-1], encoded_records)
    assert [answer.message.topics[0].error_code for answer in answers[:3]] == [
        errors.NONE, errors.TOPIC_ALREADY_EXISTS, errors.NONE,
    ]  # fmt: skip
    assert answers[3].message.error_code == errors.NONE
    assert {"big", "other"} <= kafka.broker.image.topics.keys()


def refused_behind_a_large_change(kafka):
    """A change that waits to be decided, and will be refused then."""

    def refuse(_image, _now):
        raise LogError(errors.MESSAGE_TOO_LARGE, "too large")

    kafka.begin(create(("big", MANY)), 7)
    refused = kafka.broker.quorum.submit(refuse, kafka.now)
    assert not refused.is_done
    return refused


def test_who_cannot_take_an_answer_holds_up_no_other_change(kafka, encoded_records):
    def fail(_now):
        raise RuntimeError("a bug")

    refused_behind_a_large_change(kafka).when_done(fail)
    answer = kafka.begin(create(("other", 1)), 7, kafka.connect())
    run = kafka.broker.timers.run

    def run_as_a_shell(now):
        with suppress(RuntimeError):
            run(now)

    kafka.broker.timers.run = run_as_a_shell
    turns_until_answered(kafka, answer, encoded_records)
    assert answer.message.topics[0].error_code == errors.NONE


def test_a_term_may_end_as_a_change_is_refused(kafka):
    quorum = kafka.broker.quorum
    refused = refused_behind_a_large_change(kafka)
    refused.when_done(quorum.raft.resign)
    answer = kafka.begin(create(("other", 1)), 7, kafka.connect())
    while not refused.is_done:
        kafka.broker.timers.run(kafka.now)
    assert refused.failed == errors.MESSAGE_TOO_LARGE
    assert answer.message.topics[0].error_code == errors.NOT_CONTROLLER
    assert not quorum.is_deciding


def test_a_term_that_ends_leaves_no_change_undecided(kafka):
    answer = kafka.begin(create(("big", MANY)), 7)
    quorum = kafka.broker.quorum
    assert quorum.is_deciding
    quorum.raft.resign(kafka.now)
    kafka.settle()
    assert answer.message.topics[0].error_code == errors.NOT_CONTROLLER
    assert not quorum.is_deciding
    kafka.broker.timers.run(kafka.now)
    assert "big" not in kafka.broker.image.topics


def test_clients_that_go_leave_no_queue_of_changes_behind(kafka):
    answer = kafka.begin(create(("first", MANY)), 7)
    stays = kafka.begin(create(("stays", 1)), 7, kafka.connect())
    accumulator = kafka.broker.quorum._accumulator
    for n in range(10 * batch_accumulator.CANCELLED_MIN):
        connection = kafka.connect()
        kafka.begin(create((f"gone-{n}", 1)), 7, connection)
        kafka.broker.disconnected(connection, kafka.now)
        assert len(accumulator._undecided) <= 2 * batch_accumulator.CANCELLED_MIN
    while not (answer.is_there and stays.is_there):
        kafka.settle()
        kafka.broker.timers.run(kafka.now)
    assert set(kafka.broker.image.topics) == {"first", "stays"}


def test_a_stop_decides_on_what_was_asked(kafka):
    kafka.begin(create(("big", MANY)), 7)
    kafka.broker.quorum.flush(kafka.now)
    assert "big" in kafka.broker.image.topics


def test_a_bug_in_a_large_change_harms_no_other(kafka, caplog):
    def failing(_image: object, _now: Now):
        yield UNITS_PER_ITERATION
        raise ValueError("made to fail")

    submission = kafka.broker.quorum.submit(failing, kafka.now)
    answer = kafka.begin(create(("other", 1)), 7)
    assert turns_until_answered(kafka, answer, Work()) < 4
    assert submission.failed == errors.UNKNOWN_SERVER_ERROR
    assert "made to fail" in caplog.text


@pytest.fixture(scope="module")
def wide_once() -> Iterator[BrokerHarness]:
    """A broker with one topic of many partitions and many small ones."""
    harness = BrokerHarness()
    for request in (create(("wide", MANY)), create(*((f"small-{n}", 1) for n in range(MANY // 2)))):
        answer = harness.begin(request, 7)
        turns_until_answered(harness, answer, Work())
        assert not any(topic.error_code for topic in answer.message.topics)
    yield harness
    harness.close()


@pytest.fixture
def wide(wide_once: BrokerHarness) -> BrokerHarness:
    """The same broker for all, which remembers no answer of another test."""
    wide_once.broker.metadata_answers = MetadataAnswers()
    return wide_once


ALL = {
    "metadata": (metadata.MetadataRequest(topics=None, allow_auto_topic_creation=False), 12),
    "metadata by name": (
        metadata.MetadataRequest(
            topics=[metadata.MetadataRequestTopic(name=f"small-{n}") for n in range(MANY // 2)],
            allow_auto_topic_creation=False,
        ), 9,
    ),
    "describe_configs": (
        DescribeConfigsRequest(
            resources=[DescribeConfigsResource(TOPIC_RESOURCE, f"small-{n}", None) for n in range(MANY // 2)],
            include_synonyms=True,
        ), 4,
    ),
    "describe_log_dirs": (DescribeLogDirsRequest(topics=None), 4),
    "describe_topic_partitions": (DescribeTopicPartitionsRequest(topics=[], response_partition_limit=2_000), 0),
}  # fmt: skip


@pytest.mark.parametrize("name", ALL)
def test_an_answer_about_all_takes_many_turns(wide, steps, name):
    answer = wide.begin(*ALL[name])
    assert not answer.is_there
    other = wide.begin(metadata.MetadataRequest(topics=[]), 12, wide.connect())
    assert other.is_there  # others do not wait
    assert turns_until_answered(wide, answer, Work()) > 1
    assert max(steps) <= MAX_UNITS
    assert not getattr(answer.message, "error_code", 0)


def test_metadata_of_all_topics_is_the_same_answer_for_all_clients(wide, steps):
    turns_until_answered(wide, wide.begin(*ALL["metadata"]), Work())
    (kept,) = wide.broker.metadata_answers.answers.values()
    for _ in range(2):
        assert wide.begin(*ALL["metadata"], wide.connect()).is_there
    assert list(wide.broker.metadata_answers.answers.values()) == [kept]


def test_clients_that_ask_together_wait_for_one_answer(wide, monkeypatch):
    """As after a change, or when all of them connect again."""
    encoded = []

    def encode(response, version, parts):
        encoded.append(len(response.topics))
        encode_metadata(response, version, parts)

    encode_metadata = metadata_handler.encode_response
    monkeypatch.setattr(metadata_handler, "encode_response", encode)
    answers = [wide.begin(*ALL["metadata"], wide.connect()) for _ in range(10)]
    assert not any(answer.is_there for answer in answers)
    for answer in answers:
        turns_until_answered(wide, answer, Work())
    assert len(encoded) == 1
    assert len({len(answer.message.topics) for answer in answers}) == 1


def test_one_of_those_who_wait_for_an_answer_encodes_it_when_the_first_has_gone(wide):
    gone = wide.connect()
    wide.begin(*ALL["metadata"], gone)
    answer = wide.begin(*ALL["metadata"], wide.connect())
    wide.broker.disconnected(gone, wide.now)
    turns_until_answered(wide, answer, Work())
    assert answer.message.topics


def test_metadata_of_all_topics_costs_what_changed(wide, steps):
    before = wide.begin(*ALL["metadata"])
    turns_until_answered(wide, before, Work())
    first_cost = sum(steps)
    wide.create_topic("one-more", 3)
    steps.clear()
    after = wide.ask(*ALL["metadata"])
    wide.ask(DeleteTopicsRequest(topic_names=["one-more"], timeout_ms=60_000), 5)
    assert sum(steps) < first_cost / 20
    known = {topic.name: topic for topic in before.message.topics}
    assert len(after.topics) == len(known) + 1
    assert all(topic == known[topic.name] for topic in after.topics if topic.name != "one-more")


def test_a_client_that_goes_takes_its_answer_along(wide):
    connection = wide.connect()
    answer = wide.begin(*ALL["metadata"], connection)
    assert len(wide.broker.long_answers) == 1
    wide.broker.disconnected(connection, wide.now)
    assert not len(wide.broker.long_answers)
    wide.broker.timers.run(wide.now)
    assert not answer.is_there


def test_several_long_answers_take_turns(wide):
    answers = [wide.begin(*ALL["metadata by name"], wide.connect()) for _ in range(3)]
    assert len(wide.broker.long_answers) == 3
    assert sum(turns_until_answered(wide, answer, Work()) for answer in answers) > 3
    assert not len(wide.broker.long_answers)


def test_a_bug_in_a_long_answer_is_one_requests(wide, caplog, monkeypatch):
    encode, calls = metadata_handler.encode_metadata_response_topic, []

    def failing(item, version):
        calls.append(item)
        if len(calls) > MANY // 3:
            raise ValueError("made to fail")
        return encode(item, version)

    monkeypatch.setattr(metadata_handler, "encode_metadata_response_topic", failing)
    answer = wide.begin(*ALL["metadata by name"])
    assert not answer.is_there
    turns_until_answered(wide, answer, Work())
    assert "made to fail" in caplog.text
    assert answer.message.topics[0].error_code == errors.UNKNOWN_SERVER_ERROR
