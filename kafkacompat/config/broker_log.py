"""Topics, the log, its cleaning and its remote tier.

Facts from Apache Kafka 4.3.1: name, type, default, limits, and whether it can be altered while the broker runs.
"""

from __future__ import annotations

from kafkacompat.config.checks import (
    CLEANUP_POLICY,
    COMPRESSION,
    TIMESTAMP_TYPE,
    Between,
    ListOf,
    gzip_level,
    no_remote_tier,
    not_empty,
)
from kafkacompat.config.flags import CLUSTER_WIDE, INTERNAL, LONG_MAX, OBEYED, PER_BROKER, READ_ONLY
from kafkacompat.config.values import BOOLEAN, DOUBLE, INT, LIST, LONG, STRING, TYPE_CHECKING

if TYPE_CHECKING:
    from kafkacompat.config.flags import Row

ROWS: tuple[Row, ...] = (
    # New topics and what producers may send
    ("auto.create.topics.enable", BOOLEAN, "true", None, OBEYED),
    ("compression.gzip.level", INT, "-1", gzip_level, CLUSTER_WIDE | OBEYED),
    ("compression.lz4.level", INT, "9", Between(1, 17), CLUSTER_WIDE | OBEYED),
    ("compression.type", STRING, "producer", COMPRESSION, CLUSTER_WIDE | OBEYED),
    ("compression.zstd.level", INT, "3", Between(-131072, 22), CLUSTER_WIDE | OBEYED),
    ("default.replication.factor", INT, "1", None, OBEYED),
    ("delete.topic.enable", BOOLEAN, "true", None, OBEYED),
    ("log.message.timestamp.after.max.ms", LONG, "3600000", Between(0), CLUSTER_WIDE | OBEYED),
    ("log.message.timestamp.before.max.ms", LONG, LONG_MAX, Between(0), CLUSTER_WIDE | OBEYED),
    ("log.message.timestamp.type", STRING, "CreateTime", TIMESTAMP_TYPE, CLUSTER_WIDE | OBEYED),
    ("message.max.bytes", INT, "1048588", Between(0), CLUSTER_WIDE | OBEYED),
    ("min.insync.replicas", INT, "1", Between(1), CLUSTER_WIDE | OBEYED),
    ("num.partitions", INT, "1", Between(1), OBEYED),
    ("unclean.leader.election.enable", BOOLEAN, "false", None, CLUSTER_WIDE | OBEYED),
    ("unclean.leader.election.interval.ms", LONG, "300000", Between(1), INTERNAL | OBEYED),
    # Cleaning of compacted topics
    ("log.cleaner.backoff.ms", LONG, "15000", Between(0), CLUSTER_WIDE | OBEYED),
    ("log.cleaner.dedupe.buffer.size", LONG, "134217728", None, CLUSTER_WIDE | OBEYED),
    ("log.cleaner.delete.retention.ms", LONG, "86400000", Between(0), CLUSTER_WIDE | OBEYED),
    ("log.cleaner.enable", BOOLEAN, "true", None, OBEYED),
    ("log.cleaner.io.buffer.load.factor", DOUBLE, "0.9", None, CLUSTER_WIDE | OBEYED),
    ("log.cleaner.io.buffer.size", INT, "524288", Between(0), CLUSTER_WIDE),
    ("log.cleaner.io.max.bytes.per.second", DOUBLE, "1.7976931348623157E308", None, CLUSTER_WIDE | OBEYED),
    ("log.cleaner.max.compaction.lag.ms", LONG, LONG_MAX, Between(1), CLUSTER_WIDE | OBEYED),
    ("log.cleaner.min.cleanable.ratio", DOUBLE, "0.5", Between(0, 1), CLUSTER_WIDE | OBEYED),
    ("log.cleaner.min.compaction.lag.ms", LONG, "0", Between(0), CLUSTER_WIDE | OBEYED),
    ("log.cleaner.threads", INT, "1", Between(0), CLUSTER_WIDE),
    # The remote tier
    ("follower.fetch.last.tiered.offset.enable", BOOLEAN, "false", None, CLUSTER_WIDE),
    ("log.local.retention.bytes", LONG, "-2", Between(-2), CLUSTER_WIDE),
    ("log.local.retention.ms", LONG, "-2", Between(-2), CLUSTER_WIDE),
    ("remote.fetch.max.wait.ms", INT, "500", Between(1), CLUSTER_WIDE),
    ("remote.list.offsets.request.timeout.ms", LONG, "30000", Between(1), CLUSTER_WIDE),
    ("remote.log.index.file.cache.total.size.bytes", LONG, "1073741824", Between(1), CLUSTER_WIDE),
    ("remote.log.index.file.cache.ttl.ms", LONG, "900000", Between(-1), INTERNAL),
    ("remote.log.manager.copier.thread.pool.size", INT, "10", Between(1), CLUSTER_WIDE),
    ("remote.log.manager.copy.max.bytes.per.second", LONG, LONG_MAX, Between(1), CLUSTER_WIDE),
    ("remote.log.manager.copy.quota.window.num", INT, "11", Between(1), READ_ONLY),
    ("remote.log.manager.copy.quota.window.size.seconds", INT, "1", Between(1), READ_ONLY),
    ("remote.log.manager.expiration.thread.pool.size", INT, "10", Between(1), CLUSTER_WIDE),
    ("remote.log.manager.fetch.max.bytes.per.second", LONG, LONG_MAX, Between(1), CLUSTER_WIDE),
    ("remote.log.manager.fetch.quota.window.num", INT, "11", Between(1), READ_ONLY),
    ("remote.log.manager.fetch.quota.window.size.seconds", INT, "1", Between(1), READ_ONLY),
    ("remote.log.manager.follower.thread.pool.size", INT, "2", Between(1), CLUSTER_WIDE),
    ("remote.log.manager.task.interval.ms", LONG, "30000", Between(1), READ_ONLY),
    ("remote.log.manager.task.retry.backoff.max.ms", LONG, "30000", Between(1), INTERNAL),
    ("remote.log.manager.task.retry.backoff.ms", LONG, "500", Between(1), INTERNAL),
    ("remote.log.manager.task.retry.jitter", DOUBLE, "0.2", Between(0, 0.5), INTERNAL),
    ("remote.log.manager.thread.pool.size", INT, "2", Between(1), READ_ONLY),
    ("remote.log.metadata.custom.metadata.max.bytes", INT, "128", Between(0), READ_ONLY),
    (
        "remote.log.metadata.manager.class.name",
        STRING,
        "org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager",
        not_empty,
        READ_ONLY,
    ),
    ("remote.log.metadata.manager.class.path", STRING, None, None, READ_ONLY),
    ("remote.log.metadata.manager.impl.prefix", STRING, "rlmm.config.", not_empty, READ_ONLY),
    ("remote.log.metadata.manager.listener.name", STRING, None, not_empty, READ_ONLY),
    ("remote.log.reader.max.pending.tasks", INT, "100", Between(1), READ_ONLY),
    ("remote.log.reader.threads", INT, "10", Between(1), CLUSTER_WIDE),
    ("remote.log.storage.manager.class.name", STRING, None, not_empty, READ_ONLY),
    ("remote.log.storage.manager.class.path", STRING, None, None, READ_ONLY),
    ("remote.log.storage.manager.impl.prefix", STRING, "rsm.config.", not_empty, READ_ONLY),
    ("remote.log.storage.system.enable", BOOLEAN, "false", no_remote_tier, READ_ONLY),
    # The log on disk
    ("cordoned.log.dirs", LIST, "", ListOf(), PER_BROKER | OBEYED),
    ("log.cleanup.policy", LIST, "delete", CLEANUP_POLICY, CLUSTER_WIDE),
    ("log.dir", LIST, "/tmp/kafka-logs", ListOf(may_be_empty=False), OBEYED),  # noqa: S108 -- Kafka's default
    ("log.dir.failure.timeout.ms", LONG, "30000", Between(1), OBEYED),
    ("log.dirs", LIST, None, ListOf(may_be_empty=False), OBEYED),
    ("log.flush.interval.messages", LONG, LONG_MAX, Between(1), CLUSTER_WIDE | OBEYED),
    ("log.flush.interval.ms", LONG, None, None, CLUSTER_WIDE | OBEYED),
    ("log.flush.offset.checkpoint.interval.ms", INT, "60000", Between(0), READ_ONLY),
    ("log.flush.scheduler.interval.ms", LONG, LONG_MAX, None, OBEYED),
    ("log.flush.start.offset.checkpoint.interval.ms", INT, "60000", Between(0), READ_ONLY),
    ("log.index.interval.bytes", INT, "4096", Between(0), CLUSTER_WIDE | OBEYED),
    ("log.index.size.max.bytes", INT, "10485760", Between(4), CLUSTER_WIDE | OBEYED),
    ("log.initial.task.delay.ms", LONG, "30000", Between(0), INTERNAL | OBEYED),
    ("log.preallocate", BOOLEAN, "false", None, CLUSTER_WIDE | OBEYED),
    ("log.retention.bytes", LONG, "-1", None, CLUSTER_WIDE | OBEYED),
    ("log.retention.check.interval.ms", LONG, "300000", Between(1), OBEYED),
    ("log.retention.hours", INT, "168", None, OBEYED),
    ("log.retention.minutes", INT, None, None, OBEYED),
    ("log.retention.ms", LONG, None, None, CLUSTER_WIDE | OBEYED),
    ("log.roll.hours", INT, "168", Between(1), OBEYED),
    ("log.roll.jitter.hours", INT, "0", Between(0), OBEYED),
    ("log.roll.jitter.ms", LONG, None, None, CLUSTER_WIDE | OBEYED),
    ("log.roll.ms", LONG, None, None, CLUSTER_WIDE | OBEYED),
    ("log.segment.bytes", INT, "1073741824", Between(1048576), CLUSTER_WIDE | OBEYED),
    ("log.segment.delete.delay.ms", LONG, "60000", Between(0), CLUSTER_WIDE | OBEYED),
    ("num.recovery.threads.per.data.dir", INT, "2", Between(1), CLUSTER_WIDE),
)
