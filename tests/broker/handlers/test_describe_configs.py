from kafkacompat.broker.handlers import describe_configs
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from tests.broker.harness import BrokerHarness

TOPIC, BROKER, LOGGER = 2, 4, 8


def ask(broker: BrokerHarness, *resources: tuple[int, str], **kwargs):
    wanted = [DescribeConfigsResource(kind, name, None) for kind, name in resources]
    return broker.ask(DescribeConfigsRequest(resources=wanted, **kwargs), 4).results


def test_a_topic_with_what_is_set_and_what_it_falls_back_to():
    broker = BrokerHarness()
    broker.create_topic("t", segment_bytes="1048576")
    (result,) = ask(broker, (TOPIC, "t"), include_synonyms=True, include_documentation=True)
    segment = next(entry for entry in result.configs if entry.name == "segment.bytes")
    assert (segment.value, segment.config_source) == ("1048576", 1)
    assert [synonym.name for synonym in segment.synonyms][:2] == ["segment.bytes", "log.segment.bytes"]
    assert segment.documentation


def test_what_cannot_be_described_says_why():
    broker = BrokerHarness()
    results = ask(broker, (TOPIC, "no"), (TOPIC, "a/b"), (BROKER, "7"), (LOGGER, "1"), (99, "x"))
    assert [result.error_code for result in results] == [
        errors.UNKNOWN_TOPIC_OR_PARTITION, errors.INVALID_TOPIC_EXCEPTION,
        errors.INVALID_REQUEST, errors.INVALID_REQUEST, errors.INVALID_REQUEST,
    ]  # fmt: skip
    assert all(result.error_message for result in results)


def test_a_small_question_gets_no_endless_answer(monkeypatch):
    monkeypatch.setattr(describe_configs, "MAX_ENTRIES", 40)
    broker = BrokerHarness()
    broker.create_topic("t")
    results = ask(broker, (TOPIC, "t"), (TOPIC, "t"), (TOPIC, "t"))
    assert [result.error_code for result in results] == [errors.NONE, errors.NONE, errors.INVALID_REQUEST]
