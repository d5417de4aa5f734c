"""Where no thread can be started any more, as while the interpreter ends, what blocks is done by who asks for it."""

from __future__ import annotations

import asyncio
import threading

import pytest

from kafkacompat.server.worker import SYNCS_AT_ONCE, Worker, run_concurrently


@pytest.fixture(params=[0, 3])
def startable(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """As many threads as can still be started."""
    start, left = threading.Thread.start, [None] * request.param

    def start_if_there_is_room(thread: threading.Thread) -> None:
        if not left:
            raise RuntimeError("can't create new thread at interpreter shutdown")
        left.pop()
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_if_there_is_room)
    return request.param


def test_each_action_is_done_once(startable: int) -> None:
    done: list[int] = []
    numbers = range(3 * SYNCS_AT_ONCE)
    run_concurrently([lambda number=number: done.append(number) for number in numbers])
    assert sorted(done) == list(numbers)
    if not startable:
        assert done == list(numbers)


def test_the_first_error_is_raised_when_all_are_done(startable: int) -> None:
    done: list[int] = []

    def act(number: int) -> None:
        done.append(number)
        if number in (1, 2):
            raise ValueError(f"broken {number}")

    with pytest.raises(ValueError, match="broken 1"):
        run_concurrently([lambda number=number: act(number) for number in range(4)])
    assert sorted(done) == [0, 1, 2, 3]


def test_a_worker_whose_thread_cannot_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    async def run() -> None:
        loop = asyncio.get_running_loop()
        worker, reports = Worker(loop, "test"), asyncio.Queue()
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", refuse)
            worker.submit(lambda: None, reports.put_nowait)
            assert reports.empty()  # an event of the loop, as with a thread
            assert await asyncio.wait_for(reports.get(), 10) is None
            worker.submit(lambda: "no space", reports.put_nowait)
            assert await asyncio.wait_for(reports.get(), 10) == "no space"
        ran_in = []
        worker.submit(lambda: ran_in.append(threading.current_thread()), reports.put_nowait)
        assert await asyncio.wait_for(reports.get(), 10) is None
        assert ran_in != [threading.current_thread()]  # there is room again
        worker.stop()

    asyncio.run(run())
