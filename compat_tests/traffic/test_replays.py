"""Captures of Java's clients, and replays on Apache Kafka and on ours."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from compat_tests.apache_kafka import ApacheKafka
from compat_tests.api import topics
from compat_tests.clients.java_tools.test_verifiable import consumers, read, wait
from compat_tests.clients.java_tools.tools import CONSOLE_PRODUCER, Tools
from kafkacompat import Cluster
from kafkacompat.client.client import Client
from kafkacompat.client.producing import Producer
from kafkacompat.client.topic_admin import NewTopic, create_topics
from kafkacompat.protocol import error_codes
from kafkacompat.traffic.capture_proxy import CaptureProxy
from kafkacompat.traffic.capture_writer import CaptureWriter
from kafkacompat.traffic.replay import Replay
from kafkacompat.traffic.replay_report import ReplayReport
from tests.waiting import wait_until

TOPIC, PARTITIONS, COUNT = "orders", 4, 400
ANSWERS_MIN = 30
"""A capture has some 50, by how often members ask: two that join, fetch, commit and leave, and a producer."""
NAMED = ["ApiVersions"]
"""What Apache Kafka answers otherwise: it offers APIs that are not here yet."""
EITHER = {error_codes.NONE, error_codes.REBALANCE_IN_PROGRESS}
CHANGES = 2
"""Members that join or leave beside another one."""


def work(servers: str, scratch: Path) -> None:
    """Two members share a topic; one leaves; all that was written is read. Quickly: a replay takes as long.

    The second one comes when the first one has its partitions. Of two that join at once it depends on the broker's load
    whether they begin in one generation, and a replay may find the other case.
    """
    tools = Tools(servers, scratch)

    def write() -> None:
        tools.run(CONSOLE_PRODUCER, "--topic", TOPIC, stdin="".join(f"{number}\n" for number in range(COUNT)))

    arguments = ["--topic", TOPIC, "--group-id", "g", "--reset-policy", "earliest", "--session-timeout", "10000"]
    arguments += ["--command-config", tools.file("members.properties", "heartbeat.interval.ms=300\n")]
    with consumers(tools, arguments) as (first,):
        wait([first], PARTITIONS)
        with consumers(tools, arguments) as (second,):
            wait([first, second], 2, 2)
            write()
            first.end()
            wait([second], PARTITIONS)
            write()

            def is_read() -> bool:
                second.look()
                return len(set(read([first, second]))) == 2 * COUNT

            wait_until(is_read, timeout_s=60)


@contextmanager
def apache_kafka() -> Iterator[tuple[str, int]]:
    """One that has the topic, and is past its first answers: it gives out producer ids and coordinates groups."""
    kafka = ApacheKafka()
    try:
        kafka.start()
        topics.wait_for_coordinator(kafka.bootstrap_servers)
        with Client(kafka.bootstrap_servers, timeout_s=60) as client:
            assert create_topics(client, {TOPIC: NewTopic(partitions=PARTITIONS)}) == {TOPIC: None}
            Producer(client).flush()
        host, _, port = kafka.bootstrap_servers.rpartition(":")
        yield host, int(port)
    finally:
        kafka.close()


@contextmanager
def proxy(path: Path, target: tuple[str, int]) -> Iterator[str]:
    writer = CaptureWriter(path, source="a test")
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    between = CaptureProxy(writer, target, "127.0.0.1", 0)
    try:
        asyncio.run_coroutine_threadsafe(between.start(), loop).result(30)
        yield f"127.0.0.1:{between.port}"
        asyncio.run_coroutine_threadsafe(between.close(), loop).result(30)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
        writer.close()


def differing(report: ReplayReport) -> set[str]:
    """The APIs whose answers differ.

    A heartbeat that was under way when the other member joined or left has been served before that or after it.
    """
    raced = [
        each
        for each in report.differences
        if each.api == "Heartbeat" and all({field.was, field.is_} == EITHER for field in each.fields)
    ]
    assert len(raced) <= CHANGES, report
    return {each.api for each in report.differences if each not in raced}


def on_ours(path: Path, **options: Any) -> ReplayReport:
    with Cluster(topics={TOPIC: PARTITIONS}) as kafka:
        return kafka.replay(path, **options)


def test_java_on_ours(tmp_path: Path) -> None:
    path = tmp_path / "java.kct"
    with Cluster(topics={TOPIC: PARTITIONS}) as kafka, kafka.capture(path):
        work(kafka.bootstrap_servers, tmp_path)
    report = on_ours(path)
    assert differing(report) == set(), report
    assert report.compared >= ANSWERS_MIN
    with apache_kafka() as address:
        report = Replay(path, address, ignore=NAMED).run()
    assert differing(report) == set(), report


def test_java_on_apache_kafka_through_the_proxy(tmp_path: Path) -> None:
    path = tmp_path / "java.kct"
    with apache_kafka() as address, proxy(path, address) as servers:
        work(servers, tmp_path)
    report = on_ours(path)
    assert differing(report) == set(NAMED), report
    assert report.compared >= ANSWERS_MIN
