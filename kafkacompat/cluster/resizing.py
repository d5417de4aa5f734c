"""Adds brokers to a running cluster, and removes them."""

from __future__ import annotations

import time

from kafkacompat.cluster.link_faults import LinkFaults
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from kafkacompat.client.client import Client
    from kafkacompat.cluster.layout import Layout, Node
    from kafkacompat.cluster.nodes import NodeView

KNOWN_TIMEOUT_S = 10.0
MOVE_TIMEOUT_S = 60.0
"""How long the replicas of a broker may take to move to others."""
MOVE_POLL_S = 0.02


class Resizing(LinkFaults):
    """The verbs that change the number of brokers of a `Cluster`, in this process or in processes of their own."""

    _options: dict[str, Any]
    _config: dict[str, str]

    def add_broker(self) -> NodeView:
        """Start one more broker, with the next free id; it is no controller, and gets no partitions that exist.

        Returns when clients are told of it. Raises KafkaCompatError for a lone broker, which has no listener for other
        nodes, and for isolation=True; StartupError if it does not start; after 10 s.
        """
        from kafkacompat.cluster.nodes import NodeView
        from kafkacompat.cluster.prepare import prepare
        from kafkacompat.server.ports import PortFinder

        nodes, layout = self._running(), self._resizable("add_broker")
        ports = PortFinder(layout.host)
        try:
            node = layout.add_broker(ports.find(1)[0], self._options["racks"])
            try:
                prepare(layout, self._config, is_temporary=self._options["data_dir"] is None)
                nodes.add_node(node.node_id)
            except BaseException:
                layout.remove(node)
                layout.save()
                raise
        finally:
            ports.close()
        self._options["brokers"] = len(layout.brokers)
        self._await_brokers()
        pid = nodes.pid(node.node_id)
        return NodeView(node.node_id, layout.address(node), node.data_dir, pid, nodes.write_data, node.log_dirs)

    def remove_broker(self, broker: int) -> None:
        """Move the replicas of a broker to others, stop it, unregister it and remove its data.

        Where no other broker is free, the partition has one replica less; a partition cannot lose its only replica.
        Raises KafkaCompatError for a broker that is a controller, too, for the last one, for a broker that does not
        run, and if its replicas have not moved after 60 s.
        """
        import shutil

        from kafkacompat.client.client import Client
        from kafkacompat.cluster.nodes import check_node, not_running
        from kafkacompat.protocol.messages import unregister_broker

        nodes, layout = self._running(), self._resizable("remove_broker")
        check_node(broker, [node.node_id for node in layout.brokers])
        node = layout.node(broker)
        if node.is_controller:
            raise KafkaCompatError(
                f"broker {broker} is a controller, too: remove one that add_broker started, or use controllers=1"
            )
        if nodes.pid(broker) is None:
            raise not_running(broker)
        others = [each for each in layout.brokers if each is not node and nodes.pid(each.node_id) is not None]
        if not others:
            raise KafkaCompatError(f"broker {broker} is the only one that runs: add one before it is removed")
        with Client(",".join(map(layout.address, others)), client_id="kafkacompat-cluster") as client:
            _move_replicas(client, broker, [each.node_id for each in others])
            nodes.stop_node(broker, clean=True)
            request = unregister_broker.UnregisterBrokerRequest(broker)
            response = client.call_controller(unregister_broker, request, lambda answer: int(answer.error_code))
            if response.error_code:
                raise KafkaCompatError(f"broker {broker} was not unregistered: error {response.error_code}")
        layout.remove(node)
        nodes.remove_node(broker)
        layout.save()
        self._options["brokers"] = len(layout.brokers)
        shutil.rmtree(node.data_dir, ignore_errors=True)
        self._await_brokers()

    def _resizable(self, verb: str) -> Layout:
        if self._layout is None:
            raise KafkaCompatError(f"{verb}: a lone broker cannot have others: create the cluster with controllers=1")
        if self._links is not None:
            raise KafkaCompatError(f"{verb}: the proxies of isolation=True are made at the start: leave it out")
        return self._layout

    def _await_brokers(self) -> None:
        """Wait until every running broker tells clients of all running ones and of no others."""
        from kafkacompat.client.client import Client

        layout = self._layout
        if layout is None:  # a lone broker
            return
        running = [node for node in layout.brokers if self._running().pid(node.node_id) is not None]
        ids = {node.node_id for node in running}

        def told(node: Node) -> set[int]:
            with Client(layout.address(node), client_id="kafkacompat-cluster") as client:
                return {each.node_id for each in client.metadata(()).brokers}

        self._await(lambda: all(told(node) == ids for node in running), KNOWN_TIMEOUT_S, "clients are not told")


def _move_replicas(client: Client, broker: int, others: Sequence[int]) -> None:
    """Reassign every partition of a broker. Raises KafkaCompatError."""
    from kafkacompat.protocol.messages import alter_partition_reassignments as messages

    deadline_s = time.monotonic() + MOVE_TIMEOUT_S
    has_asked = False
    while True:
        found = [
            (topic.name or "", partition)
            for topic in client.metadata(None).topics
            for partition in topic.partitions
            if broker in partition.replica_nodes
        ]
        if not found:
            return
        if time.monotonic() > deadline_s:
            names = ", ".join(f"{topic}-{partition.partition_index}" for topic, partition in found[:5])
            raise KafkaCompatError(
                f"the replicas of broker {broker} have not moved within {MOVE_TIMEOUT_S:g} s: {names}"
            )
        if not has_asked:
            has_asked = True
            topics: dict[str, list[messages.ReassignablePartition]] = {}
            for turn, (topic, partition) in enumerate(found):
                replicas = _without(broker, partition.replica_nodes, others, turn)
                if not replicas:
                    raise KafkaCompatError(f"{topic}-{partition.partition_index} has no other broker to move to")
                topics.setdefault(topic, []).append(messages.ReassignablePartition(partition.partition_index, replicas))
            request = messages.AlterPartitionReassignmentsRequest(
                topics=[messages.ReassignableTopic(topic, partitions) for topic, partitions in topics.items()]
            )
            answer = client.call_controller(messages, request, lambda response: int(response.error_code))
            refused = [each for topic in answer.responses for each in topic.partitions if each.error_code]
            if answer.error_code or refused:
                reason = answer.error_message or (refused[0].error_message if refused else answer.error_code)
                raise KafkaCompatError(f"the replicas of broker {broker} cannot move: {reason}")
        time.sleep(MOVE_POLL_S)


def _without(broker: int, replicas: Sequence[int], others: Sequence[int], turn: int) -> list[int]:
    """The replicas with another broker in the place of this one, or one less where every broker has one."""
    free = [each for each in others if each not in replicas]
    if not free:
        return [each for each in replicas if each != broker]
    return [free[turn % len(free)] if each == broker else each for each in replicas]
