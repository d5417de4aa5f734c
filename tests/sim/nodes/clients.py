"""Clients of simulated nodes: Kafka's protocol in bytes on simulated connections. They record what they observe."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from compat_tests.chaos import history
from kafkacompat.broker.network import Address
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.headers import (
    RequestHeader,
    decode_response_header,
    encode_request_header,
    response_header_is_flexible,
)
from kafkacompat.protocol.messages import create_topics, fetch, init_producer_id, metadata, produce
from kafkacompat.protocol.records.batch import LOG_OVERHEAD, split
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.server.frames import SIZE
from tests.sim.nodes.internet import Host
from tests.sim.nodes.machine import WALL_MS
from tests.sim.nodes.node import PORT
from tests.sim.virtual_loop import ProcessLoop

if TYPE_CHECKING:
    from tests.sim.nodes.cluster import Cluster

TIMEOUT_MS = 2_000
RETRY_MS = 100
TOPIC = "t"


class NoAnswerError(Exception):
    """The outcome of a request is unknown."""


class Exchange(asyncio.Protocol):
    """One connection to a node, for one request at a time."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._answer: asyncio.Future[bytes] | None = None
        self.transport: Any = None
        self.is_lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_lost = True
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(NoAnswerError())

    def get_buffer(self, sizehint: int) -> memoryview:
        self._piece = bytearray(1 << 16)
        return memoryview(self._piece)

    def buffer_updated(self, count: int) -> None:
        self._buffer += self._piece[:count]
        if len(self._buffer) >= 4:
            size = SIZE.unpack_from(self._buffer)[0]
            if len(self._buffer) >= 4 + size and self._answer is not None and not self._answer.done():
                self._answer.set_result(bytes(self._buffer[4 : 4 + size]))
                del self._buffer[: 4 + size]

    async def ask(self, frame: bytes) -> bytes:
        self._answer = asyncio.get_running_loop().create_future()
        self.transport.write(frame)
        return await self._answer


class Client(Host):
    """A client on a machine of its own, whose process never ends."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        super().__init__(cluster.internet, name)
        self.cluster = cluster
        self.rng = cluster.world.rng(name)
        self.loop = loop = ProcessLoop(cluster.world, name)
        self._exchanges: dict[int, Exchange] = {}
        self._turns: dict[int, asyncio.Lock] = {}
        """By node: one request at a time to each."""
        self._correlation_id = 0
        self._leaders: dict[int, tuple[int, int]] = {}  # by partition: node, leader epoch
        self.is_done = False
        loop.create_task(self._go())
        loop.plan()

    async def _go(self) -> None:
        await self.go()
        self.is_done = True

    async def go(self) -> None:
        """What it does."""
        raise NotImplementedError

    async def pause(self, max_ms: int) -> None:
        await asyncio.sleep(self.rng.randrange(1, max_ms) / 1000)

    async def ask(self, node_id: int, api: Any, version: int, request: object, timeout_ms: int = TIMEOUT_MS) -> Any:
        """Send one request. Raises NoAnswerError."""
        body: list[Any] = []
        api.encode_request(request, version, body)
        self._correlation_id += 1
        correlation_id = self._correlation_id
        header = encode_request_header(RequestHeader(api.API_KEY, version, correlation_id, self.name))
        frame = b"".join((header, *body))
        async with self._turns.setdefault(node_id, asyncio.Lock()):
            try:
                async with asyncio.timeout(timeout_ms / 1000):
                    exchange = await self._exchange(node_id)
                    answer = await exchange.ask(SIZE.pack(len(frame)) + frame)
            except (OSError, NoAnswerError):
                broken = self._exchanges.pop(node_id, None)
                if broken is not None and broken.transport is not None:
                    broken.transport.abort()
                raise NoAnswerError from None
        answered_id, at = decode_response_header(answer, response_header_is_flexible(api.API_KEY, version))
        assert answered_id == correlation_id, "an answer to another request"
        return api.decode_response(answer, at, version)

    async def _exchange(self, node_id: int) -> Exchange:
        found = self._exchanges.get(node_id)
        if found is None or found.is_lost:
            found = self._exchanges[node_id] = await self.connect(node_id)
        return found

    async def connect(self, node_id: int) -> Exchange:
        """Open a connection. Raises OSError."""
        sock = await self.internet.connect(self, Address(f"n{node_id}", PORT), TIMEOUT_MS)
        assert self.loop is not None
        _, exchange = await self.loop.create_connection(Exchange, sock=sock)
        found: Exchange = exchange
        return found

    def any_node(self) -> int:
        return self.rng.choice(self.cluster.node_ids)

    async def leader_of(self, partition: int) -> tuple[int, int]:
        """Node id and leader epoch of the leader; asks until a node knows it."""
        while partition not in self._leaders:
            request = metadata.MetadataRequest([metadata.MetadataRequestTopic(name=TOPIC)], False)
            try:
                answer = await self.ask(self.any_node(), metadata, 12, request)
            except NoAnswerError:
                await self.pause(RETRY_MS)
                continue
            for found in (each for topic in answer.topics if topic.error_code == 0 for each in topic.partitions):
                if found.leader_id >= 0:
                    self._leaders[found.partition_index] = (found.leader_id, found.leader_epoch)
            if partition not in self._leaders:
                await self.pause(RETRY_MS)
        return self._leaders[partition]

    def forget_leader(self, partition: int) -> None:
        self._leaders.pop(partition, None)


class Admin(Client):
    """Creates the topic."""

    async def go(self) -> None:
        configs = [create_topics.CreatableTopicConfig(*config) for config in self.cluster.topic_configs.items()]
        topic = create_topics.CreatableTopic(TOPIC, self.cluster.partition_count, 3, configs=configs)
        while True:
            request = create_topics.CreateTopicsRequest([topic], TIMEOUT_MS)
            try:
                answer = await self.ask(self.any_node(), create_topics, 7, request)
            except NoAnswerError:
                await self.pause(RETRY_MS)
                continue
            if answer.topics[0].error_code in (errors.NONE, errors.TOPIC_ALREADY_EXISTS):
                return
            await self.pause(RETRY_MS)


class Producer(Client):
    """A producer. With acks=all it is idempotent, and retries each value until it is acknowledged."""

    def __init__(self, cluster: Cluster, name: str, partition: int, acks: int, pause_ms: int) -> None:
        self.partition = partition
        self._acks = acks
        self._pause_ms = pause_ms
        super().__init__(cluster, name)

    async def go(self) -> None:
        producer_id, epoch = await self._identity() if self._acks == -1 else (-1, -1)
        count = 0
        while not self.cluster.is_over:
            value = f"{self.name}.{count}"
            sequence = count if self._acks == -1 else -1
            record = Record(0, WALL_MS + count, None, value.encode())
            batch = build_batch(
                [record], producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence
            )  # fmt: skip
            offset = await self._write(bytes(batch))
            if offset is not None and self._acks == -1:
                sent = history.Send(self.name, f"{TOPIC}/{self.partition}", value, history.OK, offset)
                self.cluster.acknowledged(sent)
            count += 1
            await self.pause(self._pause_ms)

    async def _identity(self) -> tuple[int, int]:
        while True:
            request = init_producer_id.InitProducerIdRequest(None, 60_000)
            try:
                answer = await self.ask(self.any_node(), init_producer_id, 4, request)
            except NoAnswerError:
                await self.pause(RETRY_MS)
                continue
            if answer.error_code == errors.NONE:
                return answer.producer_id, answer.producer_epoch
            await self.pause(RETRY_MS)

    async def _write(self, batch: bytes) -> int | None:
        while True:
            leader, _ = await self.leader_of(self.partition)
            data = produce.TopicProduceData(TOPIC, partition_data=[produce.PartitionProduceData(self.partition, batch)])
            request = produce.ProduceRequest(None, self._acks, TIMEOUT_MS - 500, [data])
            try:
                answer = await self.ask(leader, produce, 9, request)
                error, offset = self._said(answer)
            except NoAnswerError:
                error, offset = errors.NETWORK_EXCEPTION, -1
            if error in (errors.NONE, errors.DUPLICATE_SEQUENCE_NUMBER):
                return offset if error == errors.NONE else None
            if self._acks != -1:
                self.forget_leader(self.partition)
                return None
            self.forget_leader(self.partition)
            await self.pause(RETRY_MS)

    @staticmethod
    def _said(answer: Any) -> tuple[int, int]:
        found = answer.responses[0].partition_responses[0]
        return found.error_code, found.base_offset


class Consumer(Client):
    """Reads committed records, from the beginning or from a random offset."""

    def __init__(self, cluster: Cluster, name: str, partition: int) -> None:
        self.partition = partition
        super().__init__(cluster, name)

    async def go(self) -> None:
        offset = 0
        while not self.cluster.is_over:
            found = await self.read(offset)
            if found is not None:
                offset = found
            if self.rng.random() < 0.02:
                offset = self.rng.randint(0, offset)
                self.cluster.history.append(history.Assign(self.name, frozenset({self._key})))
            await self.pause(RETRY_MS)

    @property
    def _key(self) -> str:
        return f"{TOPIC}/{self.partition}"

    async def read(self, offset: int, max_wait_ms: int = 300) -> int | None:
        """Fetch once. Returns the next offset; None after an error."""
        leader, epoch = await self.leader_of(self.partition)
        asked = fetch.FetchPartition(self.partition, epoch, offset, partition_max_bytes=1 << 16)
        topics = [fetch.FetchTopic(TOPIC, partitions=[asked])]
        request = fetch.FetchRequest(max_wait_ms=max_wait_ms, min_bytes=1, max_bytes=1 << 20, topics=topics)
        try:
            answer = await self.ask(leader, fetch, 12, request)
        except NoAnswerError:
            self.forget_leader(self.partition)
            return None
        data = answer.responses[0].partitions[0] if answer.responses else None
        if data is None or data.error_code != errors.NONE:
            self.forget_leader(self.partition)
            return None
        return self._take(offset, data)

    def _take(self, offset: int, data: Any) -> int:
        records = b"".join(map(bytes, data.records)) if isinstance(data.records, list) else bytes(data.records or b"")
        reads: list[tuple[int, str]] = []
        for at, header in split(records[: whole_size(records)]):
            found = [(record.offset, (record.value or b"").decode()) for record in read_records(records, at, header)]
            reads += [read for read in found if read[0] >= offset]
        if reads:
            promised = [read for read in reads if read[1].startswith("p")]
            self.cluster.polled(self.name, self._key, promised)
            return reads[-1][0] + 1
        return offset


def whole_size(records: bytes) -> int:
    """The size of the whole batches: the last one may be incomplete, as in Kafka."""
    at = 0
    while len(records) - at >= LOG_OVERHEAD:
        size = LOG_OVERHEAD + int.from_bytes(records[at + 8 : at + LOG_OVERHEAD], "big")
        if size > len(records) - at:
            break
        at += size
    return at


class LastReader(Consumer):
    """Reads a partition from its beginning to an end."""

    def __init__(self, cluster: Cluster, name: str, partition: int, end_offset: int) -> None:
        self._end_offset = end_offset
        super().__init__(cluster, name, partition)

    async def go(self) -> None:
        offset = 0
        while offset < self._end_offset:
            found = await self.read(offset)
            offset = offset if found is None else found
