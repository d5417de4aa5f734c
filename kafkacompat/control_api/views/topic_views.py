"""Topics, their partitions and the local replicas, and the producers of a log, as plain values."""

from itertools import islice

from kafkacompat.config.config_entry import DEFAULT
from kafkacompat.config.describe import describe_topic
from kafkacompat.now import LONG_AGO
from kafkacompat.protocol.constants import UNKNOWN_OFFSET
from kafkacompat.protocol.primitives import uuid_to_text
from kafkacompat.replication.metadata.image import TOPIC_RESOURCE
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from kafkacompat.config import BrokerConfig
    from kafkacompat.now import Now
    from kafkacompat.replication.in_sync import Follower
    from kafkacompat.replication.metadata.image import PartitionImage
    from kafkacompat.replication.partition import Partition
    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.steps import Steps

    Plain = dict[str, Any]

PARTITIONS_PER_YIELD = 25
"""A view yields at least after so many partitions."""
UNITS_PER_TOPIC = 2
PRODUCERS_MAX = 10_000
"""The most producers that are shown at once."""
SOURCES = {
    1: "topic", 2: "broker", 3: "all_brokers", 4: "static", 5: "default", 6: "broker_logger", 7: "client_metrics",
    8: "group",
}  # fmt: skip
"""Where a config's value comes from, by Kafka's ConfigSource."""


def topics(
    server: "BrokerServer", names: "Collection[str] | None" = None, *, all_configs: bool = False
) -> "Steps[list[Plain]]":
    """The topics in this node's metadata, by name; with `names` only those of them that exist.

    Each has `name`, `topic_id`, `is_internal`, `configs` {name: {value, source}} and `partitions`. `configs` leaves out
    Kafka's defaults unless `all_configs` is set. A partition has `partition`, `leader` (-1: none), `leader_epoch`,
    `partition_epoch`, `replicas`, `isr`, `elr`, `adding`, `removing`, and `logs`: a list with this broker's replica, if
    it has one: `directory` has its files, and `dirty_ratio` is the share that was not compacted in the cleaner's last
    round (null: it did not look). The offsets and sizes of a partition are of the same moment, those of a large answer
    are not.
    """
    broker, now = server.broker, server.now()
    image = broker.image
    chosen = sorted(image.topics if names is None else image.topics.keys() & set(names))
    shared = _configs(broker.config, {}, all_configs=all_configs)
    cleaner = broker.compaction.cleaner
    dirty_ratios = {} if cleaner is None else cleaner.dirty_ratios
    found = []
    units = 0
    for name in chosen:
        topic = image.topics[name]
        overrides = image.config(TOPIC_RESOURCE, name)
        partitions: list[Plain] = []
        found.append(
            {
                "name": name,
                "topic_id": uuid_to_text(topic.topic_id),
                "is_internal": broker.is_internal(name),
                "configs": _configs(broker.config, overrides, all_configs=all_configs) if overrides else dict(shared),
                "partitions": partitions,
            }
        )
        units += UNITS_PER_TOPIC
        for index, partition in enumerate(topic.partitions):
            replica = broker.partitions.get(name, index)
            logs = [] if replica is None else [_log(replica, dirty_ratios.get((name, index)), now)]
            partitions.append(_partition(index, partition, logs))
            units += 1
            if units >= PARTITIONS_PER_YIELD:
                yield units
                units = 0
    return found


def producers(
    server: "BrokerServer",
    topic: str | None = None,
    partition: int | None = None,
    producer_id: int | None = None,
    limit: int = PRODUCERS_MAX,
) -> "Steps[list[Plain]]":
    """The producers in the state of the partitions that this broker leads: all, or those of a topic, of a partition, or
    with a producer id; at most `limit` of them.

    Each has `topic`, `partition`, `producer_id`, `epoch`, `last_sequence`, `last_offset`, `last_timestamp_ms`, and of
    its open transaction `transaction_start_offset` (-1 without one) and `transaction_start_ms` (null), the timestamp of
    its first batch.
    """
    found: list[Plain] = []
    units = 0
    leading = [each for each in server.broker.partitions if each.is_leader]
    for each in leading:
        units += 1
        is_chosen = topic in (None, each.topic) and partition in (None, each.index)
        entries = each.log.producers.entries
        if producer_id is not None:
            one = entries.get(producer_id)
            entries = {} if one is None else {producer_id: one}
        for entry in list(islice(entries.values(), limit - len(found))) if is_chosen else ():
            if units >= PARTITIONS_PER_YIELD:
                yield units
                units = 0
            found.append(
                {
                    "topic": each.topic,
                    "partition": each.index,
                    "producer_id": entry.producer_id,
                    "epoch": entry.epoch,
                    "last_sequence": entry.last_sequence,
                    "last_offset": entry.last_offset,
                    "last_timestamp_ms": entry.last_timestamp_ms,
                    "transaction_start_offset": entry.transaction_first_offset,
                    "transaction_start_ms": _written_ms(each, entry.transaction_first_offset),
                }
            )
            units += 1
        if units >= PARTITIONS_PER_YIELD:
            yield units
            units = 0
    return found


def _written_ms(replica: "Partition", offset: int) -> int | None:
    """The first timestamp of the batch with this offset; None if there is none."""
    if offset == UNKNOWN_OFFSET:
        return None
    try:
        for header, _ in replica.log.batches(offset, offset + 1):
            return header.base_timestamp
    except LogError:  # the log is offline, which the partition's view says
        return None
    return None


def _configs(config: "BrokerConfig", overrides: "Any", *, all_configs: bool) -> "dict[str, Plain]":
    return {
        entry.name: {"value": entry.value, "source": SOURCES[entry.source]}
        for entry in describe_topic(overrides, config)
        if all_configs or entry.source != DEFAULT
    }


def _partition(index: int, partition: "PartitionImage", logs: "list[Plain]") -> "Plain":
    return {
        "partition": index,
        "leader": partition.leader,
        "leader_epoch": partition.leader_epoch,
        "partition_epoch": partition.partition_epoch,
        # The image's own tuples: with lists, 10,000 partitions would be enough garbage for a collection of 100 ms.
        "replicas": partition.replicas,
        "isr": partition.isr,
        "elr": partition.elr,
        "adding": partition.adding,
        "removing": partition.removing,
        "logs": logs,
    }


def _log(replica: "Partition", dirty_ratio: float | None, now: "Now") -> "Plain":
    log = replica.log
    failure = replica.failure if replica.failure is not None else log.failure
    return {
        "broker": replica.node_id,
        "is_leader": replica.is_leader,
        "leader_epoch": replica.leader_epoch,
        "log_start_offset": log.log_start_offset,
        "high_watermark": replica.high_watermark,
        "last_stable_offset": replica.last_stable_offset,
        "log_end_offset": log.log_end_offset,
        "size_bytes": log.size_bytes,
        "segment_count": len(log.segments.all),
        "directory": log.path,
        "dirty_ratio": dirty_ratio,
        "leader_epochs": tuple(log.epochs.entries),
        "failure": None if failure is None else str(failure),
        "followers": tuple(
            {
                "broker": broker_id,
                "log_end_offset": follower.end_offset,
                "behind_ms": _behind_ms(follower, log.log_end_offset, now),
            }
            for broker_id, follower in replica.in_sync.followers.items()
        )
        if replica.in_sync.followers
        else (),
    }


def _behind_ms(follower: "Follower", log_end_offset: int, now: "Now") -> int | None:
    """How long a follower has been behind; None: it has not caught up in this leader epoch."""
    if follower.end_offset == log_end_offset:
        return 0
    return None if follower.caught_up_ms == LONG_AGO else max(0, now.monotonic_ms - follower.caught_up_ms)
