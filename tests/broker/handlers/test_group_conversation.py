"""Every group API in every version answers as Apache Kafka did."""

from tests.broker.handlers.group_conversation import GOLDEN, Conversation
from tests.broker.handlers.group_harness import Kafka


def test_the_conversation_goes_as_with_apache_kafka() -> None:
    kafka = Kafka()
    connection = kafka.connect()

    def exchange(frame: bytes) -> bytes:
        answers: list[list[object]] = []
        kafka.broker.dispatch(bytearray(frame), connection, kafka.now, answers.append)
        kafka.broker.background.run_inline(kafka.now)
        assert len(answers) == 1
        return b"".join(bytes(part) for part in answers[0])

    conversation = Conversation(exchange)
    conversation.have()
    recorded = GOLDEN.read_text().splitlines()[1:]
    assert len(recorded) > 600
    for place, (ours, theirs) in enumerate(zip(conversation.lines, recorded, strict=True)):
        assert ours == theirs, f"line {place + 2} of {GOLDEN.name}, after {recorded[place - 1]}"
