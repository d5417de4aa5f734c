"""Invariants of compaction and retention in whole nodes, L2 to L7: see `docs/testing.md`."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, cast

from kafkacompat.storage.checkpoints import RECOVERY_POINT_FILE, read_offsets
from kafkacompat.storage.log import Log
from kafkacompat.storage.offset_checkpoints import OffsetCheckpoints
from kafkacompat.storage.partition_dir import parse_directory_name
from tests.sim.invariants import must
from tests.sim.nodes.cleaning_story import CleanedLog, Story
from tests.sim.nodes.clients import TOPIC
from tests.sim.nodes.invariants import NodeInvariants, PartitionInvariants
from tests.sim.nodes.node import data_dir
from tests.storage.compaction.logs import committed

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator

    from kafkacompat.broker.inspect import ReplicaView
    from kafkacompat.broker.log_cleaner import LogCleaner
    from kafkacompat.now import Now
    from kafkacompat.replication.partition import Partition
    from tests.sim.nodes.cleaning_story import Entry
    from tests.sim.nodes.cluster import Cluster
    from tests.sim.nodes.invariants import NodeLog
    from tests.sim.nodes.node import Node

FAIL_OVER, TRUNCATION = "a fail-over met a pass", "a truncation met a pass"
CRASH_IN_SWAP, IN_HOLE = "a crash met the renames of a swap", "a reader was inside a hole"
POWER_LOST, NEW_LEADER_CLEANS = "a loss of power met a pass", "a new leader was at a pass"
TOMBSTONE_GONE, ABORTED_GONE = "a tombstone went after its horizon", "aborted records went"
EMPTY_KEPT, MAP_FULL = "a batch stayed empty", "a map was full"
RETENTION_LEADER, RETENTION_FOLLOWER = "retention removed segments of a leader", "retention removed some of a follower"
RETENTION_PASS, READER_BEHIND = "retention met a pass", "a reader was behind the log start"
MEETINGS = (
    FAIL_OVER, TRUNCATION, CRASH_IN_SWAP, IN_HOLE, POWER_LOST, NEW_LEADER_CLEANS, TOMBSTONE_GONE, ABORTED_GONE,
    EMPTY_KEPT, MAP_FULL, RETENTION_LEADER, RETENTION_FOLLOWER, RETENTION_PASS, READER_BEHIND,
)  # fmt: skip
"""What has to happen in some of many seeds, or they prove less than they seem to."""


class CleanedPartition(PartitionInvariants):
    """One partition, whose replicas are compacted and lose old segments each by itself."""

    def __init__(self, cluster: Cluster, topic: str, index: int) -> None:
        super().__init__(cluster, topic, index)
        self.story = Story()
        self.on_commit = self.story.add
        self.horizons: dict[int, int] = {}  # of tombstones and markers by offset: the earliest that a disk had, in ms
        self._markers: dict[int, set[int]] = {}  # by node: offsets of those that were on its disk
        self.latest_ms = 0
        """The latest time of day that a node has had."""
        self.log_starts: dict[tuple[int, int], int] = {}
        self.met: Counter[str] | None = None

    def _make_log(self, node: Node, topic: str, index: int) -> NodeLog:
        return CleanedLog(node, topic, index, lambda offset: offset <= self.end_offset)

    def _must_begin_so(self, node_id: int, end_offset: int, why: str) -> None:
        must(self.check_replica(node_id) >= end_offset, f"{node_id}: {why}")

    def is_committed(self, offset: int, value: str) -> bool:
        entry = self.story.entries.get(offset)
        return entry is not None and entry.value == value.encode()

    def check_replica(self, node_id: int) -> int:
        """L7, L5 and that no record ever changes, in one replica alone. Returns up to where it is the committed log."""
        files = cast("CleanedLog", self._logs[node_id]).files()
        who, story = f"{self.topic}-{self.index} of {node_id}", self.story
        start = min(files, default=0)
        end = start
        here: set[int] = set()
        for batch, header, entries in (each for file in files.values() for each in file.batches):
            end = batch.base_offset
            known = self._by_offset.get(batch.base_offset)
            if known is None or known.epoch != batch.epoch:
                break
            if batch.is_control and entries:
                self._markers.setdefault(node_id, set()).add(batch.base_offset)
                if header.has_delete_horizon:
                    self._see_horizon(entries[0], header.base_timestamp)
            for entry in entries if not batch.is_control else ():
                if entry != story.entries.get(entry.offset):
                    must(False, f"L7: {who} has {entry}, which was {story.entries.get(entry.offset)}")
                here.add(entry.offset)
                if header.has_delete_horizon and entry.value is None:
                    self._see_horizon(entry, header.base_timestamp)
        else:
            end = max([start, *files, *(file.end_offset for file in files.values())])
        end = min(end, story.end_offset)
        for key, entry in story.newest().items():  # what a replica lacks yet supersedes others in those it copies
            if start <= entry.offset < end and entry.offset not in here:
                if entry.value is not None:
                    must(False, f"L7: {who} from {start} to {end} lacks {entry}, the newest of {key!r}")
                self._must_be_past(entry, who)
        return end

    def _see_horizon(self, entry: Entry, horizon_ms: int) -> None:
        self.horizons[entry.offset] = min(horizon_ms, self.horizons.get(entry.offset, horizon_ms))

    def _must_be_past(self, entry: Entry, who: str) -> None:
        horizon_ms = self.horizons.get(entry.offset)
        must(
            horizon_ms is not None and horizon_ms <= self.latest_ms,
            f"L5: {who} lacks the tombstone {entry}, with a horizon of {horizon_ms} at {self.latest_ms}",
        )
        self.meets(TOMBSTONE_GONE)

    def may_lack_marker(self, offset: int, node_id: int | None = None) -> bool:
        """Whether a replica was away while others dropped the marker that ends a record's transaction, its horizon
        passed: it never had it, and takes the transaction for a part of the producer's next one, as Apache Kafka does.
        """
        marker = self.story.ended_by.get(offset)
        if marker is None or self.horizons.get(marker, self.latest_ms + 1) > self.latest_ms:
            return False
        nodes = self._logs if node_id is None else (node_id,)
        return any(marker not in self._markers.get(each, ()) for each in nodes)

    def meets(self, what: str) -> None:
        if self.met is not None:
            self.met[what] += 1

    def check_log(self, log: Log, node_id: int, from_offset: int) -> None:
        """L6: a reader of committed records, who starts anywhere, finds what is there and never what was aborted."""
        story = self.story
        # a marker that others have dropped while the replica was away leaves its transaction open there, as in Kafka
        own_stable = log.producers.last_stable_offset(log.log_end_offset, log.log_start_offset)
        end = min(story.stable_below(min(log.log_end_offset, story.end_offset)), own_stable)
        found = committed(log, from_offset=from_offset, end_offset=end)
        for record in found:
            entry = story.entries.get(record.offset)
            must(entry is not None, f"L6: {log.path} shows {record.offset}, which nobody wrote")
            may_show = story.is_visible[record.offset] or self.may_lack_marker(record.offset, node_id)
            must(bool(may_show), f"L6: {log.path} shows what was aborted at {record.offset}")
        offsets = [record.offset for record in found]
        must(offsets == sorted(set(offsets)), f"{log.path} shows {offsets}")
        there = set(offsets)
        for key, entry in story.newest().items():
            if from_offset <= entry.offset < end and entry.offset not in there and entry.value is not None:
                what = f"L7: a reader of {log.path} from {from_offset} on misses {entry}, the newest of {key!r}"
                must(self.may_lack_marker(entry.offset, node_id), what)


class CleaningInvariants(NodeInvariants):
    """All partitions; `before_replace` is asked before a swap of segments and may let its node die in it."""

    kind = CleanedPartition

    def __init__(self, cluster: Cluster, met: Counter[str]) -> None:
        super().__init__(cluster)
        self.met = met
        self.cluster = cluster
        self._rng = cluster.world.rng("looks")
        self.before_replace: Callable[[Node], None] = lambda _node: None
        self.after_replace: Callable[[Node], None] = lambda _node: None
        for partition in self.partitions.values():
            cast("CleanedPartition", partition).met = met

    def story_of(self, index: int) -> Story:
        return self.cleaned(index).story

    def cleaned(self, index: int) -> CleanedPartition:
        return cast("CleanedPartition", self.partitions[TOPIC, index])

    def elected(self, partition: PartitionInvariants, replica: ReplicaView, node: Node) -> None:
        super().elected(partition, replica, node)
        for each in self.cluster.nodes.values():
            if self._is_at(each, partition.index):
                self.met[FAIL_OVER] += 1
                if each is node:
                    self.met[NEW_LEADER_CLEANS] += 1

    def _is_at(self, node: Node, index: int) -> bool:
        broker = getattr(node.server, "broker", None)
        cleaner = None if broker is None else broker.compaction.cleaner
        working_on = None if cleaner is None else cleaner.working_on
        return working_on is not None and (working_on.topic, working_on.index) == (TOPIC, index)

    def is_at_pass(self, node: Node) -> bool:
        """Whether a node compacts a partition now."""
        return any(self._is_at(node, index) for index in range(self.cluster.partition_count))

    def moved(self, partition: PartitionInvariants, replica: ReplicaView, node: Node) -> None:
        super().moved(partition, replica, node)
        self._check_start(partition, node)

    def _check_start(self, known: PartitionInvariants, node: Node) -> None:
        """L3."""
        partition = self._partition(node, known.index)
        if partition is None:
            return
        start, key = partition.log.log_start_offset, (node.id, node.lives)
        starts = cast("CleanedPartition", known).log_starts
        must(start >= starts.get(key, 0), f"L3: the log start of {key} falls to {start}")
        starts[key] = start
        stable, high_watermark = partition.last_stable_offset, partition.high_watermark
        must(
            start <= stable <= high_watermark,
            f"L3: node {node.id}: start {start}, stable below {stable}, high watermark {high_watermark}",
        )

    @staticmethod
    def _partition(node: Node, index: int) -> Partition | None:
        broker = getattr(node.server, "broker", None)
        return None if broker is None else broker.partitions.get(TOPIC, index)

    # --- what a log does ---

    def _place(self, path: str) -> tuple[Node, CleanedPartition] | None:
        """The node and the partition of a log; None of other topics."""
        _, name, directory = path.split("/")[:3]
        topic_partition = parse_directory_name(directory)
        if topic_partition is None or topic_partition[0] != TOPIC:
            return None
        node = next(node for node in self.cluster.nodes.values() if node.name == name)
        return node, self.cleaned(topic_partition[1])

    def _replace_segments(self, own: Any, log: Log, old: Any, cleaned: Any, now: Now) -> bool:
        place = self._place(log.path)
        if place is None:
            return bool(own(log, old, cleaned, now))
        node, known = place
        known.latest_ms = max(known.latest_ms, now.wall_ms)
        end_offset, segments = log.log_end_offset, log.segments.all
        behind = next((each.base_offset for each in segments if each.base_offset > old[-1].base_offset), end_offset)
        stable = known.story.stable_end
        self.before_replace(node)
        is_done = bool(own(log, old, cleaned, now))
        self.after_replace(node)
        if is_done:
            must(behind <= stable, f"{log.path} is cleaned up to {behind}, stable below {stable}")
            must(log.log_end_offset == end_offset, f"{log.path} ends at {log.log_end_offset}, not at {end_offset}")
            self._look(log, known, node, old[0].base_offset)
        return is_done

    def _look(self, log: Log, known: CleanedPartition, node: Node, base_offset: int) -> None:
        known.check_replica(node.id)
        files = cast("CleanedLog", known.log_of(node.id)).files()
        file = files[base_offset]
        self.met[EMPTY_KEPT] += any(not entries for _, _, entries in file.batches)
        here = {entry.offset for _, _, entries in file.batches for entry in entries}
        end = min((base for base in files if base > base_offset), default=base_offset)
        gone = (offset for offset in range(base_offset, end) if offset not in here)
        self.met[ABORTED_GONE] += any(known.story.is_visible.get(offset) is False for offset in gone)
        known.check_log(
            log, node.id, self._rng.randint(log.log_start_offset, max(log.log_start_offset, known.story.stable_end))
        )

    def _truncate_to(self, own: Any, log: Log, offset: int) -> None:
        place = self._place(log.path)
        if place is not None and offset < log.log_end_offset and self._is_at(place[0], place[1].index):
            self.met[TRUNCATION] += 1
        own(log, offset)

    def _delete_segments(self, own: Any, log: Log, count: int, now: Now) -> None:
        """L2."""
        place = self._place(log.path)
        if place is None:
            own(log, count, now)
            return
        node, known = place
        partition = self._partition(node, known.index)
        assert partition is not None
        high_watermark = partition.high_watermark
        own(log, count, now)
        must(
            log.segments.all[0].base_offset <= min(high_watermark, known.end_offset),
            f"L2: {log.path} begins at {log.segments.all[0].base_offset} now, committed is all below {high_watermark}",
        )
        must(not self._is_at(node, known.index), f"{log.path} loses segments while a pass reads them")
        self.met[RETENTION_LEADER if partition.is_leader else RETENTION_FOLLOWER] += 1
        self._check_start(known, node)

    def _note_cleaner_offset(self, own: Any, checkpoints: OffsetCheckpoints, key: tuple[str, int], offset: int) -> None:
        """L4: the recovery point is on the disk first."""
        for node in self.cluster.nodes.values():
            broker = getattr(node.server, "broker", None)
            if key[0] == TOPIC and broker is not None and broker.logs.directories[0].checkpoints is checkpoints:
                points = read_offsets(node.fs, f"{data_dir(node.name)}/{RECOVERY_POINT_FILE}")
                must(offset <= points.get(key, 0), f"L4: {node.id} is clean up to {offset}, recovered from {points}")
        own(checkpoints, key, offset)

    def _indexed(self, own: Any, cleaner: LogCleaner, outcome: object, now: Now) -> None:
        work = cleaner._work
        if work is not None and isinstance(outcome, tuple) and outcome[0] < work.plan.upper_bound:
            self.met[MAP_FULL] += 1
        own(cleaner, outcome, now)

    def _may_remove(self, own: Any, cleaner: LogCleaner, partition: Partition) -> bool:
        may = bool(own(cleaner, partition))
        self.met[RETENTION_PASS] += not may
        return may

    @contextmanager
    def watching(self) -> Iterator[None]:
        from kafkacompat.broker.log_cleaner import LogCleaner

        with super().watching(), ExitStack() as stack:
            for owner, name, look in (
                (Log, "replace_segments", self._replace_segments),
                (Log, "truncate_to", self._truncate_to),
                (Log, "delete_segments", self._delete_segments),
                (OffsetCheckpoints, "note_cleaner_offset", self._note_cleaner_offset),
                (LogCleaner, "_indexed", self._indexed),
                (LogCleaner, "may_remove", self._may_remove),
            ):
                stack.enter_context(_around(owner, name, look))
            yield


@contextmanager
def _around(owner: type, name: str, look: Callable[..., Any]) -> Iterator[None]:
    """Call `look` in the place of a method, which it is given first."""
    own: Any = getattr(owner, name)

    def watched(*arguments: Any) -> Any:
        return look(own, *arguments)

    setattr(owner, name, watched)
    try:
        yield
    finally:
        setattr(owner, name, own)
