"""The metadata of a new lone node with topics: what it replays to."""

from __future__ import annotations

from kafkacompat.config.broker import BrokerConfig
from kafkacompat.now import Now
from kafkacompat.protocol.primitives import uuid_to_text
from kafkacompat.replication.metadata import log as metadata_log
from kafkacompat.replication.metadata.features import METADATA_LEVEL, METADATA_VERSION, unsupported_levels
from kafkacompat.replication.metadata.new_cluster import BATCH_RECORDS, FIRST_EPOCH, InitialTopic, write_new_cluster
from kafkacompat.replication.raft import election_state
from kafkacompat.replication.raft.snapshots import Snapshots
from kafkacompat.storage.data_dir import METADATA_DIRECTORY
from kafkacompat.storage.memfs import MemFs

NOW = Now(0, 1_777_000_000_000)
TOPIC_ID, DIRECTORY_ID, INCARNATION_ID = bytes(range(16)), bytes(range(1, 17)), bytes(range(2, 18))


def test_the_log_has_the_topics_and_a_broker_that_stopped() -> None:
    fs = MemFs()
    topics = [InitialTopic("orders", TOPIC_ID, BATCH_RECORDS + 3, {"retention.ms": "-1"})]
    epoch = write_new_cluster(
        fs, "/data", topics, node_id=5, cluster_id=uuid_to_text(bytes(range(3, 19))), directory_id=DIRECTORY_ID,
        incarnation_id=INCARNATION_ID, now=NOW,
    )  # fmt: skip
    log = metadata_log.open_log(fs, "/data", BrokerConfig({}), None, NOW, clean=True)
    done = metadata_log.replay(Snapshots(fs, f"/data/{METADATA_DIRECTORY}"), log)
    image = done.image
    assert image.features[METADATA_VERSION] == METADATA_LEVEL
    assert unsupported_levels(image) == []
    broker = image.brokers[5]
    assert (broker.epoch, broker.fenced, list(broker.log_dirs)) == (epoch, True, [DIRECTORY_ID])
    topic = image.topics["orders"]
    assert (topic.topic_id, len(topic.partitions)) == (TOPIC_ID, BATCH_RECORDS + 3)
    partition = topic.partitions[-1]
    assert (partition.leader, list(partition.isr), list(partition.replicas)) == (-1, [5], [5])
    assert list(partition.directories) == [DIRECTORY_ID]
    assert (2, "orders") in image.configs
    newest = done.history.newest
    assert newest is not None
    assert [(voter.id, voter.directory_id) for voter in newest] == [(5, DIRECTORY_ID)]
    state = election_state.load(fs, f"/data/{METADATA_DIRECTORY}")
    assert state is not None
    assert (state.leader_epoch, state.leader_id) == (FIRST_EPOCH, 5)
