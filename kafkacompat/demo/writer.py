"""Uses confluent-kafka to create topics with its admin client and to write records with an idempotent producer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future

from confluent_kafka import KafkaError, KafkaException, Message, Producer
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # it is there

from kafkacompat.demo.dataset import Record
from kafkacompat.demo.errors import DemoError

TOPIC_CONFIG = {"retention.ms": "-1"}
"""Retention goes by timestamps. With the default of a week, records of 2013 would be deleted at once."""
CONNECT_TIMEOUT_S = 10.0
ADMIN_TIMEOUT_S = 30.0
FLUSH_TIMEOUT_S = 60.0
FLUSH_STEP_S = 0.25
LOG_CRITICAL = 2
"""librdkafka logs to stderr only from this level. Its retries need no log, and failures are raised here."""
QUEUE_RECORDS = 100_000
"""Number of unacknowledged records at which `write` waits."""
STEP_RECORDS = 2_000
"""Number of records between two checks of deliveries."""
POLL_S = 0.05


def create_topics(bootstrap_servers: str, partitions: Mapping[str, int]) -> None:
    """Create the topics. Raises DemoError if no broker answers, a topic exists already or cannot be created."""
    admin = AdminClient({"bootstrap.servers": bootstrap_servers, "log_level": LOG_CRITICAL})
    try:
        admin.list_topics(timeout=CONNECT_TIMEOUT_S)
    except KafkaException:
        raise DemoError(
            f"nobody answers at {bootstrap_servers}: start the broker first, or give another --bootstrap-servers"
        ) from None
    wanted = [
        NewTopic(name, num_partitions=count, replication_factor=1, config=TOPIC_CONFIG)
        for name, count in partitions.items()
    ]
    answers: dict[str, Future[None]] = admin.create_topics(wanted, operation_timeout=ADMIN_TIMEOUT_S)
    for name, answer in answers.items():
        try:
            answer.result(ADMIN_TIMEOUT_S)
        except KafkaException as error:
            reason: KafkaError = error.args[0]
            if reason.code() == KafkaError.TOPIC_ALREADY_EXISTS:
                raise DemoError(
                    f"{bootstrap_servers} has a topic {name!r}: the demo needs new ones. Delete "
                    f"{', '.join(partitions)} there, or give no --bootstrap-servers"
                ) from None
            raise DemoError(f"cannot create topic {name!r} at {bootstrap_servers}: {reason.str()}") from None


class Writer:
    """One producer for all topics. A record that cannot be delivered raises DemoError."""

    def __init__(self, bootstrap_servers: str) -> None:
        self._failed: list[str] = []
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap_servers,
                "enable.idempotence": True,
                "compression.type": "gzip",  # every client reads it without another library
                "partitioner": "murmur2_random",  # the Java client's partitioning
                "linger.ms": 20,
                "queue.buffering.max.messages": QUEUE_RECORDS + STEP_RECORDS,
                "log_level": LOG_CRITICAL,
                "delivery.report.only.error": True,
                "on_delivery": self._on_delivery,
            }
        )

    def write(
        self, topic: str, records: Sequence[Record], progress: Callable[[int], None] = lambda _done: None
    ) -> None:
        """Write all records and wait until they are acknowledged. `progress` gets the number of acknowledged ones."""
        producer, done = self._producer, 0
        while done < len(records):
            for record in records[done : done + STEP_RECORDS]:
                self._produce(topic, record)
            done = min(done + STEP_RECORDS, len(records))
            producer.poll(0)
            while len(producer) > QUEUE_RECORDS:
                producer.poll(POLL_S)
                self._check()
                progress(done - len(producer))
            self._check()
            progress(done - len(producer))
        self._flush(topic, len(records), progress)

    def _flush(self, topic: str, written: int, progress: Callable[[int], None] = lambda _done: None) -> None:
        deadline = time.monotonic() + FLUSH_TIMEOUT_S
        while remaining := self._producer.flush(FLUSH_STEP_S):
            self._check()
            progress(written - remaining)
            if time.monotonic() > deadline:
                raise DemoError(
                    f"{remaining:,} records for {topic!r} are not acknowledged after {FLUSH_TIMEOUT_S:.0f} s"
                )
        self._check()
        progress(written)

    def _produce(self, topic: str, record: Record) -> None:
        self._producer.produce(
            topic, record.value, record.key, timestamp=record.timestamp_ms, headers=list(record.headers)
        )

    def _on_delivery(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self._failed.append(f"a record for {message.topic()!r} was not delivered: {error.str()}")

    def _check(self) -> None:
        if self._failed:
            raise DemoError(self._failed[0])
