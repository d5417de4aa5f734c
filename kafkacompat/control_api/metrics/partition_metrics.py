"""The part of `/metrics` that grows with the partitions of a node; made in steps, so that the event loop goes on."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from kafkacompat.control_api.metrics.exposition import COUNTER, GAUGE, labelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kafkacompat.control_api.metrics.exposition import Exposition
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.replication.partition import Partition
    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.steps import Steps

PARTITIONS_MAX = 1_000
"""With more partitions on a node, series of each partition are written only when they are asked for."""
SERIES_PER_YIELD = 100
LATE_BUFFER_MS = 5 * 60_000
"""A transaction is late if nothing was written for so much longer than transaction.max.timeout.ms, as in Kafka."""
UNITS_OF_SERIES = 25
"""So many units of work are SERIES_PER_YIELD."""

TOPICS = "kafka_server_brokertopicmetrics_"
REPLICAS = "kafka_server_replicamanager_"
EXPORTED = "kafka_topic_partition_"
"""Of kafka_exporter."""

_TRAFFIC = (
    ("messagesin", "messages_in", "Records that producers have written to this leader."),
    ("bytesin", "bytes_in", "Bytes of batches that producers have written to this leader."),
    ("bytesout", "bytes_out", "Bytes of batches that consumers have read from this broker."),
    ("totalproducerequests", "produce_requests", "Batches that producers have written to this leader."),
    ("totalfetchrequests", "fetch_requests", "Reads of partitions by consumers and followers."),
    ("failedproducerequests", "failed_produce_requests", "Batches of producers that were refused."),
    ("failedfetchrequests", "failed_fetch_requests", "Reads of partitions that were refused."),
)


class Replica(NamedTuple):
    """A replica here, and its labels."""

    partition: Partition
    labels: str


class Family(NamedTuple):
    """A gauge of each replica, or of each that is led here."""

    name: str
    says: str
    value_of: Callable[[Partition], int]
    is_of_leaders: bool = False


def _is_under_replicated(partition: Partition) -> bool:
    return len(partition.isr) < len(partition.replicas)


def _is_under_min_isr(partition: Partition) -> bool:
    return len(partition.isr) < partition.in_sync.min_isr


def _is_at_min_isr(partition: Partition) -> bool:
    return len(partition.isr) == partition.in_sync.min_isr


FAMILIES = (
    Family("kafka_log_log_size", "Bytes of a log.", lambda each: each.log.size_bytes),
    Family("kafka_log_log_logstartoffset", "The first offset of a log.", lambda each: each.log_start_offset),
    Family("kafka_log_log_logendoffset", "The offset that the next record gets.", lambda each: each.log_end_offset),
    Family("kafka_log_log_numlogsegments", "Segments of a log.", lambda each: len(each.log.segments.all)),
    Family("kafkacompat_leader_epoch", "The leader epoch of a replica.", lambda each: each.leader_epoch),
    Family(
        "kafka_cluster_partition_underreplicated", "1 for a partition led here whose ISR lacks replicas, else 0.",
        lambda each: int(_is_under_replicated(each)), is_of_leaders=True,
    ),
    Family(
        "kafka_cluster_partition_underminisr", "1 for a partition led here with less than min.insync.replicas, else 0.",
        lambda each: int(_is_under_min_isr(each)), is_of_leaders=True,
    ),
    Family(
        "kafka_cluster_partition_atminisr", "1 for a partition led here with exactly min.insync.replicas, else 0.",
        lambda each: int(_is_at_min_isr(each)), is_of_leaders=True,
    ),
    Family(
        f"{EXPORTED}current_offset", "The high watermark of a partition led here.", lambda each: each.high_watermark,
        is_of_leaders=True,
    ),
    Family(
        f"{EXPORTED}oldest_offset", "The first offset of a partition led here.", lambda each: each.log_start_offset,
        is_of_leaders=True,
    ),
    Family(
        f"{EXPORTED}leader", "The broker that leads a partition: this one.", lambda each: each.leader,
        is_of_leaders=True,
    ),
    Family(
        f"{EXPORTED}replicas", "Replicas of a partition led here.", lambda each: len(each.replicas),
        is_of_leaders=True,
    ),
    Family(
        f"{EXPORTED}in_sync_replica", "In-sync replicas of a partition led here.", lambda each: len(each.isr),
        is_of_leaders=True,
    ),
    Family(
        f"{EXPORTED}leader_is_preferred", "1 for a partition led here by its first replica, else 0.",
        lambda each: int(each.replicas[:1] == (each.leader,)), is_of_leaders=True,
    ),
    Family(
        f"{EXPORTED}under_replicated_partition", "1 for a partition led here whose ISR lacks replicas, else 0.",
        lambda each: int(_is_under_replicated(each)), is_of_leaders=True,
    ),
)  # fmt: skip
"""Series of partitions."""


def of_partitions(out: Exposition, server: BrokerServer, *, is_asked_for: bool | None) -> Steps[bool]:
    """Counts of topics, sums over all replicas, and series of each. Returns whether those were written.

    is_asked_for: whether series of each partition are; None leaves it to PARTITIONS_MAX.
    """
    partitions = sorted(server.broker.partitions, key=attrgetter("topic", "index"))
    yield len(partitions) // SERIES_PER_YIELD * UNITS_OF_SERIES
    yield from _traffic(out, partitions)
    yield from _sums(out, server, partitions)
    is_written = len(partitions) <= PARTITIONS_MAX if is_asked_for is None else is_asked_for
    if is_written:
        yield from _each(out, partitions)
    return is_written


def _traffic(out: Exposition, partitions: Sequence[Partition]) -> Steps[None]:
    """BrokerTopicMetrics."""
    counts: dict[str, list[int]] = {}
    for part in _parts(partitions):
        for topic, group in groupby(part, key=attrgetter("topic")):
            found = counts.setdefault(topic, [0] * len(_TRAFFIC))
            for partition in group:
                for place, (_, field, _) in enumerate(_TRAFFIC):
                    found[place] += getattr(partition.traffic, field)
        yield UNITS_OF_SERIES * 2
    labels = {topic: labelled(topic=topic) for topic in counts}
    for place, (what, _, says) in enumerate(_TRAFFIC):
        out.family(f"{TOPICS}{what}_total", COUNTER, says)
        for number, (topic, found) in enumerate(counts.items()):
            out.series(labels[topic], found[place])
            if number % SERIES_PER_YIELD == 0:
                yield UNITS_OF_SERIES


def _sums(out: Exposition, server: BrokerServer, partitions: Sequence[Partition]) -> Steps[None]:
    """ReplicaManager."""
    led = under = under_min = at_min = failed = late = producer_ids = 0
    late_ms = server.broker.config.get_int("transaction.max.timeout.ms") + LATE_BUFFER_MS
    wall_ms = server.now().wall_ms
    for part in _parts(partitions):
        for partition in part:
            failed += partition.has_failed
            producer_ids += len(partition.log.producers.entries)
            if partition.is_leader:
                led += 1
                under += _is_under_replicated(partition)
                under_min += _is_under_min_isr(partition)
                at_min += _is_at_min_isr(partition)
                late += partition.log.producers.has_late_transaction(wall_ms, late_ms)
        yield UNITS_OF_SERIES
    for what, says, value in (
        ("leadercount", "Partitions that this broker leads.", led),
        ("partitioncount", "Replicas on this broker.", len(partitions)),
        ("underreplicatedpartitions", "Partitions led here whose ISR lacks replicas.", under),
        ("underminisrpartitioncount", "Partitions led here with fewer than min.insync.replicas.", under_min),
        ("atminisrpartitioncount", "Partitions led here with exactly min.insync.replicas.", at_min),
        ("offlinereplicacount", "Replicas here that failed.", failed),
        ("partitionswithlatetransactionscount", "Partitions led here with a transaction that hangs.", late),
        ("produceridcount", "Producers in the state of the replicas here.", producer_ids),
    ):
        out.one(REPLICAS + what, GAUGE, says, value)
    counts = server.broker.alter_isr
    out.one(f"{REPLICAS}isrshrinks_total", COUNTER, "ISRs that this broker has had shrunk.", counts.shrink_count)
    out.one(f"{REPLICAS}isrexpands_total", COUNTER, "ISRs that this broker has had expanded.", counts.expand_count)


def _each(out: Exposition, partitions: Sequence[Partition]) -> Steps[None]:
    """FAMILIES."""
    replicas: list[Replica] = []
    for part in _parts(partitions):
        replicas += [Replica(each, labelled(topic=each.topic, partition=each.index)) for each in part]
        yield UNITS_OF_SERIES
    led = [each for each in replicas if each.partition.is_leader]
    for family in FAMILIES:
        chosen = led if family.is_of_leaders else replicas
        if chosen:
            out.family(family.name, GAUGE, family.says)
        for begin in range(0, len(chosen), SERIES_PER_YIELD):
            for partition, labels in chosen[begin : begin + SERIES_PER_YIELD]:
                out.series(labels, family.value_of(partition))
            yield UNITS_OF_SERIES


class OfTopics(NamedTuple):
    """Sums over all partitions in the metadata."""

    partition_count: int
    offline_count: int
    unclean_epochs: dict[tuple[bytes, int], int]
    """Of the partitions that had an unclean election, the epoch of the last one."""


def of_topics(image: MetadataImage) -> Steps[OfTopics]:
    """Count in the metadata."""
    partition_count = offline_count = 0
    unclean: dict[tuple[bytes, int], int] = {}
    for topic in list(image.topics.values()):
        partition_count += len(topic.partitions)
        for begin in range(0, len(topic.partitions), SERIES_PER_YIELD):
            for index, each in enumerate(topic.partitions[begin : begin + SERIES_PER_YIELD], begin):
                offline_count += each.leader < 0
                if each.unclean_epoch >= 0:
                    unclean[topic.topic_id, index] = each.unclean_epoch
            yield UNITS_OF_SERIES // 2
        yield 1
    return OfTopics(partition_count, offline_count, unclean)


def _parts(partitions: Sequence[Partition]) -> Iterator[Sequence[Partition]]:
    return (partitions[at : at + SERIES_PER_YIELD] for at in range(0, len(partitions), SERIES_PER_YIELD))
