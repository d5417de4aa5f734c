"""A metadata log that is damaged, or a disk that fails under it, stops that voter with a line, and never the quorum."""

import asyncio
from pathlib import Path

import pytest

from kafkacompat.errors import StartupError
from tests.cluster.nodes import START_S, Nodes
from tests.cluster.test_three_nodes import Writer, create, is_whole
from tests.waiting import wait_until


@pytest.fixture
def nodes(tmp_path):
    with Nodes(tmp_path, broker_session_timeout_ms="3000") as found:
        found.start()
        create(found, min_insync_replicas="2")
        yield found


def test_a_damaged_log_stops_its_voter_alone(nodes):
    writer = Writer(nodes)
    writer.write()
    victim = next(id_ for id_ in nodes.ids if id_ != nodes.await_controller())
    nodes.lose(victim)
    path = Path(nodes.dirs[victim], "__cluster_metadata-0", "00000000000000000000.log")
    sound = path.read_bytes()
    damaged = bytearray(sound)
    damaged[-20] ^= 1  # in the last batch, which may have been acknowledged
    path.write_bytes(damaged)
    server = nodes.server(victim)
    with pytest.raises(StartupError) as raised:
        nodes.run(server.start())
    line = str(raised.value)
    assert str(path) in line
    assert "remove-controller" in line
    assert "\n" not in line
    wait_until(lambda: nodes.partition("t").leader not in (-1, victim))
    writer.write()
    path.write_bytes(sound)
    nodes.start(victim)
    wait_until(lambda: is_whole(nodes))
    writer.write()
    writer.check()


def stops_and_others_go_on(nodes, victim, break_disk):
    """Let a node's disk fail, and return why it asked to be stopped. The others go on, and it comes back."""
    writer = Writer(nodes)
    writer.write()
    server = nodes.servers[victim]
    stopped = []
    server.on_failure = lambda: stopped.append(server.failure)

    async def fail():
        break_disk(server, OSError(5, "Input/output error"))
        server.after_event()

    nodes.run(fail())
    wait_until(lambda: stopped, what="the node says that it is to be stopped")
    nodes.stop(victim)
    wait_until(lambda: nodes.controller_id not in (None, victim), what="another controller")
    wait_until(lambda: nodes.partition("t").leader not in (-1, victim))
    writer.write()
    nodes.start(victim)
    wait_until(lambda: is_whole(nodes))
    writer.write()
    writer.check()
    return stopped[0]


def test_a_disk_that_fails_under_records_stops_its_node_and_others_lead(nodes):
    def break_disk(server, error):
        server.broker.logs.metadata_directory.take_offline(error)

    reason = stops_and_others_go_on(nodes, nodes.partition("t").leader, break_disk)
    assert "has failed: Input/output error" in reason


def test_a_disk_that_fails_stops_its_node_alone(nodes):
    def break_disk(server, error):
        server.broker.quorum.failed(error, server.now())

    reason = stops_and_others_go_on(nodes, nodes.await_controller(), break_disk)
    assert "__cluster_metadata-0 cannot be used" in reason


def test_a_disk_that_fails_while_its_node_hands_over_ends_that(nodes):
    server = nodes.servers[nodes.await_controller()]

    async def fail():
        handing_over = asyncio.create_task(server.hand_over())
        await asyncio.sleep(0)
        assert not handing_over.done()
        server.broker.quorum.failed(OSError(5, "Input/output error"), server.now())
        server.after_event()
        async with asyncio.timeout(START_S / 2):
            await handing_over

    nodes.run(fail())
    wait_until(lambda: nodes.partition("t").leader not in (-1, server.broker.node_id))
