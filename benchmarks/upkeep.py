"""`python -m benchmarks.upkeep`: what retention and compaction cost those who write meanwhile, beside Apache Kafka.

A client writes single records of 1 KB at a steady rate, each when the last one is acknowledged, and notes how long each
took. Another process writes to two more topics all the time. In a round "with", the oldest segments of one go every
second and the other is compacted on and on; in a round "without", both only grow. Rounds alternate, each with new
topics, and the first seconds of each do not count.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import os
import sys
import time
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

from confluent_kafka import Producer

from benchmarks.bars import Bar, Medians
from benchmarks.measure import facts, keep_bytecode
from benchmarks.metered import TURNS, longest_turn_bar
from benchmarks.side_by_side import (
    EARLIEST,
    KAFKA,
    OURS,
    RESULTS,
    Measured,
    batch_of,
    create,
    offsets,
    report,
    store,
    write,
)
from benchmarks.table import Samples, add
from benchmarks.table import medians as medians_of
from compat_tests.api.raw import RawClient

ROUNDS, SECONDS, WARM_S = 3, 20.0, 5.0
RATE = 200
"""Records a second whose times are noted."""
BACKGROUND_MB_S = 4.0
"""Into each of the two other topics."""
KEYS = 10_000
VALUE_BYTES = 1_000
CONFIG = {
    "log.initial.task.delay.ms": "1000",
    "log.retention.check.interval.ms": "1000",
    "log.cleaner.backoff.ms": "200",
    "log.segment.delete.delay.ms": "1000",
}
SEGMENT = {"segment.bytes": str(4 << 20), "file.delete.delay.ms": "1000"}
KEPT = {
    True: {**SEGMENT, "retention.bytes": str(8 << 20)},
    False: {**SEGMENT, "retention.bytes": "-1"},
}
COMPACTED = {
    True: {**SEGMENT, "cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.01"},
    False: {**SEGMENT, "cleanup.policy": "compact", "min.cleanable.dirty.ratio": "1.0"},
}
WITH, WITHOUT, RATIO = "with", "without", "with by without"
METRICS = {"p50_ms": "p50, ms", "p99_ms": "p99, ms", **TURNS, "load": "load of the machine"}
BARS = [
    Bar(RATIO, "p99_ms", at_least=False, constant=1.2, columns=(OURS,)),
    *(longest_turn_bar(row) for row in (WITH, WITHOUT)),
]


def keep_writing(servers: str, kept: str, compacted: str, end: Event) -> None:
    """Write to both topics, at a steady rate."""
    producer = Producer({"bootstrap.servers": servers, "linger.ms": "10", "acks": "all"})
    values = [os.urandom(VALUE_BYTES) for _ in range(64)]
    since_s = time.monotonic()
    for number in itertools.count():
        producer.produce(kept, values[number % 64])
        producer.produce(compacted, values[number % 64], key=b"%d" % (number * 7919 % KEYS))
        if not number % 100:
            producer.poll(0)
            if end.is_set():
                break
            time.sleep(max(0.0, since_s + number * VALUE_BYTES / (BACKGROUND_MB_S * 1e6) - time.monotonic()))
    producer.flush()


def one_round(broker: Measured, number: int, *, is_on: bool, seconds: float) -> dict[str, float]:
    """The percentiles of one round."""
    kept, compacted, pinged = (f"{name}-{number}" for name in ("kept", "compacted", "pinged"))
    create(broker.servers, {kept: 1}, KEPT[is_on])
    create(broker.servers, {compacted: 1}, COMPACTED[is_on])
    create(broker.servers, {pinged: 1})
    context = multiprocessing.get_context("spawn")
    end = context.Event()
    writer = context.Process(target=keep_writing, args=(broker.servers, kept, compacted, end))
    writer.start()
    batch, took_ms = batch_of(1, VALUE_BYTES, int(time.time() * 1000)), []
    try:
        with RawClient(broker.servers) as client:
            since_s = time.monotonic()
            for count in range(int((WARM_S + seconds) * RATE)):
                due_s = since_s + count / RATE  # a write that waits for the one before counts its wait
                time.sleep(max(0.0, due_s - time.monotonic()))
                write(client, {pinged: 1}, batch)
                if count >= WARM_S * RATE:
                    took_ms.append((time.monotonic() - due_s) * 1000)
            load = os.getloadavg()[0]
            has_gone = next(offsets(client, {kept: 1}, EARLIEST)) > 0
    finally:
        end.set()
        writer.join()
    passes = _passes(broker, compacted)
    assert has_gone == is_on, f"{kept} of {broker.name}: retention ran or did not"
    assert bool(passes) == is_on, f"{compacted} of {broker.name}: {passes} passes"
    took_ms.sort()
    p50_ms, p99_ms = took_ms[len(took_ms) // 2], took_ms[len(took_ms) * 99 // 100]
    return {"p50_ms": p50_ms, "p99_ms": p99_ms, **broker.longest_turn(), "load": load}


def _passes(broker: Measured, topic: str) -> int:
    """How often the topic was compacted, by the broker's log."""
    line = f"cleaned log {topic}-0" if broker.name == KAFKA else f" compacted {topic}-0 "
    return broker.log.read_text(errors="replace").count(line)


def run(rounds: int, seconds: float) -> Samples:
    """Rounds of both brokers; one runs at a time."""
    samples: Samples = {}
    numbers = itertools.count()
    brokers = [Measured(KAFKA, CONFIG), Measured(OURS, CONFIG)]
    try:
        for number in range(-1, rounds):  # the first one is not counted: a JVM compiles what it runs
            for broker in brokers:
                broker.start()
                for is_on in (bool(number % 2), not number % 2):
                    found = one_round(broker, next(numbers), is_on=is_on, seconds=seconds)
                    row = WITH if is_on else WITHOUT
                    print(f"round {number + 1}, {broker.name} {row}: {json.dumps(found)}", file=sys.stderr, flush=True)
                    if number >= 0:
                        add(samples, broker.name, {row: found})
                broker.stop()
    finally:
        for broker in brokers:
            broker.close()
    return samples


def with_ratios(medians: Medians) -> Medians:
    """And a row of what is slower by how much."""
    rows = medians[WITH], medians[WITHOUT]
    ratios = {
        name: {metric: rows[0][name][metric] / rows[1][name][metric] for metric in ("p50_ms", "p99_ms")}
        for name in rows[0]
    }
    return {**medians, RATIO: ratios}


def main() -> int:
    """Prints a table and the bars, and stores both; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.upkeep", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="(default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of a round (default: %(default)s)")
    parser.add_argument("--short", action="store_true", help="one short round: a smoke test")
    parser.add_argument("--out", type=Path, help=f"where the result is stored (default: {RESULTS}, not with --short)")
    options = parser.parse_args()
    keep_bytecode()
    machine: dict[str, Any] = facts()
    samples = run(1 if options.short else options.rounds, 4.0 if options.short else options.seconds)
    machine["load_after"] = os.getloadavg()[0]
    about = __doc__.partition("\n\n")[2].strip()
    found = with_ratios(medians_of(samples))
    lines, is_held = report("Retention and compaction under load", about, found, METRICS, BARS, machine)
    print("\n".join(lines))
    if options.out or not options.short:
        store("upkeep", options.out or RESULTS, lines, machine, samples)
    return int(not is_held)


if __name__ == "__main__":
    sys.exit(main())
