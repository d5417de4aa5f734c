"""Small steps that aiokafka's tests have in common. Each test is one coroutine, run to its end by `in_loop`."""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import Any, ParamSpec

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from compat_tests.broker_process import Broker
from compat_tests.clients.samples import Patience

FAST_GROUP = {"session_timeout_ms": 6000, "heartbeat_interval_ms": 200, "rebalance_timeout_ms": 10_000}
"""The shortest session that a broker allows, and heartbeats that notice a rebalance at once."""
P = ParamSpec("P")


def in_loop(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run a coroutine test in an event loop of its own, and not for ever."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        async def bounded() -> None:
            async with asyncio.timeout(3 * Patience.wait_s):
                await test(*args, **kwargs)

        asyncio.run(bounded())

    return run


@asynccontextmanager
async def producing(broker: Broker, **config: Any) -> AsyncIterator[AIOKafkaProducer]:
    producer = AIOKafkaProducer(bootstrap_servers=broker.bootstrap_servers, **config)
    try:
        await producer.start()
        yield producer
    finally:
        await producer.stop()


@asynccontextmanager
async def consuming(broker: Broker, *topics: str, **config: Any) -> AsyncIterator[AIOKafkaConsumer]:
    """A consumer that starts at the earliest offset and commits only when asked, unless told otherwise."""
    settings = {"auto_offset_reset": "earliest", "enable_auto_commit": False, **config}
    consumer = AIOKafkaConsumer(*topics, bootstrap_servers=broker.bootstrap_servers, **settings)
    try:
        await consumer.start()
        yield consumer
    finally:
        await consumer.stop()


@asynccontextmanager
async def administering(broker: Broker) -> AsyncIterator[AIOKafkaAdminClient]:
    admin = AIOKafkaAdminClient(bootstrap_servers=broker.bootstrap_servers)
    try:
        await admin.start()
        yield admin
    finally:
        await admin.close()


async def create(admin: AIOKafkaAdminClient, topic: str, partitions: int = 1, **kwargs: Any) -> None:
    """Create a topic and wait until it has leaders."""
    answer = await admin.create_topics([NewTopic(topic, partitions, 1, **kwargs)])
    assert [error for _, error, *_ in answer.topic_errors] == [0]

    async def has_leaders() -> bool:
        described = (await admin.describe_topics([topic]))[0]
        return described["error_code"] == 0 and all(part["leader"] >= 0 for part in described["partitions"])

    await eventually(has_leaders)


async def send(producer: AIOKafkaProducer, topic: str, values: Iterable[bytes | None], **kwargs: Any) -> list[Any]:
    """Send the values and return the metadata of each."""
    futures = [await producer.send(topic, value, **kwargs) for value in values]
    return list(await asyncio.gather(*futures))


async def read(consumer: AIOKafkaConsumer, count: int, timeout_s: float | None = None) -> list[Any]:
    """Fetch until `count` records came. Raises AssertionError with what came when they do not in time."""
    records: list[Any] = []
    timeout_s = timeout_s or Patience.wait_s
    deadline = time.monotonic() + timeout_s
    while len(records) < count:
        assert time.monotonic() < deadline, f"{len(records)} of {count} records within {timeout_s} s"
        for batch in (await consumer.getmany(timeout_ms=200)).values():
            records.extend(batch)
    return records


def values(records: list[Any]) -> list[bytes | None]:
    return [record.value for record in records]


async def eventually(condition: Callable[[], Awaitable[bool]], timeout_s: float = 30.0) -> None:
    """Wait until `condition` holds. Raises AssertionError when it does not within `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    while not await condition():
        assert time.monotonic() < deadline, f"not true within {timeout_s} s"
        await asyncio.sleep(0.05)


async def shared(members: list[AIOKafkaConsumer], partitions: int, timeout_s: float = 30.0) -> None:
    """Wait until together the members hold each partition exactly once, and each holds some."""

    async def is_shared() -> bool:
        held: list[TopicPartition] = [part for member in members for part in member.assignment()]
        return len(held) == len(set(held)) == partitions and all(member.assignment() for member in members)

    await eventually(is_shared, timeout_s)
