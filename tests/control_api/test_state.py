"""The state of a node: what a reset may keep, and whom it names."""

from __future__ import annotations

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.control_api import state
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
