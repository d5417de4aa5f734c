"""Configs of a topic, and the broker configs that stand in for each one that a topic does not set (Kafka 4.3.1)."""

from __future__ import annotations

from kafkacompat.config.checks import (
    CLEANUP_POLICY,
    COMPRESSION,
    TIMESTAMP_TYPE,
    Between,
    gzip_level,
    throttled_replicas,
)
from kafkacompat.config.flags import INTERNAL, KEPT, LONG_MAX, OBEYED
from kafkacompat.config.values import BOOLEAN, DOUBLE, INT, LIST, LONG, STRING, TYPE_CHECKING

if TYPE_CHECKING:
    from kafkacompat.config.flags import FallbackRow

ROWS: tuple[FallbackRow, ...] = (
    ("cleanup.policy", LIST, "delete", CLEANUP_POLICY, OBEYED, "log.cleanup.policy"),
    ("compression.gzip.level", INT, "-1", gzip_level, OBEYED, "compression.gzip.level"),
    ("compression.lz4.level", INT, "9", Between(1, 17), OBEYED, "compression.lz4.level"),
    ("compression.type", STRING, "producer", COMPRESSION, OBEYED, "compression.type"),
    ("compression.zstd.level", INT, "3", Between(-131072, 22), OBEYED, "compression.zstd.level"),
    ("delete.retention.ms", LONG, "86400000", Between(0), OBEYED, "log.cleaner.delete.retention.ms"),
    ("file.delete.delay.ms", LONG, "60000", Between(0), OBEYED, "log.segment.delete.delay.ms"),
    ("flush.messages", LONG, LONG_MAX, Between(1), OBEYED, "log.flush.interval.messages"),
    ("flush.ms", LONG, LONG_MAX, Between(0), OBEYED, "log.flush.interval.ms log.flush.scheduler.interval.ms"),
    ("follower.replication.throttled.replicas", LIST, "", throttled_replicas, OBEYED, ""),
    ("index.interval.bytes", INT, "4096", Between(0), OBEYED, "log.index.interval.bytes"),
    ("internal.segment.bytes", INT, None, None, INTERNAL | OBEYED, ""),
    ("leader.replication.throttled.replicas", LIST, "", throttled_replicas, OBEYED, ""),
    ("local.retention.bytes", LONG, "-2", Between(-2), KEPT, "log.local.retention.bytes"),
    ("local.retention.ms", LONG, "-2", Between(-2), KEPT, "log.local.retention.ms"),
    ("max.compaction.lag.ms", LONG, LONG_MAX, Between(1), OBEYED, "log.cleaner.max.compaction.lag.ms"),
    ("max.message.bytes", INT, "1048588", Between(0), OBEYED, "message.max.bytes"),
    ("message.timestamp.after.max.ms", LONG, "3600000", Between(0), OBEYED, "log.message.timestamp.after.max.ms"),
    ("message.timestamp.before.max.ms", LONG, LONG_MAX, Between(0), OBEYED, "log.message.timestamp.before.max.ms"),
    ("message.timestamp.type", STRING, "CreateTime", TIMESTAMP_TYPE, OBEYED, "log.message.timestamp.type"),
    ("min.cleanable.dirty.ratio", DOUBLE, "0.5", Between(0, 1), OBEYED, "log.cleaner.min.cleanable.ratio"),
    ("min.compaction.lag.ms", LONG, "0", Between(0), OBEYED, "log.cleaner.min.compaction.lag.ms"),
    ("min.insync.replicas", INT, "1", Between(1), OBEYED, "min.insync.replicas"),
    ("preallocate", BOOLEAN, "false", None, OBEYED, "log.preallocate"),
    ("remote.log.copy.disable", BOOLEAN, "false", None, KEPT, ""),
    ("remote.log.delete.on.disable", BOOLEAN, "false", None, KEPT, ""),
    ("remote.storage.enable", BOOLEAN, "false", None, KEPT, ""),
    ("retention.bytes", LONG, "-1", None, OBEYED, "log.retention.bytes"),
    (
        "retention.ms",
        LONG,
        "604800000",
        Between(-1),
        OBEYED,
        "log.retention.ms log.retention.minutes log.retention.hours",
    ),
    ("segment.bytes", INT, "1073741824", Between(1048576), OBEYED, "log.segment.bytes"),
    ("segment.index.bytes", INT, "10485760", Between(4), OBEYED, "log.index.size.max.bytes"),
    ("segment.jitter.ms", LONG, "0", Between(0), OBEYED, "log.roll.jitter.ms log.roll.jitter.hours"),
    ("segment.ms", LONG, "604800000", Between(1), OBEYED, "log.roll.ms log.roll.hours"),
    ("unclean.leader.election.enable", BOOLEAN, "false", None, OBEYED, "unclean.leader.election.enable"),
)
