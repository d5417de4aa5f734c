"""What is measured over a broker's life: start-up, restart after kill -9, memory; and what Python users wait for."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.cases import Rows, Tools
from benchmarks.measure import median, memory_mb, python_output, python_seconds, reset_peak
from benchmarks.peers import Peer

SMALL_LOG_RECORDS = 20_000
GIGABYTE_RECORDS = 1_000_000
FETCH_BYTES = 50 << 20
FETCHING_CLIENTS = 10
IDLE_S = 1.0
IMPORTS = 7

_IMPORT = "import time{first}; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
_CLUSTER = "from benchmarks.cluster_child import main; main()"


@dataclass(frozen=True)
class LifeCase:
    """A case that starts and ends its broker itself. `rounds` bounds how often; `ours_only` leaves the peers out."""

    name: str
    run: Callable[[Peer, Tools], Rows]
    rounds: int = 5
    ours_only: bool = False


@dataclass(frozen=True)
class PythonCase:
    """A case about Python processes, without a broker process. The row's columns are not brokers but programs."""

    name: str
    run: Callable[[], dict[str, Rows]]


def _start(peer: Peer, tools: Tools) -> Rows:  # noqa: ARG001 (every case has the same interface)
    return {"start": {"ready_ms": peer.start() * 1000}}


def _restart(peer: Peer, tools: Tools) -> Rows:
    peer.start()
    with_topic = {"topic": "small", "size": 1024}
    tools.client.run("create", peer.bootstrap_servers, peer.pids, **with_topic)
    wrote = tools.client.run("produce", peer.bootstrap_servers, peer.pids, records=SMALL_LOG_RECORDS, **with_topic)
    peer.kill()
    ready = peer.start()
    expected = {"count": wrote["count"], "checksum": wrote["checksum"]}
    tools.client.run("consume", peer.bootstrap_servers, peer.pids, **with_topic, **expected)
    return {"restart": {"ready_ms": ready * 1000}}


def _memory(peer: Peer, tools: Tools) -> Rows:
    peer.start()
    time.sleep(IDLE_S)
    idle, _ = memory_mb(peer.pids[0])
    with_topic = {"topic": "gigabyte", "size": 1000}
    tools.memory.fill()
    tools.client.run("create", peer.bootstrap_servers, peer.pids, **with_topic)
    records = int(GIGABYTE_RECORDS * tools.scale)
    wrote = tools.client.run("produce", peer.bootstrap_servers, peer.pids, records=records, **with_topic)
    after, peak = memory_mb(peer.pids[0])
    expected = {"count": wrote["count"], "checksum": wrote["checksum"]}
    tools.client.run("consume", peer.bootstrap_servers, peer.pids, **with_topic, **expected)
    return {"memory": {"idle_mb": idle, "rss_mb": after, "peak_mb": peak}}


def _big_fetch(peer: Peer, tools: Tools) -> Rows:
    peer.start()
    with_topic = {"topic": "big", "size": 1024}
    tools.client.run("create", peer.bootstrap_servers, peer.pids, **with_topic)
    wrote = tools.client.run("produce", peer.bootstrap_servers, peer.pids, records=FETCH_BYTES // 1024, **with_topic)
    reset_peak(peer.pids[0])
    expected = {"count": wrote["count"], "checksum": wrote["checksum"]}
    tools.client.run(
        "consume", peer.bootstrap_servers, peer.pids,
        clients=FETCHING_CLIENTS, fetch_bytes=FETCH_BYTES, **with_topic, **expected,
    )  # fmt: skip
    return {"big-fetch": {"peak_mb": memory_mb(peer.pids[0])[1]}}


def _imports() -> dict[str, Rows]:
    def once(module: str, first: str = "") -> float:
        return float(python_output(_IMPORT.format(module=module, first=first)))

    def typical(module: str, first: str = "") -> dict[str, float]:
        return {"import_ms": median([once(module, first) for _ in range(IMPORTS)]) * 1000}

    rows: dict[str, Rows] = {"kafkacompat": {"import": typical("kafkacompat")}}
    rows["pytest plugin"] = {"import": typical("kafkacompat.testing.plugin", ", pytest")}
    rows["asyncio"] = {"import": typical("asyncio")}
    rows["import asyncio"] = {
        "start": {"ready_ms": median([python_seconds("import asyncio") for _ in range(IMPORTS)]) * 1000}
    }
    rows["bare Python"] = {"start": {"ready_ms": median([python_seconds("pass") for _ in range(IMPORTS)]) * 1000}}
    return rows


def _cluster() -> dict[str, Rows]:
    first, *others = json.loads(python_output(_CLUSTER))
    return {"Cluster": {"cluster": {"first_ms": first * 1000, "ack_ms": median(others) * 1000}}}


LIFE_CASES = (
    LifeCase("start", _start),
    LifeCase("restart", _restart, rounds=3),
    LifeCase("memory", _memory, rounds=1),
    LifeCase("big-fetch", _big_fetch, rounds=3, ours_only=True),
)
PYTHON_CASES = (PythonCase("import", _imports), PythonCase("cluster", _cluster))
