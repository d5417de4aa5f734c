"""Brokers, a controller and clients in one world; tests kill processes, partition and heal the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compat_tests.chaos import history
from kafkacompat.protocol.constants import ACKS_ALL
from kafkacompat.protocol.messages import incremental_alter_configs as alter
from kafkacompat.protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from kafkacompat.protocol.messages.elect_leaders import ElectLeadersRequest
from kafkacompat.replication.controller import brokers
from kafkacompat.replication.controller.configs import incremental_alter_configs
from kafkacompat.replication.controller.elect_leaders import elect_leaders
from kafkacompat.replication.controller.reassign import alter_reassignments
from kafkacompat.replication.metadata.image import RECOVERING, TOPIC_RESOURCE
from kafkacompat.steps import at_once
from tests.sim.invariants import InvariantError, must
from tests.sim.network import Network
from tests.sim.replication.clients import KEY, Consumer, Producer, promised
from tests.sim.replication.controller import Controller
from tests.sim.replication.invariants import Invariants
from tests.sim.replication.memory_log import NEVER
from tests.sim.replication.node import Node
from tests.sim.world import MS, SECOND

if TYPE_CHECKING:
    from kafkacompat.replication.metadata.image import MetadataImage, PartitionImage
    from tests.sim.world import World

FIRST_CLIENT_ID = 100
SET = 0


class BeyondPromiseError(Exception):
    """Late registrations have made more brokers unable to prove what they hold than the promise allows for: nobody
    else is left to be elected, and the run is over.
    """


class Cluster:
    """`lost` are brokers that may lack committed records, or cannot prove that they do not, and are not in sync again.

    With replicas that flush when they like there may be less than min.insync.replicas of them: the fault budget.
    """

    def __init__(
        self,
        world: World,
        broker_ids: tuple[int, ...] = (1, 2, 3),
        replicas: tuple[int, ...] = (1, 2, 3),
        min_isr: int = 2,
        *,
        flush_messages: int = NEVER,
        lag_ms: int = 1000,
        session_ms: int = 1800,
        retry_ms: int | None = None,
    ) -> None:
        self.world = world
        self.broker_ids = broker_ids
        self.flush_messages = flush_messages
        self.lag_ms = lag_ms
        self.session_ms = session_ms
        self.heartbeat_ms = session_ms * 2 // 9
        self.retry_ms = self.heartbeat_ms if retry_ms is None else retry_ms
        """The interval at which a broker retries while there is no active controller."""
        self.metadata_max_us = 5 * MS
        self.flush_max_us = 2 * SECOND
        self.budget = min(min_isr, len(replicas)) - 1
        self.replica_count = len(replicas)
        self.lost: set[int] = set()
        self.unreachable: set[int] = set()  # brokers at whose advertised address nobody listens, for the controllers
        self._epochs: dict[int, int] = {}  # of brokers, as registered
        self.is_over = False
        self.acknowledged: list[str] = []
        self.history: list[history.Operation] = []
        """The clients' observations, for the checker that real runs use as well."""
        self.invariants = Invariants()
        hosts: dict[int, object] = {}
        self.network = Network(world, hosts)  # type: ignore[arg-type]
        self.nodes = {broker_id: Node(self, broker_id) for broker_id in broker_ids}
        self.controller = Controller(self, broker_ids, replicas, min_isr)
        self.clients: list[Producer | Consumer] = []
        hosts.update({**self.nodes, self.controller.id: self.controller})
        self._hosts = hosts
        self.invariants.controlled(self.controller.image)

    @property
    def partition(self) -> PartitionImage:
        """The partition in the committed image."""
        return self.controller.image.topics["t"].partitions[0]

    def start(self) -> None:
        for node in self.nodes.values():
            node.start()

    def add_clients(self, producers: int, consumers: int, *, acks: int = ACKS_ALL, pause_us: int = 100 * MS) -> None:
        for _ in range(producers):
            self._add(Producer(self, FIRST_CLIENT_ID + len(self.clients), acks, pause_us))
        for _ in range(consumers):
            self._add(Consumer(self, FIRST_CLIENT_ID + len(self.clients)))

    def _add(self, client: Producer | Consumer) -> None:
        self.clients.append(client)
        self._hosts[client.id] = client

    # --- what nodes and controller tell ---

    def controlled(self, image: MetadataImage) -> None:
        """The controller has committed a change."""
        partition = image.topics["t"].partitions[0]
        lost_before = set(self.lost)  # who is elected for want of anybody else is in sync by the same change
        for node in self.nodes.values():
            registered = image.brokers[node.id]
            if registered.incarnation_id != node.incarnation_id:
                if registered.epoch != self._epochs.get(node.id):
                    self.lost.add(node.id)  # a late registration of a former life: the present one does not know of it
            elif node.is_running:
                self.invariants.may_have_lost.discard(node.id)
                if node.id in partition.isr:
                    self.lost.discard(node.id)
            self._epochs[node.id] = registered.epoch
        if partition.recovery_state == RECOVERING and len(self.lost | lost_before) > self.budget:
            raise BeyondPromiseError
        self.invariants.controlled(image)

    def ended(self, node: Node) -> None:
        """A process was killed: its kernel closes its connections, if that gets through."""
        if (node.id, self.controller.id) not in self.network.cut:
            self.world.after(self.network.delay(), self.controller.lost, node.id)

    def dial(self, broker_id: int) -> str:
        """What the controller sees when it dials a broker (§3.9). One that is paused has a kernel that answers."""
        node, here = self.nodes[broker_id], self.controller.id
        is_cut = (broker_id, here) in self.network.cut or (here, broker_id) in self.network.cut
        if is_cut or not node.has_power or not self.network.shows_deaths:
            return "unknown"
        is_there = node.is_running and node.listens and broker_id not in self.unreachable
        return "open" if is_there else "refused"

    # --- what happens to them ---

    def lose_power(self, node: Node) -> bool:
        """Cut a broker's power, if the guarantee covers what it may lose."""
        keeps_all = self.flush_messages == 1 and self._can_prove(node)
        if not node.is_running or not (keeps_all or self._spend(node)):
            return False
        if self.flush_messages != 1:
            self.invariants.may_have_lost.add(node.id)
        node.stop(power=False)
        return True

    def kill(self, node: Node) -> bool:
        """Kill a broker, if the guarantee holds even if it cannot prove that nothing was lost."""
        if not node.is_running or not (self._can_prove(node) or self._spend(node)):
            return False
        node.stop()
        return True

    def _can_prove(self, node: Node) -> bool:
        """Whether a broker knows the epoch that it is registered with; while it registers it does not (§2.8)."""
        session, registered = node.disk.session, self.controller.newest.brokers[node.id].epoch
        return node.broker_epoch is not None and session is not None and session.broker_epoch == registered

    def _spend(self, node: Node) -> bool:
        """Take from the fault budget."""
        if len(self.lost | {node.id}) > self.budget:
            return False
        self.lost.add(node.id)
        return True

    def set_min_isr(self, min_isr: int) -> None:
        config = alter.AlterableConfig("min.insync.replicas", SET, str(min_isr))
        request = alter.IncrementalAlterConfigsRequest([alter.AlterConfigsResource(TOPIC_RESOURCE, "t", [config])])
        controller = self.controller
        if controller.is_active:
            self.world.note(f"min isr {min_isr}")
            controller.submit(lambda image: incremental_alter_configs(request, image, controller.settings))

    def reassign(self, replicas: list[int] | None) -> None:
        """Reassign the partition; None cancels a reassignment."""
        controller = self.controller
        if controller.is_active:
            self.world.note(f"reassign {replicas}")
            request = AlterPartitionReassignmentsRequest(
                topics=[ReassignableTopic("t", [ReassignablePartition(0, replicas)])]
            )
            controller.submit(lambda image: at_once(alter_reassignments(request, image, controller.settings)))

    def elect_preferred(self) -> None:
        controller = self.controller
        if controller.is_active:
            request = ElectLeadersRequest(0, None)
            controller.submit(lambda image: elect_leaders(request, image, controller.settings))

    def fence(self, broker_id: int) -> None:
        """Fence a broker without a reason."""
        controller = self.controller
        if controller.is_active and not controller.newest.brokers[broker_id].fenced:
            self.world.note(f"{broker_id} is fenced for nothing")
            controller.submit(lambda image: brokers.fence(broker_id, image, controller.settings))

    def heal(self) -> None:
        """End all faults."""
        network = self.network
        network.cut.clear()
        network.loss = network.duplicate = 0.0
        network.tail_us = 0
        network.delay_max_us = min(network.delay_max_us, 20 * MS)
        for node in self.nodes.values():
            if node.is_stopping and self._can_prove(node):
                node.stop()  # from a controlled shutdown there is no way back
            node.is_stopping = False  # who has to register anew begins anew
            node.resume()
            node.start()

    # --- the end ---

    def is_well(self) -> bool:
        """Whether all brokers run, are in sync and have the same log, and no request waits."""
        partition = self.partition
        brokers_now = self.controller.image.brokers.values()
        if partition.leader == -1 or set(partition.isr) != set(partition.replicas) or partition.adding:
            return False
        if any(not broker.is_active for broker in brokers_now) or not self.controller.is_active:
            return False
        committed = len(self.invariants.committed)
        for broker_id in partition.replicas:
            node = self.nodes[broker_id]
            if node.partition is None or node.partition.high_watermark != committed:
                return False
            if node.partition.log_end_offset != committed or node.partition.leader_epoch != partition.leader_epoch:
                return False
        return True

    def check_the_end(self) -> None:
        """Check that acknowledged records are there once, and that the logs are equal."""
        values = [batch.value for batch in self.invariants.committed if batch.producer_id >= 0]
        must(len(set(values)) == len(values), "a batch is there twice")
        missing = set(self.acknowledged) - set(values)
        if missing:
            raise InvariantError(f"acknowledged and not there: {sorted(missing)[:5]}")
        for broker_id in self.partition.replicas:
            held = self.invariants.match[broker_id]
            must(held == len(self.invariants.committed), f"broker {broker_id} has another log")
        last = history.Poll("final", {KEY: promised(0, self.invariants.committed)})
        found = history.check([*self.history, last])
        must(not found, f"clients saw {found[:3]}")
