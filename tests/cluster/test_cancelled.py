"""`async with Cluster()` in a task that is cancelled: nothing runs and nothing is left once the task has ended."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kafkacompat import Cluster, KafkaCompatError


class Gate:
    """Holds a call of `Cluster.start` or `stop` on its thread until it is let go."""

    def __init__(self, function: Callable[[Cluster], object]) -> None:
        self._function = function
        self.is_reached = threading.Event()
        self.is_open = threading.Event()
        self.calls_ended = 0

    def __call__(self, cluster: Cluster) -> object:
        self.is_reached.set()
        assert self.is_open.wait(10)
        try:
            return self._function(cluster)
        finally:
            self.calls_ended += 1

    async def reached(self) -> None:
        assert await asyncio.to_thread(self.is_reached.wait, 10)


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    others = set(threading.enumerate())  # of a cluster that lasts for the whole session
    yield tmp_path
    assert not list(tmp_path.iterdir())
    left = set(threading.enumerate()) - others
    assert not [thread.name for thread in left if thread.name.startswith("kafkacompat")]


def gate(monkeypatch: pytest.MonkeyPatch, name: str) -> Gate:
    made = Gate(getattr(Cluster, name))

    def call(cluster: Cluster) -> object:
        return made(cluster)

    monkeypatch.setattr(Cluster, name, call)
    return made


async def use(cluster: Cluster) -> None:
    async with cluster:
        pass


async def cancel_often(task: asyncio.Task[None]) -> None:
    for _ in range(3):
        task.cancel()
        for _ in range(10):
            await asyncio.sleep(0)
            assert not task.done()


def test_while_it_starts(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        cluster = Cluster()
        task = asyncio.ensure_future(use(cluster))
        await starting.reached()
        await cancel_often(task)
        starting.is_open.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert starting.calls_ended == 1
        assert repr(cluster) == "<Cluster stopped>"
        assert not list(scratch.iterdir())

    starting = gate(monkeypatch, "start")
    asyncio.run(main())


def test_while_a_start_fails(scratch: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        task = asyncio.ensure_future(use(Cluster(config={"num.partitions": "many"})))
        await starting.reached()
        await cancel_often(task)
        starting.is_open.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    starting = gate(monkeypatch, "start")
    asyncio.run(main())
    assert not caplog.records


def test_while_it_stops(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        task = asyncio.ensure_future(use(Cluster()))
        await stopping.reached()
        await cancel_often(task)
        stopping.is_open.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert stopping.calls_ended == 1
        assert not list(scratch.iterdir())

    stopping = gate(monkeypatch, "stop")
    asyncio.run(main())


def test_in_a_program_that_ends_before_it_has_started(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        tasks.append(asyncio.ensure_future(use(Cluster())))
        await starting.reached()
        asyncio.get_running_loop().call_later(0.05, starting.is_open.set)

    tasks: list[asyncio.Task[None]] = []
    starting = gate(monkeypatch, "start")
    asyncio.run(main())
    assert tasks[0].cancelled()


def test_what_cannot_start_says_why() -> None:
    with pytest.raises(KafkaCompatError, match=r"num\.partitions"):
        asyncio.run(use(Cluster(config={"num.partitions": "many"})))
