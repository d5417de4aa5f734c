"""Where other releases of Apache Kafka answer otherwise than the usual reference does, and this broker with it."""

from __future__ import annotations

import re

from compat_tests.decisions import Decision

KAFKA_3 = r"3\..*"
KAFKA_4_4 = r"4\.4\..*"
SOMETHING = r"(?!None$).*"

ADDED_IN_4_4 = """
    errors.deadletterqueue.auto.create.topics.enable errors.deadletterqueue.copy.record.enable
    errors.deadletterqueue.group.enable errors.deadletterqueue.topic.name errors.deadletterqueue.topic.name.prefix
    group.streams.assignors group.streams.rack.aware.assignment.tags group.streams.topology.description.plugin.class
    log.remote.copy.lag.bytes log.remote.copy.lag.ms max.decompressed.message.bytes remote.copy.lag.bytes
    remote.copy.lag.ms sasl.oauthbearer.allow.unverified.audience sasl.oauthbearer.allow.unverified.issuer
    streams.assignor.name streams.rack.aware.assignment.tags
"""
"""Settings of brokers, topics and groups."""
ADDED_SINCE_4_0 = """
    add.partitions.to.txn.retry.backoff.max.ms add.partitions.to.txn.retry.backoff.ms config.providers
    controller.quorum.auto.join.enable controller.quorum.fetch.max.bytes controller.quorum.fetch.snapshot.max.bytes
    cordoned.log.dirs follower.fetch.last.tiered.offset.enable group.consumer.assignment.interval.ms
    group.consumer.max.assignment.interval.ms group.consumer.migration.policy
    group.consumer.min.assignment.interval.ms group.coordinator.background.threads
    group.coordinator.cached.buffer.max.bytes group.share.assignment.interval.ms group.share.assignors
    group.share.max.assignment.interval.ms group.share.max.delivery.count.limit
    group.share.max.partition.max.record.locks group.share.max.share.sessions group.share.min.assignment.interval.ms
    group.share.min.delivery.count.limit group.share.min.partition.max.record.locks
    group.streams.assignment.interval.ms group.streams.heartbeat.interval.ms
    group.streams.initial.rebalance.delay.ms group.streams.max.assignment.interval.ms
    group.streams.max.heartbeat.interval.ms group.streams.max.session.timeout.ms group.streams.max.size
    group.streams.max.standby.replicas group.streams.min.assignment.interval.ms
    group.streams.min.heartbeat.interval.ms group.streams.min.session.timeout.ms group.streams.num.standby.replicas
    group.streams.session.timeout.ms remote.list.offsets.request.timeout.ms
    remote.log.manager.follower.thread.pool.size sasl.oauthbearer.assertion.algorithm
    sasl.oauthbearer.assertion.claim.aud sasl.oauthbearer.assertion.claim.exp.seconds
    sasl.oauthbearer.assertion.claim.iss sasl.oauthbearer.assertion.claim.jti.include
    sasl.oauthbearer.assertion.claim.nbf.seconds sasl.oauthbearer.assertion.claim.sub
    sasl.oauthbearer.assertion.file sasl.oauthbearer.assertion.private.key.file
    sasl.oauthbearer.assertion.private.key.passphrase sasl.oauthbearer.assertion.template.file
    sasl.oauthbearer.client.credentials.client.id sasl.oauthbearer.client.credentials.client.secret
    sasl.oauthbearer.jwt.retriever.class sasl.oauthbearer.jwt.validator.class sasl.oauthbearer.scope
    share.coordinator.append.linger.ms share.coordinator.cached.buffer.max.bytes share.coordinator.load.buffer.size
    share.coordinator.snapshot.update.records.per.snapshot share.coordinator.state.topic.compression.codec
    share.coordinator.state.topic.min.isr share.coordinator.state.topic.num.partitions
    share.coordinator.state.topic.replication.factor share.coordinator.state.topic.segment.bytes
    share.coordinator.threads share.coordinator.write.timeout.ms share.fetch.purgatory.purge.interval.requests
    transaction.two.phase.commit.enable
"""
"""Settings that 3.9 does not have."""
REMOVED_IN_4_0 = """
    alter.config.policy.kraft.compatibility.enable auto.include.jmx.reporter broker.id.generation.enable
    control.plane.listener.name controlled.shutdown.max.retries controlled.shutdown.retry.backoff.ms
    delegation.token.master.key eligible.leader.replicas.enable group.share.max.groups inter.broker.protocol.version
    leader.imbalance.per.broker.percentage log.message.downconversion.enable log.message.format.version
    log.message.timestamp.difference.max.ms message.downconversion.enable message.format.version
    message.timestamp.difference.max.ms offsets.commit.required.acks password.encoder.cipher.algorithm
    password.encoder.iterations password.encoder.key.length password.encoder.keyfactory.algorithm
    password.encoder.old.secret password.encoder.secret reserved.broker.max.id zookeeper.clientCnxnSocket
    zookeeper.connect zookeeper.connection.timeout.ms zookeeper.max.in.flight.requests
    zookeeper.metadata.migration.enable zookeeper.session.timeout.ms zookeeper.set.acl zookeeper.ssl.cipher.suites
    zookeeper.ssl.client.enable zookeeper.ssl.crl.enable zookeeper.ssl.enabled.protocols
    zookeeper.ssl.endpoint.identification.algorithm zookeeper.ssl.keystore.location zookeeper.ssl.keystore.password
    zookeeper.ssl.keystore.type zookeeper.ssl.ocsp.enable zookeeper.ssl.protocol zookeeper.ssl.truststore.location
    zookeeper.ssl.truststore.password zookeeper.ssl.truststore.type
"""
"""Settings that only 3.9 has: most are about ZooKeeper and old message formats."""
CHANGED_SINCE_4_0 = """
    early.start.listeners group.consumer.assignors group.coordinator.append.linger.ms
    group.coordinator.rebalance.protocols group.coordinator.threads group.share.max.size
    group.share.partition.max.record.locks log.dir log.message.timestamp.after.max.ms message.timestamp.after.max.ms
    metric.reporters node.id num.recovery.threads.per.data.dir
    remote.log.manager.copier.thread.pool.size remote.log.manager.expiration.thread.pool.size
    remote.log.manager.thread.pool.size remote.log.reader.threads sasl.oauthbearer.expected.audience
"""
"""Settings that got another default, type or scope."""


def settings(name: str, names: str, ours: str, theirs: str, why: str, kafka: str) -> Decision:
    """A decision about settings, wherever DescribeConfigs and CreateTopics show them."""
    each = "|".join(map(re.escape, names.split()))
    path = rf"(^\.|\.configs\[)({each})(\]|$|\.\w+)"
    return Decision(name, "describe_configs|create_topics", path, ours, theirs, why, kafka)


BY_RELEASE = (
    settings(
        "settings that 4.4 added", ADDED_IN_4_4, "None", SOMETHING,
        "This broker is Kafka 4.3 to its clients until all that 4.4 adds works.", KAFKA_4_4,
    ),
    Decision(
        "versions that 4.4 added", "api_versions", r"^\.(ApiVersions|DeleteGroups)$|\.max_version$", ".*", ".*",
        "This broker is Kafka 4.3 to its clients until all that 4.4 adds works.", KAFKA_4_4,
    ),
    settings(
        "settings that came after 3.9", ADDED_SINCE_4_0, SOMETHING, "None",
        "Kafka 3.9 does not have them.", KAFKA_3,
    ),
    settings(
        "settings that 4.0 removed", REMOVED_IN_4_0, "None", SOMETHING,
        "They went with ZooKeeper and the old message formats.", KAFKA_3,
    ),
    settings(
        "settings that 4.0 changed", CHANGED_SINCE_4_0, ".*", ".*",
        "Kafka 4.0 gave them another default, type or scope (KIP-1030).", KAFKA_3,
    ),
    Decision(
        "versions of 3.9", "api_versions", r"^\.[A-Z]\w+$", ".*", ".*",
        "Kafka 4.0 dropped old versions (KIP-896), and releases since then added new ones.", KAFKA_3,
    ),
    Decision(
        "configs of groups", "describe_configs|alter_configs",
        r"^\.[^.]*(group|all of them)[^.]*\.(results|responses)\b", ".*", ".*",
        "Kafka 3.9 knows no configs of groups, and refuses a request that has any as a whole.", KAFKA_3,
    ),
    Decision(
        "client metrics that were not set", "describe_configs", r"^\.metrics.*\.configs\[", SOMETHING, "None",
        "Since 4.0 a subscription that nobody made shows its defaults.", KAFKA_3,
    ),
    Decision(
        "min.insync.replicas of the cluster", "describe_configs|create_topics|alter_configs",
        r"min\.insync\.replicas|^\.(one broker's replicas in sync|all brokers', not set)\.", ".*", ".*",
        "Eligible leader replicas, which 4.0 turned on, keep this setting at the cluster's level (KIP-966).", KAFKA_3,
    ),
    Decision(
        "operations on groups", "group_admin", r"\.authorized_operations$", "3400", "328",
        "Since 4.0 configs of groups may be described and altered.", KAFKA_3,
    ),
    Decision(
        "the order of partitions", "offset_commit|offset_fetch", r"^\.(two partitions|metadata too long|everything)\.",
        r"-?\d+", r"-?\d+",
        "The older group coordinator answers in the order of a hash table.", KAFKA_3,
    ),
    Decision(
        "one partition twice", "offset_commit|offset_fetch", r"^\.twice the same\.", ".*", ".*",
        "The older group coordinator answers it once.", KAFKA_3,
    ),
    Decision(
        "offsets of no partition", "offset_fetch", r"^\.no partitions\..*topics", ".*", ".*",
        "The older group coordinator leaves out a topic without partitions.", KAFKA_3,
    ),
    Decision(
        "offsets of no group", "offset_fetch", r"^\.no groups$", ".*", "'no answer came'",
        "Kafka 3.9 never answers a request that names no group.", KAFKA_3,
    ),
    Decision(
        "commits to an unknown group", "offset_commit", r"of an unknown group\..*\.error_code$", "69", "22",
        "GROUP_ID_NOT_FOUND since 4.0, ILLEGAL_GENERATION before.", KAFKA_3,
    ),
    Decision(
        "a group without offsets", "offset_commit",
        r"^\.(bad topic name|no partitions|no such topic|nothing)\.", ".*", ".*",
        "The older coordinator forgets a group with its last offset: GROUP_ID_NOT_FOUND from then on.", KAFKA_3,
    ),
    Decision(
        "zstd for old consumers", "fetch_many", r"^\.responses\[0\]\.partitions\[0\]\.", ".*", r"76|-1|\[\]",
        "Kafka 3.9 refuses zstd batches below Fetch 10: UNSUPPORTED_COMPRESSION_TYPE (KIP-110). 4.3 does not.", KAFKA_3,
    ),
    Decision(
        "no records at an odd isolation level", "fetch_many", r"isolation level\..*\.records$", "b''", "None",
        "Empty since 4.0, null before; consumers take both for nothing.", KAFKA_3,
    ),
    Decision(
        "addresses beside another leader", "fetch_many", r"replica(, mixed)?\.node_endpoints", ".*", ".*",
        "Kafka 3.9 adds the leader's address although the leader was asked.", KAFKA_3,
    ),
    Decision(
        "a topic asked for in parts", "offsets_many", r"\.topics(\[[^.]*\])?$", ".*", ".*",
        "Kafka 3.9 answers each part as it was asked, empty ones too; since 4.0 they come together.", KAFKA_3,
    ),
)  # fmt: skip
"""Decisions, each with the releases that it is about."""
