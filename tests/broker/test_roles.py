import pytest

from kafkacompat.broker.roles import has_role, inter_broker_listener
from kafkacompat.config import BrokerConfig


@pytest.mark.parametrize(
    ("roles", "expected"), [(None, (True, True)), ("broker", (True, False)), ("broker,controller", (True, True))]
)
def test_a_node_without_roles_has_both(roles, expected):
    config = BrokerConfig.from_sources({} if roles is None else {"process.roles": roles})
    assert (has_role(config, "broker"), has_role(config, "controller")) == expected


def test_the_listener_of_brokers_is_named_or_goes_by_its_protocol():
    assert inter_broker_listener(BrokerConfig.from_sources({})) == "PLAINTEXT"
    assert inter_broker_listener(BrokerConfig.from_sources({"inter.broker.listener.name": "inner"})) == "INNER"
