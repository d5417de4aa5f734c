"""Writes the metadata of a new lone node that has topics from its first start, into a directory that has none."""

from __future__ import annotations

from typing import NamedTuple

from kafkacompat.config.broker import BrokerConfig
from kafkacompat.protocol.constants import NO_NODE
from kafkacompat.protocol.internal.cluster_metadata import (
    BrokerEndpoint,
    BrokerFeature,
    ConfigRecord,
    PartitionRecord,
    RegisterBrokerRecord,
    TopicRecord,
)
from kafkacompat.replication.metadata import log as metadata_log
from kafkacompat.replication.metadata.features import SUPPORTED_FEATURES, bootstrap_configs, bootstrap_features
from kafkacompat.replication.metadata.format import format_node
from kafkacompat.replication.metadata.image import TOPIC_RESOURCE
from kafkacompat.replication.metadata.startup import DEFAULT_CONTROLLER_ENDPOINTS
from kafkacompat.replication.raft import election_state
from kafkacompat.replication.raft.batches import encode_record, metadata_batch
from kafkacompat.replication.raft.voters import Voter
from kafkacompat.storage.data_dir import METADATA_DIRECTORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.storage.fs import Fs

FIRST_EPOCH = 1
"""The epoch of the records; the node begins its own at its start."""
BATCH_RECORDS = 1000
"""So many records never come near `MAX_BATCH_BYTES`: a config's value has 32 KiB at most."""


class InitialTopic(NamedTuple):
    """A topic of the first start."""

    name: str
    topic_id: bytes
    partitions: int
    configs: Mapping[str, str]


def write_new_cluster(
    fs: Fs,
    data_dir: str,
    topics: Sequence[InitialTopic],
    *,
    node_id: int,
    cluster_id: str,
    directory_id: bytes,
    incarnation_id: bytes,
    now: Now,
) -> int:
    """Format the directory for a lone broker and controller, and write a metadata log with the topics.

    The directory is as after a clean stop of that node: its partitions have no leader, and the node, which is their
    only replica and in sync, becomes it when it has registered. Returns the epoch of the broker, which belongs into the
    marker of the clean stop: with another one the replicas would count as not in sync (KIP-966). Raises StartupError if
    it is formatted; OSError.
    """
    endpoints = tuple((each.name, each.host, each.port) for each in DEFAULT_CONTROLLER_ENDPOINTS)
    voters = [Voter(node_id, directory_id, endpoints)]
    format_node(
        fs, data_dir, node_id, cluster_id=cluster_id, directory_id=directory_id, voters=voters, now=now
    )  # fmt: skip
    log = metadata_log.open_log(fs, data_dir, BrokerConfig({}), None, now, clean=False)
    first_records: list[Message] = [*bootstrap_features(), *bootstrap_configs(BrokerConfig({}))]
    broker_epoch = len(first_records)  # the offset of its registration, as always
    registration = RegisterBrokerRecord(
        broker_id=node_id, incarnation_id=incarnation_id, broker_epoch=broker_epoch,
        end_points=[BrokerEndpoint("PLAINTEXT", "localhost", 9092, 0)],
        features=[BrokerFeature(name, low, high) for name, (low, high) in SUPPORTED_FEATURES.items()],
        rack=None, fenced=True, log_dirs=[directory_id],
    )  # fmt: skip
    of_topics = _records(topics, node_id, directory_id)
    values = [encode_record(record) for record in (*first_records, registration, *of_topics)]
    for first in range(0, len(values), BATCH_RECORDS):
        batch = metadata_batch(
            values[first : first + BATCH_RECORDS], now.wall_ms, base_offset=log.log_end_offset, epoch=FIRST_EPOCH
        )
        log.append_as_follower(memoryview(batch), leader_epoch=FIRST_EPOCH, now=now)
    log.close(clean=True, now=now)
    election_state.store(fs, f"{data_dir}/{METADATA_DIRECTORY}", election_state.ElectionState(FIRST_EPOCH, node_id))
    return broker_epoch


def _records(topics: Sequence[InitialTopic], node_id: int, directory_id: bytes) -> Iterator[Message]:
    for topic in topics:
        yield TopicRecord(topic.name, topic.topic_id)
        for name, value in topic.configs.items():
            yield ConfigRecord(TOPIC_RESOURCE, topic.name, name, value)
        for index in range(topic.partitions):
            yield PartitionRecord(
                partition_id=index, topic_id=topic.topic_id, replicas=[node_id], isr=[node_id], leader=NO_NODE,
                leader_epoch=0, partition_epoch=0, directories=[directory_id],
            )  # fmt: skip
