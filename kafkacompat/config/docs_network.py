"""Texts for the configs of `broker_network.py`."""

TEXTS = {
    "advertised.listeners": "The addresses that clients and brokers are told to connect to. Without it, listeners.",
    "broker.id": "The broker's number in the cluster; the older name of node.id.",
    "broker.rack": "Where the broker stands. Replicas are spread over racks, and consumers can read from a near one.",
    "controller.listener.names": "The listeners that serve the controller quorum and no client.",
    "early.start.listeners": "Listeners that take requests before the authorizer is ready.",
    "emulated.release": (
        "Not in Kafka. The release whose versions, features and errors clients are offered, for example 3.9, as far as "
        "they work here; none is 4.3."
    ),
    "inter.broker.listener.name": "The listener that brokers use among themselves.",
    "listener.security.protocol.map": "Which security protocol each listener speaks, as pairs NAME:PROTOCOL.",
    "listeners": "The addresses the broker listens on, each as NAME://host:port. No host means every interface.",
    "node.id": "The node's number, unique among brokers and controllers. Has to be given.",
    "process.roles": "What the node is: broker, controller, or both.",
    "security.inter.broker.protocol": "The security protocol between brokers when no listener is named for them.",
    "background.threads": "Threads for background work. Accepted; this broker has no such pool.",
    "connection.failed.authentication.delay.ms": "How long the response to a failed authentication is delayed.",
    "connections.max.idle.ms": "A connection that is silent for this long is closed.",
    "delete.records.purgatory.purge.interval.requests": "Completed delayed DeleteRecords kept before a purge.",
    "fetch.max.bytes": "The most bytes in one fetch response, whatever the client asks for.",
    "fetch.purgatory.purge.interval.requests": "Completed delayed fetches that are kept before a purge.",
    "max.connection.creation.rate": "The most new connections in a second.",
    "max.connections": (
        "The most connections at one time; listener.name.<listener>.max.connections limits one listener. At the limit "
        "new connections wait until one is closed. A new connection on the inter-broker listener instead closes the "
        "client connection that has been idle longest."
    ),
    "max.connections.per.ip": "The most connections at one time from one address; further ones are closed.",
    "max.connections.per.ip.overrides": "Other limits than max.connections.per.ip, as address:count.",
    "max.incremental.fetch.session.cache.slots": "How many fetch sessions are remembered at one time.",
    "max.request.partition.size.limit": "The most partitions in one page of DescribeTopicPartitions.",
    "num.io.threads": "Threads that handle requests. Accepted; one event loop does it here.",
    "num.network.threads": "Threads that read and write sockets. Accepted; one event loop does it here.",
    "producer.purgatory.purge.interval.requests": "Completed delayed produces that are kept before a purge.",
    "queued.max.request.bytes": (
        "The most bytes of requests before no more are read; -1 is a quarter of the memory. Responses that clients do "
        "not read may hold as much, at least 100 MiB; beyond that connections are closed."
    ),
    "queued.max.requests": "The most requests in the queue before no more are read.",
    "request.timeout.ms": "How long the node waits for the answer to a request of its own.",
    "socket.connection.setup.timeout.max.ms": "The longest wait for a connection to be made, however often it failed.",
    "socket.connection.setup.timeout.ms": "How long the node waits at first for a connection of its own to be made.",
    "socket.listen.backlog.size": "How many connections may wait at a listening socket to be accepted.",
    "socket.receive.buffer.bytes": "The receive buffer of server sockets; -1 leaves it to the operating system.",
    "socket.request.max.bytes": "The largest request that is read. A connection that announces a larger one is closed.",
    "socket.send.buffer.bytes": "The send buffer of server sockets; -1 leaves it to the operating system.",
    "alter.config.policy.class.name": "A Java class that may refuse altered configs. Not loaded here.",
    "alter.log.dirs.replication.quota.window.num": "Samples kept for the quota on moves between log directories.",
    "alter.log.dirs.replication.quota.window.size.seconds": "Length of a sample of the quota on such moves.",
    "client.quota.callback.class": "A Java class that decides clients' quotas. Not loaded here.",
    "config.providers": "Names of providers that look config values up elsewhere. Not loaded here.",
    "controller.quota.window.num": "Samples kept for the quota on changes of topics.",
    "controller.quota.window.size.seconds": "Length of a sample of the quota on changes of topics.",
    "create.topic.policy.class.name": "A Java class that may refuse new topics. Not loaded here.",
    "kafka.metrics.polling.interval.secs": "How often the classes in kafka.metrics.reporters are polled.",
    "kafka.metrics.reporters": "Java classes that report metrics of the older kind. Not loaded here.",
    "metric.reporters": "Java classes that report metrics. Not loaded here.",
    "metrics.num.samples": "Samples kept to work out a metric.",
    "metrics.recording.level": "The most detailed level of metrics that is recorded: INFO, DEBUG or TRACE.",
    "metrics.sample.window.ms": "Length of a sample of a metric.",
    "quota.window.num": "Samples kept for clients' quotas.",
    "quota.window.size.seconds": "Length of a sample of clients' quotas.",
    "replication.quota.window.num": "Samples kept for the quota on replication.",
    "replication.quota.window.size.seconds": "Length of a sample of the quota on replication.",
    "server.max.startup.time.ms": "How long startup may take before it is cancelled.",
    "telemetry.max.bytes": "The most bytes of metrics, uncompressed, that a client may push at once.",
    "unstable.api.versions.enable": "Whether versions of requests that are still being worked on are offered.",
    "unstable.feature.versions.enable": "Whether feature levels that are still being worked on are offered.",
}
