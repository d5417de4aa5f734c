"""Produce of transactional batches, with the transaction's coordinator, in every version and on both brokers."""

from __future__ import annotations

import time
from typing import Any

import pytest

from compat_tests.api import topics
from compat_tests.api.conftest import Compare
from compat_tests.api.raw import RawClient, versions
from kafkacompat.protocol.messages import (
    add_partitions_to_txn,
    end_txn,
    find_coordinator,
    init_producer_id,
)
from kafkacompat.protocol.messages import produce as api
from kafkacompat.protocol.records.builder import Record, build_batch

pytestmark = pytest.mark.api("Produce")

BY_ID_SINCE, ADDS_SINCE = 13, 12
OLDEST = 3
OWN = ["topic_id", "host", "port", "error_message"]
TRANSACTION = 1
WAIT_S = 60.0


class Producer:
    """A transactional producer, by raw requests."""

    def __init__(self, client: RawClient, topic: str, topic_id: bytes, version: int) -> None:
        self.client = client
        self.topic = topic
        self.topic_id = topic_id
        self.version = version
        self.name = f"{topic}-id"
        self._coordinated()
        self.init()

    def _coordinated(self) -> None:
        deadline = time.monotonic() + WAIT_S
        request = find_coordinator.FindCoordinatorRequest(self.name, TRANSACTION)
        while self.client.call(find_coordinator.API_KEY, 2, request).error_code:
            assert time.monotonic() < deadline, "no coordinator"
            time.sleep(0.05)

    def init(self) -> None:
        deadline = time.monotonic() + WAIT_S
        request = init_producer_id.InitProducerIdRequest(self.name, 60_000)
        while (answer := self.client.call(init_producer_id.API_KEY, 4, request)).error_code:
            assert time.monotonic() < deadline, answer
            time.sleep(0.05)
        self.pair = answer.producer_id, answer.producer_epoch

    def add(self, *partitions: int) -> None:
        of = add_partitions_to_txn.AddPartitionsToTxnTopic(self.topic, partitions)
        request = add_partitions_to_txn.AddPartitionsToTxnRequest((), self.name, *self.pair, [of])
        deadline = time.monotonic() + WAIT_S
        while True:
            answer = self.client.call(add_partitions_to_txn.API_KEY, 3, request)
            codes = {
                each.partition_error_code
                for topic in answer.results_by_topic_v3_and_below for each in topic.results_by_partition
            }  # fmt: skip
            if codes == {0}:
                return
            assert time.monotonic() < deadline, codes
            time.sleep(0.02)

    def end(self, *, commit: bool) -> None:
        version = 5 if self.version >= ADDS_SINCE else 3
        deadline = time.monotonic() + WAIT_S
        while (answer := self.client.call(
            end_txn.API_KEY, version, end_txn.EndTxnRequest(self.name, *self.pair, commit)
        )).error_code:  # fmt: skip
            assert time.monotonic() < deadline, answer
            time.sleep(0.02)
        if version >= 5:
            self.pair = answer.producer_id, answer.producer_epoch

    def batch(self, sequence: int = 0, *, epoch: int = 0, producer: int = 0, is_transactional: bool = True) -> bytes:
        return bytes(
            build_batch(
                [Record(0, topics.BASE_TIMESTAMP_MS, None, b"value")], producer_id=self.pair[0] + producer,
                producer_epoch=self.pair[1] + epoch, base_sequence=sequence, is_transactional=is_transactional,
            )
        )  # fmt: skip

    def write(self, *batches: tuple[int, bytes], name: str | None = "") -> Any:
        data = [api.PartitionProduceData(index, records) for index, records in batches]
        topic = api.TopicProduceData("" if self.version >= BY_ID_SINCE else self.topic, self.topic_id, data)
        request = api.ProduceRequest(self.name if name == "" else name, -1, 10_000, [topic])
        answer = self.client.ask(api, self.version, request, OWN)
        for each in answer["responses"]:
            each["partition_responses"].sort(key=lambda found: found["index"])
        return answer


def _after_completion(write: Any) -> Any:
    """The answer once the last transaction is complete: until then it may be CONCURRENT_TRANSACTIONS or the like."""
    deadline = time.monotonic() + WAIT_S
    while True:
        answer = write()
        codes = {each["error_code"] for topic in answer["responses"] for each in topic["partition_responses"]}
        if not codes & {19, 51} or time.monotonic() > deadline:
            return answer
        time.sleep(0.05)


@pytest.mark.parametrize("version", versions(api, OLDEST))
def test_every_case(compare: Compare, topic: str, version: int) -> None:
    def script(client: RawClient) -> dict[str, Any]:
        producer = Producer(client, topic, topics.create(client, topic, 4), version)
        told: dict[str, Any] = {}
        told["not added"] = producer.write((0, producer.batch()))
        producer.add(0, 1)
        told["added, and one that is not"] = producer.write((0, producer.batch()), (3, producer.batch()))
        told["open"] = producer.write((0, producer.batch(1)), (1, producer.batch()))
        told["again"] = producer.write((0, producer.batch(1)))
        told["a gap"] = producer.write((0, producer.batch(5)))
        told["outside of it"] = producer.write((0, producer.batch(2, is_transactional=False)))
        told["an older epoch"] = producer.write((0, producer.batch(2, epoch=-1)))
        told["a newer epoch"] = producer.write((0, producer.batch(0, epoch=1)))
        told["another producer"] = producer.write((0, producer.batch(0, producer=1)))
        told["two producers"] = producer.write((0, producer.batch(2)), (1, producer.batch(1, producer=1)))
        told["two epochs"] = producer.write((0, producer.batch(2)), (1, producer.batch(1, epoch=1)))
        told["no id"] = producer.write((0, producer.batch(2)), name=None)
        told["another id"] = producer.write((2, producer.batch(0)), name="nobody")
        told["not there"] = producer.write((9, producer.batch(0)))
        told["a sequence to begin with"] = producer.write((2, producer.batch(3)))
        producer.end(commit=True)
        if version < ADDS_SINCE:
            producer.add(1)
        told["next"] = _after_completion(lambda: producer.write((1, producer.batch(0 if version >= ADDS_SINCE else 1))))
        producer.end(commit=False)
        producer.init()
        told["after the next start"] = producer.write((1, producer.batch(0, epoch=-1)))
        return told

    compare(script)
