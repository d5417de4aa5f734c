"""What a node says of advertised addresses."""

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.control_api.advertise import advertise, advertised, registered


def test_a_node_tells_what_it_asks_for_and_what_is_registered() -> None:
    with Cluster() as kafka:
        wanted = kafka._call(1, lambda server: advertise(server, {"plaintext": "[::1]:7"}))
        assert wanted == {"PLAINTEXT": "[::1]:7"}
        assert kafka._call(1, advertised) == wanted
        kafka._await(lambda: kafka._call(1, lambda server: registered(server, 1)) == wanted, 30, "not registered")
        assert kafka._call(1, lambda server: registered(server, 9)) == {}


def test_a_node_without_brokers_advertises_nothing() -> None:
    with Cluster(controllers=1) as kafka:
        assert kafka._call(1001, advertised) == {}
        with pytest.raises(KafkaCompatError, match="only a controller"):
            kafka.advertise(1001, {})
