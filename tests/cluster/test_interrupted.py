"""Ctrl-C while a cluster in this process starts or stops: KeyboardInterrupt, and nothing runs or is left after it."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from kafkacompat import Cluster
from kafkacompat.cluster import in_process
from kafkacompat.server.broker_server import BrokerServer
from tests.cluster.leftovers import nothing_left


def interrupt() -> None:
    """Ctrl-C, pressed while the main thread waits for the loop's."""
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


@pytest.fixture(autouse=True)
def leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nothing is left; a task that never ended is logged when it is collected."""
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore Ctrl-C
    with nothing_left(tmp_path / "scratch", monkeypatch):
        yield
        signal.signal(signal.SIGINT, handler)
    assert not caplog.records


@pytest.mark.parametrize("brokers", [1, 3])
def test_while_a_data_directory_is_opened(brokers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def open_slowly(server: BrokerServer, files: object) -> object:
        if not opened:
            interrupt()
        opened.append(server)
        time.sleep(0.1)  # the loop's thread is busy: nothing can be cancelled meanwhile
        return open_(server, files)

    opened: list[BrokerServer] = []
    open_ = BrokerServer._open
    monkeypatch.setattr(BrokerServer, "_open", open_slowly)
    with pytest.raises(KeyboardInterrupt):
        Cluster(brokers=brokers).start()
    assert opened


@pytest.mark.parametrize("brokers", [1, 3])
def test_while_one_is_not_ready(brokers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    async def begin_without_end(server: BrokerServer) -> None:
        await begin(server)
        begun.append(server)
        if len(begun) == brokers:  # the others have started
            interrupt()
            await asyncio.Event().wait()

    begun: list[BrokerServer] = []
    begin = BrokerServer._begin
    monkeypatch.setattr(BrokerServer, "_begin", begin_without_end)
    with pytest.raises(KeyboardInterrupt):
        Cluster(brokers=brokers).start()
    assert len(begun) == brokers


def test_when_all_have_started(monkeypatch: pytest.MonkeyPatch) -> None:
    async def start_and_interrupt(server: BrokerServer) -> None:
        await start(server)
        interrupt()

    start = BrokerServer.start
    monkeypatch.setattr(BrokerServer, "start", start_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        Cluster().start()


def hand_over_with(then: Callable[[], Awaitable[object]]) -> Callable[[BrokerServer], Awaitable[None]]:
    """What a broker does when it is stopped: Ctrl-C comes, once, and `then` takes its time."""
    hand_over = BrokerServer.hand_over
    seen: list[BrokerServer] = []

    async def changed(server: BrokerServer) -> None:
        if not seen:
            seen.append(server)
            interrupt()
            await then()
        await hand_over(server)

    return changed


@pytest.mark.parametrize("brokers", [1, 2])
def test_a_stop_goes_on_to_its_clean_end(tmp_path: Path, brokers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    kept, temporary = Cluster(brokers=brokers, data_dir=data).start(), Cluster(brokers=brokers).start()
    for cluster in (kept, temporary):
        with monkeypatch.context() as patch:
            patch.setattr(BrokerServer, "hand_over", hand_over_with(lambda: asyncio.sleep(0.1)))
            with pytest.raises(KeyboardInterrupt):
                cluster.stop()
    assert len(list(data.rglob(".kafka_cleanshutdown"))) == brokers


@pytest.mark.parametrize("brokers", [1, 2])
def test_a_stop_that_hangs_is_given_up(tmp_path: Path, brokers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster(brokers=brokers).start()
    monkeypatch.setattr(in_process, "STOP_GRACE_S", 0.1)
    monkeypatch.setattr(BrokerServer, "hand_over", hand_over_with(asyncio.Event().wait))
    with pytest.raises(KeyboardInterrupt):
        cluster.stop()
