"""A blocking client on one socket, made of the project's own codecs."""

import socket
import struct
import time
from collections import deque
from typing import Any

from kafkacompat.broker.registry import APIS
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.headers import (
    RequestHeader,
    decode_response_header,
    encode_request_header,
    response_header_is_flexible,
)
from kafkacompat.protocol.messages import api_versions, create_topics, fetch, init_producer_id, metadata, produce
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.reader import read_records
from tests.waiting import pause

STEM_TO_API = {api.stem: api for api in APIS.values()}
TIMEOUT_S = 60


class Client:
    """Requests in order; several may be in flight. Raises OSError when the broker is gone."""

    def __init__(self, port: int, timeout_s: float = TIMEOUT_S) -> None:
        self.sock = socket.create_connection(("127.0.0.1", port), timeout_s)
        self._in_flight: deque[tuple[Any, int]] = deque()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.sock.close()

    def send(self, request: Any, version: int) -> None:
        self.sock.sendall(frame_of(request, version))
        self._in_flight.append((STEM_TO_API[type(request).__module__.rpartition(".")[2]], version))

    def receive(self) -> Any:
        """The answer to the oldest request in flight."""
        api, version = self._in_flight.popleft()
        frame = self._exactly(struct.unpack(">i", self._exactly(4))[0])
        _, position = decode_response_header(frame, response_header_is_flexible(api.key, version))
        return api.messages.decode_response(frame, position, version)

    def ask(self, request: Any, version: int) -> Any:
        assert not self._in_flight
        self.send(request, version)
        return self.receive()

    def _exactly(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            chunk = self.sock.recv(count - len(data))
            if not chunk:
                raise ConnectionError("the broker closed the connection")
            data += chunk
        return bytes(data)

    # What the tests need of Kafka

    def create_topic(self, name: str, partitions: int = 1, **configs: str) -> None:
        configs = {"retention_ms": "-1"} | configs  # the records of these tests are years old
        given = [create_topics.CreatableTopicConfig(key.replace("_", "."), value) for key, value in configs.items()]
        topic = create_topics.CreatableTopic(name, partitions, 1, configs=given)
        response = self.ask(create_topics.CreateTopicsRequest(topics=[topic]), 7)
        assert response.topics[0].error_code == errors.NONE, response

    def leader(self, topic: str) -> int:
        """Of its first partition; -1 when there is none."""
        found = self.ask(metadata.MetadataRequest([metadata.MetadataRequestTopic(name=topic)]), 9).topics[0]
        leader: int = found.partitions[0].leader_id if found.partitions else -1
        return leader

    def producer_id(self) -> int:
        response = self.ask(init_producer_id.InitProducerIdRequest(None, 1000), 2)
        assert response.error_code == errors.NONE, response
        found: int = response.producer_id
        return found

    def produce(self, topic: str, batch: bytes | bytearray, partition: int = 0) -> Any:
        """The partition's answer."""
        return self.ask(produce_request(topic, batch, partition), 9).responses[0].partition_responses[0]

    def fetch(self, topic: str, offset: int, max_bytes: int = 1 << 20, partition: int = 0) -> Any:
        """The partition's answer."""
        return self.ask(fetch_request(topic, offset, max_bytes, partition), 12).responses[0].partitions[0]

    def read_all(self, topic: str, partition: int = 0) -> list[tuple[int, bytes]]:
        """Offset and value of every record."""
        records: list[tuple[int, bytes]] = []
        offset = 0
        while True:
            answer = self.fetch(topic, offset, partition=partition)
            assert answer.error_code == errors.NONE, answer
            data, position = bytes(answer.records), 0
            if not data:
                return records
            while position + 12 <= len(data):
                size = struct.unpack_from(">i", data, position + 8)[0] + 12
                if position + size > len(data):
                    break
                records += [(r.offset, r.value or b"") for r in read_records(data, position) if r.offset >= offset]
                position += size
            offset = records[-1][0] + 1


def frame_of(request: Any, version: int) -> bytes:
    """A request with its size and a header."""
    api = STEM_TO_API[type(request).__module__.rpartition(".")[2]]
    out: list[Any] = []
    api.messages.encode_request(request, version, out)
    body = encode_request_header(RequestHeader(api.key, version, 1, "robustness")) + b"".join(map(bytes, out))
    return struct.pack(">i", len(body)) + body


def produce_request(topic: str, batch: bytes | bytearray, partition: int = 0) -> produce.ProduceRequest:
    data = produce.TopicProduceData(topic, partition_data=[produce.PartitionProduceData(partition, batch)])
    return produce.ProduceRequest(acks=-1, timeout_ms=10_000, topic_data=[data])


def fetch_request(topic: str, offset: int, max_bytes: int, partition: int = 0) -> fetch.FetchRequest:
    wanted = [fetch.FetchPartition(partition, fetch_offset=offset, partition_max_bytes=max_bytes)]
    return fetch.FetchRequest(max_wait_ms=0, max_bytes=max_bytes, topics=[fetch.FetchTopic(topic, partitions=wanted)])


def batch_of(*values: bytes, **fields: int) -> bytearray:
    return build_batch([Record(index, 1_700_000_000_000, b"k", value) for index, value in enumerate(values)], **fields)


def wait_for_answer(port: int, timeout_s: float = TIMEOUT_S) -> float:
    """Try until the broker answers ApiVersions; the seconds that took."""
    started = time.monotonic()
    while True:
        try:
            with Client(port) as client:
                assert client.ask(api_versions.ApiVersionsRequest("kafkacompat", "1"), 3).error_code == errors.NONE
                return time.monotonic() - started
        except OSError:
            if time.monotonic() - started > timeout_s:
                raise
            pause()
