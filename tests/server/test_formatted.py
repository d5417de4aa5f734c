"""Which nodes can start in an empty directory, and what the others are told."""

from __future__ import annotations

import pytest

from kafkacompat.config import BrokerConfig
from kafkacompat.errors import StartupError
from kafkacompat.server.formatted import check_formatted, formats_itself
from kafkacompat.server.settings import broker_config
from kafkacompat.storage.memfs import MemFs

NODE = {"process.roles": "broker,controller", "node.id": "1", "controller.listener.names": "C"}
LISTENERS = {
    "listeners": "PLAINTEXT://:9092,C://:9093",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,C:PLAINTEXT",
}


def config(**voters: str) -> BrokerConfig:
    return broker_config({**NODE, **LISTENERS, **{name.replace("_", "."): value for name, value in voters.items()}})[0]


def test_the_only_voter_and_a_broker_without_roles_format_their_directory() -> None:
    assert formats_itself(broker_config({})[0])
    assert formats_itself(config(controller_quorum_voters="1@localhost:9093"))
    assert not formats_itself(config(controller_quorum_voters="1@localhost:9093,2@localhost:9094"))
    assert not formats_itself(config(controller_quorum_bootstrap_servers="localhost:9093"))


@pytest.mark.parametrize(
    ("voters", "advice"),
    [
        ({"controller_quorum_voters": "1@localhost:9093,2@localhost:9094"}, "give the cluster id"),
        ({"controller_quorum_bootstrap_servers": "localhost:9093"}, "choose the voters with kafkacompat format"),
    ],
)
def test_others_are_told_how_to_format(voters: dict[str, str], advice: str) -> None:
    with pytest.raises(StartupError, match=advice):
        check_formatted(config(**voters), MemFs(), "data", None)
    with pytest.raises(StartupError, match="needs its own data directory"):
        check_formatted(config(**voters), MemFs(), None, None)
    check_formatted(config(controller_quorum_voters="1@localhost:9093"), MemFs(), None, None)
