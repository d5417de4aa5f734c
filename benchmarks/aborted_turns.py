"""How long aborted transactions, patterns and damaged indexes hold the event loop: CPU time of the longest turn.

    python -m benchmarks.aborted_turns [--transactions 200000]

A log in memory gets so many aborted transactions, in many segments and while another transaction is open. Then it is
asked as a fetch asks it; a call is a turn of the broker's loop, and is measured by the CPU time of the thread.
"""

from __future__ import annotations

import argparse
import logging
import time
from typing import TYPE_CHECKING

from kafkacompat.broker.coordinator.txn.java_pattern import JavaPattern
from kafkacompat.config.broker import BrokerConfig
from kafkacompat.config.topic import TopicConfig
from kafkacompat.now import Now
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.control import ABORT, encode_end_transaction, encode_key
from kafkacompat.steps import Stepped
from kafkacompat.storage.errors import UnfinishedError
from kafkacompat.storage.log import Log
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.txn_index import MAX_FOUND, TooManyError
from kafkacompat.storage.verification_entries import VERIFICATION_IS_OFF

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kafkacompat.steps import Steps
    from kafkacompat.storage.slices import Slice

NOW = Now(0, 1_700_000_000_000)
LONG_OPEN, ABORTING = 1, 2
SEGMENT_BYTES = 1 << 20
IDS = 10_000
PATTERNS = ("(a+)+$", "(a|a)*b", "(.*a){20}b", "|".join(["bb"] * 80))


def log_with(transactions: int) -> Log:
    """One transaction stays open until the others, of a record each, are aborted."""
    broker = BrokerConfig({"node.id": ("1", "test")})
    config = TopicConfig.resolve({"internal.segment.bytes": str(SEGMENT_BYTES)}, broker)
    log = Log.open(
        MemFs(), "/data/t-0", config, topic_id=bytes(range(16)), recovery_point=0, log_start_offset=0, clean=False,
        now=NOW,
    )  # fmt: skip
    _write(log, LONG_OPEN, 0)
    for number in range(transactions):
        _write(log, ABORTING, number)
        _abort(log, ABORTING)
    _abort(log, LONG_OPEN)
    log.producers.replicated_to(log.log_end_offset)
    return log


def _write(log: Log, producer_id: int, sequence: int) -> None:
    record = Record(0, NOW.wall_ms, None, b"v")
    batch = build_batch(
        [record], producer_id=producer_id, producer_epoch=0, base_sequence=sequence, is_transactional=True
    )  # fmt: skip
    log.append_as_leader(memoryview(batch), leader_epoch=0, now=NOW, guard=VERIFICATION_IS_OFF)


def _abort(log: Log, producer_id: int) -> None:
    marker = Record(0, NOW.wall_ms, encode_key(ABORT), encode_end_transaction(0))
    batch = build_batch([marker], producer_id=producer_id, producer_epoch=0, is_transactional=True, is_control=True)
    log.append_as_leader(memoryview(batch), leader_epoch=0, now=NOW, internal=True)


def turns(turn: Callable[[], bool]) -> tuple[int, float, float]:
    """Call it until it returns True: how many calls, the longest, and all together, in ms of CPU time."""
    times = []
    is_done = False
    while not is_done:
        began = time.thread_time()
        is_done = turn()
        times.append((time.thread_time() - began) * 1000)
    return len(times), max(times), sum(times)


def _listed(log: Log, part: Slice, max_count: int | None) -> bool:
    try:
        log.aborted(0, part, max_count)
    except UnfinishedError:
        return False
    except TooManyError:
        return True
    return True


def _matched(pattern: str) -> Steps[None]:
    compiled = JavaPattern(pattern)
    for number in range(IDS):
        yield from compiled.match(f"{'a' * 60}{number}")


def measure(transactions: int) -> Iterator[tuple[str, tuple[int, float, float]]]:
    """Each case, and its turns."""
    log = log_with(transactions)
    small, large = (log.read(0, size, end_offset=log.log_end_offset, at_least_one=True) for size in (1000, 1 << 20))
    for segment in log.segments.all[:-1]:
        segment.seal()
    yield "the first fetch, of 1 kB", turns(lambda: _listed(log, small, MAX_FOUND))
    yield "another fetch, of 1 kB", turns(lambda: _listed(log, small, MAX_FOUND))
    yield "a fetch of 1 MiB, cut off", turns(lambda: _listed(log, large, MAX_FOUND))
    yield "the same, in full", turns(lambda: _listed(log, large, None))
    segment = log.segments.all[0]
    path, fs = segment.txn_index.path, log.fs
    fs.write_atomic(path, b"\1" + fs.read_bytes(path)[1:], sync=True)
    yield "a damaged index, 1 MiB of log", turns(lambda: _listed(log, small, MAX_FOUND))
    for part in (small, large):
        part.release()
    for pattern in PATTERNS:
        work = Stepped(_matched(pattern))
        yield f"{IDS:,} ids, pattern {pattern[:12]}", turns(work.resume)


def main() -> None:
    """Print a row for each case."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.aborted_turns", description=__doc__)
    parser.add_argument("--transactions", type=int, default=200_000)
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    print("| case | turns | longest turn, CPU ms | all, CPU ms |\n|---|--:|--:|--:|")
    for name, (count, longest, total) in measure(options.transactions):
        print(f"| {name} | {count} | {longest:,.1f} | {total:,.1f} |", flush=True)


if __name__ == "__main__":
    main()
