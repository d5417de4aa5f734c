"""Kafka's own topics look as Kafka makes them, whoever asks first."""

import pytest

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import metadata
from kafkacompat.replication.metadata.image import TOPIC_RESOURCE
from tests.broker.harness import BrokerHarness

COMPACTED = {"cleanup.policy": "compact", "segment.bytes": "104857600"}


@pytest.mark.parametrize(
    ("name", "configs"),
    [
        ("__consumer_offsets", {**COMPACTED, "compression.type": "producer"}),
        (
            "__transaction_state",
            {
                **COMPACTED,
                "compression.type": "uncompressed",
                "min.insync.replicas": "1",
                "unclean.leader.election.enable": "false",
            },
        ),
    ],
)
def test_a_topic_of_kafkas_own_that_a_client_asks_about(name, configs):
    harness = BrokerHarness()
    asked = metadata.MetadataRequest(topics=[metadata.MetadataRequestTopic(name=name)])
    (topic,) = harness.ask(asked, 12).topics
    assert (topic.error_code, topic.is_internal, len(topic.partitions)) == (0, True, 50)
    assert harness.broker.image.config(TOPIC_RESOURCE, name) == configs


def test_why_a_topic_cannot_be_created_is_for_the_log(caplog):
    """As in Apache Kafka's AutoTopicCreationManager: clients come again after UNKNOWN_TOPIC_OR_PARTITION, and give up
    after INVALID_REPLICATION_FACTOR, though more brokers may be there soon.
    """
    harness = BrokerHarness(default_replication_factor="3")
    names = ["t", "not a name"]
    asked = metadata.MetadataRequest(topics=[metadata.MetadataRequestTopic(name=name) for name in names])
    answers = {topic.name: topic.error_code for topic in harness.ask(asked, 12).topics}
    assert answers == {"t": errors.UNKNOWN_TOPIC_OR_PARTITION, "not a name": errors.INVALID_TOPIC_EXCEPTION}
    (line,) = caplog.messages
    assert line.startswith("topic t, which a client asked for, cannot be created: ")
    assert "t" not in harness.broker.image.topics
