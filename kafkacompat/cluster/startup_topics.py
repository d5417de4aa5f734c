"""Creates the topics that a program asks for when it starts a cluster of several nodes, as a client."""

from __future__ import annotations

import time

from kafkacompat.client.client import Client, pauses_s
from kafkacompat.client.topic_admin import NewTopic, wait_for_leaders
from kafkacompat.client.topic_admin import create_topics as create
from kafkacompat.errors import KafkaCompatError
from kafkacompat.protocol import error_codes as errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    from kafkacompat.control_api.seeds import Seed

TIMEOUT_S = 30.0


def create_topics(address: str, topics: Mapping[str, tuple[Any, ...]]) -> None:
    """Create topics with (partitions, replicas) and maybe configs; -1 is the broker's default. Existing topics are
    left unchanged.

    Returns when each partition has a leader. Raises KafkaCompatError with the reason for the first refused topic.
    """
    with Client(address, timeout_s=TIMEOUT_S, client_id="kafkacompat-cluster") as client:
        missing = {name: NewTopic(*counts) for name, counts in topics.items()}
        for pause_s in pauses_s(time.monotonic() + TIMEOUT_S):
            again = {}
            for name, error in create(client, missing).items() if missing else ():
                if error is None or error.error_code == errors.TOPIC_ALREADY_EXISTS:
                    continue
                if error.error_code != errors.REQUEST_TIMED_OUT or pause_s is None:
                    raise KafkaCompatError(f"{error.subject} was not created: {error}")
                again[name] = missing[name]
            missing = again
            if not missing or pause_s is None:
                break
            time.sleep(pause_s)
        wait_for_leaders(client, topics)


def topic_names(bootstrap_servers: str) -> frozenset[str]:
    """The topics of a cluster. Raises KafkaCompatError."""
    with Client(bootstrap_servers, timeout_s=TIMEOUT_S, client_id="kafkacompat-cluster") as client:
        return frozenset(topic.name or "" for topic in client.metadata(None).topics)


def write_seed(
    bootstrap_servers: str, seed: Seed, settings: Iterable[str], *, existing: Collection[str] | None = None
) -> None:
    """Create the topics of a seed and write their records. Topics that exist are left unchanged, and get no records
    unless they are missing in `existing`: those that count as existing, by default all.

    settings: the names of the settings that the user gave. Raises KafkaCompatError.
    """
    from kafkacompat.client.producing import OutgoingRecord, Producer

    with Client(bootstrap_servers, timeout_s=TIMEOUT_S, client_id="kafkacompat-cluster") as client:
        before = topic_names(bootstrap_servers) if existing is None else existing
        create_topics(bootstrap_servers.partition(",")[0], seed.settled(int(time.time() * 1000), settings))
        producer = Producer(client)
        for topic, records in seed.records.items():
            count, turn = len(client.partitions(topic)), 0
            for record in () if topic in before else records:
                partition = record.partition
                if partition is None and record.key is None:  # to partitions in turn, as on a lone broker
                    partition, turn = turn % count, turn + 1
                outgoing = OutgoingRecord(record.key, record.value, record.headers, record.timestamp, partition)
                producer.send(topic, outgoing)
                if producer.is_full:
                    producer.flush()
        producer.flush()
