"""The target of a replay, on a broker here: topics, ends, last records."""

from __future__ import annotations

import pytest

from kafkacompat import Cluster
from kafkacompat.client.client import Client
from kafkacompat.spark.restore.replay_matching import TAIL_RECORDS
from kafkacompat.spark.restore.replay_spec import ReplayedLog, ReplayError
from kafkacompat.spark.restore.replay_target import WantedTopic, check_still, ends_of_logs, prepare, tail_of

NOW_MS = 1_777_000_000_000


def test_topics_are_made_after_all_were_looked_at() -> None:
    wanted = [WantedTopic("new", 3, 5, {"max.message.bytes": "77"}), WantedTopic("old", 2, NOW_MS, {})]
    with Cluster(topics={"old": 1}) as kafka, Client(kafka.bootstrap_servers) as client:
        with pytest.raises(ReplayError, match="topic old has 1 partitions at the target, and 2 are needed"):
            prepare(client, wanted, allow_expired=False, now_ms=NOW_MS)
        assert list(kafka.topics()) == ["old"]
        (note,) = prepare(client, wanted[:1], allow_expired=False, now_ms=NOW_MS)
        assert note == "topic new is made with retention.ms=-1: its records begin at 5 ms"
        configs = {name: each.value for name, each in kafka.topics()["new"].configs.items() if each.source == "topic"}
        assert configs == {
            "message.timestamp.type": "CreateTime", "max.message.bytes": "77", "retention.ms": "-1",
            "cleanup.policy": "delete",
        }  # fmt: skip
        assert prepare(client, wanted[:1], allow_expired=False, now_ms=NOW_MS) == []
        refused = [WantedTopic("no/name", 1, None, {})]
        with pytest.raises(
            ReplayError, match="a topic cannot be made at the target: topic 'no/name': Topic name is invalid"
        ):
            prepare(client, refused, allow_expired=False, now_ms=NOW_MS)


def test_records_stay_in_a_topic_that_is_made_whatever_the_defaults_of_the_cluster_are() -> None:
    configs = {"log.retention.ms": "1000", "log.retention.bytes": "100", "log.cleanup.policy": "compact"}
    compacted = {"cleanup.policy": "compact"}
    with Cluster(config=configs) as kafka, Client(kafka.bootstrap_servers) as client:
        wanted = [WantedTopic("old", 1, NOW_MS - 1001, compacted, 1), WantedTopic("young", 1, NOW_MS - 1000, {})]
        assert prepare(client, wanted, allow_expired=False, now_ms=NOW_MS) == [
            "topic old is made with cleanup.policy=delete, not compact",
            f"topic old is made with retention.ms=-1: its records begin at {NOW_MS - 1001} ms",
            "topic old is made with retention.bytes=-1, not 100",
            "topic young is made with cleanup.policy=delete, not compact",
            "topic young is made with retention.bytes=-1, not 100",
        ]
        for name, retention_ms in (("old", "-1"), ("young", "1000")):
            made = kafka.topics()[name].configs
            assert [made[key].value for key in ("retention.ms", "retention.bytes", "cleanup.policy")] == [
                retention_ms, "-1", "delete",
            ]  # fmt: skip


def test_a_topic_that_compacts_what_was_not_compacted_is_refused() -> None:
    topics = {"old": {"configs": {"cleanup.policy": "compact,delete"}}}
    with Cluster(topics=topics) as kafka, Client(kafka.bootstrap_servers) as client:
        wanted = [WantedTopic("old", 1, None, {"cleanup.policy": "delete"}), WantedTopic("new", 1, None, {})]
        with pytest.raises(ReplayError, match=r"topic old has cleanup.policy=compact,delete at the target, .*expired$"):
            prepare(client, wanted, allow_expired=False, now_ms=NOW_MS)
        assert list(kafka.topics()) == ["old"]
        assert prepare(client, wanted, allow_expired=True, now_ms=NOW_MS) == []
        compacted = [WantedTopic("old", 1, None, {"cleanup.policy": "compact"})]
        assert prepare(client, compacted, allow_expired=False, now_ms=NOW_MS) == []


def test_a_size_that_a_topic_does_not_keep_is_refused() -> None:
    topics = {"old": {"configs": {"retention.bytes": "100"}}}
    with Cluster(topics=topics) as kafka, Client(kafka.bootstrap_servers) as client:
        prepare(client, [WantedTopic("old", 1, None, {}, 100)], allow_expired=False, now_ms=NOW_MS)
        wanted = [WantedTopic("old", 1, None, {}, 101), WantedTopic("new", 1, None, {})]
        with pytest.raises(ReplayError, match=r"old has retention.bytes=100 .* a partition gets up to 101 bytes"):
            prepare(client, wanted, allow_expired=False, now_ms=NOW_MS)
        assert list(kafka.topics()) == ["old"]
        assert prepare(client, wanted, allow_expired=True, now_ms=NOW_MS) == []


def test_the_last_records_are_those_since_the_replay_began() -> None:
    records = {"orders": [{"value": str(n), "partition": 0, "headers": [["h", "x"]]} for n in range(300)]}
    with Cluster(topics=["orders"], records=records) as kafka, Client(kafka.bootstrap_servers) as client:
        assert ends_of_logs(client, [("orders", 0)]) == {("orders", 0): 300}
        end, tail = tail_of(client, ReplayedLog("a", 0, 9, "orders", 10))
        assert (end, sorted(tail)) == (300, list(range(300 - TAIL_RECORDS, 300)))
        assert tail[299][1:] == (None, b"299", (("h", b"x"),))
        assert sorted(tail_of(client, ReplayedLog("a", 0, 9, "orders", 298))[1]) == [298, 299]
        assert tail_of(client, ReplayedLog("a", 0, 9, "orders", 300)) == (300, {})


def test_a_log_that_moves_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with Cluster(topics=["orders"]) as kafka, Client(kafka.bootstrap_servers) as client:
        log = ReplayedLog("a", 0, 9, "orders", 0)
        check_still(client, [log], settle_s=0)
        ends = iter((4, 5))
        monkeypatch.setattr(
            "kafkacompat.spark.restore.replay_target.ends_of_logs",
            lambda _client, places: dict.fromkeys(places, next(ends)),
        )
        with pytest.raises(ReplayError, match="orders-0 at the target is being written"):
            check_still(client, [log], settle_s=0)
