"""The state of a node: what a reset may keep, and whom it names."""

from __future__ import annotations

from typing import Any

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.control_api import state
from kafkacompat.control_api.joined import joined_state
from kafkacompat.server.broker_server import BrokerServer
from tests.raw_client import RawClient


def test_only_topics_can_be_kept() -> None:
    state.check_keep({"topics"})
    state.check_keep(())
    for wrong in ("topics", ["users"], {"topics", "acls"}):
        with pytest.raises(KafkaCompatError, match="give a collection of 'topics'"):
            state.check_keep(wrong)


def test_the_topics_of_users_are_those_that_are_kept() -> None:
    with Cluster(topics={"orders": 3}) as kafka:
        with RawClient(kafka.bootstrap_servers) as client:
            client.ask("find_coordinator", 10, 3, key="a group")  # makes __consumer_offsets
        present = kafka._call(1, state.present_topics)
        assert {name: (topic.partitions, topic.replicas) for name, topic in present.items()} == {"orders": (3, 1)}


def test_connections_of_clients_are_named_and_closed() -> None:
    with Cluster() as kafka, RawClient(kafka.bootstrap_servers, "mine") as client:
        client.ask("api_versions", 18, 3, client_software_name="raw", client_software_version="7")
        (named,) = kafka._call(1, lambda server: state.client_connections([server]))
        assert (named["broker"], named["listener"], named["client_id"]) == (1, "PLAINTEXT", "mine")
        kafka._call(1, state.close_clients)
        assert client.sock.recv(1) == b""


def test_a_client_may_come_from_a_port_from_which_a_node_is_connected_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The operating system gives one port to connections with different destinations."""
    with Cluster(brokers=2) as kafka, RawClient(kafka.bootstrap_servers.split(",")[0], "mine") as client:
        client.ask("api_versions", 18, 3, client_software_name="raw", client_software_version="7")
        host, port = client.sock.getsockname()
        to = client.sock.getpeername()[1]
        for ends, named in ((f"{host}:{port}>{to + 1}", ["mine"]), (f"{host}:{port}>{to}", [])):
            monkeypatch.setattr(BrokerServer, "own_addresses", {ends})
            assert [
                each["client_id"] for each in kafka._call(1, lambda server: state.client_connections([server]))
            ] == named


def test_nodes_in_processes_tell_clients_from_each_other_by_both_ends() -> None:
    look = {"connections": [{"request_count": 1}], "ends": ["127.0.0.1:4000>9092"], "own_addresses": []}
    for ends, count in (("127.0.0.1:4000>9093", 1), ("127.0.0.1:4000>9092", 0)):
        nothing: dict[str, Any] = {"connections": [], "ends": [], "own_addresses": []}
        other = nothing | {"own_addresses": [ends]}
        assert len(joined_state._of_clients({1: look, 2: other}, {1: look, 2: nothing})) == count
        assert len(joined_state._of_clients({1: look, 2: nothing}, {1: look, 2: other})) == count


def ends_of(server: BrokerServer) -> set[str]:
    return {each.ends for each in server.connections}


def test_the_connections_of_nodes_to_each_other_are_those_that_they_have() -> None:
    with Cluster(brokers=2, topics={"orders": (1, 2)}) as kafka:
        own = {ends for node in (1, 2) for ends in kafka._call(node, lambda server: server.own_addresses)}
        seen = {ends for node in (1, 2) for ends in kafka._call(node, ends_of)}
        assert own
        assert own <= seen
