"""Ways to reach the nodes of a running cluster."""

import threading

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.cluster.running import RunningCluster


def test_an_operation_runs_on_the_loop_of_its_node() -> None:
    with Cluster(brokers=3) as kafka:
        assert isinstance(kafka, RunningCluster)
        assert kafka._broker_ids() == [1, 2, 3]
        assert [kafka._call(node_id, lambda server: server.broker.node_id) for node_id in (3, 1)] == [3, 1]
        assert kafka._call(2, lambda _: threading.current_thread()) is not threading.current_thread()
        kafka.kill(2)
        with pytest.raises(KafkaCompatError, match="node 2 is not running"):
            kafka._call(2, lambda server: server.data_dir)


def test_an_operation_needs_its_node_in_this_process() -> None:
    with Cluster(processes=True) as kafka, pytest.raises(KafkaCompatError, match="a process of its own"):
        kafka._call(1, lambda server: server.data_dir)
