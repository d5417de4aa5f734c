"""Threads for what blocks: at the same time, all of it, and nobody is told of success where there was none."""

import asyncio
import threading

import pytest

from kafkacompat.server.worker import SYNCS_AT_ONCE, Worker, side_by_side


def test_as_many_as_may_run_at_the_same_time() -> None:
    all_are_there = threading.Barrier(SYNCS_AT_ONCE)

    def wait() -> None:
        all_are_there.wait(timeout=30)

    side_by_side([wait] * SYNCS_AT_ONCE)


def test_all_are_done_when_it_returns() -> None:
    done: list[int] = []
    for count in (0, 1, 3 * SYNCS_AT_ONCE):
        done.clear()
        side_by_side([lambda: done.append(1)] * count)
        assert len(done) == count


@pytest.mark.parametrize("count", [1, 2])
def test_an_error_is_raised(count: int) -> None:
    def fails() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        side_by_side([fails] * count)


def test_a_mistake_in_a_job_is_an_error_of_that_job_and_the_next_one_runs(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> list[OSError | None]:
        loop = asyncio.get_running_loop()
        worker, done = Worker(loop, "test"), loop.create_future()
        errors: list[OSError | None] = []
        worker.submit(lambda: 1 // 0, errors.append)
        worker.submit(lambda: None, lambda error: done.set_result(errors.append(error)))
        await asyncio.wait_for(done, 30)
        worker.stop()
        return errors

    failed, fine = asyncio.run(run())
    assert "division" in str(failed)
    assert fine is None
    assert "a bug: a sync has ended early" in caplog.text
