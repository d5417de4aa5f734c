"""Starts the process that runs the Spark job, and receives its messages."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeVar

from kafkacompat.demo.broker import tail
from kafkacompat.demo.errors import DemoError
from kafkacompat.demo.spark_messages import BatchRead, SparkFailed, SparkPlan, Started, Streamed, Streaming

STEP_TIMEOUT_S = 180.0
"""Longest time without a message: a session starts and downloads jars, or a batch is read."""
END_TIMEOUT_S = 20.0

_T = TypeVar("_T", Started, BatchRead, Streamed)


class SparkRun:
    """A running job. Await its steps in this order: started, batch, stream."""

    def __init__(self, link: Connection, log: Path) -> None:
        self._link = link
        self._log = log

    def started(self) -> Started:
        """Wait until the session has started. Like the other steps, it raises DemoError if the job fails."""
        return self._await(Started)

    def batch(self) -> BatchRead:
        return self._await(BatchRead)

    def stream(self, progress: Callable[[int], None]) -> Streamed:
        return self._await(Streamed, progress)

    def _await(self, kind: type[_T], progress: Callable[[int], None] | None = None) -> _T:
        while True:
            if not self._link.poll(STEP_TIMEOUT_S):
                raise DemoError(f"Spark said nothing for {STEP_TIMEOUT_S:.0f} s: {tail(self._log)}")
            try:
                message = self._link.recv()
            except (EOFError, ConnectionResetError):
                raise DemoError(f"Spark ended without a word: {tail(self._log)}") from None
            if isinstance(message, kind):
                return message
            if isinstance(message, SparkFailed):
                raise DemoError(f"Spark failed: {message.reason}")
            if progress and isinstance(message, Streaming):
                progress(message.records)


@contextmanager
def spark_run(plan: SparkPlan) -> Iterator[SparkRun]:
    """Start the job. On exit, wait for its end; kill it after an error or END_TIMEOUT_S."""
    from kafkacompat.demo import spark_job

    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=spark_job.run, args=(theirs, plan), name="spark", daemon=True)
    process.start()
    theirs.close()
    deadline_s = 0.0
    try:
        yield SparkRun(ours, Path(plan.folder, "spark.log"))
        deadline_s = END_TIMEOUT_S
    finally:
        process.join(deadline_s)
        if process.is_alive():
            process.kill()
            process.join()
        ours.close()
