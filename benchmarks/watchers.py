"""Clients that do one thing over and over while a node goes away, and remember when it worked."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from compat_tests.api.raw import RawClient
from compat_tests.chaos.nodes import Nodes
from kafkacompat.protocol.messages import find_coordinator, metadata, offset_commit, produce
from kafkacompat.protocol.messages import incremental_alter_configs as alter
from kafkacompat.protocol.records.builder import Record, build_batch

EVERY_S = 0.02
ASK_TIMEOUT_S = 1.0
PRODUCE_VERSION, METADATA_VERSION, ALTER_VERSION = 9, 12, 1
COMMIT_VERSION, FIND_VERSION = 7, 2
TOPIC, SET = 2, 0
_QUIET = {"log_level": 0}


class Watcher(threading.Thread):
    """Calls `attempt` until it is told to stop. Times are time.monotonic()."""

    name = ""

    def __init__(self) -> None:
        super().__init__(daemon=True, name=type(self).name)
        self.successes: list[float] = []
        self.errors: Counter[str] = Counter()
        self._over = threading.Event()

    def run(self) -> None:
        while not self._over.is_set():
            try:
                self.attempt()
            except (OSError, KafkaException) as error:
                self.failed(error)
            self._over.wait(EVERY_S)
        self.close()

    def attempt(self) -> None:
        """One go. Raises OSError or KafkaException when it did not work."""
        raise NotImplementedError

    def close(self) -> None:
        """At the end."""

    def worked(self) -> None:
        self.successes.append(time.monotonic())

    def failed(self, error: Exception | KafkaError) -> None:
        """Something that a user of the client sees."""
        code = error.args[0] if isinstance(error, KafkaException) and error.args else error
        self.errors[code.name() if isinstance(code, KafkaError) else type(error).__name__] += 1

    def finish(self) -> None:
        self._over.set()
        self.join()

    def gap_s(self, since: float) -> float:
        """The longest time without success that ended after `since`."""
        times = [at for at in self.successes if at >= since]
        before = max((at for at in self.successes if at < since), default=since)
        ends = [*times, time.monotonic()]
        return max(other - one for one, other in zip([before, *times], ends, strict=True))

    def has_gone_on(self, since: float, for_s: float) -> bool:
        """Whether it has worked lately, and did so for a while after `since`."""
        later = [at for at in self.successes if at >= since + for_s]
        return bool(later) and time.monotonic() - later[-1] < for_s


class PartitionWatcher(Watcher):
    """acks=all to partition 0 without a client in between: it asks any live broker for the leader, and asks at once
    again when that was wrong. What it sees is the partition's own gap.
    """

    name = "partition"

    def __init__(self, nodes: Nodes, topic: str) -> None:
        super().__init__()
        self._nodes, self._topic = nodes, topic
        self._client: RawClient | None = None

    def attempt(self) -> None:
        if self._client is None:
            self._client = RawClient(self._leader(), ASK_TIMEOUT_S)
        batch = bytes(build_batch([Record(0, int(time.time() * 1000), None, b"x" * 100)]))
        data = produce.TopicProduceData(self._topic, partition_data=[produce.PartitionProduceData(0, batch)])
        request = produce.ProduceRequest(None, -1, int(ASK_TIMEOUT_S * 1000), [data])
        try:
            answer = self._client.call(produce.API_KEY, PRODUCE_VERSION, request).responses[0].partition_responses[0]
        except OSError:
            self.close()
            raise
        if answer.error_code:
            self.close()
            raise OSError(f"error {answer.error_code}")
        self.worked()

    def close(self) -> None:
        if self._client is not None:
            self._client.__exit__()
            self._client = None

    def _leader(self) -> str:
        topic = metadata.MetadataRequestTopic(name=self._topic)
        request = metadata.MetadataRequest([topic], allow_auto_topic_creation=False)
        for node_id in self._nodes.brokers:
            try:
                with RawClient(self._nodes.address_of(node_id), ASK_TIMEOUT_S) as client:
                    answer = client.call(metadata.API_KEY, METADATA_VERSION, request)
            except OSError:
                continue
            found = {broker.node_id: f"{broker.host}:{broker.port}" for broker in answer.brokers}
            leader = answer.topics[0].partitions[0].leader_id if answer.topics[0].partitions else -1
            if leader in found:
                return found[leader]
        raise ConnectionError("nobody knows of a leader")


class CoordinatorWatcher(Watcher):
    """Commits an offset without a client in between: it asks any live broker for the coordinator, and at once again
    when that was wrong. A library that doubles its pauses may see a multiple of this gap.
    """

    name = "coordinator"

    def __init__(self, nodes: Nodes, topic: str, group: str) -> None:
        super().__init__()
        self._nodes, self._topic, self._group = nodes, topic, group
        self._client: RawClient | None = None

    def attempt(self) -> None:
        if self._client is None:
            self._client = RawClient(self._coordinator(), ASK_TIMEOUT_S)
        part = offset_commit.OffsetCommitRequestPartition(0, 1)
        topic = offset_commit.OffsetCommitRequestTopic(self._topic, partitions=[part])
        request = offset_commit.OffsetCommitRequest(self._group, topics=[topic])
        try:
            answer = self._client.call(offset_commit.API_KEY, COMMIT_VERSION, request)
        except OSError:
            self.close()
            raise
        if error := answer.topics[0].partitions[0].error_code:
            self.close()
            raise OSError(f"error {error}")
        self.worked()

    def close(self) -> None:
        if self._client is not None:
            self._client.__exit__()
            self._client = None

    def _coordinator(self) -> str:
        for node_id in self._nodes.brokers:
            try:
                with RawClient(self._nodes.address_of(node_id), ASK_TIMEOUT_S) as client:
                    request = find_coordinator.FindCoordinatorRequest(self._group)
                    answer = client.call(find_coordinator.API_KEY, FIND_VERSION, request)
            except OSError:
                continue
            if answer.error_code == 0:
                return f"{answer.host}:{answer.port}"
        raise ConnectionError("nobody knows of a coordinator")


class ProducerWatcher(Watcher):
    """librdkafka's producer with acks=all and its own defaults."""

    name = "producer"
    settings: Mapping[str, Any] = {}

    def __init__(self, servers: str, topic: str) -> None:
        super().__init__()
        self._topic = topic
        self._producer = Producer({"bootstrap.servers": servers, "acks": "all", **self.settings, **_QUIET})

    def attempt(self) -> None:
        self._producer.produce(self._topic, b"x" * 100, partition=0, on_delivery=self._ended)
        self._producer.poll(0)

    def close(self) -> None:
        self._producer.flush(30)

    def _ended(self, error: KafkaError | None, _: Message) -> None:
        if error is None:
            self.worked()
        else:
            self.failed(error)


class IdempotentWatcher(ProducerWatcher):
    name = "idempotent producer"
    settings: Mapping[str, Any] = {"enable.idempotence": True}


class GroupWatcher(Watcher):
    """A consumer in a group whose coordinator goes away: it commits over and over."""

    name = "group commit"

    def __init__(self, servers: str, topic: str, group: str) -> None:
        super().__init__()
        self._consumer = Consumer(
            {"bootstrap.servers": servers, "group.id": group, "enable.auto.commit": False,
             "auto.offset.reset": "earliest", **_QUIET}
        )  # fmt: skip
        self._topic = topic
        self._consumer.subscribe([topic])

    def attempt(self) -> None:
        self._consumer.poll(0)
        if self._consumer.assignment():
            self._consumer.commit(offsets=[TopicPartition(self._topic, 0, 1)], asynchronous=False)
            self.worked()

    def close(self) -> None:
        self._consumer.close()


class AdminWatcher(Watcher):
    """Alters a topic's config over and over by any broker that answers, which asks the active controller to do it."""

    name = "admin"

    def __init__(self, nodes: Nodes, topic: str) -> None:
        super().__init__()
        self._nodes, self._topic = nodes, topic
        self._count = 0

    def attempt(self) -> None:
        self._count += 1
        value = str(604_800_000 + self._count)
        config = alter.AlterableConfig("retention.ms", SET, value)
        request = alter.IncrementalAlterConfigsRequest([alter.AlterConfigsResource(TOPIC, self._topic, [config])])
        brokers = [node for node in self._nodes.nodes.values() if node.is_broker and node.is_running]
        with RawClient(self._nodes.address_of(brokers[self._count % len(brokers)].id), ASK_TIMEOUT_S) as client:
            answer = client.call(alter.API_KEY, ALTER_VERSION, request).responses[0]
        if answer.error_code:
            raise OSError(f"error {answer.error_code}")
        self.worked()
