"""No turn of the event loop grows with what is asked for: work is counted, not timed."""

from collections.abc import Iterator

import pytest

from kafkacompat.broker.registry import CONTROLLER
from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.allocate_producer_ids import AllocateProducerIdsRequest
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.replication.metadata import submissions
from kafkacompat.steps import UNITS_A_STEP, UNITS_A_TURN
from tests.broker.harness import Answer, BrokerHarness

MANY = 5 * UNITS_A_TURN
MAX_UNITS = UNITS_A_TURN + UNITS_A_STEP


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
    work, encode = Work(), submissions.encode_record

    def counted(record):
        work.did()
        return encode(record)

    monkeypatch.setattr(submissions, "encode_record", counted)
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


def test_a_term_that_ends_leaves_no_change_undecided(kafka):
    answer = kafka.begin(create(("big", MANY)), 7)
    quorum = kafka.broker.quorum
    assert quorum.is_deciding
    quorum.resign(kafka.now)
    kafka.settle()
    assert answer.message.topics[0].error_code == errors.NOT_CONTROLLER
    assert not quorum.is_deciding
    kafka.broker.timers.run(kafka.now)
    assert "big" not in kafka.broker.image.topics


def test_a_stop_decides_on_what_was_asked(kafka):
    kafka.begin(create(("big", MANY)), 7)
    kafka.broker.quorum.flush(kafka.now)
    assert "big" in kafka.broker.image.topics


def test_a_bug_in_a_large_change_harms_no_other(kafka, caplog):
    def failing(_image: object, _now: Now):
        yield UNITS_A_TURN
        raise ValueError("made to fail")

    submission = kafka.broker.quorum.submit(failing, kafka.now)
    answer = kafka.begin(create(("other", 1)), 7)
    assert turns_until_answered(kafka, answer, Work()) < 4
    assert submission.failed == errors.UNKNOWN_SERVER_ERROR
    assert "made to fail" in caplog.text
