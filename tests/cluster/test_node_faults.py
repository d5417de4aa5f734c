"""The verbs of node faults name what a cluster lacks."""

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.cluster.node_faults import NodeFaults


def test_a_fault_that_the_cluster_cannot_carry_out_says_what_it_needs() -> None:
    with Cluster() as kafka:
        assert isinstance(kafka, NodeFaults)
        with pytest.raises(KafkaCompatError, match="processes=True"):
            kafka.pause(1)
        with pytest.raises(KafkaCompatError, match="9 is no node: use one of 1, clients, controllers"):
            kafka.isolate(9)
        with pytest.raises(KafkaCompatError, match="there is no node 7"):
            kafka.kill(7)
