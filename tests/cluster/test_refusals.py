"""Nodes that do not belong: each is refused with one line, and the cluster does not notice."""

import os
import random
import shutil
from pathlib import Path

import pytest

from kafkacompat.errors import StartupError
from kafkacompat.now import Now
from kafkacompat.protocol.internal.cluster_metadata import FeatureLevelRecord
from kafkacompat.replication.metadata.format import NewNode, format_cluster
from kafkacompat.replication.metadata.result import Result
from kafkacompat.storage.fs import RealFs
from tests.cluster.nodes import Nodes
from tests.cluster.test_three_nodes import Writer, create, is_whole
from tests.waiting import wait_until


@pytest.fixture
def nodes(tmp_path):
    """A controller and two brokers, and a place for a third."""
    with Nodes(tmp_path, 4, roles={1: "controller", 2: "broker", 3: "broker", 4: "broker"}) as found:
        found.start(1, 2, 3)
        create(found, factor=2)
        yield found


def refusal(nodes, node_id, **settings):
    """Start it; the line that says why it did not."""
    server = nodes.server(node_id, **settings)
    try:
        with pytest.raises(StartupError) as raised:
            nodes.run(server.start())
    except TimeoutError:
        nodes.run(server.stop(clean=False))
        raise
    line = str(raised.value)
    assert "\n" not in line
    return line


def goes_on(nodes):
    """The cluster works, and nobody was fenced."""
    assert not any(broker.fenced for broker in nodes.image().brokers.values())
    writer = Writer(nodes)
    writer.write()


def format_elsewhere(path, node_id, cluster_id=None):
    return format_cluster(
        RealFs(), [NewNode(node_id, str(path), None)], now=Now(0, 1), rng=random.Random(os.urandom(8)),
        cluster_id=cluster_id,
    )  # fmt: skip


def test_a_directory_of_another_cluster(nodes, tmp_path):
    other = format_elsewhere(tmp_path / "other", 4)
    nodes.dirs[4] = str(tmp_path / "other")
    line = refusal(nodes, 4)
    assert "another cluster" in line
    assert other in line
    assert 4 not in nodes.image().brokers
    goes_on(nodes)


def test_an_id_that_another_broker_has(nodes, tmp_path):
    format_elsewhere(tmp_path / "twin", 3, nodes.cluster_id)
    first = nodes.image().brokers[3]
    port = nodes.ports[3]
    nodes.dirs[3], (nodes.ports[3],) = str(tmp_path / "twin"), nodes.free_ports(1)
    line = refusal(nodes, 3, initial_broker_registration_timeout_ms="1500")
    assert "another process is registered as broker 3" in line
    assert "node.id" in line
    nodes.ports[3] = port
    assert nodes.image().brokers[3].incarnation_id == first.incarnation_id
    goes_on(nodes)


def test_the_directory_of_another_node(nodes):
    nodes.stop(3)
    nodes.dirs[4] = nodes.dirs[3]
    assert "belongs to broker 3" in refusal(nodes, 4)
    nodes.start(3)
    wait_until(lambda: is_whole(nodes))
    goes_on(nodes)


def test_an_empty_directory_in_place_of_a_brokers(nodes):
    nodes.stop(3)
    shutil.rmtree(nodes.dirs[3])
    assert f"{nodes.dirs[3]} is not formatted" in refusal(nodes, 3)
    assert not Path(nodes.dirs[3]).exists()


def test_a_directory_in_use(nodes):
    (nodes.ports[3],) = nodes.free_ports(1)
    assert "locked by another broker" in refusal(nodes, 3)
    goes_on(nodes)


def test_no_controller_where_they_are_looked_for(nodes):
    (port,) = nodes.free_ports(1)
    line = refusal(
        nodes, 4, controller_quorum_bootstrap_servers=f"127.0.0.1:{port}", initial_broker_registration_timeout_ms="700"
    )
    assert "no active controller answers" in line


def test_a_voter_with_an_empty_directory(tmp_path):
    with Nodes(tmp_path) as nodes:
        nodes.start()
        create(nodes)
        nodes.stop(3)
        shutil.rmtree(nodes.dirs[3])
        assert f"{nodes.dirs[3]} is not formatted" in refusal(nodes, 3)
        assert not Path(nodes.dirs[3]).exists()
        Writer(nodes).write()


def test_a_metadata_version_that_is_not_known(nodes, tmp_path):
    format_elsewhere(tmp_path / "fourth", 4, nodes.cluster_id)
    nodes.dirs[4] = str(tmp_path / "fourth")
    record = FeatureLevelRecord(name="metadata.version", feature_level=99)

    async def finalize():
        server = nodes.servers[1]
        server.broker.quorum.submit(lambda _image, _now: Result([record]), server.now())
        server.after_event()

    nodes.run(finalize())
    line = refusal(nodes, 4)
    assert "metadata.version 99" in line
    for node_id in (2, 3):  # who cannot read the metadata leads nothing any more
        broker = nodes.servers[node_id].broker
        wait_until(lambda broker=broker: broker.quorum.failure is not None)
        assert not any(partition.is_leader for partition in broker.partitions)
