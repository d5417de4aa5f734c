"""A controller request that comes without time left is answered at once, and nothing is done."""

import pytest

from kafkacompat.protocol.error_codes import NONE, REQUEST_TIMED_OUT
from kafkacompat.protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from tests.broker.harness import BrokerHarness


@pytest.mark.parametrize("timeout_ms", [0, -1])
def test_no_time_left(timeout_ms):
    harness = BrokerHarness()
    harness.create_topic("t")
    create = CreateTopicsRequest([CreatableTopic("new", 1, 1)], timeout_ms)
    assert harness.ask(create, 7).topics[0].error_code == REQUEST_TIMED_OUT
    grow = CreatePartitionsRequest([CreatePartitionsTopic("t", 2)], timeout_ms)
    assert harness.ask(grow, 3).results[0].error_code == REQUEST_TIMED_OUT
    delete = DeleteTopicsRequest([DeleteTopicState("t")], timeout_ms=timeout_ms)
    assert harness.ask(delete, 6).responses[0].error_code == REQUEST_TIMED_OUT
    assert "new" not in harness.broker.image.topics
    assert len(harness.broker.image.topics["t"].partitions) == 1


def test_any_time_is_enough():
    harness = BrokerHarness()
    create = CreateTopicsRequest([CreatableTopic("new", 1, 1)], 1)
    assert harness.ask(create, 7).topics[0].error_code == NONE
