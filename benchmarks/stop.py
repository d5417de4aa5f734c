"""`python -m benchmarks.stop`: how long three nodes with many partitions take to stop cleanly, and to start again.

As a user has them: `kafkacompat serve --brokers 3` with a data directory, a record in each partition, and one SIGTERM.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from confluent_kafka import Producer

from compat_tests.broker_process import remove_directory, scratch_directory
from kafkacompat.cluster.startup_topics import create_topics

BROKERS = 3
PARTITIONS_OF_A_TOPIC = 100
REST_S = 2.0
"""What followers and checkpoints have time for after the last record."""
CLEAN_MARKER = ".kafka_cleanshutdown"


def main() -> int:
    """0 when every stop was a clean one."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stop", description=__doc__)
    parser.add_argument("--partitions", type=int, default=3_000, help="each with 3 replicas (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="(default: %(default)s)")
    options = parser.parse_args()
    rounds = [_round(options.partitions) for _ in range(options.rounds)]
    for name in ("stop_s", "start_again_s"):
        values = sorted(each[name] for each in rounds)
        print(f"{name}: median {statistics.median(values):.2f}, all {', '.join(f'{value:.2f}' for value in values)}")
    clean = sum(each["clean"] for each in rounds)
    print(f"nodes that stopped cleanly: {clean:.0f} of {BROKERS * len(rounds)}")
    return 0 if clean == BROKERS * len(rounds) else 1


def _round(partitions: int) -> dict[str, float]:
    directory = scratch_directory("benchmark-stop-")
    try:
        with _serving(directory) as (process, servers, _):
            _fill(servers, partitions)
            time.sleep(REST_S)
            began = time.monotonic()
            process.send_signal(signal.SIGTERM)
            process.wait()
            took_s = time.monotonic() - began
        clean = len(list(directory.glob(f"data/*/{CLEAN_MARKER}")))
        with _serving(directory) as (_, _, start_s):
            return {"stop_s": took_s, "start_again_s": start_s, "clean": clean}
    finally:
        remove_directory(directory)


@contextlib.contextmanager
def _serving(directory: Path) -> Iterator[tuple[subprocess.Popen[str], str, float]]:
    """The process, where it listens, and how long it took to be ready."""
    state = directory / "state.json"
    began = time.monotonic()
    process = subprocess.Popen(
        [
            sys.executable, "-m", "kafkacompat", "serve", "--brokers", str(BROKERS), "--port", "0", "--data-dir",
            str(directory / "data"), "--state-file", str(state), "--log-level", "error",
        ],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        process.stdout.readline()
        took_s = time.monotonic() - began
        yield process, json.loads(state.read_text())["bootstrap_servers"], took_s
    finally:
        process.terminate()
        process.communicate()


def _fill(servers: str, partitions: int) -> None:
    names = [f"topic-{number}" for number in range(partitions // PARTITIONS_OF_A_TOPIC)]
    for name in names:
        create_topics(servers.partition(",")[0], {name: (PARTITIONS_OF_A_TOPIC, BROKERS)})
    producer = Producer({"bootstrap.servers": servers, "acks": "all"})
    for name in names:
        for partition in range(PARTITIONS_OF_A_TOPIC):
            producer.produce(name, b"x" * 100, partition=partition)
        producer.poll(0)
    producer.flush()


if __name__ == "__main__":
    sys.exit(main())
