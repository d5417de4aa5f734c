from __future__ import annotations

import pytest

from kafkacompat.protocol import api_keys, messages
from kafkacompat.protocol.headers import encode_response_header, response_header_is_flexible
from kafkacompat.protocol.messages import describe_cluster, fetch, find_coordinator, metadata
from kafkacompat.protocol.primitives import Message
from kafkacompat.traffic.advertised_addresses import TELLS_SINCE, Advertised, tells_addresses

MOVED = {("a", 1): ("p", 7), ("b", 2): ("p", 8)}


def frame(key: int, version: int, message: Message) -> bytes:
    parts: list[bytes] = [encode_response_header(7, response_header_is_flexible(key, version))]
    messages.load(key).encode_response(message, version, parts)
    return b"".join(map(bytes, parts))


@pytest.mark.parametrize(
    ("key", "version", "message"),
    [
        (3, 12, metadata.MetadataResponse(0, [metadata.MetadataResponseBroker(each, host, each)
                                              for each, host in ((1, "a"), (2, "b"))])),
        (10, 4, find_coordinator.FindCoordinatorResponse(
            coordinators=[find_coordinator.Coordinator("g", 1, "a", 1), find_coordinator.Coordinator("h", 2, "b", 2)])),
        (60, 0, describe_cluster.DescribeClusterResponse(
            brokers=[describe_cluster.DescribeClusterBroker(1, "a", 1),
                     describe_cluster.DescribeClusterBroker(2, "b", 2)])),
        (1, 16, fetch.FetchResponse(
            node_endpoints=[fetch.NodeEndpoint(1, "a", 1), fetch.NodeEndpoint(2, "b", 2)])),
    ],
)  # fmt: skip
def test_addresses_of_nodes_are_replaced_and_nothing_else(key: int, version: int, message: Message) -> None:
    data = frame(key, version, message)
    found = Advertised(data, key, version)
    assert found.nodes == {("a", 1): 1, ("b", 2): 2}
    assert Advertised(data, key, version).replaced({}) == data
    moved = Advertised(found.replaced(MOVED), key, version)
    assert moved.nodes == {("p", 7): 1, ("p", 8): 2}
    back = {there: here for here, there in MOVED.items()}
    assert moved.replaced(back) == data
    assert tells_addresses(key, version)


def test_answers_without_addresses_stay_as_they_are() -> None:
    nobody = frame(10, 2, find_coordinator.FindCoordinatorResponse(error_code=15, node_id=-1, host="", port=-1))
    assert Advertised(nobody, 10, 2).nodes == {}
    assert Advertised(nobody, 10, 2).replaced(MOVED) == nobody
    assert not tells_addresses(api_keys.HEARTBEAT, 0)
    assert not tells_addresses(api_keys.FETCH, 15)
    with pytest.raises(ValueError, match="Metadata"):
        Advertised(b"\0\0\0\1\0\0", 3, 1)


def test_every_answer_with_addresses_of_brokers_is_known() -> None:
    of_controllers = {"describe_quorum", "update_raft_voter"}
    with_address = set()
    for key, stem in messages.STEMS.items():
        structs = [each for each in vars(messages.load(key)).values() if {"host", "port"} <= _fields(each)]
        if any(each.__module__.endswith(stem) and "Request" not in each.__name__ for each in structs):
            with_address.add(stem)
    known = {messages.stem(key) for key in TELLS_SINCE}
    nodes_only = {
        "vote", "fetch_snapshot", "begin_quorum_epoch", "end_quorum_epoch", "broker_registration",
        "controller_registration", "add_raft_voter", "remove_raft_voter",
    }  # fmt: skip
    of_clients = {"streams_group_heartbeat", "streams_group_describe"}
    assert with_address - known - nodes_only - of_controllers - of_clients == set()


def _fields(each: object) -> set[str]:
    return set(getattr(each, "__slots__", ()))
