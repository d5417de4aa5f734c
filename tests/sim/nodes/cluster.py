"""Three nodes and some clients in one world, and the checks after the cluster has recovered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compat_tests.chaos import history
from kafkacompat.broker.inspect import Inspection
from kafkacompat.now import Now
from kafkacompat.replication.metadata.format import NewNode, format_cluster
from kafkacompat.replication.metadata.image import Endpoint
from kafkacompat.storage.memfs import MemFs
from tests.sim.invariants import must
from tests.sim.nodes.clients import TOPIC, Admin, Client, Consumer, LastReader, Producer
from tests.sim.nodes.internet import Internet
from tests.sim.nodes.invariants import NodeInvariants
from tests.sim.nodes.machine import WALL_MS
from tests.sim.nodes.node import CONTROLLER_PORT, PORT, Node, data_dir
from tests.sim.world import SECOND

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.broker import Broker
    from tests.sim.world import World

MAX_TIMERS = 200
MAX_CONNECTIONS = 60
LAST_READ_US = 20 * SECOND
LONE_CONTROLLER = 4


class Cluster:
    """`config` is for all nodes. `unsure` is a node that may have lost records and is not in sync again.

    has_lone_controller: node 4 is the only controller, and no broker; else all three brokers are controllers as well.
    internal_topics: those that are checked like the clients' topic once they are there, with their partition counts.
    """

    def __init__(
        self,
        world: World,
        partition_count: int,
        config: dict[str, str],
        *,
        has_lone_controller: bool = False,
        internal_topics: dict[str, int] | None = None,
        invariants: Callable[[Cluster], NodeInvariants] = NodeInvariants,
    ) -> None:
        self.world = world
        self.partition_count = partition_count
        self.topics = {TOPIC: partition_count} | (internal_topics or {})
        self.internet = Internet(world)
        self.node_ids = [1, 2, 3]  # of the brokers
        self.controller_ids = [LONE_CONTROLLER] if has_lone_controller else self.node_ids
        self.topic_configs = {"min.insync.replicas": "2"}
        self.is_over = False
        self.unsure: int | None = None
        self.history: list[history.Operation] = []
        self._sent: dict[str, list[history.Operation]] = {}
        self.acknowledged_count = 0
        self.last_acknowledged_us: dict[str, int] = {}
        fs = MemFs()
        all_ids = sorted({*self.node_ids, *self.controller_ids})
        news = [NewNode(node_id, data_dir(f"n{node_id}"), self._controller_endpoint(node_id)) for node_id in all_ids]
        for node in news:
            fs.mkdir(node.data_dir)
        format_cluster(fs, news, now=Now(0, WALL_MS), rng=world.rng("format"))
        self.nodes = {
            node_id: Node(self.internet, node_id, fs.copy(), config | self._place(node_id)) for node_id in all_ids
        }
        self.clients: list[Client] = []
        self.invariants = invariants(self)

    def _controller_endpoint(self, node_id: int) -> Endpoint | None:
        return Endpoint("CONTROLLER", f"n{node_id}", CONTROLLER_PORT) if node_id in self.controller_ids else None

    def _place(self, node_id: int) -> dict[str, str]:
        listeners = {
            "broker": f"PLAINTEXT://n{node_id}:{PORT}",
            "controller": f"CONTROLLER://n{node_id}:{CONTROLLER_PORT}",
        }
        if node_id not in self.controller_ids:
            del listeners["controller"]
        if node_id not in self.node_ids:
            del listeners["broker"]
        return {
            "node.id": str(node_id),
            "process.roles": ",".join(listeners),
            "listeners": ",".join(listeners.values()),
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.bootstrap.servers": ",".join(
                f"n{each}:{CONTROLLER_PORT}" for each in self.controller_ids
            ),
        }

    def add_clients(self, producers: int, consumers: int, pause_ms: int, *, acks1: bool) -> None:
        self.clients.append(Admin(self, "admin"))
        for number in range(producers):
            partition = number % self.partition_count
            self.clients.append(Producer(self, f"p{number}", partition, -1, pause_ms))
        for number in range(consumers):
            self.clients.append(Consumer(self, f"c{number}", number % self.partition_count))
        if acks1:
            self.clients.append(Producer(self, "x0", 0, 1, pause_ms))

    # --- what clients tell ---

    def acknowledged(self, sent: history.Send) -> None:
        self.acknowledged_count += 1
        self.last_acknowledged_us[sent.key] = self.world.now_us
        self.invariants.acknowledged(sent.key, sent.offset, sent.value)
        self.history.append(sent)

    def polled(self, process: str, key: str, reads: list[tuple[int, str]]) -> None:
        self.invariants.polled(key, reads)
        self.history.append(history.Poll(process, {key: reads}))

    # --- how it is ---

    @property
    def brokers(self) -> list[Broker]:
        return [node.server.broker for node in self.nodes.values() if node.is_ready and node.server is not None]

    @property
    def controllers(self) -> list[Broker]:
        """The voters that are running."""
        servers = [self.nodes[node_id].server for node_id in self.controller_ids]
        return [server.broker for server in servers if getattr(server, "broker", None) is not None]  # type: ignore[union-attr]

    @property
    def views(self) -> list[Inspection]:
        """Views of the running brokers."""
        return [node.view for node in self.nodes.values() if node.is_ready]

    def is_whole(self) -> bool:
        """Whether all nodes run, all replicas are in sync, and all nodes know that."""
        views = self.views
        active_count = sum(Inspection(broker).is_active_controller for broker in self.controllers)
        if len(views) < len(self.node_ids) or active_count != 1:
            return False
        if len({view.metadata_offset for view in views}) > 1:
            return False
        for view in views:
            partitions = view.partitions(TOPIC)
            if not partitions or any(each.is_fenced for each in view.brokers()):
                return False
            partitions = [each for topic in self.topics for each in view.partitions(topic)]
            if any(len(each.isr) < len(each.replicas) or each.leader_id == -1 for each in partitions):
                return False
        return True

    @property
    def present_partitions(self) -> list[tuple[str, int]]:
        """The partitions that are checked and there."""
        views = self.views
        return [
            (topic, index) for topic in self.topics for index in range(len(views[0].partitions(topic) if views else ()))
        ]

    def is_well(self) -> bool:
        """Whether the cluster has recovered, is idle, and all logs have the same end, which is committed."""
        if not self.is_whole() or not all(client.is_done for client in self.clients):
            return False
        for topic, index in self.present_partitions:
            ends = set()
            for view in self.views:
                replica = view.replica(topic, index)
                if replica is None:
                    return False
                ends |= {replica.log_end_offset, replica.high_watermark}
            if len(ends) != 1:
                return False
        return True

    def settle(self) -> None:
        """Check whether the node that lost power is in sync again."""
        if self.unsure is not None and self.is_whole():
            self.unsure = None

    def failures(self) -> list[str]:
        """Unhandled exceptions of processes."""
        found = [f"{node.name} {line}" for node in self.nodes.values() for line in node.failures]
        loops = [host.loop for host in self.internet.hosts.values() if host.loop is not None]
        return found + [f"{loop.name} {line}" for loop in loops for line in loop.failures]

    # --- the end ---

    def check_the_end(self) -> None:
        """Check that acknowledged records are there once, logs are equal, and no files are left over."""
        self._check_logs()
        self._check_reads()
        for view in self.views:
            must(view.timer_count < MAX_TIMERS, f"node {view.node_id} has {view.timer_count} timers")
        for node in self.nodes.values():
            must(len(node.ends) < MAX_CONNECTIONS, f"{node.name} has {len(node.ends)} connections")

    def _check_reads(self) -> None:
        for index in range(self.partition_count):
            replica = self.views[0].replica(TOPIC, index)
            assert replica is not None
            self.clients.append(LastReader(self, f"last{index}", index, replica.log_end_offset))
        done = self.world.run_while(lambda: not all(client.is_done for client in self.clients), LAST_READ_US)
        must(done, "the last readers do not come to the end")
        found = history.check(self.history)
        must(not found, f"clients saw {found[:3]}")

    def _check_logs(self) -> None:
        for topic, index in self.present_partitions:
            contents = []
            for node in self.nodes.values():
                place = f"{data_dir(node.name)}/{topic}-{index}/"
                files = sorted(node.fs.files().items())
                contents.append(
                    b"".join(data for path, data in files if path.startswith(place) and path.endswith(".log"))
                )
            must(len(set(contents)) == 1, f"the logs of {topic}-{index} differ: {[len(each) for each in contents]}")

    def bury(self) -> None:
        """End the run: kill the remaining processes and release them."""
        for host in self.internet.hosts.values():
            host.process_ended()
            for loop in host.graves:
                loop.bury()

    def stop_all(self, limit_us: int) -> None:
        """Stop all nodes cleanly, and check that they release everything."""
        for client in self.clients:
            client.process_ended()
        for node in self.nodes.values():
            node.stop()
        stopped = self.world.run_while(lambda: any(node.loop for node in self.nodes.values()), limit_us)
        must(stopped, f"{[node.name for node in self.nodes.values() if node.loop]} do not stop")
