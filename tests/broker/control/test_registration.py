"""What a broker says of itself."""

from kafkacompat.broker.control.registration import registration_of
from kafkacompat.replication.metadata.image import EMPTY_IMAGE, Endpoint
from tests.broker.harness import BrokerHarness


def test_a_broker_says_where_it_is_and_what_it_can_do() -> None:
    broker = BrokerHarness(broker_rack="r1").broker
    request = registration_of(broker, [Endpoint("BROKERS", "here", 9093)], EMPTY_IMAGE)
    assert (request.broker_id, request.cluster_id, request.rack) == (1, broker.cluster_id, "r1")
    assert [(each.name, each.host, each.port) for each in request.listeners] == [("BROKERS", "here", 9093)]
    assert request.log_dirs == [broker.logs.metadata_directory.directory_id]
    features = {each.name: (each.min_supported_version, each.max_supported_version) for each in request.features}
    assert features == {
        "metadata.version": (29, 30), "kraft.version": (0, 1), "eligible.leader.replicas.version": (1, 1),
            "transaction.version": (0, 2),
    }  # fmt: skip
