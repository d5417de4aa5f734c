"""Configs of a group, and the broker config that stands in for each one that a group does not set (Kafka 4.3.1)."""

from __future__ import annotations

from kafkacompat.config.checks import Between, OneOf, auto_offset_reset
from kafkacompat.config.flags import KEPT
from kafkacompat.config.values import BOOLEAN, INT, STRING, TYPE_CHECKING

if TYPE_CHECKING:
    from kafkacompat.config.flags import FallbackRow

ROWS: tuple[FallbackRow, ...] = (
    ("consumer.assignment.interval.ms", INT, "1000", Between(0), KEPT, "group.consumer.assignment.interval.ms"),
    ("consumer.heartbeat.interval.ms", INT, "5000", Between(1), KEPT, "group.consumer.heartbeat.interval.ms"),
    ("consumer.session.timeout.ms", INT, "45000", Between(1), KEPT, "group.consumer.session.timeout.ms"),
    ("share.assignment.interval.ms", INT, "1000", Between(0), KEPT, "group.share.assignment.interval.ms"),
    ("share.auto.offset.reset", STRING, "latest", auto_offset_reset, KEPT, ""),
    ("share.delivery.count.limit", INT, "5", Between(2), KEPT, "group.share.delivery.count.limit"),
    ("share.heartbeat.interval.ms", INT, "5000", Between(1), KEPT, "group.share.heartbeat.interval.ms"),
    ("share.isolation.level", STRING, "read_uncommitted", OneOf("read_committed", "read_uncommitted"), KEPT, ""),
    ("share.partition.max.record.locks", INT, "2000", Between(100), KEPT, "group.share.partition.max.record.locks"),
    ("share.record.lock.duration.ms", INT, "30000", Between(1000), KEPT, "group.share.record.lock.duration.ms"),
    ("share.renew.acknowledge.enable", BOOLEAN, "true", None, KEPT, ""),
    ("share.session.timeout.ms", INT, "45000", Between(1), KEPT, "group.share.session.timeout.ms"),
    ("streams.assignment.interval.ms", INT, "1000", Between(0), KEPT, "group.streams.assignment.interval.ms"),
    ("streams.heartbeat.interval.ms", INT, "5000", Between(1), KEPT, "group.streams.heartbeat.interval.ms"),
    ("streams.initial.rebalance.delay.ms", INT, "3000", Between(0), KEPT, "group.streams.initial.rebalance.delay.ms"),
    ("streams.num.standby.replicas", INT, "0", Between(0), KEPT, "group.streams.num.standby.replicas"),
    ("streams.session.timeout.ms", INT, "45000", Between(1), KEPT, "group.streams.session.timeout.ms"),
)
