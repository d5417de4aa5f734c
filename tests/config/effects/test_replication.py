"""Settings of replicas, the quorum and the controller: each is changed, and the effect is seen."""

import random
from types import SimpleNamespace
from typing import Any

import pytest

from kafkacompat.broker.broker import Broker
from kafkacompat.config import BrokerConfig, development_defaults
from kafkacompat.now import Now
from kafkacompat.protocol import api_keys
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages import fetch as fetch_api
from kafkacompat.protocol.messages import fetch_snapshot
from kafkacompat.protocol.messages.fetch import FetchRequest
from kafkacompat.replication.metadata.image import NO_LEADER, Endpoint, PartitionImage
from kafkacompat.storage.memfs import MemFs
from tests.broker import quorum_cluster, replica_node
from tests.broker.handlers.test_produce_fetch import batch, only, produce_request
from tests.broker.harness import BrokerHarness
from tests.broker.journal import RequestJournal
from tests.config.effects.registry import shows
from tests.replication.controller.active_world import World

# Followers


def _fetches(**settings: str) -> list[FetchRequest]:
    """What a follower asks its leader for."""
    cluster = replica_node.Cluster(1, 2, **settings)
    cluster.create_topic("t", [1, 2])
    cluster.advance(200)
    found = [request for sender, _, request in cluster.requests if sender == 2 and isinstance(request, FetchRequest)]
    assert found
    return found


@shows("replica.fetch.wait.max.ms")
def test_a_followers_fetch_waits_so_long() -> None:
    assert _fetches()[0].max_wait_ms == 500
    assert _fetches(replica_fetch_wait_max_ms="70")[0].max_wait_ms == 70


@shows("replica.fetch.min.bytes")
def test_a_followers_fetch_waits_for_so_much() -> None:
    assert _fetches()[0].min_bytes == 1
    assert _fetches(replica_fetch_min_bytes="33")[0].min_bytes == 33


@shows("replica.fetch.response.max.bytes")
def test_a_followers_fetch_takes_so_much() -> None:
    assert _fetches()[0].max_bytes == 10_485_760
    assert _fetches(replica_fetch_response_max_bytes="5000")[0].max_bytes == 5_000


@shows("replica.fetch.max.bytes")
def test_a_followers_fetch_takes_so_much_of_a_partition() -> None:
    def asked(**settings: str) -> int:
        topics = [topic for request in _fetches(**settings) for topic in request.topics]
        return topics[0].partitions[0].partition_max_bytes

    assert asked(replica_fetch_max_bytes="5000") == 5_000
    assert asked(replica_fetch_max_bytes="7000") == 7_000


@shows("replica.socket.timeout.ms")
def test_a_followers_fetch_is_given_up_after_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[int] = []
    send = replica_node.FakeNetwork.send

    def noted(network: Any, *arguments: Any) -> None:
        waits.append(arguments[6])
        send(network, *arguments)

    monkeypatch.setattr(replica_node.FakeNetwork, "send", noted)
    _fetches(replica_socket_timeout_ms="30000")
    long = set(waits)
    waits.clear()
    _fetches(replica_socket_timeout_ms="4000")
    assert max(waits) - max(long) == 4_000 - 30_000


@shows("replica.fetch.backoff.ms")
def test_a_follower_that_hears_nothing_pauses_so_long() -> None:
    def asked(**settings: str) -> int:
        cluster = replica_node.Cluster(1, 2, **settings)
        cluster.create_topic("t", [1, 2])
        cluster.advance(100)
        cluster.cuts.append({1, 2})
        cluster.requests.clear()
        cluster.advance(10_000)
        return len([sender for sender, _, _ in cluster.requests if sender == 2])

    assert asked(replica_fetch_backoff_ms="4000") * 4 < asked(replica_fetch_backoff_ms="100")


@shows("min.insync.replicas")
@shows("min.insync.replicas", scope="topic")
def test_a_leader_takes_records_with_as_many_replicas_in_sync() -> None:
    def produced(configs: dict[str, str], **settings: str) -> int:
        cluster = replica_node.Cluster(1, 2, **settings)
        cluster.create_topic("t", [1, 2], **configs)
        cluster.settle()
        cluster.fence(2)
        cluster.cuts.append({1, 2})
        cluster.settle()
        answers = cluster[1].ask(produce_request((0, batch(b"x"))), 9)
        cluster.advance(100)
        return only(answers[0]).error_code

    enough = {"min_insync_replicas": "1"}
    assert produced(enough) == errors.NONE
    assert produced({"min_insync_replicas": "2"}) == errors.NOT_ENOUGH_REPLICAS
    assert produced({}, **enough) == errors.NONE
    assert produced({}, min_insync_replicas="2") == errors.NOT_ENOUGH_REPLICAS


@shows("leader.replication.throttled.rate", "follower.replication.throttled.rate")
def test_rates_of_throttled_replicas_reach_their_quotas() -> None:
    # what a quota does with its rate: tests/broker/replicas/test_replication_quota.py
    broker = BrokerHarness(leader_replication_throttled_rate="70", follower_replication_throttled_rate="80").broker
    assert (broker.leader_quota.rate, broker.follower_quota.rate) == (70, 80)


@shows("replication.quota.window.num", "replication.quota.window.size.seconds")
def test_so_many_windows_of_so_many_seconds_count() -> None:
    def holds_back(after_ms: int, **settings: str) -> bool:
        quota = BrokerHarness(**settings).broker.leader_quota
        quota.rate = 100
        partition: Any = SimpleNamespace(index=0, node_id=1, isr=())
        quota.record(partition, ["*"], 5_000, Now(0, 0))
        return quota.holds_back(partition, 2, ["*"], Now(after_ms, 0))

    assert holds_back(5_000)
    assert not holds_back(5_000, replication_quota_window_num="2")
    assert holds_back(5_000, replication_quota_window_num="2", replication_quota_window_size_seconds="10")


# The controller

BEHIND = PartitionImage((1, 2, 3), (1, 2, 3), 2)


def _alive(world: World, until_ms: int, *broker_ids: int) -> World:
    for ms in range(0, until_ms + 1, 500):
        for broker_id in broker_ids:
            world.beat(broker_id, ms)
        world.tick(ms)
    return world


@shows("leader.imbalance.check.interval.seconds", "auto.leader.rebalance.enable")
def test_leaderships_are_given_back_so_often() -> None:
    def leader(**config: str) -> int:
        return _alive(World(BEHIND, config=config), 20_000, 1, 2, 3).partition().leader

    assert leader() == 2
    assert leader(leader_imbalance_check_interval_seconds="10") == 1
    assert leader(leader_imbalance_check_interval_seconds="10", auto_leader_rebalance_enable="false") == 2


@shows("unclean.leader.election.interval.ms", "unclean.leader.election.enable")
@shows("unclean.leader.election.enable", scope="topic")
def test_unclean_elections_come_so_often_where_they_are_allowed() -> None:
    lost = PartitionImage((1, 2, 3), (), NO_LEADER, elr=(3,))

    def leader(**config: str) -> int:
        return _alive(World(lost, fenced=(3,), config=config), 20_000, 1, 2).partition().leader

    assert leader() == NO_LEADER
    assert leader(unclean_leader_election_enable="true") == NO_LEADER
    assert leader(unclean_leader_election_enable="true", unclean_leader_election_interval_ms="10000") == 1
    assert leader(unclean_leader_election_interval_ms="10000") == NO_LEADER


@shows("broker.session.timeout.ms")
def test_a_silent_broker_is_fenced_after_so_long() -> None:
    def is_fenced(**config: str) -> bool:
        world = World(BEHIND, config=config)
        for broker_id in (1, 2, 3):
            world.beat(broker_id, 0)
        world.tick(0)
        return world.tick(5_000) or world.image.brokers[1].fenced

    assert not is_fenced()
    assert is_fenced(broker_session_timeout_ms="3000")


@shows("broker.heartbeat.interval.ms")
def test_a_broker_is_heard_so_often() -> None:
    def heartbeats(**settings: str) -> int:
        broker = BrokerHarness(**settings)
        journal = RequestJournal(broker.broker.pipeline, lambda api: api.key == api_keys.BROKER_HEARTBEAT)
        for _ in range(100):
            broker.advance(100)
        return len(journal.entries)

    assert 4 <= heartbeats() <= 6
    assert 18 <= heartbeats(broker_heartbeat_interval_ms="500") <= 21


# The metadata quorum


class Quorum(quorum_cluster.Cluster):
    """Notes what its nodes send: the node, the API, the request, when."""

    def __init__(self, voters: int = 3, observers: int = 0, **settings: str) -> None:
        self.sent: list[tuple[int, int, int, Any]] = []
        super().__init__(voters, observers, **settings)
        for node in self.nodes.values():
            node.start()

    def carry(self, sender: Any, to: Any, key: int, version: int, data: bytes, timeout_ms: int, done: Any) -> None:
        request = quorum_cluster.messages.load(key).decode_request(data, 0, version)
        self.sent.append((self.now.monotonic_ms, sender.node_id, key, request))
        super().carry(sender, to, key, version, data, timeout_ms, done)

    def of(self, key: int) -> list[Any]:
        return [request for _, _, sent, request in self.sent if sent == key]


@shows("controller.quorum.fetch.max.bytes")
def test_a_voters_fetch_takes_so_much() -> None:
    def asked(**settings: str) -> int:
        cluster = Quorum(**settings)
        cluster.elect()
        cluster.run(500)
        found: int = cluster.of(fetch_api.API_KEY)[-1].max_bytes
        return found

    assert asked() == 1_048_576
    assert asked(controller_quorum_fetch_max_bytes="5000") == 5_000


@shows("metadata.max.idle.interval.ms")
def test_an_idle_metadata_log_grows_so_often() -> None:
    def grown(interval_ms: int) -> int:
        cluster = Quorum(metadata_max_idle_interval_ms=str(interval_ms))
        active = cluster.elect()
        cluster.run(1_000)
        before = active.quorum.image.offset
        cluster.run(5_000)
        return active.quorum.image.offset - before

    assert 8 <= grown(500) <= 11
    assert grown(0) == 0


@shows("controller.quorum.fetch.timeout.ms")
def test_voters_suspect_a_silent_leader_after_so_long() -> None:
    def until_votes(timeout_ms: int) -> int:
        cluster = Quorum(controller_quorum_fetch_timeout_ms=str(timeout_ms))
        leader = cluster.elect()
        cluster.run(1_000)
        leader.is_cut_off = True
        began_ms = cluster.now.monotonic_ms
        cluster.sent.clear()
        cluster.run(30_000, lambda: any(key == api_keys.VOTE for _, _, key, _ in cluster.sent))
        return cluster.now.monotonic_ms - began_ms

    assert until_votes(2_000) < 6_000
    assert until_votes(12_000) >= 10_000


def _votes(*, within_ms: int, **settings: str) -> int:
    """How many elections a node holds that hears nobody."""
    cluster = Quorum(**settings)
    cluster.elect()
    for node_id in (1, 2, 3):
        cluster.nodes[node_id].is_cut_off = True
    cluster.run(10_000)
    cluster.sent.clear()
    cluster.run(within_ms)
    return len([1 for _, node_id, key, _ in cluster.sent if key == api_keys.VOTE and node_id == 1])


@shows("controller.quorum.election.timeout.ms")
def test_a_new_leader_tells_a_silent_voter_again_twice_in_that_time() -> None:
    def told(timeout_ms: int) -> int:
        cluster = Quorum(controller_quorum_election_timeout_ms=str(timeout_ms))
        leader = cluster.elect(60_000)
        away = next(node for node in cluster.nodes.values() if node is not leader)
        away.kill()
        leader.kill()
        leader.start()
        cluster.elect(60_000)
        cluster.run(2_000)
        cluster.sent.clear()
        cluster.run(20_000)
        return len(cluster.of(api_keys.BEGIN_QUORUM_EPOCH))

    assert told(1_000) > 3 * told(8_000) > 0


@shows("controller.quorum.election.backoff.max.ms")
def test_a_lost_election_is_repeated_after_so_long_at_most() -> None:
    patient = _votes(within_ms=60_000, controller_quorum_election_backoff_max_ms="30000")
    assert patient * 2 < _votes(within_ms=60_000)


@shows("controller.quorum.retry.backoff.ms")
def test_a_fetch_without_an_answer_is_repeated_after_so_long() -> None:
    def fetches(pause_ms: int) -> int:
        cluster = Quorum(observers=1, controller_quorum_retry_backoff_ms=str(pause_ms))
        cluster.elect()
        cluster.run(1_000)
        for node_id in (1, 2, 3):
            cluster.nodes[node_id].kill()
        cluster.sent.clear()
        cluster.run(10_000)
        return len(cluster.of(fetch_api.API_KEY))

    assert fetches(20) > 3 * fetches(400)


@shows("controller.quorum.fetch.snapshot.max.bytes")
def test_so_much_of_a_snapshot_is_fetched_at_once() -> None:
    def asked(**settings: str) -> int:
        cluster = Quorum(
            metadata_log_max_record_bytes_between_snapshots="1000", metadata_max_retention_bytes="1000",
            metadata_max_idle_interval_ms="10", **settings,
        )  # fmt: skip
        cluster.elect()
        away = next(node for node in cluster.nodes.values() if not node.quorum.is_active)
        away.kill()
        cluster.run(2_000)
        away.start()
        cluster.run(1_000)
        found: int = cluster.of(fetch_snapshot.API_KEY)[-1].max_bytes
        return found

    assert asked() == 1_048_576
    assert asked(controller_quorum_fetch_snapshot_max_bytes="500") == 500


@shows("controller.quorum.voters")
def test_who_votes_is_what_the_setting_says() -> None:
    for count in (1, 3):
        cluster = Quorum(count, is_static=True)  # type: ignore[arg-type]
        assert [voter.id for voter in cluster.elect().quorum.raft.voters] == list(range(1, count + 1))


@shows("controller.quorum.request.timeout.ms")
def test_a_request_of_the_quorum_is_given_up_after_so_long() -> None:
    def waits(**settings: str) -> set[int]:
        found: set[int] = set()

        def send(_to: Any, _lane: str, _client: str, key: int, *rest: Any) -> None:
            if key == api_keys.VOTE:
                found.add(rest[2])

        now = Now(1_000_000, 1_700_000_000_000)
        named = {
            "node.id": "1", "process.roles": "broker,controller", "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": "1@n:1,2@n:2", **settings,
        }  # fmt: skip
        broker = Broker.open(
            config=BrokerConfig.from_sources({}, named, development_defaults(1)), fs=MemFs(), data_dir="/data",
            endpoints=[Endpoint("PLAINTEXT", "n", 9092)], now=now, rng=random.Random(1),
            controller_endpoints=[Endpoint("CONTROLLER", "n", 1)],
        )  # fmt: skip
        network: Any = SimpleNamespace(send=send, dial=lambda *_: None, close_channel=lambda *_: None)
        broker.begin(network, now)
        for ms in range(0, 5_000, 50):
            broker.timers.run(Now(now.monotonic_ms + ms, now.wall_ms + ms))
            broker.background.run_inline(now)
        broker.close(now, clean=False)
        return found

    assert waits() == {2_000}
    assert waits(**{"controller.quorum.request.timeout.ms": "700"}) == {700}
