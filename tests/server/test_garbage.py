import asyncio
import gc
import socket
import sys
from collections.abc import Iterator

import pytest

from kafkacompat.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from kafkacompat.server import garbage
from kafkacompat.server.garbage import Garbage, Pause
from kafkacompat.server.limits import LARGE_FRAME_BYTES
from tests.broker.harness import BrokerHarness
from tests.server.harness import Client, serving
from tests.waiting import until


@pytest.fixture
def collector() -> Iterator[Garbage]:
    threshold = gc.get_threshold()
    installed = Garbage()
    installed.install()
    yield installed
    installed.uninstall()
    gc.set_threshold(*threshold)


class Node:
    """What can be part of a cycle."""

    other: object


def cycle() -> Node:
    one, two = Node(), Node()
    one.other, two.other = two, one
    return one


def test_what_a_full_collection_leaves_is_not_looked_at_again(collector):
    kept = [cycle() for _ in range(1_000)]
    before = gc.get_freeze_count()
    gc.collect()
    assert gc.get_freeze_count() >= before + 2 * len(kept)
    assert len(gc.get_objects(generation=2)) < 1_000
    assert collector.full_looks == 0


def test_what_many_new_objects_are_is_set_aside_unseen_when_no_full_collection_comes(collector):
    kept = [cycle() for _ in range(1_000)]
    before = gc.get_freeze_count()
    for _ in range(garbage.MIDDLE_COLLECTIONS_MAX):
        gc.collect(1)
    assert gc.get_freeze_count() >= before + 2 * len(kept)
    assert collector.full_looks == 0


def test_all_of_it_is_looked_at_when_it_has_more_than_doubled(collector, monkeypatch):
    lost = [cycle() for _ in range(1_000)]
    gc.collect()  # set aside alive
    lost.clear()
    assert gc.collect() < 1_000
    assert collector.full_looks == 0
    monkeypatch.setattr(garbage, "SLACK_BLOCKS", -3 * sys.getallocatedblocks())
    monkeypatch.setattr(garbage, "COUNTED_EVERY", 1)
    gc.collect()  # that it has more than doubled is seen now
    assert gc.collect() >= 2 * 1_000
    assert collector.full_looks == 1


def test_less_than_double_is_not_looked_at(monkeypatch, request):
    blocks = 1_000
    monkeypatch.setattr(sys, "getallocatedblocks", lambda: blocks)
    monkeypatch.setattr(garbage, "SLACK_BLOCKS", 0)
    monkeypatch.setattr(garbage, "COUNTED_EVERY", 1)
    collector = request.getfixturevalue("collector")
    for looks in range(3):  # the first amount is that of the installation, each other one that of a look
        blocks *= 2
        gc.collect()
        gc.collect()
        assert collector.full_looks == looks
        blocks += 1
        gc.collect()  # that it has more than doubled is seen now
        gc.collect()
        assert collector.full_looks == looks + 1


def ours_among_cycles() -> set[str]:
    """The classes of this program of which a collection finds instances that nobody holds."""
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        gc.collect()
        found = {type(each).__module__ + "." + type(each).__name__ for each in gc.garbage}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
    return {name for name in found if name.startswith("kafkacompat.")}


@pytest.fixture
def no_collections() -> Iterator[None]:
    """Nor does one look at what earlier tests left: after thousands of them that takes seconds."""
    gc.freeze()
    gc.disable()
    yield
    gc.enable()
    gc.unfreeze()


def test_topics_that_come_and_go_leave_no_cycles(no_collections):
    kafka = BrokerHarness()
    for n in range(20):
        kafka.create_topic(f"topic-{n}", 3)
        answer = kafka.ask(DeleteTopicsRequest(topics=[DeleteTopicState(f"topic-{n}")], timeout_ms=1), 6)
        assert not answer.responses[0].error_code
    kafka.advance(120_000)
    assert ours_among_cycles() == set()
    kafka.close()


async def test_connections_that_come_and_go_leave_no_cycles(no_collections):
    async with serving() as server:
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", server.endpoints[0].port)) as sock:
                sock.sendall(b"\0\0\0\1e")
                await until(lambda: len(server.connections))
            await until(lambda: not len(server.connections))
        await asyncio.sleep(0)
        assert ours_among_cycles() == set()


def test_nothing_is_collected_while_a_large_request_is_carried_out() -> None:
    async def enabled_during(size_bytes: int) -> bool:
        found = []
        async with serving() as server:
            server.connections.around_large = Pause()
            answer = server.connections.dispatch

            def dispatch(*args) -> None:
                found.append(gc.isenabled())
                answer(*args)

            server.connections.dispatch = dispatch
            client = await Client.connect(server)
            await client.ask(b"e" * size_bytes)
            await client.close()
        return found == [True]

    assert asyncio.run(enabled_during(LARGE_FRAME_BYTES - 1))
    assert not asyncio.run(enabled_during(LARGE_FRAME_BYTES))
    assert gc.isenabled()
