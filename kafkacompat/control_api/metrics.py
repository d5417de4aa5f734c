"""`/metrics`: made at each scrape from the state of the node, under the names that Strimzi's rules for JMX produce.

So dashboards and alert rules for Kafka work unchanged. A node leaves out families that it has nothing to say about, for
example those of controllers if it is none.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from itertools import groupby
from operator import attrgetter

from kafkacompat.control_api.exposition import COUNTER, GAUGE, Exposition
from kafkacompat.control_api.problems import ProblemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.control_api.calls import Call
    from kafkacompat.replication.partition import Partition
    from kafkacompat.server.broker_server import BrokerServer

PARTITIONS_MAX = 1_000
"""With more partitions on a node, series of each partition are written only when they are asked for."""

TOPICS = "kafka_server_brokertopicmetrics_"
REPLICAS = "kafka_server_replicamanager_"
CONTROLLER = "kafka_controller_kafkacontroller_"
RAFT = "kafka_server_raftmetrics_"
GROUPS = "kafka_coordinator_group_groupmetadatamanager_"
SOCKETS = "kafka_server_socket_server_metrics_"


async def metrics(call: Call) -> str:
    """GET /metrics. Other events of the loop have their turn between the parts of a large answer."""
    if len(call.servers) > 1 and "node_id" not in call.query:
        known = ", ".join(map(str, sorted(call.servers)))
        raise ProblemError(
            400,
            "parameters",
            f"several nodes run in this process: ask for /metrics?node_id= with one of {known}",
        )
    server = call.node(call.query["node_id"]) if "node_id" in call.query else call.server
    out = Exposition()
    partitions = sorted(server.broker.partitions, key=attrgetter("topic", "index"))
    every = call.query.get("partitions", len(partitions) <= PARTITIONS_MAX)
    with_partitions = partitions if every else []
    parts: tuple[Callable[[], None], ...] = (
        lambda: _topics(out, partitions),
        lambda: _replicas(out, server, partitions),
        lambda: _logs(out, server, with_partitions),
        lambda: _controller(out, server),
        lambda: _quorum(out, server),
        lambda: _connections(out, server),
        lambda: _groups(out, server, with_partitions=every),
        lambda: _metadata(out, server, with_partitions=every),
        lambda: _own(out, server, with_partitions),
    )
    for part in parts:
        part()
        await asyncio.sleep(0)
    return out.text()


def _topics(out: Exposition, partitions: list[Partition]) -> None:
    topics = [(name, list(group)) for name, group in groupby(partitions, key=attrgetter("topic"))]
    for what, field, says in (
        ("messagesin", "messages_in", "Records that producers have written to this leader."),
        ("bytesin", "bytes_in", "Bytes of batches that producers have written to this leader."),
        ("bytesout", "bytes_out", "Bytes of batches that consumers have read from this broker."),
        (
            "totalproducerequests",
            "produce_requests",
            "Batches that producers have written to this leader.",
        ),
        ("totalfetchrequests", "fetch_requests", "Reads of partitions by consumers and followers."),
        ("failedproducerequests", "failed_produce_requests", "Batches of producers that were refused."),
        ("failedfetchrequests", "failed_fetch_requests", "Reads of partitions that were refused."),
    ):
        out.family(f"{TOPICS}{what}_total", COUNTER, says)
        for topic, group in topics:
            out.sample(sum(getattr(partition.traffic, field) for partition in group), topic=topic)


def _replicas(out: Exposition, server: BrokerServer, partitions: list[Partition]) -> None:
    led = [partition for partition in partitions if partition.is_leader]
    under = [partition for partition in led if len(partition.isr) < len(partition.replicas)]
    under_min = [partition for partition in led if len(partition.isr) < partition.in_sync.min_isr]
    at_min = [partition for partition in led if len(partition.isr) == partition.in_sync.min_isr]
    for what, says, value in (
        ("leadercount", "Partitions that this broker leads.", len(led)),
        ("partitioncount", "Replicas on this broker.", len(partitions)),
        ("underreplicatedpartitions", "Partitions led here whose ISR lacks replicas.", len(under)),
        ("underminisrpartitioncount", "Partitions led here with fewer than min.insync.replicas.", len(under_min)),
        ("atminisrpartitioncount", "Partitions led here with exactly min.insync.replicas.", len(at_min)),
        ("offlinereplicacount", "Replicas here that failed.", sum(partition.has_failed for partition in partitions)),
    ):
        out.one(REPLICAS + what, GAUGE, says, value)
    counts = server.broker.alter_isr
    out.one(f"{REPLICAS}isrshrinks_total", COUNTER, "ISRs that this broker has had shrunk.", counts.shrink_count)
    out.one(f"{REPLICAS}isrexpands_total", COUNTER, "ISRs that this broker has had expanded.", counts.expand_count)
    if len(led) > PARTITIONS_MAX:
        return
    for what, chosen in (("underreplicated", under), ("underminisr", under_min), ("atminisr", at_min)):
        out.family(f"kafka_cluster_partition_{what}", GAUGE, f"1 for a partition led here that is {what}, else 0.")
        those = {partition.watch_key for partition in chosen}
        for partition in led:
            out.sample(int(partition.watch_key in those), topic=partition.topic, partition=partition.index)


def _logs(out: Exposition, server: BrokerServer, partitions: list[Partition]) -> None:
    for what, says, value_of in (
        ("size", "Bytes of a log.", lambda partition: partition.log.size_bytes),
        ("logstartoffset", "The first offset of a log.", lambda partition: partition.log_start_offset),
        ("logendoffset", "The offset that the next record gets.", lambda partition: partition.log_end_offset),
        ("numlogsegments", "Segments of a log.", lambda partition: len(partition.log.segments.all)),
    ):
        if partitions:
            out.family(f"kafka_log_log_{what}", GAUGE, says)
        for partition in partitions:
            out.sample(value_of(partition), topic=partition.topic, partition=partition.index)
    out.one(
        "kafka_log_logmanager_offlinelogdirectorycount", GAUGE, "Log directories whose disk failed.",
        len(server.broker.logs.offline_directories),
    )  # fmt: skip


def _controller(out: Exposition, server: BrokerServer) -> None:
    broker, image = server.broker, server.broker.image
    if not server.controller_endpoints and broker.lifecycle is not None and broker.network is not None:
        return  # a broker alone
    is_active = broker.quorum.is_active
    out.one(f"{CONTROLLER}activecontrollercount", GAUGE, "1 on the active controller, else 0.", int(is_active))
    fenced = sum(each.fenced for each in image.brokers.values())
    everywhere = [partition for topic in image.topics.values() for partition in topic.partitions]
    for what, says, value in (
        ("offlinepartitionscount", "Partitions without a leader.", sum(each.leader < 0 for each in everywhere)),
        ("globaltopiccount", "Topics.", len(image.topics)),
        ("globalpartitioncount", "Partitions.", len(everywhere)),
        ("activebrokercount", "Brokers that are not fenced.", len(image.brokers) - fenced),
        ("fencedbrokercount", "Brokers that are fenced.", fenced),
    ):
        out.one(CONTROLLER + what, GAUGE, says, value)


def _quorum(out: Exposition, server: BrokerServer) -> None:
    raft = server.broker.quorum.raft
    out.family(f"{RAFT}current_state", GAUGE, "1, with the state of this replica of the metadata quorum.")
    out.sample(1, current_state=raft.client.state.lower())
    for what, says, value in (
        ("current_leader", "The leader of the quorum; -1 if unknown.", raft.leader_id),
        ("current_epoch", "The epoch of the quorum.", raft.client.epoch),
        ("high_watermark", "The high watermark of the metadata log.", raft.high_watermark),
        ("log_end_offset", "The end of the metadata log here.", raft.log.log_end_offset),
    ):
        out.one(RAFT + what, GAUGE, says, value)
    out.one(
        "kafka_server_brokermetadatametrics_last_applied_record_offset", GAUGE,
        "The last metadata record that is applied.", server.broker.image.offset,
    )  # fmt: skip


def _connections(out: Exposition, server: BrokerServer) -> None:
    states = list(server.connections.states())
    out.family(f"{SOCKETS}connection_count", GAUGE, "Open connections of a listener.")
    by_listener = Counter({endpoint.name: 0 for endpoint in [*server.endpoints, *server.controller_endpoints]})
    by_listener.update(state.listener for state in states)
    for listener, count in sorted(by_listener.items()):
        out.sample(count, listener=listener, networkProcessor=0)
    software = Counter((state.software_name, state.software_version, state.listener) for state in states)
    if software:
        out.family(f"{SOCKETS}connections_software", GAUGE, "Open connections of a client software.")
    for (name, version, listener), count in sorted(software.items()):
        out.sample(
            count, clientSoftwareName=name or "unknown", clientSoftwareVersion=version or "unknown",
            listener=listener, networkProcessor=0,
        )  # fmt: skip
    idle = server.idle_share()
    for name in ("network_socketserver_networkprocessor", "server_kafkarequesthandlerpool_requesthandler"):
        out.one(
            f"kafka_{name}avgidle_percent", GAUGE,
            "The share of time since the last scrape, 0 to 1, in which the event loop used no CPU.", idle,
        )  # fmt: skip


def _groups(out: Exposition, server: BrokerServer, *, with_partitions: bool) -> None:
    view = server.view
    groups = sorted(view.groups(), key=lambda group: group.id)
    committed = {group.id: view.committed_offsets(group.id) for group in groups}
    out.one(f"{GROUPS}numgroups", GAUGE, "Groups that this broker coordinates.", len(groups))
    out.one(f"{GROUPS}numoffsets", GAUGE, "Committed offsets of these groups.", sum(map(len, committed.values())))
    if not groups:
        return
    out.family("kafka_consumergroup_members", GAUGE, "Members of a group.")
    for group in groups:
        out.sample(len(group.members), consumergroup=group.id)
    if not with_partitions or not any(committed.values()):
        return
    out.family("kafka_consumergroup_current_offset", GAUGE, "The committed offset of a group.")
    rows = [(group, topic, index, at) for group, of in committed.items() for (topic, index), at in sorted(of.items())]
    for group_id, topic, index, offset in rows:
        out.sample(offset, consumergroup=group_id, topic=topic, partition=index)
    out.family("kafka_consumergroup_lag", GAUGE, "Committed records after it, if this broker has the partition.")
    for group_id, topic, index, offset in rows:
        partition = server.broker.partitions.get(topic, index)
        if partition is not None:
            lag = max(0, partition.high_watermark - offset)
            out.sample(lag, consumergroup=group_id, topic=topic, partition=index)


def _metadata(out: Exposition, server: BrokerServer, *, with_partitions: bool) -> None:
    """What kafka_exporter says of the cluster."""
    image = server.broker.image
    out.one("kafka_brokers", GAUGE, "Brokers that are not fenced.", sum(not b.fenced for b in image.brokers.values()))
    topics = sorted(image.topics.values(), key=attrgetter("name"))
    if not topics:
        return
    out.family("kafka_topic_partitions", GAUGE, "Partitions of a topic.")
    for topic in topics:
        out.sample(len(topic.partitions), topic=topic.name)
    if not with_partitions:
        return
    led = sorted((each for each in server.broker.partitions if each.is_leader), key=attrgetter("topic", "index"))
    if not led:
        return
    out.family("kafka_topic_partition_current_offset", GAUGE, "The high watermark of a partition led here.")
    for partition in led:
        out.sample(partition.high_watermark, topic=partition.topic, partition=partition.index)
    out.family("kafka_topic_partition_oldest_offset", GAUGE, "The first offset of a partition led here.")
    for partition in led:
        out.sample(partition.log_start_offset, topic=partition.topic, partition=partition.index)
    out.family("kafka_topic_partition_in_sync_replica", GAUGE, "In-sync replicas of a partition led here.")
    for partition in led:
        out.sample(len(partition.isr), topic=partition.topic, partition=partition.index)


def _own(out: Exposition, server: BrokerServer, partitions: list[Partition]) -> None:
    broker = server.broker
    if partitions:
        out.family("kafkacompat_leader_epoch", GAUGE, "The leader epoch of a replica.")
    for partition in partitions:
        out.sample(partition.leader_epoch, topic=partition.topic, partition=partition.index)
    lag_ms = broker.loop_lag.recent_ms(server.now().monotonic_ms)
    out.one("kafkacompat_loop_lag_ms", GAUGE, "The longest turn of the event loop in the last minute.", lag_ms)
    out.one("kafkacompat_purgatory", GAUGE, "Requests that wait.", len(broker.purgatory))
