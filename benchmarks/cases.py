"""What is measured under load: each function is one run on one broker, and answers rows of metrics.

Whatever a run wrote is read back in it; a wrong count or checksum makes it a BenchmarkError and not a number.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.gotools import Client
from benchmarks.measure import memory_mb
from benchmarks.peers import Peer
from benchmarks.warm_memory import WarmMemory

Rows = dict[str, dict[str, float]]
PING_BYTES = 100
_topics = itertools.count(1)


@dataclass(frozen=True)
class Tools:
    """What a run works with. `scale` makes everything smaller for a smoke test; `seconds` is for timed runs."""

    client: Client
    memory: WarmMemory
    scale: float
    seconds: float


@dataclass(frozen=True)
class LoadCase:
    """A case whose brokers run all the time, paused while another one is measured."""

    name: str
    run: Callable[[Peer, Tools], Rows]


def _bulk(label: str, size: int, records: int, passes: int) -> LoadCase:
    def run(peer: Peer, tools: Tools) -> Rows:
        count = int(records * tools.scale)
        tools.memory.fill()
        with_topic = {"topic": f"bulk-{next(_topics)}", "size": size}
        tools.client.run("create", peer.bootstrap_servers, peer.pids, **with_topic)
        wrote = tools.client.run("produce", peer.bootstrap_servers, peer.pids, records=count, **with_topic)
        read = tools.client.run(
            "consume", peer.bootstrap_servers, peer.pids, passes=passes, **with_topic, **_expect(wrote)
        )
        tools.client.run("delete", peer.bootstrap_servers, peer.pids, **with_topic)
        memory = dict(zip(("rss_mb", "peak_mb"), memory_mb(peer.pids[0]), strict=True))
        return {f"produce-{label}": per_gb(wrote), f"consume-{label}": per_gb(read) | memory}

    return LoadCase(f"bulk-{label}", run)


def _ping(clients: int) -> LoadCase:
    def run(peer: Peer, tools: Tools) -> Rows:
        with_topic = {"topic": f"ping-{next(_topics)}", "size": PING_BYTES}
        tools.client.run("create", peer.bootstrap_servers, peer.pids, **with_topic)
        found = tools.client.run(
            "ping", peer.bootstrap_servers, peer.pids, clients=clients, seconds=tools.seconds, **with_topic
        )
        tools.client.run("consume", peer.bootstrap_servers, peer.pids, **with_topic, **_expect(found))
        tools.client.run("delete", peer.bootstrap_servers, peer.pids, **with_topic)
        return {f"ping-{clients}": per_request(found)}

    return LoadCase(f"ping-{clients}", run)


def _round_trip(peer: Peer, tools: Tools) -> Rows:
    with_topic = {"topic": f"trip-{next(_topics)}", "size": PING_BYTES}
    tools.client.run("create", peer.bootstrap_servers, peer.pids, **with_topic)
    found = tools.client.run("roundtrip", peer.bootstrap_servers, peer.pids, seconds=tools.seconds, **with_topic)
    tools.client.run("delete", peer.bootstrap_servers, peer.pids, **with_topic)
    return {"roundtrip": per_request(found)}


LOAD_CASES = (
    _bulk("1k", 1024, 400_000, 3),
    _bulk("100b", 100, 1_500_000, 2),
    _ping(1),
    _ping(50),
    LoadCase("roundtrip", _round_trip),
)


def _expect(wrote: dict[str, Any]) -> dict[str, object]:
    return {"count": wrote["count"], "checksum": wrote["checksum"]}


def per_gb(found: dict[str, Any]) -> dict[str, float]:
    """What a run that moved bytes is judged by."""
    gigabytes, seconds = found["bytes"] / 1e9, found["seconds"]
    return {
        "mb_s": gigabytes * 1000 / seconds,
        "cpu_s_gb": found["broker_cpu_s"] / gigabytes,
        "user_s_gb": found["broker_user_s"] / gigabytes,
        "broker_cores": found["broker_cpu_s"] / seconds,
        "client_cores": found["client_cpu_s"] / seconds,
    }


def per_request(found: dict[str, Any]) -> dict[str, float]:
    """What a run of small requests is judged by."""
    requests, seconds = found["records"], found["seconds"]
    return {
        "req_s": requests / seconds,
        "cpu_us": found["broker_cpu_s"] * 1e6 / requests,
        "user_us": found["broker_user_s"] * 1e6 / requests,
        "p50_us": found["p50_us"],
        "p99_us": found["p99_us"],
        "p999_us": found["p999_us"],
        "broker_cores": found["broker_cpu_s"] / seconds,
        "client_cores": found["client_cpu_s"] / seconds,
    }
