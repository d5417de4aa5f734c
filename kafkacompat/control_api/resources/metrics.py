"""`/metrics`: made at each scrape from the state of the node, under the names that Strimzi's rules for JMX produce.

So dashboards and alert rules for Kafka work unchanged. A node leaves out families that it has nothing to say about, for
example those of controllers if it is none.
"""

from __future__ import annotations

from collections import Counter
from operator import attrgetter
from pathlib import Path
from weakref import WeakKeyDictionary

from kafkacompat.broker.control.quorum_channel import FETCH_CHANNEL, VOTES_CHANNEL
from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.control_api.metrics.cleaner_metrics import of_cleaner
from kafkacompat.control_api.metrics.exposition import COUNTER, GAUGE, Exposition, labelled
from kafkacompat.control_api.metrics.move_metrics import of_moves
from kafkacompat.control_api.metrics.partition_metrics import (
    SERIES_PER_YIELD,
    UNITS_OF_SERIES,
    of_partitions,
    of_topics,
)
from kafkacompat.control_api.metrics.transaction_metrics import of_transactions
from kafkacompat.control_api.views.views import in_turns
from kafkacompat.protocol.constants import NO_NODE, NO_PARTITION_LEADER_EPOCH
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.control_api.http.calls import Call
    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.steps import Steps

CONTROLLER = "kafka_controller_kafkacontroller_"
RAFT = "kafka_server_raftmetrics_"
RAFT_CHANNEL = "kafka_server_raftchannelmetrics_"
GROUPS = "kafka_coordinator_group_groupmetadatamanager_"
SOCKETS = "kafka_server_socket_server_metrics_"
APPLIED = "kafka_server_brokermetadatametrics_last_applied_record_"
DISK = "kafka_server_kafkaserver_linux_disk_"
QUORUM_CHANNELS = (VOTES_CHANNEL, FETCH_CHANNEL)
IO_COUNTS = "/proc/self/io"


async def metrics(call: Call) -> bytes:
    """GET /metrics. Other events of the loop have their turn between the parts of a large answer."""
    if len(call.servers) > 1 and "node_id" not in call.query:
        known = ", ".join(map(str, sorted(call.servers)))
        raise ProblemError(
            400, "parameters", f"several nodes run in this process: ask for /metrics?node_id= with one of {known}",
        )  # fmt: skip
    server = call.node(call.query["node_id"]) if "node_id" in call.query else call.server
    return await in_turns(scrape(server, is_asked_for=call.query.get("partitions")))


def scrape(server: BrokerServer, *, is_asked_for: bool | None = None) -> Steps[bytes]:
    """The text of a scrape. is_asked_for: see `of_partitions`."""
    out = Exposition()
    every = yield from of_partitions(out, server, is_asked_for=is_asked_for)
    before = _last_scrape(server)
    yield from _controller(out, server, before)
    _quorum(out, server, before)
    _connections(out, server)
    of_cleaner(out, server.broker.compaction, server.broker.logs, server.now())
    of_moves(out, vars(server.broker).get("alter_log_dirs"))
    yield 1
    yield from _groups(out, server, with_partitions=every)
    yield from of_transactions(out, server)
    yield from _metadata(out, server)
    _own(out, server)
    return out.text()


class LastScrape:
    """What a node's last scrape saw, for what is counted or averaged between two."""

    def __init__(self) -> None:
        self.unclean_count = 0
        self.unclean_epochs: dict[tuple[bytes, int], int] = {}
        self.at_ms = 0
        self.metadata_end_offset = 0
        self.commit_count, self.commit_sum_ms = 0, 0.0
        self.commit_average_ms: float | None = None

    def count_unclean(self, epochs: dict[tuple[bytes, int], int]) -> int:
        """The unclean elections up to now; two of one partition between two scrapes count as one."""
        before, self.unclean_epochs = self.unclean_epochs, epochs
        self.unclean_count += sum(epoch > before.get(key, NO_PARTITION_LEADER_EPOCH) for key, epoch in epochs.items())
        return self.unclean_count

    def metadata_rate(self, end_offset: int, now_ms: int) -> float:
        """Records of the metadata log that came since the last scrape, per second."""
        count, passed_ms = end_offset - self.metadata_end_offset, now_ms - self.at_ms
        is_first, self.at_ms, self.metadata_end_offset = not self.at_ms, now_ms, end_offset
        return 0.0 if is_first or passed_ms <= 0 else max(0, count) * 1000 / passed_ms

    def commit_latency_ms(self, count: int, sum_ms: float) -> float | None:
        """The average of the commits since the last scrape, or the last that there was; None while there was none."""
        new = count - self.commit_count
        if new > 0:
            self.commit_average_ms = (sum_ms - self.commit_sum_ms) / new
        self.commit_count, self.commit_sum_ms = count, sum_ms
        return self.commit_average_ms


_SCRAPES: WeakKeyDictionary[BrokerServer, LastScrape] = WeakKeyDictionary()


def _last_scrape(server: BrokerServer) -> LastScrape:
    return _SCRAPES.setdefault(server, LastScrape())


def _controller(out: Exposition, server: BrokerServer, before: LastScrape) -> Steps[None]:
    broker, image = server.broker, server.broker.image
    out.one(
        "kafka_log_logmanager_offlinelogdirectorycount", GAUGE, "Log directories whose disk failed.",
        len(broker.logs.offline_directories),
    )  # fmt: skip
    out.family("kafka_log_logmanager_logdirectoryoffline", GAUGE, "1 if the disk of the log directory failed, else 0.")
    offline = {each.path for each in broker.logs.offline_directories}
    for path in sorted({each.path for each in broker.logs.all_directories} | offline):
        out.sample(int(path in offline), logDirectory=path)
    cordoned = broker.logs.cordoned_paths
    out.one(
        "kafka_log_logmanager_cordonedlogdirectorycount", GAUGE, "Log directories that get no new replicas.",
        len(cordoned),
    )  # fmt: skip
    out.family("kafka_log_logmanager_logdirectorycordoned", GAUGE, "1 if the log directory gets no new ones, else 0.")
    for path in sorted({each.path for each in broker.logs.directories} | offline):
        out.sample(int(path in cordoned), logDirectory=path)
    if not server.controller_endpoints and broker.lifecycle is not None and broker.network is not None:
        return  # a broker alone
    is_active = broker.quorum.is_active
    out.one(f"{CONTROLLER}activecontrollercount", GAUGE, "1 on the active controller, else 0.", int(is_active))
    fenced = sum(each.fenced for each in image.brokers.values())
    found = yield from of_topics(image)
    for what, says, value in (
        ("offlinepartitionscount", "Partitions without a leader.", found.offline_count),
        ("globaltopiccount", "Topics.", len(image.topics)),
        ("globalpartitioncount", "Partitions.", found.partition_count),
        ("activebrokercount", "Brokers that are not fenced.", len(image.brokers) - fenced),
        ("fencedbrokercount", "Brokers that are fenced.", fenced),
    ):
        out.one(CONTROLLER + what, GAUGE, says, value)
    out.one(
        "kafka_controller_controllerstats_uncleanleaderelections_total", COUNTER,
        "Elections of leaders that may lack committed records, in the metadata that this node knows.",
        before.count_unclean(found.unclean_epochs),
    )  # fmt: skip


def _quorum(out: Exposition, server: BrokerServer, before: LastScrape) -> None:
    raft, image, now = server.broker.quorum.raft, server.broker.image, server.now()
    out.family(f"{RAFT}current_state", GAUGE, "1, with the state of this replica of the metadata quorum.")
    out.sample(1, current_state=raft.client.state.lower())
    voted = raft.client.quorum.voted
    rate = before.metadata_rate(raft.log.log_end_offset, now.monotonic_ms)
    is_leader = raft.client.is_leader
    for what, says, value in (
        ("current_leader", "The leader of the quorum; -1 if unknown.", raft.leader_id),
        ("current_epoch", "The epoch of the quorum.", raft.client.epoch),
        (
            "current_vote",
            "The voter that it voted for in this epoch; -1 if none.",
            voted[0] if voted else NO_NODE,
        ),
        ("high_watermark", "The high watermark of the metadata log.", raft.high_watermark),
        ("log_end_offset", "The end of the metadata log here.", raft.log.log_end_offset),
        ("append_records_rate", "Metadata records written per second since the last scrape.", rate * is_leader),
        ("fetch_records_rate", "Metadata records fetched per second since the last scrape.", rate * (not is_leader)),
    ):
        out.one(RAFT + what, GAUGE, says, value)
    latency_ms = before.commit_latency_ms(raft.client.commit_times.count, raft.client.commit_times.sum_ms)
    if is_leader and latency_ms is not None:
        out.one(f"{RAFT}commit_latency_avg", GAUGE, "How long metadata records took to be committed, ms.", latency_ms)
    _quorum_traffic(out, server)
    out.one(f"{APPLIED}offset", GAUGE, "The last metadata record that is applied.", image.offset)
    written_ms = _written_ms(server)
    if written_ms is not None:
        out.one(f"{APPLIED}timestamp", GAUGE, "When it was written, ms since 1970.", written_ms)
        is_behind = raft.high_watermark > image.offset + 1
        lag_ms = max(0, now.wall_ms - written_ms) if is_behind else 0
        out.one(f"{APPLIED}lag_ms", GAUGE, "Its age while later ones are committed; 0 when all are applied.", lag_ms)


def _quorum_traffic(out: Exposition, server: BrokerServer) -> None:
    """What this node asked others of the quorum: none in a cluster of one."""
    parts = [part for channel in QUORUM_CHANNELS if (part := server.traffic_to_nodes(channel)) is not None]
    for what, says, value in (
        ("incoming_byte_total", "Bytes that nodes of the quorum answered.", sum(part.bytes_in for part in parts)),
        ("outgoing_byte_total", "Bytes that were sent to them.", sum(part.bytes_out for part in parts)),
        ("request_total", "Requests that were sent to them.", sum(part.requests for part in parts)),
        ("response_total", "Their responses.", sum(part.responses for part in parts)),
    ):
        out.one(RAFT_CHANNEL + what, COUNTER, says, value)


def _written_ms(server: BrokerServer) -> int | None:
    """The timestamp of the last applied metadata record; None if a snapshot has taken its place."""
    offset = server.broker.image.offset
    try:
        for header, _ in server.broker.quorum.raft.log.batches(offset, offset + 1):
            return header.max_timestamp
    except LogError:
        return None
    return None


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


def _groups(out: Exposition, server: BrokerServer, *, with_partitions: bool) -> Steps[None]:
    view, partitions = server.view, server.broker.partitions
    groups = sorted(view.groups(), key=lambda group: group.id)
    committed: list[tuple[str, list[tuple[str, int, int]]]] = []
    for group in groups:
        found = sorted(view.committed_offsets(group.id).items())
        committed.append(
            (labelled(consumergroup=group.id), [(topic, index, offset) for (topic, index), offset in found])
        )
        yield 1 + len(found) // 4
    count = sum(len(offsets) for _, offsets in committed)
    out.one(f"{GROUPS}numgroups", GAUGE, "Groups that this broker coordinates.", len(groups))
    out.one(f"{GROUPS}numoffsets", GAUGE, "Committed offsets of these groups.", count)
    if not groups:
        return
    out.family("kafka_consumergroup_members", GAUGE, "Members of a group.")
    for number, group in enumerate(groups):
        out.sample(len(group.members), consumergroup=group.id)
        if number % SERIES_PER_YIELD == 0:
            yield UNITS_OF_SERIES
    if not with_partitions or not count:
        return
    out.family("kafka_consumergroup_current_offset", GAUGE, "The committed offset of a group.")
    for labels, offsets in committed:
        for topic, index, offset in offsets:
            out.series(f"{labels},{labelled(topic=topic, partition=index)}", offset)
        yield 1 + len(offsets) // 2
    out.family("kafka_consumergroup_lag", GAUGE, "Committed records after it, if this broker has the partition.")
    for labels, offsets in committed:
        for topic, index, offset in offsets:
            partition = partitions.get(topic, index)
            if partition is not None:
                lag = max(0, partition.high_watermark - offset)
                out.series(f"{labels},{labelled(topic=topic, partition=index)}", lag)
        yield 1 + len(offsets) // 2


def _metadata(out: Exposition, server: BrokerServer) -> Steps[None]:
    """What kafka_exporter says of the cluster."""
    image = server.broker.image
    out.one("kafka_brokers", GAUGE, "Brokers that are not fenced.", sum(not b.fenced for b in image.brokers.values()))
    topics = sorted(image.topics.values(), key=attrgetter("name"))
    if topics:
        out.family("kafka_topic_partitions", GAUGE, "Partitions of a topic.")
    for number, topic in enumerate(topics):
        out.sample(len(topic.partitions), topic=topic.name)
        if number % SERIES_PER_YIELD == 0:
            yield UNITS_OF_SERIES


def _own(out: Exposition, server: BrokerServer) -> None:
    broker = server.broker
    lag_ms = broker.loop_lag.recent_ms(server.now().monotonic_ms)
    out.one("kafkacompat_loop_lag_ms", GAUGE, "The longest turn of the event loop in the last minute.", lag_ms)
    out.one("kafkacompat_purgatory", GAUGE, "Requests that wait.", len(broker.purgatory))
    clock = server.clock
    out.one("kafkacompat_clock_offset_ms", GAUGE, "How far the brokers' time is moved.", clock.offset_ms)
    out.one("kafkacompat_clock_frozen", GAUGE, "1 while the brokers' time stands still.", int(clock.is_frozen))
    rules = list(broker.fault_rules or ())
    if rules:
        out.family("kafkacompat_fault_hits_total", COUNTER, "Requests that a fault rule has matched.")
    for rule in rules:
        out.sample(rule.hits, fault=rule.id, label=rule.label)
    for what, value in disk_bytes().items():
        out.one(f"{DISK}{what}_bytes", GAUGE, f"Bytes that this process has had disks {what}.", value)


def disk_bytes(path: str = IO_COUNTS) -> dict[str, int]:
    """What Linux counts for this process, {"read": .., "write": ..}; empty on other systems."""
    try:
        counts = dict(line.split(": ") for line in Path(path).read_text("ascii").splitlines())
        return {"read": int(counts["read_bytes"]), "write": int(counts["write_bytes"])}
    except (OSError, ValueError, KeyError):
        return {}
