"""Threads for what blocks: at the same time, all of it, and nobody is told of success where there was none."""

import asyncio
import threading
from functools import partial

import pytest

from kafkacompat.now import Now
from kafkacompat.server.clock import SystemClock
from kafkacompat.server.worker import SYNCS_AT_ONCE, Worker, Workers, run_concurrently
from kafkacompat.storage.background import (
    METADATA_SYNC,
    OTHER_WORK,
    SEGMENT_SYNC,
    WORK_CLASSES,
    Background,
)


def test_as_many_as_may_run_at_the_same_time() -> None:
    all_are_there = threading.Barrier(SYNCS_AT_ONCE)

    def wait() -> None:
        all_are_there.wait(timeout=30)

    run_concurrently([wait] * SYNCS_AT_ONCE)


def test_all_are_done_when_it_returns() -> None:
    done: list[int] = []
    for count in (0, 1, 3 * SYNCS_AT_ONCE):
        done.clear()
        run_concurrently([lambda: done.append(1)] * count)
        assert len(done) == count


@pytest.mark.parametrize("count", [1, 2])
def test_an_error_is_raised(count: int) -> None:
    def fails() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        run_concurrently([fails] * count)


class Clock(SystemClock):
    def now(self) -> Now:
        return Now(7, 0)


def workers_on(loop: asyncio.AbstractEventLoop, background: Background) -> Workers:
    def event_ended(_began_ms: int, _what: str) -> None:
        workers.start_jobs()

    workers = Workers(background, partial(Worker, loop), Clock(), event_ended)
    return workers


def test_a_mistake_in_a_job_or_after_it_is_logged_and_the_next_one_runs(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> list[object]:
        loop = asyncio.get_running_loop()
        background, outcomes = Background(), asyncio.Queue[object]()
        workers = workers_on(loop, background)
        background.submit(OTHER_WORK, lambda: 1 // 0, lambda outcome, _now: outcomes.put_nowait(outcome))
        background.submit(OTHER_WORK, lambda: None, lambda *_: 1 // 0)
        background.submit(OTHER_WORK, threading.current_thread, lambda thread, now: outcomes.put_nowait((thread, now)))
        workers.start_jobs()
        got = [await asyncio.wait_for(outcomes.get(), 30) for _ in range(2)]
        workers.stop()
        return got

    failed, (thread, now) = asyncio.run(run())
    assert isinstance(failed, ZeroDivisionError)
    assert thread.name == "kafkacompat-background"
    assert now.monotonic_ms == 7
    assert "a bug: background work of class background has failed" in caplog.text
    assert "a bug: handling the result of background work failed" in caplog.text


def test_jobs_that_block_on_nothing_run_on_the_loop_in_a_later_event() -> None:
    async def run() -> list[object]:
        loop = asyncio.get_running_loop()
        background, outcomes = Background(), asyncio.Queue[object]()
        workers = Workers(
            background, partial(Worker, loop), Clock(), lambda *_: workers.start_jobs(), loop,
            lambda work_class: work_class == METADATA_SYNC,
        )  # fmt: skip
        for work_class in (METADATA_SYNC, METADATA_SYNC, OTHER_WORK):
            background.submit(work_class, threading.current_thread, lambda thread, _now: outcomes.put_nowait(thread))
        workers.start_jobs()
        assert outcomes.empty(), "a result came within the event"
        found = [await asyncio.wait_for(outcomes.get(), 30) for _ in range(3)]
        workers.stop()
        return found

    threads = asyncio.run(run())
    assert threads.count(threading.main_thread()) == 2
    assert len(set(threads)) == 2


def test_a_class_whose_job_is_held_up_holds_up_no_other() -> None:
    async def run() -> list[str]:
        loop = asyncio.get_running_loop()
        background, told, all_done = Background(), list[str](), asyncio.Event()
        workers = workers_on(loop, background)
        is_slow = threading.Event()

        def done(outcome: str | Exception, _now: Now) -> None:
            assert isinstance(outcome, str)
            told.append(outcome)
            if len(told) == len(WORK_CLASSES) - 1:
                is_slow.set()
            if len(told) == len(WORK_CLASSES):
                all_done.set()

        def run_slowly() -> str:
            assert is_slow.wait(30)
            return SEGMENT_SYNC

        background.submit(SEGMENT_SYNC, run_slowly, done)
        for work_class in (each for each in WORK_CLASSES if each != SEGMENT_SYNC):
            background.submit(work_class, lambda name=work_class: name, done)  # type: ignore[misc]
        workers.start_jobs()
        await asyncio.wait_for(all_done.wait(), 30)
        workers.stop()
        return told

    assert asyncio.run(run())[-1] == SEGMENT_SYNC
