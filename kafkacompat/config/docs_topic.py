"""Texts for configs of topics, groups and client metrics that no broker config stands in for."""

TEXTS = {
    "follower.replication.throttled.replicas": "Replicas throttled as followers: partition:broker, or *.",
    "internal.segment.bytes": "The size of a segment file with no lower limit, for tests.",
    "leader.replication.throttled.replicas": "Replicas whose sending is throttled as leaders: partition:broker, or *.",
    "remote.log.copy.disable": "Whether nothing more is copied to the remote tier, which stays readable.",
    "remote.log.delete.on.disable": "Whether data in the remote tier is removed when the topic leaves it.",
    "remote.storage.enable": "Whether the topic uses the remote tier, which this broker does not have.",
    "share.auto.offset.reset": "Where a share group begins: earliest, latest, or by_duration: and how far back.",
    "share.isolation.level": "Whether a share group reads committed transactions only.",
    "share.renew.acknowledge.enable": "Whether a share consumer may renew its lock on a record.",
    "interval.ms": "How often a client that matches pushes its metrics.",
    "match": "Which clients a subscription is for: pairs of a property and a regular expression.",
    "metrics": "What the names of the wanted metrics begin with.",
}
