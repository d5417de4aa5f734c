"""The programs of `python -m tests.robustness`, small, and that they find what they are for."""

import asyncio
import random
import socket
import sys

import pytest

from kafkacompat.broker.connection import BROKER, CONTROLLER
from tests.robustness import bombs, crowd, garbage
from tests.robustness.live import Growth, Server, Three, check_log

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory and descriptors are read from /proc")


@pytest.fixture(autouse=True)
def busy_machine(monkeypatch):
    """How fast brokers are is not measured here."""
    monkeypatch.setattr(garbage, "CANARY_P99_MAX_S", 10.0)


def test_garbage(tmp_path):
    found, seen = garbage.run(Server(tmp_path / "data"), 300, seed=1)
    assert not found, seen


def test_garbage_to_every_listener_of_a_cluster():
    three = Three()
    assert [kind for _, kind in three.targets] == [BROKER, BROKER, CONTROLLER] * 3
    found, seen = garbage.run(three, 300, seed=1)
    assert not found, seen


@pytest.mark.parametrize("listener", [BROKER, CONTROLLER])
def test_what_is_sent_is_malformed(listener):
    frames = garbage.malformed_frames(listener, random.Random(1))
    assert all(garbage.is_malformed(next(frames), listener) for _ in range(200))


def test_a_connection_that_stays_open_is_found(monkeypatch):
    monkeypatch.setattr(garbage, "CLOSED_WITHIN_S", 0.2)
    monkeypatch.setattr(garbage, "NONSENSE_SHARE", 0.0)
    with socket.create_server(("127.0.0.1", 0)) as deaf, pytest.raises(TimeoutError):
        garbage.send_garbage([(deaf.getsockname()[1], BROKER)], 300, seed=1)


def test_a_crowd(tmp_path):
    found, seen = crowd.run(Server(tmp_path / "data"), idle=50, active=5, slow=0)
    assert not found, seen


def test_a_slow_connection_that_is_not_closed_is_found(monkeypatch):
    async def trickle(port: int) -> float:
        (peer,) = await crowd.connect(port, 1, hello=False)
        took_s = await peer.trickle()
        crowd.close([peer])
        return took_s

    monkeypatch.setattr(crowd, "DROPPED_WITHIN_S", 0.4)
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        assert asyncio.run(trickle(deaf.getsockname()[1])) > crowd.DROPPED_WITHIN_S


def test_bombs(tmp_path, monkeypatch):
    monkeypatch.setattr(bombs, "SIZES_MB", (1, 8))
    found, seen = bombs.run(Server(tmp_path / "data"))
    assert not found, seen


def test_growth_is_seen():
    sizes = iter(({1: 10.0, 2: 10.0}, {1: 9.0, 2: 30.0}, {1: 8.0, 2: 20.0}))
    growth = Growth(lambda: next(sizes))
    growth.look()
    growth.look()
    assert growth.most_mb == 20.0


def test_a_log_that_tells_of_a_bug_is_found():
    check_log("closing connection 1")
    with pytest.raises(AssertionError, match="a bug: it"):
        check_log("closing\na bug: it broke\n")
