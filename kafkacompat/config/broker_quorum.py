"""Replication, the controller quorum and the metadata log.

Facts from Apache Kafka 4.3.1: name, type, default, limits, and whether it can be altered while the broker runs.
"""

from __future__ import annotations

from kafkacompat.config.checks import Between, OneOf, bootstrap_servers, quorum_voters
from kafkacompat.config.flags import CLUSTER_WIDE, INTERNAL, OBEYED, READ_ONLY
from kafkacompat.config.values import BOOLEAN, INT, LIST, LONG, STRING, TYPE_CHECKING

if TYPE_CHECKING:
    from kafkacompat.config.flags import Row

RACK_AWARE = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
"""The `replica.selector.class` that there is here, see broker/read_replica.py."""

ROWS: tuple[Row, ...] = (
    # Replication between brokers
    ("auto.leader.rebalance.enable", BOOLEAN, "true", None, OBEYED),
    ("controlled.shutdown.enable", BOOLEAN, "true", None, OBEYED),
    ("leader.imbalance.check.interval.seconds", LONG, "300", Between(1), OBEYED),
    ("leader.lease.enforce", STRING, "off", OneOf("off", "acks01", "all"), INTERNAL | OBEYED),  # not Kafka's
    ("num.replica.alter.log.dirs.threads", INT, None, None, OBEYED),
    ("num.replica.fetchers", INT, "1", Between(1), CLUSTER_WIDE),
    ("replica.fetch.backoff.ms", INT, "1000", Between(0), OBEYED),
    ("replica.fetch.max.bytes", INT, "1048576", Between(0), OBEYED),
    ("replica.fetch.min.bytes", INT, "1", None, OBEYED),
    ("replica.fetch.response.max.bytes", INT, "10485760", Between(0), OBEYED),
    ("replica.fetch.wait.max.ms", INT, "500", None, OBEYED),
    ("replica.high.watermark.checkpoint.interval.ms", LONG, "5000", None, OBEYED),
    ("replica.lag.time.max.ms", LONG, "30000", None, OBEYED),
    ("replica.selector.class", STRING, None, None, OBEYED),
    ("replica.socket.receive.buffer.bytes", INT, "65536", None, READ_ONLY),
    ("replica.socket.timeout.ms", INT, "30000", None, OBEYED),
    # Replication quotas: known while running only, so never described unless set
    ("follower.replication.throttled.rate", LONG, None, Between(0), CLUSTER_WIDE | INTERNAL | OBEYED),
    ("leader.replication.throttled.rate", LONG, None, Between(0), CLUSTER_WIDE | INTERNAL | OBEYED),
    ("replica.alter.log.dirs.io.max.bytes.per.second", LONG, None, Between(0), CLUSTER_WIDE | INTERNAL | OBEYED),
    # The controller quorum
    ("broker.heartbeat.interval.ms", INT, "2000", None, OBEYED),
    ("broker.session.timeout.ms", INT, "9000", None, OBEYED),
    ("controller.performance.always.log.threshold.ms", LONG, "2000", Between(0), INTERNAL),
    ("controller.performance.sample.period.ms", LONG, "60000", Between(100), INTERNAL),
    ("controller.quorum.append.linger.ms", INT, "25", Between(0), READ_ONLY),
    ("controller.quorum.auto.join.enable", BOOLEAN, "false", None, OBEYED),
    ("controller.quorum.bootstrap.servers", LIST, "", bootstrap_servers, OBEYED),
    ("controller.quorum.election.backoff.max.ms", INT, "1000", Between(0), OBEYED),
    ("controller.quorum.election.timeout.ms", INT, "1000", Between(0), OBEYED),
    ("controller.quorum.fetch.max.bytes", INT, "1048576", Between(1), OBEYED),
    ("controller.quorum.fetch.snapshot.max.bytes", INT, "1048576", Between(1), OBEYED),
    ("controller.quorum.fetch.timeout.ms", INT, "2000", Between(0), OBEYED),
    ("controller.quorum.request.timeout.ms", INT, "2000", Between(0), OBEYED),
    ("controller.quorum.retry.backoff.ms", INT, "20", Between(0), OBEYED),
    ("controller.quorum.voters", LIST, "", quorum_voters, OBEYED),
    ("controller.socket.timeout.ms", INT, "30000", None, READ_ONLY),
    ("initial.broker.registration.timeout.ms", INT, "60000", None, OBEYED),
    ("sasl.mechanism.controller.protocol", STRING, "GSSAPI", None, READ_ONLY),
    # The metadata log
    ("internal.metadata.delete.delay.millis", LONG, "60000", None, INTERNAL),
    ("internal.metadata.log.segment.bytes", INT, None, None, INTERNAL),
    ("internal.metadata.max.batch.size.in.bytes", INT, "8388608", None, INTERNAL),
    ("metadata.log.dir", STRING, None, None, OBEYED),
    ("metadata.log.max.record.bytes.between.snapshots", LONG, "20971520", Between(1), OBEYED),
    ("metadata.log.max.snapshot.interval.ms", LONG, "3600000", Between(0), OBEYED),
    ("metadata.log.segment.bytes", INT, "1073741824", Between(8388608), OBEYED),
    ("metadata.log.segment.ms", LONG, "604800000", None, OBEYED),
    ("metadata.max.idle.interval.ms", INT, "500", Between(0), OBEYED),
    ("metadata.max.retention.bytes", LONG, "104857600", None, OBEYED),
    ("metadata.max.retention.ms", LONG, "604800000", None, OBEYED),
)
