"""What brokers and clients ask of the active controller, through the front door."""

from typing import Any, cast

import pytest

from kafkacompat.broker.connection import CONTROLLER
from kafkacompat.broker.network import Address
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.allocate_producer_ids import AllocateProducerIdsRequest
from kafkacompat.protocol.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionRequestPartitionData,
    AlterPartitionRequestTopicData,
    BrokerState,
)
from kafkacompat.protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from kafkacompat.protocol.messages.assign_replicas_to_dirs import AssignReplicasToDirsRequest
from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest
from kafkacompat.protocol.messages.broker_registration import BrokerRegistrationRequest, Feature, Listener
from kafkacompat.protocol.messages.controller_registration import ControllerRegistrationRequest
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.protocol.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from kafkacompat.protocol.messages.list_partition_reassignments import ListPartitionReassignmentsRequest
from kafkacompat.protocol.messages.unregister_broker import UnregisterBrokerRequest
from kafkacompat.protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest
from kafkacompat.replication.controller.failure_detector import GRACE_MS
from kafkacompat.replication.metadata.features import SUPPORTED_FEATURES
from kafkacompat.steps import UNITS_PER_ITERATION
from tests.broker.harness import BrokerHarness

REQUESTS: list[tuple[Any, int]] = [
    (BrokerRegistrationRequest(), 4),
    (BrokerHeartbeatRequest(), 2),
    (AlterPartitionRequest(), 3),
    (AllocateProducerIdsRequest(), 0),
    (AssignReplicasToDirsRequest(), 0),
    (ControllerRegistrationRequest(), 0),
    (UnregisterBrokerRequest(), 0),
    (UpdateFeaturesRequest(), 2),
    (ListPartitionReassignmentsRequest(), 0),
    (AlterPartitionReassignmentsRequest(1000, True, [ReassignableTopic("t", [ReassignablePartition(0, [1])])]), 1),
    (ElectLeadersRequest(0, [TopicPartitions("t", [0])], 1000), 2),
]


@pytest.fixture
def broker() -> BrokerHarness:
    return BrokerHarness()


@pytest.mark.parametrize(("request_", "version"), REQUESTS, ids=lambda value: type(value).__name__)
def test_a_node_that_is_not_the_active_controller_says_so(broker: BrokerHarness, request_: Any, version: int) -> None:
    broker.broker.controller_server.on_inactive(broker.now)
    connection = broker.controller_connection
    assert broker.ask(request_, version, connection).error_code == errors.NOT_CONTROLLER


def registration_of_2(broker: BrokerHarness) -> BrokerRegistrationRequest:
    return BrokerRegistrationRequest(
        2,
        broker.broker.cluster_id,
        b"i" * 16,
        [Listener("PLAINTEXT", "localhost", 9999)],
        [Feature(name, low, high) for name, (low, high) in SUPPORTED_FEATURES.items()],
        None,
        log_dirs=[b"d" * 16],
    )


def test_a_broker_joins_works_and_is_forgotten(broker: BrokerHarness) -> None:
    request = registration_of_2(broker)
    epoch = broker.ask(request, 4).broker_epoch
    assert broker.broker.image.brokers[2].epoch == epoch
    beat = BrokerHeartbeatRequest(2, epoch, broker.broker.image.offset, cordoned_log_dirs=[])
    assert not broker.ask(beat, 2).is_fenced
    assert not broker.broker.image.brokers[2].fenced
    assert broker.ask(AllocateProducerIdsRequest(2, epoch), 0).producer_id_len == 1000
    assert broker.ask(AssignReplicasToDirsRequest(2, epoch), 0).error_code == errors.NONE
    assert broker.ask(UnregisterBrokerRequest(2), 0).error_code == errors.NONE
    assert list(broker.broker.image.brokers) == [1]
    assert broker.ask(beat, 2).error_code == errors.STALE_BROKER_EPOCH


@pytest.mark.parametrize("waits", [False, True])
def test_a_connection_on_which_a_broker_was_heard_is_watched(broker: BrokerHarness, waits: bool) -> None:
    """Its end is the first sign that the broker is dead, also where the heartbeat is decided in a later turn, behind a
    large change.
    """
    dialed: list[int] = []

    class Dials:
        def dial(self, to: Address, done: object) -> None:
            dialed.append(to.port)

    broker.broker.controller_server.network = cast("Any", Dials())
    connections = [broker.connect(CONTROLLER) for _ in range(2)]
    epoch = broker.ask(registration_of_2(broker), 4, connections[0]).broker_epoch
    offset = broker.broker.image.offset
    if waits:
        broker.begin(CreateTopicsRequest(topics=[CreatableTopic("big", 2 * UNITS_PER_ITERATION, 1)]), 7)
    beat = broker.begin(BrokerHeartbeatRequest(2, epoch, offset), 2, connections[1])
    assert beat.is_there is not waits
    while not beat.is_there:
        broker.advance(1)
    assert beat.message.error_code == errors.NONE
    dialed.clear()
    broker.broker.disconnected(connections[1], broker.now)
    broker.advance(GRACE_MS)
    assert dialed == [9999]


def test_a_broker_of_another_cluster_does_not_join(broker: BrokerHarness) -> None:
    request = BrokerRegistrationRequest(2, "another", b"i" * 16, log_dirs=[b"d" * 16])
    assert broker.ask(request, 4).error_code == errors.INCONSISTENT_CLUSTER_ID


@pytest.mark.parametrize("version", [2, 3])
def test_a_leader_proposes_its_in_sync_set(broker: BrokerHarness, version: int) -> None:
    broker.create_topic("t")
    image = broker.broker.image
    members: dict[str, Any] = (
        {"new_isr": [1]} if version == 2 else {"new_isr_with_epochs": [BrokerState(1, image.brokers[1].epoch)]}
    )
    partition = AlterPartitionRequestPartitionData(0, 0, partition_epoch=0, **members)
    topic = AlterPartitionRequestTopicData(image.topics["t"].topic_id, [partition])
    answer = broker.ask(AlterPartitionRequest(1, image.brokers[1].epoch, [topic]), version)
    (found,) = answer.topics[0].partitions
    assert (answer.error_code, found.error_code, found.leader_id, found.isr) == (errors.NONE, errors.NONE, 1, [1])


@pytest.mark.parametrize("version", [0, 1, 2])
def test_elections(broker: BrokerHarness, version: int) -> None:
    broker.create_topic("t")
    answer = broker.ask(ElectLeadersRequest(0, [TopicPartitions("t", [0]), TopicPartitions("u", [0])], 1000), version)
    assert [
        (topic.topic, [(each.error_code, each.error_message) for each in topic.partition_result])
        for topic in answer.replica_election_results
    ] == [
        ("t", [(errors.ELECTION_NOT_NEEDED, "Leader election not needed for topic partition.")]),
        ("u", [(errors.UNKNOWN_TOPIC_OR_PARTITION, "No such topic as u")]),
    ]
    everything = broker.ask(ElectLeadersRequest(0, None, 1000), version)
    assert [(topic.topic, topic.partition_result) for topic in everything.replica_election_results] == [("t", [])]


@pytest.mark.parametrize("version", [0, 1, 2])
def test_elections_without_time_are_not_begun(broker: BrokerHarness, version: int) -> None:
    answer = broker.ask(ElectLeadersRequest(0, [TopicPartitions("t", [0])], 0), version)
    assert answer.error_code == (errors.REQUEST_TIMED_OUT if version else errors.NONE)
    (result,) = answer.replica_election_results[0].partition_result
    assert (result.error_code, result.error_message) == (errors.REQUEST_TIMED_OUT, None)


def test_reassignments(broker: BrokerHarness) -> None:
    broker.create_topic("t")
    for wanted, timeout_ms, top, error, message in (
        ([1], 1000, errors.NONE, errors.NONE, None),
        (None, 1000, errors.NONE, errors.NO_REASSIGNMENT_IN_PROGRESS, None),
        ([1], 0, errors.REQUEST_TIMED_OUT, errors.REQUEST_TIMED_OUT, None),
        ([2], 1000, errors.NONE, errors.INVALID_REPLICA_ASSIGNMENT,
         "The manual partition assignment includes broker 2, but no such broker is registered."),
    ):  # fmt: skip
        topics = [ReassignableTopic("t", [ReassignablePartition(0, wanted)])]
        answer = broker.ask(AlterPartitionReassignmentsRequest(timeout_ms, True, topics), 1)
        (found,) = answer.responses[0].partitions
        assert (answer.error_code, answer.error_message) == (top, None)
        assert (found.error_code, found.error_message) == (error, message)
    assert broker.ask(ListPartitionReassignmentsRequest(1000, None), 0).topics == []


def test_levels_of_features(broker: BrokerHarness) -> None:
    answer = broker.ask(UpdateFeaturesRequest(1000, [FeatureUpdateKey("share.version", 1)], True), 2)
    assert answer.error_code == errors.INVALID_UPDATE_VERSION
    assert answer.error_message.endswith("share.version. Local controller 1 does not support this feature.")
