"""How long turns are seen to be; what a clean stop answers and tells, and what is left of one that is cut short."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from kafkacompat.config import BrokerConfig
from kafkacompat.now import Now
from kafkacompat.server import descriptors
from kafkacompat.server.broker_server import BrokerServer
from kafkacompat.server.clock import SystemClock
from kafkacompat.server.endpoints import plan
from kafkacompat.server.platform import Platform
from kafkacompat.server.settings import broker_config
from kafkacompat.server.startup_topics import create_topics
from kafkacompat.server.supervisor_protocol import CLOSING
from kafkacompat.storage import log_directory
from kafkacompat.storage.fs import RealFs
from tests.server.fakes import FakeBroker, FakeFlusher
from tests.server.harness import Client, binding, serving
from tests.waiting import later_event, until

CLEAN = ".kafka_cleanshutdown"


async def with_logs(directory: Path, count: int, machine: Platform | None = None) -> BrokerServer:
    config, _ = broker_config({})
    bindings = plan(config, host="127.0.0.1", port=0)
    server = BrokerServer(config, bindings, str(directory), is_temporary=True, keeps_data=True, platform=machine)
    await server.start()
    await create_topics(server, {"orders": count})
    return server


class Held(RealFs):
    """One whose locks are let go of when the test says so, which is the last thing of all."""

    def __init__(self) -> None:
        super().__init__(temporary=True)
        self.may_go_on = threading.Event()
        self.threads: set[str] = set()

    def remove(self, path: str) -> None:
        if path.endswith(".lock"):
            self.threads.add(threading.current_thread().name)
            assert self.may_go_on.wait(30)
        super().remove(path)


async def test_logs_are_closed_in_steps_beside_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_directory, "LOGS_A_CLOSING_STEP", 2)
    machine, files = Platform(), Held()
    monkeypatch.setattr(machine, "files", lambda **_: files)
    server = await with_logs(tmp_path / "data", 5, machine)
    told: list[tuple[str, str]] = []
    server.on_progress = lambda what, how_far: told.append((what, how_far))
    stopping = asyncio.ensure_future(server.stop())
    await until(lambda: files.threads)  # the loop goes on while the disk is waited for
    assert told == [(CLOSING, f"{count} of 5 logs") for count in (2, 4, 5)]
    assert files.threads == {"kafkacompat-ack-sync"}
    assert not stopping.done()
    files.may_go_on.set()
    await stopping
    assert (tmp_path / "data" / CLEAN).exists()


async def test_segments_share_the_descriptors_that_are_theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptors, "raise_limit", lambda: 1024)
    server = await with_logs(tmp_path / "data", 1)
    assert server.broker.logs.metadata_directory.files.limit == descriptors.segment_files(1024) == 128
    await server.stop()


async def test_a_stop_that_is_cancelled_lets_go_of_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = await with_logs(tmp_path / "data", 3)
    monkeypatch.setattr(server.broker, "shut_down", lambda *_: None)  # nobody lets it go
    stopping = asyncio.ensure_future(server.stop())
    await asyncio.sleep(0)
    stopping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopping
    assert not (tmp_path / "data" / CLEAN).exists()
    again = await with_logs(tmp_path / "data", 1)  # the directory is not locked any more
    await again.stop()
    assert (tmp_path / "data" / CLEAN).exists()


async def test_what_waits_for_a_sync_is_answered_and_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    may_go_on, called = threading.Event(), []
    monkeypatch.setattr(FakeFlusher, "_run", lambda _: may_go_on.wait(30))
    async with serving() as server:
        client = await Client.connect(server)
        assert await client.ask(b"e1") == b"e1"
        server.broker.flusher.request(called.append)
        stopping = asyncio.ensure_future(server.stop())
        await until(lambda: server.broker.flusher.jobs)
        client.send(b"e2")
        await later_event()
        assert not called
        may_go_on.set()
        await stopping
        assert await client.is_closed_by_peer()
        await client.close()
    assert len(called) == 1
    assert server.broker.frames == [b"e1"]
    assert server.broker.closed == [True]


class SlowClock(SystemClock):
    """The real clock, and what was added to it."""

    added_ms = 0

    def now(self) -> Now:
        now = super().now()
        return Now(now.monotonic_ms + self.added_ms, now.wall_ms)


class SlowBroker(FakeBroker):
    """Takes seconds for a frame, and in a timer."""

    clock: SlowClock

    def dispatch(self, frame, connection, now, reply) -> None:
        self.clock.added_ms += 5_000
        super().dispatch(frame, connection, now, reply)


async def test_a_long_turn_is_seen_whoever_takes_it():
    machine = Platform()
    clock = machine.clock = SlowClock()
    server = BrokerServer(BrokerConfig.from_sources(), [binding("PLAINTEXT")], platform=machine, open_broker=SlowBroker)
    await server.start()
    try:
        server.broker.clock = clock
        lag = server.broker.loop_lag
        client = await Client.connect(server)
        await client.ask(b"e")
        await until(lambda: lag.longest_ms >= 5_000)
        assert lag.longest_what == "API key 101"  # what the frame begins with
        assert lag.recent_ms(server.now().monotonic_ms) == lag.longest_ms

        def long(_now: Now) -> None:
            clock.added_ms += 20_000

        server.broker.timers.set("long work", server.now().monotonic_ms, long)
        server.after_event()
        await until(lambda: lag.longest_ms >= 20_000)
        assert lag.longest_what == "long work"
        await client.close()
    finally:
        await server.stop()
