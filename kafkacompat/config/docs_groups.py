"""Texts for the configs of `broker_groups.py`."""

_KINDS = {"consumer": "a consumer group of the new protocol", "share": "a share group", "streams": "a streams group"}

# What is the same for every kind of group whose members heartbeat; {} is the kind.
_PER_KIND = {
    "session.timeout.ms": "How long {} waits for a silent member before it is put out.",
    "min.session.timeout.ms": "The shortest session timeout that {} may be given.",
    "max.session.timeout.ms": "The longest session timeout that {} may be given.",
    "heartbeat.interval.ms": "How often members of {} are told to heartbeat.",
    "min.heartbeat.interval.ms": "The shortest heartbeat interval that {} may be given.",
    "max.heartbeat.interval.ms": "The longest heartbeat interval that {} may be given.",
    "max.size": "The most members of {}.",
    "assignment.interval.ms": "The least time between two new assignments of {}.",
    "min.assignment.interval.ms": "The shortest assignment interval that {} may be given.",
    "max.assignment.interval.ms": "The longest assignment interval that {} may be given.",
}

TEXTS = {
    **{f"group.{kind}.{name}": text.format(what) for kind, what in _KINDS.items() for name, text in _PER_KIND.items()},
    "group.consumer.assignors":
        "The ways the broker can share out partitions in a consumer group; the first is the default.",
    "group.consumer.migration.policy":
        "Whether groups may change between the classic and the new protocol while in use.",
    "group.consumer.regex.refresh.interval.ms": "How often subscriptions by pattern are matched with the topics again.",
    "group.share.assignors": "How partitions are shared out in a share group.",
    "group.share.delivery.count.limit":
        "How often a record is handed out in a share group before it counts as undeliverable.",
    "group.share.initialize.retry.interval.ms": "How long a failed start on a share group's partition is waited out.",
    "group.share.max.delivery.count.limit": "The highest delivery count limit a share group may be given.",
    "group.share.max.partition.max.record.locks": "The highest limit on held records a share group may be given.",
    "group.share.max.record.lock.duration.ms": "The longest hold on a record a share group may be given.",
    "group.share.max.share.sessions": "The most sessions of share consumers on this broker.",
    "group.share.min.delivery.count.limit": "The lowest delivery count limit a share group may be given.",
    "group.share.min.partition.max.record.locks": "The lowest limit on held records a share group may be given.",
    "group.share.min.record.lock.duration.ms": "The shortest hold on a record a share group may be given.",
    "group.share.partition.max.record.locks":
        "The most records of a partition that a share group's members hold at one time.",
    "group.share.persister.class.name": "The Java class that keeps the state of share groups. Not loaded here.",
    "group.share.record.lock.duration.ms":
        "How long a member of a share group may hold a record before another gets it.",
    "group.streams.initial.rebalance.delay.ms": "How long a new streams group waits for more members before it begins.",
    "group.streams.max.standby.replicas": "The most standby replicas a streams group may be given.",
    "group.streams.num.standby.replicas": "How many standby replicas each task of a streams group has.",
    "share.coordinator.append.linger.ms":
        "How long writes of share state are gathered into one; -1 fits it to the load.",
    "share.coordinator.cached.buffer.max.bytes": "The largest write buffer that is kept for share state.",
    "share.coordinator.cold.partition.snapshot.interval.ms":
        "How often unused share state is looked for, to shorten it.",
    "share.coordinator.load.buffer.size": "Bytes read at a time when share state is loaded.",
    "share.coordinator.snapshot.update.records.per.snapshot":
        "How many changes of share state go between two snapshots.",
    "share.coordinator.state.topic.compression.codec": "How the topic of share state is compressed; 0 is not at all.",
    "share.coordinator.state.topic.min.isr": "min.insync.replicas of the topic of share state.",
    "share.coordinator.state.topic.num.partitions": "Partitions of the topic of share state. Fixed once it exists.",
    "share.coordinator.state.topic.prune.interval.ms": "How often what is no longer needed of share state is deleted.",
    "share.coordinator.state.topic.replication.factor": "Replicas of the topic of share state.",
    "share.coordinator.state.topic.segment.bytes": "Segment size of the topic of share state.",
    "share.coordinator.threads": "Threads that keep share state. Accepted; one event loop does it here.",
    "share.coordinator.write.timeout.ms": "The longest wait for a write of share state.",
    "share.fetch.purgatory.purge.interval.requests":
        "How many finished waits of share fetches pile up before a clean-up.",
    "group.coordinator.append.linger.ms": "How long writes of groups are gathered into one; -1 fits it to the load.",
    "group.coordinator.background.threads": "Threads for the coordinator's longer work. Accepted; none here.",
    "group.coordinator.cached.buffer.max.bytes": "The largest write buffer that is kept for groups.",
    "group.coordinator.rebalance.protocols": "The kinds of groups that are served.",
    "group.coordinator.threads": "Threads that serve groups. Accepted; one event loop does it here.",
    "group.initial.rebalance.delay.ms": "How long a new classic group waits for more members before it begins.",
    "group.max.session.timeout.ms": "The longest session timeout a member of a classic group may ask for.",
    "group.max.size": "The most members of a classic group.",
    "group.min.session.timeout.ms": "The shortest session timeout a member of a classic group may ask for.",
    "offset.metadata.max.bytes": "The most bytes that a client may note with an offset it commits.",
    "offsets.commit.timeout.ms": "The longest wait for the replicas of a committed offset.",
    "offsets.load.buffer.size": "Bytes read at a time when groups and offsets are loaded.",
    "offsets.retention.check.interval.ms": "How often it is checked whether committed offsets are out of date.",
    "offsets.retention.minutes": "How long offsets are kept once their group has no member or does not read the topic.",
    "offsets.topic.compression.codec": "How the topic of committed offsets is compressed; 0 is not at all.",
    "offsets.topic.num.partitions": "Partitions of the topic of committed offsets. Fixed once it exists.",
    "offsets.topic.replication.factor": "Replicas of the topic of committed offsets.",
    "offsets.topic.segment.bytes": "Segment size of the topic of committed offsets.",
    "add.partitions.to.txn.retry.backoff.max.ms": "The longest time for trying to add a partition to a transaction.",
    "add.partitions.to.txn.retry.backoff.ms": "The wait before adding a partition to a transaction is tried again.",
    "producer.id.expiration.check.interval.ms": "How often idle producer ids are looked for.",
    "producer.id.expiration.ms": "How long a partition remembers a producer that writes nothing.",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms":
        "How often transactions that took too long are aborted.",
    "transaction.max.timeout.ms": "The longest timeout a client may ask for its transactions.",
    "transaction.partition.verification.enable":
        "Whether a partition makes sure that a transaction is open before it writes.",
    "transaction.remove.expired.transaction.cleanup.interval.ms": "How often unused transactional ids are looked for.",
    "transaction.state.log.load.buffer.size": "Bytes read at a time when transactions are loaded.",
    "transaction.state.log.min.isr": "min.insync.replicas of the topic of transactions.",
    "transaction.state.log.num.partitions": "Partitions of the topic of transactions. Fixed once it exists.",
    "transaction.state.log.replication.factor": "Replicas of the topic of transactions.",
    "transaction.state.log.segment.bytes": "Segment size of the topic of transactions.",
    "transaction.two.phase.commit.enable":
        "Whether a client may keep a transaction open as part of one that spans systems.",
    "transactional.id.expiration.ms": "How long an unused transactional id is remembered.",
}
