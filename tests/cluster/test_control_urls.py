"""`Cluster.control_url` and `control_urls`: one port for all nodes of this process, one for each process of a node."""

from __future__ import annotations

import pytest

from kafkacompat import Cluster, KafkaCompatError
from tests.control_api.harness import Api


def test_nodes_in_this_process_share_a_port() -> None:
    with Cluster(brokers=2) as kafka:
        assert kafka.control_urls == {1: kafka.control_url, 2: kafka.control_url}
        api = Api(kafka.control_url)
        assert api.get("/v1")["node_ids"] == [1, 2]
        api.close()
        kafka.kill(2)
        assert list(kafka.control_urls) == [1]


def test_each_process_answers_for_its_node() -> None:
    with Cluster(brokers=3, processes=True, topics={"orders": (1, 3)}) as kafka:
        urls = kafka.control_urls
        assert sorted(urls) == [1, 2, 3]
        assert len(set(urls.values())) == 3
        assert kafka.control_url not in urls.values()
        for node_id, url in urls.items():
            api = Api(url)
            assert api.get("/v1")["node_ids"] == [node_id]
            assert [log["broker"] for log in api.get("/v1/topics/orders/partitions/0")["logs"]] == [node_id]
            assert "kafka_server_replicamanager_partitioncount" in api.send("GET", "/metrics").text
            assert api.send("POST", "/v1/reset", {}).status == 409
            added = api.send("POST", "/v1/faults", {"when": {"api": "metadata"}, "observe": True})
            assert added.status == 201
            assert len(api.get("/v1/faults")["faults"]) == 1
            api.close()
        kafka.kill(3)
        assert sorted(kafka.control_urls) == [1, 2]
        kafka.restart(3)
        assert sorted(kafka.control_urls) == [1, 2, 3]


def test_a_cluster_that_does_not_run_has_none() -> None:
    with pytest.raises(KafkaCompatError, match="not running"):
        _ = Cluster().control_url
