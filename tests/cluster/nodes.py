"""Several nodes in this process, on one loop of its own thread: started, stopped and lost one by one."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

from kafkacompat.config import BrokerConfig, development_defaults
from kafkacompat.now import Now
from kafkacompat.replication.metadata.format import NewNode, format_cluster
from kafkacompat.replication.metadata.image import Endpoint
from kafkacompat.server.broker_server import BrokerServer
from kafkacompat.server.endpoints import plan
from kafkacompat.server.ports import PortFinder
from kafkacompat.server.thread import LoopThread
from kafkacompat.storage.fs import RealFs
from tests.waiting import wait_until

HOST = "127.0.0.1"
START_S = 60
QUICK = {
    "controller.quorum.election.timeout.ms": "300",
    "controller.quorum.fetch.timeout.ms": "600",
    "replica.fetch.wait.max.ms": "100",
    "offsets.topic.num.partitions": "3",
}
"""Shorter than Kafka's, so that a test of an election, or of a replica that comes back, does not sleep."""


class Nodes:
    """`count` nodes, with ids from 1 on, each broker and controller unless `roles` says otherwise.

    config: for all of them. Ports and directories stay for a node's later lives; free_ports(count) finds more of them.
    """

    def __init__(self, root: Path, count: int = 3, *, roles: dict[int, str] | None = None, **config: str) -> None:
        self.ids = list(range(1, count + 1))
        self.roles = dict.fromkeys(self.ids, "broker,controller") | (roles or {})
        self._port_finder = PortFinder(HOST)
        self.free_ports = self._port_finder.find
        ports = self.free_ports(2 * count)
        self.ports = dict(zip(self.ids, ports[:count], strict=True))
        self.controller_ports = dict(zip(self.ids, ports[count:], strict=True))
        self.config = QUICK | {name.replace("_", "."): value for name, value in config.items()}
        self.dirs = {id_: str(root / f"node-{id_}") for id_ in self.ids}
        self.servers: dict[int, BrokerServer] = {}
        self.cluster_id = format_cluster(
            RealFs(),
            [NewNode(id_, self.dirs[id_], self._controller(id_)) for id_ in self.ids],
            now=Now(0, int(time.time() * 1000)),
            rng=random.Random(os.urandom(8)),
        )
        self.thread = LoopThread()

    def _controller(self, node_id: int) -> Endpoint | None:
        is_controller = "controller" in self.roles[node_id]
        return Endpoint("CONTROLLER", HOST, self.controller_ports[node_id]) if is_controller else None

    @property
    def voters(self) -> list[int]:
        return [id_ for id_ in self.ids if "controller" in self.roles[id_]]

    @property
    def brokers(self) -> list[int]:
        return [id_ for id_ in self.ids if "broker" in self.roles[id_]]

    @property
    def bootstrap_servers(self) -> str:
        return ",".join(f"{HOST}:{self.ports[id_]}" for id_ in self.brokers)

    def settings(self, node_id: int) -> dict[str, str]:
        listeners = []
        if "broker" in self.roles[node_id]:
            listeners.append(f"PLAINTEXT://{HOST}:{self.ports[node_id]}")
        if "controller" in self.roles[node_id]:
            listeners.append(f"CONTROLLER://{HOST}:{self.controller_ports[node_id]}")
        return self.config | {
            "node.id": str(node_id),
            "process.roles": self.roles[node_id],
            "listeners": ",".join(listeners),
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.bootstrap.servers": ",".join(
                f"{HOST}:{self.controller_ports[id_]}" for id_ in self.voters
            ),
        }

    def server(self, node_id: int, **settings: str) -> BrokerServer:
        """A node that is not started."""
        more = {name.replace("_", "."): value for name, value in settings.items()}
        config = BrokerConfig.from_sources(self.settings(node_id) | more, {}, development_defaults(len(self.brokers)))
        return BrokerServer(config, plan(config), self.dirs[node_id])

    def run(self, coroutine, timeout_s: float = START_S):
        """Run it on the loop of the nodes."""
        return self.thread.submit(coroutine).result(timeout_s)

    def start(self, *node_ids: int) -> None:
        """Start these nodes, all without ids, at once; they are ready when this returns."""
        ids = node_ids or tuple(self.ids)
        for node_id in ids:
            self.servers[node_id] = self.server(node_id)
        started = [self.thread.submit(self.servers[node_id].start()) for node_id in ids]
        for future in started:
            future.result(START_S)

    def stop(self, *node_ids: int) -> None:
        """Stop them cleanly, one after the other."""
        for node_id in node_ids or tuple(self.servers):
            self.run(self.servers.pop(node_id).stop())

    def stop_at_once(self) -> None:
        """Stop them all cleanly: each hands over while there is a majority of the controllers."""
        for handed_over in [self.thread.submit(server.hand_over()) for server in self.servers.values()]:
            handed_over.result(START_S)
        self.stop()

    def lose(self, *node_ids: int) -> None:
        """End them as a crash does: nothing is said, nothing is flushed."""
        for node_id in node_ids:
            self.run(self.servers.pop(node_id).stop(clean=False))

    def close(self) -> None:
        try:
            self.lose(*self.servers)
        finally:
            self.thread.stop()
            self._port_finder.close()

    def __enter__(self) -> Nodes:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- what is known ---

    def image(self):
        """The metadata as a node that runs has it, the newest."""
        return max((server.broker.image for server in self.servers.values()), key=lambda image: image.offset)

    def partition(self, topic: str, index: int = 0):
        return self.image().partition(topic, index)

    @property
    def controller_id(self) -> int | None:
        """The active controller's id, None while there is none."""
        active = [id_ for id_, server in self.servers.items() if server.broker.quorum.is_active]
        return active[0] if len(active) == 1 else None

    def await_controller(self) -> int:
        """The active controller's id, once there is one: a busy machine may hold an election at any time."""
        found: list[int | None] = []

        def is_known() -> bool:
            found[:] = [self.controller_id]
            return found != [None]

        wait_until(is_known, what="a controller")
        return found[0]
