"""A single-voter metadata quorum in memory for tests, which start, stop and kill it."""

import random
from contextlib import suppress

from kafkacompat.config import BrokerConfig
from kafkacompat.now import Now
from kafkacompat.protocol.error_codes import KAFKA_STORAGE_ERROR
from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from kafkacompat.replication.controller import brokers
from kafkacompat.replication.controller.directories import directory_records
from kafkacompat.replication.controller.topics import create_topics
from kafkacompat.replication.metadata import startup
from kafkacompat.replication.metadata.batch_accumulator import DeferredEvent
from kafkacompat.replication.metadata.delta import apply
from kafkacompat.replication.metadata.image import EMPTY_IMAGE, BrokerImage, Endpoint, MetadataImage
from kafkacompat.replication.metadata.quorum import MetadataQuorum
from kafkacompat.replication.metadata.result import Result
from kafkacompat.replication.metadata.settings import Settings
from kafkacompat.replication.raft.batches import decode
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.flush import Flusher
from kafkacompat.storage.memfs import MemFs

LOG_DIR = "/data"
LOG_PATH = f"{LOG_DIR}/__cluster_metadata-0/00000000000000000000.log"
DIRECTORY_ID = bytes(range(16, 32))
ENDPOINTS = [Endpoint("PLAINTEXT", "localhost", 9092)]
NOW = Now(1000, 1_700_000_000_000)


def config(**static: str) -> BrokerConfig:
    """A broker's configuration; underscores stand for dots."""
    return BrokerConfig.from_sources({"node.id": "1", **{name.replace("_", "."): v for name, v in static.items()}})


def settings(**static: str) -> Settings:
    return Settings(1, config(**static))


def image_with(*broker_ids: int, **changes: object) -> MetadataImage:
    """An image with active brokers that have a directory each."""
    brokers = {
        broker_id: BrokerImage(broker_id, 10 + broker_id, bytes(16), fenced=False, log_dirs=(bytes([broker_id]) * 16,))
        for broker_id in broker_ids
    }
    return EMPTY_IMAGE.but(brokers=brokers, **changes)


def after(image: MetadataImage, records: list) -> MetadataImage:
    return apply(image, records, image.offset + len(records), 1)


def open_quorum(fs: MemFs, flusher: Flusher | None = None, *, seed: int = 1, **arguments: object) -> MetadataQuorum:
    fs.mkdir(LOG_DIR)
    fs.fsync_dir("/")
    options: dict = {
        "node_id": 1,
        "cluster_id": "c",
        "directory_id": DIRECTORY_ID,
        "config": config(),
        "flusher": flusher,
        "now": NOW,
        "rng": random.Random(seed),
    }
    return startup.open_quorum(fs, LOG_DIR, **{**options, **arguments})


def start(fs: MemFs, previous_broker_epoch: int = -1, flusher: Flusher | None = None, **arguments) -> MetadataQuorum:
    """Open the quorum and register the broker."""
    quorum = open_quorum(fs, flusher, **arguments)
    register_broker(quorum, previous_broker_epoch)
    return quorum


def register_broker(quorum: MetadataQuorum, previous_broker_epoch: int = -1) -> int:
    """Register a broker and let it work, all in one batch, as a node does that has no log to recover.

    One that is still registered was this node's last life. Returns the broker epoch. Raises LogError.
    """
    quorum.hold()
    node_id, settings = quorum.settings.node_id, quorum.settings
    epoch = quorum.next_offset
    ghost = quorum.image.brokers.get(node_id)
    if ghost is not None and not ghost.fenced:
        quorum.submit(lambda image, _now: brokers.fence(node_id, image, settings), NOW)
        epoch = quorum.next_offset
    registration = brokers.Registration(
        node_id, bytes([epoch % 256]) * 16, ENDPOINTS, [quorum.raft.client.key[1]], previous_epoch=previous_broker_epoch
    )
    quorum.submit(lambda image, _now: brokers.register(registration, image, settings, epoch), NOW)
    quorum.submit(lambda image, _now: brokers.unfence(node_id, image, settings), NOW)
    beat = BrokerHeartbeatRequest(node_id, epoch, cordoned_log_dirs=[])
    quorum.submit(lambda image, _now: Result(directory_records(beat, [], image, settings)), NOW)
    quorum.flush(NOW)
    if quorum.failure is not None:
        raise LogError(KAFKA_STORAGE_ERROR, quorum.failure)
    return epoch


def broker_epoch(quorum: MetadataQuorum) -> int:
    """The epoch of the broker on this node."""
    return quorum.image.brokers[quorum.settings.node_id].epoch


def stop(quorum: MetadataQuorum) -> int:
    """Stop cleanly. Returns the broker epoch, which a clean stop leaves on disk."""
    node_id, settings = quorum.settings.node_id, quorum.settings
    epoch = broker_epoch(quorum)
    if quorum.is_active and quorum.image.is_active(node_id):
        with suppress(LogError):
            quorum.submit(lambda image, _now: brokers.begin_controlled_shutdown(node_id, image, settings), NOW)
            quorum.submit(lambda image, _now: brokers.fence(node_id, image, settings), NOW)
    quorum.close(clean=True, now=NOW)
    return epoch


def kill(quorum: MetadataQuorum, fs: MemFs) -> None:
    """kill -9."""
    quorum.close(clean=False, now=NOW)
    fs.restart()


def topic(name: str, partitions: int = -1, factor: int = -1, **configs: str | None) -> CreatableTopic:
    given = [CreatableTopicConfig(key.replace("_", "."), value) for key, value in configs.items()]
    return CreatableTopic(name, partitions, factor, configs=given)


def submit_topic(quorum: MetadataQuorum, name: str, partitions: int = 1) -> DeferredEvent:
    request = CreateTopicsRequest([topic(name, partitions, 1)])
    rng = random.Random(name)
    return quorum.submit(lambda image, _now: create_topics(request, image, quorum.settings, rng), NOW)


def dump(quorum: MetadataQuorum) -> list:
    """All records of the log, control records too, in order."""
    batches = quorum.raft.log.batches(0, quorum.raft.log.log_end_offset)
    return [record for header, data in batches for record in decode(header, data).records]


def names(records: list) -> list[str]:
    return [type(record).__name__ for record in records]
