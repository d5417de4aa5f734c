"""A metadata quorum of several nodes: election, commits, stops and restarts, observers; every message as bytes."""

from __future__ import annotations

import errno
import random
from typing import TYPE_CHECKING, Any

import pytest

from kafkacompat.errors import StartupError
from kafkacompat.protocol.error_codes import KAFKA_STORAGE_ERROR, NOT_CONTROLLER
from kafkacompat.protocol.internal.cluster_metadata import ConfigRecord
from kafkacompat.replication.metadata import catch_up
from kafkacompat.replication.metadata.batch_accumulator import DeferredEvent
from kafkacompat.replication.metadata.quorum import RETRY_MS
from kafkacompat.replication.metadata.result import Result
from kafkacompat.replication.raft.batches import DamagedLogError
from kafkacompat.replication.raft.epoch_state import FOLLOWER
from kafkacompat.replication.raft.flush_mark import FILE_NAME as FLUSHED_OFFSET
from kafkacompat.storage.errors import LogError
from kafkacompat.storage.segments import Segments
from tests.broker.quorum_cluster import DATA_DIR, Cluster, Node

if TYPE_CHECKING:
    from kafkacompat.steps import Steps

METADATA_LOG = f"{DATA_DIR}/__cluster_metadata-0/{0:020d}.log"


def started(count: int) -> Cluster:
    """So many voters that have begun to run."""
    cluster = Cluster(count)
    for node in cluster.nodes.values():
        node.start()
    return cluster


def change(node: Node, name: str, value: str = "1") -> DeferredEvent:
    """A change of the metadata: a topic's config, which is in the image as it is."""
    record = ConfigRecord(2, name, "retention.ms", value)
    return node.quorum.submit(lambda _image, _now: Result([record], name), node.cluster.now)


def names(node: Node) -> set[str]:
    return {name for kind, name in node.quorum.image.configs if kind == 2}


def test_three_elect_one_and_all_have_what_it_commits() -> None:
    cluster = started(3)
    active = cluster.elect(1_000)
    assert active.changes == [("active", 1)]
    submission = change(active, "a")
    done: list[int] = []
    submission.when_done(lambda now: done.append(now.monotonic_ms))
    assert not submission.committed
    assert cluster.run(100, lambda: submission.committed)
    assert done
    cluster.catch_up()
    for node in cluster.nodes.values():
        assert names(node) == {"a"}
        assert node.quorum.image.features["metadata.version"] == 30
        assert [voter.id for voter in node.quorum.raft.voters] == [1, 2, 3]
    others = [node for node in cluster.nodes.values() if node is not active]
    for node in others:
        with pytest.raises(LogError) as raised:
            change(node, "b")
        assert raised.value.error_code == NOT_CONTROLLER


@pytest.mark.parametrize("is_clean", [True, False])
def test_another_goes_on_when_the_leader_goes(is_clean: bool) -> None:
    cluster = started(3)
    first = cluster.elect()
    committed = change(first, "a")
    assert cluster.run(100, lambda: committed.committed)
    stopped_ms = cluster.now.monotonic_ms
    if is_clean:
        first.stop()
    else:
        first.kill()
    second = cluster.elect()
    assert cluster.now.monotonic_ms - stopped_ms < 500
    assert second is not first
    assert names(second) == {"a"}
    later = change(second, "b")
    assert cluster.run(100, lambda: later.committed)
    first.start()
    cluster.run(200)
    cluster.catch_up()
    assert names(first) == {"a", "b"}
    assert cluster.elect() is second


def test_a_leader_that_is_cut_off_fails_what_it_could_not_commit() -> None:
    cluster = started(3)
    first = cluster.elect()
    cluster.catch_up()
    first.is_cut_off = True
    lost = change(first, "lost")
    second_elected = cluster.run(6_000, lambda: cluster.active is not first and cluster.active is not None)
    assert second_elected
    assert cluster.run(4_000, lambda: lost.failed is not None)
    assert (lost.committed, lost.failed) == (False, NOT_CONTROLLER)
    assert first.changes[-1][0] == "inactive"
    kept = change(cluster.active, "kept")  # type: ignore[arg-type]
    assert cluster.run(500, lambda: kept.committed)
    first.is_cut_off = False
    cluster.elect(10_000)
    cluster.catch_up()
    assert all(names(node) == {"kept"} for node in cluster.nodes.values())


def test_observers_follow_and_come_late() -> None:
    cluster = Cluster(3, observers=2)
    for node_id in (1, 2, 3, 4):
        cluster.nodes[node_id].start()
    active = cluster.elect()
    for n in range(300):
        change(active, f"t{n}")
    cluster.run(100)
    cluster.nodes[5].start()
    cluster.run(200)
    cluster.catch_up()
    for node_id in (4, 5):
        assert len(names(cluster.nodes[node_id])) == 300
        assert not cluster.nodes[node_id].quorum.raft.is_voter
        assert cluster.nodes[node_id].channel.leader_address == active.address
    voters, observers = active.quorum.raft.client.replicas(cluster.now)
    assert [replica.key[0] for replica in voters] == [1, 2, 3]
    assert [replica.key[0] for replica in observers] == [4, 5]
    assert all(replica.caught_up_ms > cluster.now.monotonic_ms - 1_000 for replica in (*voters, *observers))


def test_static_voters_are_a_quorum_too() -> None:
    cluster = Cluster(3, observers=1, is_static=True)
    for node in cluster.nodes.values():
        node.start()
    active = cluster.elect()
    committed = change(active, "a")
    assert cluster.run(100, lambda: committed.committed)
    cluster.catch_up()
    assert all(names(node) == {"a"} for node in cluster.nodes.values())
    state = active.fs.read_bytes("/data/__cluster_metadata-0/quorum-state")
    assert b'"data_version":0' in state
    assert {node.quorum.kraft_level for node in cluster.nodes.values()} == {0}
    active.kill()
    assert cluster.elect() is not active


def test_two_of_three_are_enough_and_one_is_not() -> None:
    cluster = Cluster(3)
    for node_id in (1, 2):
        cluster.nodes[node_id].start()
    active = cluster.elect()
    kept = change(active, "a")
    assert cluster.run(500, lambda: kept.committed)
    other = cluster.nodes[3 - active.node_id]
    other.kill()
    open_change = change(active, "b")
    cluster.run(2_000)
    assert not open_change.committed
    cluster.nodes[3].start()
    second = cluster.elect(10_000)
    cluster.catch_up()
    assert "a" in names(second)


def test_a_damaged_log_stops_that_voter_and_never_the_quorum() -> None:
    """Damage that a start finds is told; damage that comes to light in a running node ends its part alone."""
    cluster = started(3)
    active = cluster.elect()
    for _ in range(50):  # more than one fetch: that much a power loss may spoil
        change(active, "a", "x" * 30_000)
        cluster.run(5)
    change(active, "b")
    cluster.run(100)
    victim = next(node for node in cluster.nodes.values() if node is not active)
    victim.kill()
    data = bytearray(victim.fs.read_bytes(METADATA_LOG))
    sound = bytes(data)
    data[100] ^= 1
    victim.fs.write_atomic(METADATA_LOG, bytes(data), sync=True)
    with pytest.raises(StartupError, match=r"00000000000000000000\.log is damaged"):
        victim.start()
    victim.is_running = False
    kept = change(active, "c")
    assert cluster.run(500, lambda: kept.committed)
    victim.fs.restart()
    victim.fs.write_atomic(METADATA_LOG, sound, sync=True)
    victim.start()
    cluster.run(200)
    cluster.catch_up()
    assert names(victim) == {"a", "b", "c"}
    victim.fs.fail_next(lambda operation: operation[0] == "write")
    lost = change(active, "d")
    assert cluster.run(500, lambda: lost.committed)
    cluster.run(200)
    assert victim.quorum.failure is not None
    assert "d" not in names(victim)
    later = change(active, "e")
    assert cluster.run(500, lambda: later.committed)
    assert cluster.active is active


SMALL = {
    "metadata_log_max_record_bytes_between_snapshots": "3000",
    "metadata_max_retention_bytes": "1000",
    "controller_quorum_fetch_timeout_ms": "2000",
}


@pytest.mark.parametrize("late_id", [3, 4])
def test_who_comes_late_loads_a_snapshot(late_id: int) -> None:
    """A voter and an observer that were away while the log was cut off."""
    cluster = Cluster(3, observers=1, **SMALL)
    for node in cluster.nodes.values():
        node.start()
    cluster.elect()
    cluster.nodes[late_id].kill()
    active = cluster.elect()
    for n in range(200):
        change(active, f"t{n}")
        cluster.run(2)
    cluster.run(50)
    start_offset = active.quorum.raft.log.log_start_offset
    assert start_offset > 100
    late = cluster.nodes[late_id]
    late.start()
    cluster.run(500)
    cluster.catch_up()
    assert late.quorum.raft.log.log_start_offset >= start_offset
    assert names(late) == names(active)
    assert [voter.id for voter in late.quorum.raft.voters] == [1, 2, 3]
    late.kill(power=False)
    late.start()
    cluster.run(500)
    cluster.catch_up()
    assert names(late) == names(active)
    if late.quorum.raft.is_voter:  # it can lead with what it loaded
        for node in (active, next(node for node in cluster.nodes.values() if node not in (active, late))):
            node.stop()
            cluster.elect(10_000)
            node.start()
            cluster.run(500)
        assert len(names(cluster.elect())) == 200


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("settings", [{}, SMALL], ids=["", "snapshots"])
def test_random_lives(seed: int, settings: dict[str, str]) -> None:
    """Kills, power cuts, clean stops and isolation: what was committed is there at the end, the same for all."""
    rng = random.Random(seed)
    cluster = Cluster(3, observers=1, **settings)
    committed: set[str] = set()
    for node in cluster.nodes.values():
        node.start()
    count = 0
    for _ in range(12):
        active = cluster.active
        if active is not None:
            for _ in range(rng.randint(0, 3) * (8 if settings else 1)):
                count += 1
                try:
                    submission = change(active, f"t{count}")
                except LogError:
                    break
                name = f"t{count}"
                submission.when_done(lambda _now, s=submission, n=name: committed.add(n) if s.committed else None)  # type: ignore[misc]
        node = rng.choice(list(cluster.nodes.values()))
        what = rng.randrange(6)
        if not node.is_running:
            node.start()
        elif what == 0:
            node.kill()
        elif what == 1:
            node.kill(power=False)
        elif what == 2:
            node.stop()
        else:
            node.is_cut_off = not node.is_cut_off
        cluster.run(rng.choice((5, 50, 500, 3_000)))
    for node in cluster.nodes.values():
        node.is_cut_off = False
        if not node.is_running:
            node.start()
    active = cluster.elect(20_000)
    last = change(active, "last")
    assert cluster.run(2_000, lambda: last.committed)
    cluster.run(200)
    cluster.catch_up()
    images = [node.quorum.image for node in cluster.nodes.values()]
    assert committed <= names(active)
    assert all(image.configs == images[0].configs and image.features == images[0].features for image in images)
    assert all(node.quorum.failure is None for node in cluster.nodes.values())


def test_who_is_of_another_cluster_than_most_is_told_so_once_most_have_said_it() -> None:
    cluster = Cluster(3)
    told = []
    for node in cluster.nodes.values():
        node.start()
    stranger = cluster.nodes[1]
    right, stranger.channel._cluster_id = stranger.channel._cluster_id, "AAAAAAAAAAAAAAAAAAAAAA"
    stranger.channel.on_foreign = lambda: told.append(len(stranger.channel._foreign_to))
    assert cluster.run(20_000, lambda: bool(told))
    assert told == [2]
    stranger.channel._cluster_id = right
    cluster.elect(20_000)


def test_who_does_not_know_where_the_others_are_asks_again_when_it_does() -> None:
    cluster = started(3)
    for node in cluster.nodes.values():
        node.channel.address_of = lambda _node_id: None  # type: ignore[method-assign]
    assert not cluster.run(5_000, lambda: cluster.active is not None)
    for node in cluster.nodes.values():
        del node.channel.address_of  # type: ignore[attr-defined]
    cluster.elect(20_000)


def test_a_node_that_cannot_take_in_what_is_committed_takes_no_part_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = started(3)
    active = cluster.elect()
    cluster.catch_up()
    take_in, damaged = catch_up.catch_up, [True]

    def first_time_damaged(*arguments: Any) -> Steps[None]:
        if damaged:
            damaged.clear()
            raise DamagedLogError("injected")
        yield from take_in(*arguments)

    monkeypatch.setattr(catch_up, "catch_up", first_time_damaged)
    submission = change(active, "a")
    assert cluster.run(500, lambda: submission.committed and not damaged)
    cluster.run(500)
    failed = [node for node in cluster.nodes.values() if node.quorum.failure is not None]
    assert len(failed) == 1
    assert [names(node) for node in cluster.nodes.values() if node not in failed] == [{"a"}, {"a"}]


def test_what_a_lone_voter_has_made_durable_is_noted_from_the_first_other_voter_on() -> None:
    cluster = Cluster(1, 1, joins=True)
    for node in cluster.nodes.values():
        node.start()
    active = cluster.elect()
    mark = f"{DATA_DIR}/__cluster_metadata-0/{FLUSHED_OFFSET}"
    assert not active.fs.exists(mark)
    assert cluster.run(10_000, lambda: len(active.quorum.raft.voters) == 2)
    submission = change(active, "a")
    assert cluster.run(500, lambda: submission.committed)
    assert active.fs.exists(mark)


def test_a_leader_whose_disk_fails_when_all_is_to_be_durable_says_so() -> None:
    cluster = started(3)
    active = cluster.elect()
    cluster.catch_up()
    first = change(active, "first")
    assert cluster.run(500, lambda: first.committed)
    submission = change(active, "lost")
    active.fs.fail_next(lambda operation: operation[0] == "fsync")
    active.quorum.flush(cluster.now)
    assert active.quorum.failure is not None
    assert submission.failed == KAFKA_STORAGE_ERROR
    failed_ms = cluster.now.monotonic_ms
    assert cluster.run(5_000, lambda: cluster.active is not None)
    assert cluster.now.monotonic_ms - failed_ms < 500


def test_a_candidate_without_room_for_its_epoch_stands_again_when_there_is_some(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Nobody else can be elected: it alone has the end of the log."""
    cluster = Cluster(2)
    for node in cluster.nodes.values():
        node.start()
    first = cluster.elect()
    kept = change(first, "a")
    assert cluster.run(500, lambda: kept.committed)
    (other,) = (node for node in cluster.nodes.values() if node is not first)
    other.kill()
    change(first, "b")
    cluster.run(50)
    first.kill()
    for _ in range(2):  # it tries again with the room of the reserve
        first.fs.fail_next(lambda operation: operation[:2] == ("write", METADATA_LOG), errno.ENOSPC)
    first.start()
    other.start()
    assert cluster.elect(20_000) is first
    assert "the metadata quorum waits for room" in caplog.text
    assert cluster.run(500, lambda: names(first) == names(other) == {"a", "b"})


def test_a_follower_without_room_stays_one_and_goes_on_as_soon_as_there_is_some() -> None:
    cluster = started(3)
    active = cluster.elect()
    cluster.catch_up()
    follower = next(node for node in cluster.nodes.values() if node is not active)
    client = follower.quorum.raft.client
    follower.broker.logs.give_up_reserves()
    follower.fs.free_bytes = 0
    kept = change(active, "a")
    assert not cluster.run(10_000, lambda: client.state != FOLLOWER)
    assert kept.committed
    assert names(follower) == set()
    follower.fs.free_bytes = None
    assert cluster.run(200, lambda: names(follower) == {"a"})


class Descriptors:
    """Reads of one log by one method of its segments, which fail while descriptors are wanting."""

    def __init__(self, node: Node, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.are_wanting = True
        self.missed = 0
        segments, read = node.quorum.raft.log.segments, getattr(Segments, method)

        def attempt(of: Segments, *arguments: Any, **options: Any) -> Any:
            if of is segments and self.are_wanting:
                self.missed += 1
                raise OSError(errno.EMFILE, "too many open files")
            return read(of, *arguments, **options)

        monkeypatch.setattr(Segments, method, attempt)


def test_a_leader_that_lacks_descriptors_to_read_commits_when_it_has_some(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    cluster = started(3)
    active = cluster.elect()
    cluster.catch_up()
    descriptors = Descriptors(active, "read", monkeypatch)
    kept = change(active, "a")
    cluster.run(500)
    assert (kept.committed, kept.failed, active.quorum.failure) == (False, None, None)
    assert 0 < descriptors.missed < 50
    assert caplog.text.count("fetches of metadata are refused") == 1
    descriptors.are_wanting = False
    assert cluster.run(500, lambda: kept.committed)
    assert cluster.active is active
    assert cluster.run(500, lambda: all(names(node) == {"a"} for node in cluster.nodes.values()))


def test_who_lacks_descriptors_to_read_what_is_committed_reads_it_later(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    cluster = started(3)
    active = cluster.elect()
    cluster.catch_up()
    follower = next(node for node in cluster.nodes.values() if node is not active)
    descriptors = Descriptors(follower, "batches", monkeypatch)
    kept = change(active, "a")
    assert cluster.run(500, lambda: kept.committed)
    assert not cluster.run(600, lambda: follower.quorum.failure is not None)
    follower.is_cut_off = True  # no more than its own timer makes it try
    cluster.run(20)
    missed = descriptors.missed
    cluster.run(4 * RETRY_MS)
    assert 2 <= descriptors.missed - missed <= 10
    assert (names(follower), follower.quorum.failure) == (set(), None)
    assert caplog.text.count("committed metadata is read later") == 1
    descriptors.are_wanting = False
    assert cluster.run(2 * RETRY_MS, lambda: names(follower) == {"a"})


def test_who_was_alone_before_another_joined_does_not_decide_alone_after_a_restart() -> None:
    """That another votes is in its log, and in no snapshot: what is in the log behind it is not committed by that."""
    cluster = Cluster(1, 1, joins=True)
    for node in cluster.nodes.values():
        node.start()
    first, second = cluster.elect(), cluster.nodes[2]
    assert cluster.run(10_000, lambda: len(first.quorum.raft.voters) == 2)
    kept = change(first, "a")
    assert cluster.run(500, lambda: kept.committed)
    second.kill()
    change(first, "b")
    cluster.run(50)
    first.kill()
    first.start()
    assert [voter.id for voter in first.quorum.raft.voters] == [1, 2]
    assert not cluster.run(5_000, lambda: cluster.active is not None or bool(names(first)))
    second.start()
    cluster.elect(20_000)
    assert cluster.run(500, lambda: names(first) == names(second) == {"a", "b"})
