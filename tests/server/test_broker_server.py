"""How long turns are seen to be; what a clean stop answers and tells, and what is left of one that is cut short."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from kafkacompat.broker.loop_lag import LONG_TURN_MS
from kafkacompat.broker.purgatory import Pending
from kafkacompat.config import BrokerConfig
from kafkacompat.errors import StartupError
from kafkacompat.now import Now
from kafkacompat.protocol.headers import RequestHeader, encode_request_header
from kafkacompat.protocol.messages import api_versions
from kafkacompat.server import broker_server, descriptors
from kafkacompat.server.broker_server import REPORT_INTERVAL_MS, BrokerServer
from kafkacompat.server.clock import SystemClock
from kafkacompat.server.endpoints import plan
from kafkacompat.server.faulty_links import CLIENTS, FaultyLinks
from kafkacompat.server.platform import Platform
from kafkacompat.server.seed import NewTopic
from kafkacompat.server.settings import broker_config
from kafkacompat.server.startup_topics import create_topics
from kafkacompat.server.supervisor_protocol import CLOSING, HANDING_OVER
from kafkacompat.storage import log_directory
from kafkacompat.storage.background import ACKNOWLEDGED_SYNC, OTHER_WORK
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
    await create_topics(server, {"orders": NewTopic(count)})
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
    monkeypatch.setattr(log_directory, "LOGS_PER_CLOSING_STEP", 2)
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


async def test_a_server_shows_its_connections_as_their_clients_named_themselves(tmp_path: Path) -> None:
    server = await with_logs(tmp_path, 1)
    try:
        assert list(server.view.connections()) == []
        client = await Client.connect(server)
        frame: list[object] = [encode_request_header(RequestHeader(api_versions.API_KEY, 3, 1, "an-app"))]
        api_versions.encode_request(api_versions.ApiVersionsRequest("some-client", "1.2"), 3, frame)
        await client.ask(b"".join(map(bytes, frame)))
        (shown,) = server.view.connections()
        assert (shown.client_host, shown.listener, shown.client_id) == ("127.0.0.1", "PLAINTEXT", "an-app")
        assert (shown.software_name, shown.software_version, shown.waits) == ("some-client", "1.2", ())
        await client.close()
        await until(lambda: not list(server.view.connections()))
    finally:
        await server.stop()


async def test_segments_share_the_descriptors_that_are_theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descriptors, "raise_limit", lambda: 1024)
    server = await with_logs(tmp_path / "data", 1)
    assert server.broker.logs.metadata_directory.files.limit == descriptors.segment_files(1024) == 128
    await server.stop()


async def test_each_segment_that_is_trimmed_has_a_lock_of_its_own(tmp_path: Path) -> None:
    server = await with_logs(tmp_path / "data", 1)
    one, other = (server.broker.flusher.new_trimming_guard() for _ in range(2))
    with one:
        assert (one.locked(), other.locked()) == (True, False)
    await server.stop()


async def test_partitions_know_when_a_turn_of_the_loop_has_taken_long(tmp_path: Path) -> None:
    server = await with_logs(tmp_path / "data", 1)
    now_ms = server.clock.now().monotonic_ms
    assert server.broker.partitions.is_long(Now(now_ms - LONG_TURN_MS, 0))
    assert not server.broker.partitions.is_long(Now(now_ms + 3_600_000, 0))
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


async def test_all_that_waits_for_a_sync_is_answered_in_a_stop_however_long_its_turn(tmp_path: Path) -> None:
    may_go_on, answered = threading.Event(), list[object]()
    server = await with_logs(tmp_path / "data", 1)
    broker, now = server.broker, server.now()
    broker.loop_lag.clock_ms = lambda: server.now().monotonic_ms + LONG_TURN_MS  # each turn is long from its first step
    for key in ["before the stop"] * 100 + ["in the stop"] * 100:
        pending = Pending([key], now.monotonic_ms + 3_600_000, lambda _now, _expired: "written")
        broker.purgatory.add(pending, lambda answer, _now: answered.append(answer))
    broker.background.submit(
        ACKNOWLEDGED_SYNC, lambda: may_go_on.wait(30), lambda _, at: broker.purgatory.touch("in the stop", at)
    )
    broker.purgatory.touch("before the stop", now)
    counts = [len(answered)]
    stopping = asyncio.ensure_future(server.stop())
    await until(lambda: server._is_stopping)
    counts.append(len(answered))
    may_go_on.set()
    await stopping
    assert [*counts, len(answered)] == [1, 100, 200]


async def test_what_is_due_when_a_stop_begins_is_done_however_long_its_turn() -> None:
    done: list[int] = []
    server = server_of(FakeBroker)
    await server.start()
    broker, due_ms = server.broker, server.now().monotonic_ms
    broker.loop_lag.clock_ms = lambda: server.now().monotonic_ms + LONG_TURN_MS
    for number in range(100):
        broker.timers.set(number, due_ms, lambda _now, number=number: done.append(number))
    broker.timers.set("a bug", due_ms, lambda _now: 1 / 0)
    await server.stop()
    assert done == list(range(100))
    assert broker.closed == [True]


async def test_what_a_faulty_link_holds_back_reaches_no_broker_that_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    may_go_on = threading.Event()
    monkeypatch.setattr(FakeFlusher, "_run", lambda _: may_go_on.wait(30))
    async with serving() as server:
        links = server.links = FaultyLinks(server)
        links.set({CLIENTS: None}, {})
        client = await Client.connect(server)
        client.send(b"e1")
        await until(lambda: links.held_count == 1)
        server.broker.flusher.request(lambda _: None)
        stopping = asyncio.ensure_future(server.stop())
        await until(lambda: server.broker.flusher.jobs)
        links.set({}, {})
        may_go_on.set()
        await stopping
        await client.close()
    assert (server.broker.frames, links.held_count) == ([], 0)


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


def server_of(kind: type[FakeBroker], *listeners: str, machine: Platform | None = None) -> BrokerServer:
    bindings = [binding(name) for name in listeners or ("PLAINTEXT",)]
    return BrokerServer(BrokerConfig.from_sources(), bindings, platform=machine, open_broker=kind)


class PunctualBroker(FakeBroker):
    """Is ready by a timer, and has another one."""

    has_fired = False

    def begin(self, network: object, now: Now) -> None:
        self.timers.set("ready", now.monotonic_ms, self._ready)

    def _ready(self, now: Now) -> None:
        self.on_ready()
        self.timers.set("later", now.monotonic_ms + 1, self._fire)

    def _fire(self, _now: Now) -> None:
        self.has_fired = True


class ReadyBroker(PunctualBroker):
    """Is ready at once, and has a timer."""

    def begin(self, network: object, now: Now) -> None:
        self._ready(now)


@pytest.mark.parametrize("kind", [PunctualBroker, ReadyBroker])
async def test_what_is_due_after_a_start_is_done_without_a_client(kind: type[PunctualBroker]) -> None:
    server = server_of(kind)
    async with asyncio.timeout(30):
        await server.start()
    await until(lambda: server.broker.has_fired)
    await server.stop()


async def test_a_node_that_cannot_go_on_says_why_once() -> None:
    told: list[str | None] = []
    async with serving() as server:
        server.on_failure = lambda: told.append(server.failure)
        for line in ("the metadata log is damaged", "and so on"):
            server.broker.on_fatal(line)
    assert told == ["the metadata log is damaged"]


async def test_a_node_whose_metadata_log_fails_cannot_go_on(tmp_path: Path) -> None:
    server = await with_logs(tmp_path / "data", 1)
    told: list[str | None] = []
    server.on_failure = lambda: told.append(server.failure)
    server.broker.quorum.failed(OSError(5, "Input/output error"), server.now())
    server.after_event()
    await server.stop()
    assert len(told) == 1
    assert "Input/output error" in str(told[0])


async def test_a_clean_stop_closes_the_metadata_log(tmp_path: Path) -> None:
    server = await with_logs(tmp_path / "data", 1)
    await server.stop()
    assert server.broker.quorum.raft.log.is_closed


class Counting(FakeBroker):
    """Notes how many connections there are when its logs are closed."""

    server: BrokerServer
    connections = 0

    def closing(self, now: Now, *, clean: bool):
        self.connections = len(self.server.connections)
        return super().closing(now, clean=clean)


class Careful(Counting):
    """Is let go when the test says so."""

    partitions = (SimpleNamespace(is_leader=True), SimpleNamespace(is_leader=False))

    def shut_down(self, now: Now, stopped, held) -> None:
        self.may_stop, self.must_wait = stopped, held


async def test_a_node_that_may_not_stop_yet_serves_on_and_says_so_once_in_a_while() -> None:
    server = server_of(Careful)
    await server.start()
    broker = server.broker
    broker.server = server
    told: list[tuple[str, str]] = []
    server.on_progress = lambda what, how_far: told.append((what, how_far))
    client = await Client.connect(server)
    stopping = asyncio.ensure_future(server.stop())
    await until(lambda: hasattr(broker, "may_stop"))
    now = server.now()
    for later_ms in (0, REPORT_INTERVAL_MS, REPORT_INTERVAL_MS + 1, 2 * REPORT_INTERVAL_MS):
        broker.must_wait(Now(now.monotonic_ms + later_ms, now.wall_ms))
    assert await client.ask(b"e") == b"e"
    assert (stopping.done(), broker.closed) == (False, [])
    broker.may_stop(server.now())
    await stopping
    assert told[:2] == [(HANDING_OVER, "1 partitions")] * 2
    assert {what for what, _how_far in told[2:]} == {CLOSING}
    assert broker.closed == [True]
    assert broker.connections == 0  # a slice on its way may keep a segment open
    await client.close()


@pytest.mark.parametrize("is_clean", [True, False])
async def test_a_stop_waits_for_no_client_that_does_not_read(is_clean: bool) -> None:
    server = server_of(Counting)
    await server.start()
    server.broker.server = server
    client = await Client.connect(server)
    client.send(b"e" + bytes(32 << 20))
    await until(lambda: server.broker.frames)
    await server.stop(clean=is_clean)
    assert len(server.connections) == 0
    assert server.broker.connections == 0  # when its logs were closed
    client.abort()


@pytest.mark.parametrize("is_clean", [True, False])
async def test_a_stop_closes_connections_with_nothing_on_their_way_at_once(
    is_clean: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(broker_server, "LAST_BYTES_TIMEOUT_S", 1_000)
    server = server_of(FakeBroker)
    await server.start()
    clients = [await Client.connect(server) for _ in range(3)]
    for client in clients:
        assert await client.ask(b"e") == b"e"
    with caplog.at_level(logging.INFO):
        async with asyncio.timeout(30):
            await server.stop(clean=is_clean)
    for client in clients:
        assert await client.is_closed_by_peer()
        await client.close()
    assert [each.message for each in caplog.records if "closing" in each.message] == [
        "closing 3 connections: the broker stops"
    ]


async def test_a_stop_begins_no_other_work_and_ends_what_has_begun() -> None:
    may_go_on, ran = threading.Event(), []
    server = server_of(FakeBroker)
    await server.start()

    def first() -> None:
        may_go_on.wait(30)
        ran.append("first")

    for run in (first, lambda: ran.append("second")):
        server.broker.background.submit(OTHER_WORK, run, lambda _outcome, _now: None)
    server.after_event()
    stopping = asyncio.ensure_future(server.stop())
    await until(lambda: server._is_stopping)
    may_go_on.set()
    await stopping
    assert ran == ["first"]


async def test_a_stop_ends_the_process_that_waits_for_a_log_to_compact() -> None:
    server, ended = server_of(FakeBroker), list[str]()
    await server.start()
    server._children = SimpleNamespace(end=lambda: ended.append("the child"))  # type: ignore[assignment]
    await server.stop()
    assert ended == ["the child"]


async def test_a_sync_that_is_asked_for_at_the_end_of_another_is_made_before_a_stop_ends() -> None:
    synced: list[int] = []
    may_go_on = threading.Event()
    server = server_of(FakeBroker)
    await server.start()
    background = server.broker.background

    def again(_outcome: object, _now: Now) -> None:
        background.submit(ACKNOWLEDGED_SYNC, lambda: synced.append(2), lambda _outcome, _now: None)

    background.submit(ACKNOWLEDGED_SYNC, lambda: synced.append(may_go_on.wait(30)), again)
    server.after_event()
    stopping = asyncio.ensure_future(server.stop())
    await until(lambda: server._is_stopping)
    may_go_on.set()
    async with asyncio.timeout(30):
        await stopping
    assert synced == [True, 2]


async def test_no_timer_of_a_broker_fires_when_it_is_closed() -> None:
    late: list[bool] = []
    server = server_of(FakeBroker)
    await server.start()
    broker, loop = server.broker, asyncio.get_running_loop()
    for in_ms in (300, 250):  # the second comes before the one that is armed
        due_ms = server.now().monotonic_ms + in_ms
        broker.timers.set(in_ms, due_ms, lambda _now: late.append(bool(broker.closed)))
        server.after_event()
    after = loop.create_future()
    loop.call_later(0.35, after.set_result, None)
    await server.stop()
    await after
    assert not any(late)


async def test_an_event_that_sets_no_timer_looks_at_none(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Platform()
    server = server_of(FakeBroker, machine=machine)
    await server.start()
    looks: list[int | None] = []
    timers, deadline_ms = server.broker.timers, server.broker.timers.next_deadline_ms
    monkeypatch.setattr(timers, "next_deadline_ms", lambda: looks.append(deadline_ms()) or looks[-1])
    try:
        due_ms = server.now().monotonic_ms + 60_000
        timers.set("own", due_ms, lambda _now: None)
        server.after_event()
        server.after_event()
        assert looks == [due_ms]
        timers.life.set("of a session", due_ms - 10_000, lambda _now: None)
        server.after_event()
        server.after_event()
        assert looks == [due_ms, due_ms - 10_000]
        machine.clock.move(0, 5_000)
        server.after_event()
        server.after_event()
        assert looks == [due_ms, due_ms - 10_000, due_ms - 15_000]
    finally:
        await server.stop()


async def test_a_port_that_is_taken_gives_back_those_that_were_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    machine, bound = Platform(), []
    bind = machine.bind

    def taken_at_last(host: str, port: int) -> list[socket.socket]:
        if bound:
            raise StartupError("port 9092 is taken")
        bound.extend(bind(host, port))
        return list(bound)

    monkeypatch.setattr(machine, "bind", taken_at_last)
    with pytest.raises(StartupError, match="taken"):
        await server_of(FakeBroker, "PLAINTEXT", "OTHER", machine=machine).start()
    assert [sock.fileno() for sock in bound] == [-1]


async def test_what_is_read_ahead_of_a_connection_is_read_beside_the_loop() -> None:
    read: list[str] = []
    async with serving() as server:
        done = asyncio.get_running_loop().create_future()
        server._read_ahead(lambda: read.append(threading.current_thread().name), lambda: done.set_result(None))
        await asyncio.wait_for(done, 30)
    assert read == ["kafkacompat-cold-read"]
