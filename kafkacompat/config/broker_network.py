"""Listeners, connections, threads, quotas and metrics of a broker.

Facts from Apache Kafka 4.3.1: name, type, default, limits, and whether it can be altered while the broker runs.
"""

from __future__ import annotations

from kafkacompat.config.checks import SECURITY_PROTOCOL, Between, ListOf, OneOf, connection_overrides
from kafkacompat.config.flags import CLUSTER_WIDE, INTERNAL, LONG_MAX, OBEYED, PER_BROKER, READ_ONLY
from kafkacompat.config.releases import NONE, RELEASES
from kafkacompat.config.values import BOOLEAN, CLASS, INT, LIST, LONG, STRING, TYPE_CHECKING

if TYPE_CHECKING:
    from kafkacompat.config.flags import Row

ROWS: tuple[Row, ...] = (
    # Who the broker is and where it listens
    ("advertised.listeners", LIST, None, ListOf(may_be_empty=False), OBEYED),
    ("broker.id", INT, "-1", None, OBEYED),
    ("broker.rack", STRING, None, None, OBEYED),
    ("controller.listener.names", LIST, None, ListOf(may_be_empty=False), OBEYED),
    ("early.start.listeners", LIST, None, ListOf(), READ_ONLY),
    ("emulated.release", STRING, NONE, OneOf(NONE, *RELEASES), INTERNAL | OBEYED),  # not Kafka's
    ("inter.broker.listener.name", STRING, None, None, OBEYED),
    (
        "listener.security.protocol.map",
        STRING,
        "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT",
        None,
        PER_BROKER | OBEYED,
    ),
    ("listeners", LIST, "PLAINTEXT://:9092", ListOf(may_be_empty=False), PER_BROKER | OBEYED),
    ("node.id", INT, None, Between(0), OBEYED),
    ("process.roles", LIST, None, ListOf("broker", "controller", may_be_empty=False), OBEYED),
    ("security.inter.broker.protocol", STRING, "PLAINTEXT", SECURITY_PROTOCOL, OBEYED),
    # Connections and requests
    ("background.threads", INT, "10", Between(1), CLUSTER_WIDE),
    ("connection.failed.authentication.delay.ms", INT, "100", Between(0), READ_ONLY),
    ("connections.max.idle.ms", LONG, "600000", None, OBEYED),
    ("delete.records.purgatory.purge.interval.requests", INT, "1", None, READ_ONLY),
    ("fetch.max.bytes", INT, "57671680", Between(1024), OBEYED),
    ("fetch.purgatory.purge.interval.requests", INT, "1000", None, READ_ONLY),
    ("max.connection.creation.rate", INT, "2147483647", Between(0), CLUSTER_WIDE),
    ("max.connections", INT, "2147483647", Between(0), CLUSTER_WIDE | OBEYED),
    ("max.connections.per.ip", INT, "2147483647", Between(0), CLUSTER_WIDE | OBEYED),
    ("max.connections.per.ip.overrides", STRING, "", connection_overrides, CLUSTER_WIDE | OBEYED),
    ("max.incremental.fetch.session.cache.slots", INT, "1000", Between(0), OBEYED),
    ("max.request.partition.size.limit", INT, "2000", Between(1), OBEYED),
    ("num.io.threads", INT, "8", Between(1), CLUSTER_WIDE),
    ("num.network.threads", INT, "3", Between(1), CLUSTER_WIDE),
    ("producer.purgatory.purge.interval.requests", INT, "1000", None, READ_ONLY),
    ("queued.max.request.bytes", LONG, "-1", None, OBEYED),
    ("queued.max.requests", INT, "500", Between(1), READ_ONLY),
    ("request.timeout.ms", INT, "30000", None, OBEYED),
    ("socket.connection.setup.timeout.max.ms", LONG, "30000", None, READ_ONLY),
    ("socket.connection.setup.timeout.ms", LONG, "10000", None, READ_ONLY),
    ("socket.listen.backlog.size", INT, "50", Between(1), OBEYED),
    ("socket.receive.buffer.bytes", INT, "102400", None, READ_ONLY),
    ("socket.request.max.bytes", INT, "104857600", Between(1), OBEYED),
    ("socket.send.buffer.bytes", INT, "102400", None, READ_ONLY),
    # Metrics, quotas and plug-ins
    ("alter.config.policy.class.name", CLASS, None, None, READ_ONLY),
    ("alter.log.dirs.replication.quota.window.num", INT, "11", Between(1), OBEYED),
    ("alter.log.dirs.replication.quota.window.size.seconds", INT, "1", Between(1), OBEYED),
    ("client.quota.callback.class", CLASS, None, None, READ_ONLY),
    ("config.providers", LIST, "", ListOf(), CLUSTER_WIDE),
    ("controller.quota.window.num", INT, "11", Between(1), READ_ONLY),
    ("controller.quota.window.size.seconds", INT, "1", Between(1), READ_ONLY),
    ("create.topic.policy.class.name", CLASS, None, None, READ_ONLY),
    ("kafka.metrics.polling.interval.secs", INT, "10", Between(1), READ_ONLY),
    ("kafka.metrics.reporters", LIST, "", ListOf(), READ_ONLY),
    ("metric.reporters", LIST, "org.apache.kafka.common.metrics.JmxReporter", ListOf(), CLUSTER_WIDE),
    ("metrics.num.samples", INT, "2", Between(1), READ_ONLY),
    ("metrics.recording.level", STRING, "INFO", None, READ_ONLY),
    ("metrics.sample.window.ms", LONG, "30000", Between(1), READ_ONLY),
    ("quota.window.num", INT, "11", Between(1), READ_ONLY),
    ("quota.window.size.seconds", INT, "1", Between(1), READ_ONLY),
    ("replication.quota.window.num", INT, "11", Between(1), OBEYED),
    ("replication.quota.window.size.seconds", INT, "1", Between(1), OBEYED),
    ("server.max.startup.time.ms", LONG, LONG_MAX, Between(0), INTERNAL),
    ("telemetry.max.bytes", INT, "1048576", Between(1), READ_ONLY),
    ("unstable.api.versions.enable", BOOLEAN, "false", None, INTERNAL),
    ("unstable.feature.versions.enable", BOOLEAN, "false", None, INTERNAL),
)
