"""A broker without advertised listeners tells its clients addresses by where they connect from."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from kafkacompat.broker import leader_hints
from kafkacompat.errors import StartupError
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import produce
from kafkacompat.protocol.messages.describe_cluster import DescribeClusterRequest
from kafkacompat.protocol.messages.find_coordinator import FindCoordinatorRequest
from kafkacompat.protocol.messages.metadata import MetadataRequest
from kafkacompat.server.broker_server import BrokerServer
from kafkacompat.server.endpoints import plan
from kafkacompat.server.peer_addresses import AddressesByPeer, ipv4_gateways, ipv6_gateways
from kafkacompat.server.ports import PortFinder
from kafkacompat.server.settings import broker_config
from kafkacompat.server.thread import LoopThread
from tests.asking import ask
from tests.broker.harness import BrokerHarness
from tests.cli.processes import Child

LOGGER = "kafkacompat.server.peer_addresses"
GATEWAY = "127.0.0.2"


@contextmanager
def serving(addresses: AddressesByPeer | None) -> Iterator[BrokerServer]:
    """A broker that listens on all addresses."""
    config, _ = broker_config({})
    server = BrokerServer(config, plan(config, host="0.0.0.0", port=0), addresses=addresses)
    thread = LoopThread()
    try:
        thread.submit(server.start()).result(60)
        yield server
    finally:
        thread.submit(server.stop()).result(60)
        thread.stop()


def told(server: BrokerServer, to: str, source: str) -> set[tuple[str, int]]:
    """The broker's address in every answer that has one, for a client at `source` that connects to `to`."""
    address = f"{to}:{server.endpoints[0].port}"
    found = set()
    for version in (0, 4, 9, 12):
        metadata = ask(address, MetadataRequest(topics=[]), version, source=source)
        found |= {(each.host, each.port) for each in metadata.brokers}
    old = ask(address, FindCoordinatorRequest(key="group"), 2, source=source)
    new = ask(address, FindCoordinatorRequest(coordinator_keys=["group"]), 4, source=source)
    cluster = ask(address, DescribeClusterRequest(), 1, source=source)
    fenced_too = ask(address, DescribeClusterRequest(include_fenced_brokers=True), 2, source=source)
    found |= {(each.host, each.port) for each in (old, *new.coordinators, *cluster.brokers, *fenced_too.brokers)}
    return found


def test_the_host_is_told_its_mapped_port_and_others_the_address_that_they_reach(caplog) -> None:
    caplog.set_level(logging.INFO, LOGGER)
    with serving(AddressesByPeer(gateways=lambda: frozenset([GATEWAY]))) as server:
        port = server.endpoints[0].port
        for _ in range(2):  # the second time from the cache of encoded answers
            assert told(server, "127.0.0.1", GATEWAY) == {("localhost", port)}
            assert told(server, "127.0.0.1", "127.0.0.1") == {("127.0.0.1", port)}
            assert told(server, "127.0.0.3", "127.0.0.1") == {("127.0.0.3", port)}
    lines = [record.getMessage() for record in caplog.records if record.name == LOGGER]
    assert len(lines) == 2, "each rule is logged once"
    assert f"gateway {GATEWAY}" in lines[0]
    assert "KAFKACOMPAT_HOST_ADDRESS" in lines[0]
    assert lines[1] == (
        "advertised.listeners is not set: other clients are told the address to which they have connected (127.0.0.1: "
        "127.0.0.1); if they cannot connect to that, set advertised.listeners"
    )


def test_the_port_of_the_host_can_be_given() -> None:
    with serving(AddressesByPeer("docker.example:19092", lambda: frozenset([GATEWAY]))) as server:
        assert told(server, "127.0.0.1", GATEWAY) == {("docker.example", 19092)}


def test_without_the_rules_everybody_is_told_the_advertised_address() -> None:
    with serving(None) as server:
        assert told(server, "127.0.0.1", GATEWAY) == told(server, "127.0.0.3", "127.0.0.1")
        assert told(server, "127.0.0.3", GATEWAY) == {("localhost", server.endpoints[0].port)}
        assert all(connection.reached_at is None for connection in server.connections.states())


def test_hints_at_leaders_name_the_address_too() -> None:
    kafka = BrokerHarness()
    kafka.create_topic("orders")
    kafka.connection.reached_at = ("seen", 7)
    answer = produce.PartitionProduceResponse(error_code=errors.NOT_LEADER_OR_FOLLOWER)
    context = SimpleNamespace(version=10, services=kafka.broker, connection=kafka.connection)
    (node,) = leader_hints.name_leaders([("orders", 0, answer)], produce, context)
    assert (node.node_id, node.host, node.port) == (1, "seen", 7)


@pytest.mark.parametrize("text", ["", ":9092", "a:b", "a:70000", "[]:1"])
def test_a_malformed_address_of_the_host_is_refused(text: str) -> None:
    with pytest.raises(StartupError, match="HOST or HOST:PORT"):
        AddressesByPeer(text)


def test_default_routes_are_found_in_the_tables_of_linux() -> None:
    four = (
        "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
        "eth0\t00000000\t010011AC\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
        "eth0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n"
        "tun0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0\n"
    )
    assert ipv4_gateways(four) == ["172.17.0.1"]
    zero = "0" * 32
    six = (
        f"{zero} 00 {zero} 00 fd000000000000000000000000000001 00000400 00000001 00000000 00000003     eth0\n"
        f"fd000000000000000000000000000000 40 {zero} 00 {zero} 00000100 00000001 00000000 00000001     eth0\n"
        f"{zero} 00 {zero} 00 {zero} ffffffff 00000001 00000000 00200200       lo\n"
    )
    assert ipv6_gateways(six) == ["fd00::1"]
    assert ipv4_gateways("") == ipv6_gateways("") == []


def test_an_address_of_ipv4_on_a_socket_of_ipv6_is_one_of_ipv4() -> None:
    addresses = AddressesByPeer(gateways=lambda: frozenset(["172.17.0.1"]))
    sock = SimpleNamespace(getsockname=lambda: ("::ffff:172.17.0.2", 9092, 0, 0))
    assert addresses.reached_at("::ffff:172.17.0.1", sock) == ("localhost", 0)
    assert addresses.reached_at("::ffff:172.17.0.3", sock) == ("172.17.0.2", 0)


@pytest.mark.parametrize(
    ("flags", "environment", "expected"),
    [
        (["--from-env"], {}, "127.0.0.1"),
        (["--from-env"], {"KAFKA_ADVERTISED_LISTENERS": "PLAINTEXT://example.org:19092"}, "example.org"),
        (["--from-env", "--advertised-host", "example.org"], {}, "example.org"),
        ([], {"KAFKACOMPAT_HOST_ADDRESS": "host"}, "127.0.0.1"),
        ([], {}, "localhost"),
        (["--from-env", "--brokers", "2"], {}, "127.0.0.1"),
        (["--brokers", "2"], {}, "localhost"),
    ],
)
def test_the_rules_are_for_containers_without_advertised_listeners(flags, environment, expected) -> None:
    count = 2 if "--brokers" in flags else 1
    finder = PortFinder("0.0.0.0")
    try:
        port = finder.find(1)[0] if count == 1 else 0
        with Child("serve", "--host", "0.0.0.0", "--port", str(port), *flags, environment=environment) as child:
            ready = child.wait_until_ready()
            bound = port or re.search(r":(\d+)", ready)[1]
            brokers = ask(f"127.0.0.1:{bound}", MetadataRequest(topics=[]), 9).brokers
    finally:
        finder.close()
    assert [each.host for each in brokers] == [expected] * count
    assert len({each.port for each in brokers}) == count


def test_choosing_an_address_is_free_when_it_is_off() -> None:
    """No socket is asked for its address, and the answers are the same lists."""

    async def main() -> None:
        config, _ = broker_config({})
        server = BrokerServer(config, plan(config, host="127.0.0.1", port=0))
        await server.start()
        try:
            assert server.connections.addresses is None
            assert server.broker.nodes("PLAINTEXT") is server.broker.nodes("PLAINTEXT", None)
        finally:
            await server.stop()

    asyncio.run(main())
