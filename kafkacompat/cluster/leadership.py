"""Moves leaders, coordinators and the controller; lets replicas lag, leave the ISR and return."""

from __future__ import annotations

from kafkacompat.cluster.running import RunningCluster
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from kafkacompat.server.broker_server import BrokerServer

    Result = TypeVar("Result")

TIMEOUT_S = 10.0
"""How long a change of leaders, ISRs or the controller may take."""
CATCH_UP_TIMEOUT_S = 30.0
"""How long a replica may take to return to the ISR."""
OFFSETS_TOPIC = "__consumer_offsets"


class Leadership(RunningCluster):
    """The verbs for leaders and replicas that `Cluster` offers, for brokers in this process.

    Each raises KafkaCompatError for a broker, topic, partition or group that is not there, if the cluster runs in
    processes of its own, and after its time-out: 10 seconds unless it says otherwise.
    """

    def move_leader(self, topic: str, partition: int = 0, to: int | None = None) -> int:
        """Elect another leader of a partition; returns its id when all running brokers follow it.

        to: a broker in the ISR; None for the next one. With one in-sync replica it stays the leader, in a new leader
        epoch. Clients see NOT_LEADER_OR_FOLLOWER or FENCED_LEADER_EPOCH, and look for the leader. With
        `auto.leader.rebalance.enable` the preferred leader returns within five minutes.
        """
        from kafkacompat.control_api import leaders

        before = self._on_controller(lambda server: leaders.leader(server, topic, partition))
        chosen = self._on_controller(lambda server: leaders.move_leader(server, topic, partition, to))

        def has_moved(server: BrokerServer) -> bool:
            leader, epoch = leaders.leader(server, topic, partition)
            return epoch > before[1] and leader == chosen and leaders.is_applied(server)

        self._await_all(has_moved, f"broker {chosen} does not lead {topic}-{partition}")
        return chosen

    def move_coordinator(
        self, group: str | None = None, *, transactional_id: str | None = None, to: int | None = None
    ) -> int:
        """Move the coordinator of a group; returns its broker id when it has loaded the group.

        to: a broker in the ISR of the group's partition of __consumer_offsets; None for the next one. With one broker
        the group is loaded again. Members see NOT_COORDINATOR, look for the coordinator and go on.
        """
        if transactional_id is not None or group is None:
            missing = "transactions have no coordinator yet" if transactional_id is not None else "give a group"
            raise KafkaCompatError(f"move_coordinator: {missing}")
        return self.move_leader(OFFSETS_TOPIC, self._partition_of(group), to)

    def move_controller(self, to: int | None = None) -> int:
        """Let the active controller resign; returns the id of the next one when all running nodes know it.

        to: a controller's id; None for the one with the longest log. Brokers serve clients meanwhile; changes of the
        metadata wait. The only controller of a cluster is elected again, after its election time-out.
        """
        from kafkacompat.control_api import leaders

        first = self._on_controller(leaders.controller)
        known = first
        self._on_controller(lambda server: leaders.move_controller(server, to))

        def is_elected() -> bool:
            nonlocal known
            views = {self._call(node_id, leaders.controller) for node_id in self._running_nodes()}
            (view,) = views if len(views) == 1 else (known,)
            if view[0] < 0 or view[1] <= known[1] or not self._call(view[0], leaders.is_controller_active):
                return False
            known = view
            if to not in (None, view[0]):  # another one was quicker
                self._on_controller(lambda server: leaders.move_controller(server, to))
                return False
            return True

        self._await(is_elected, TIMEOUT_S, f"node {'' if to is None else to} is not the active controller")
        return known[0]

    def lag(self, topic: str, partition: int, broker: int) -> None:
        """Let a follower stop fetching a partition, until `catch_up`, `heal_all` or its restart.

        Records with acks=all wait for it until the leader removes it from the ISR, `replica.lag.time.max.ms` (30 s)
        after the first record that it lacks; `shrink_isr` does that at once. Not for the leader: move it first.
        """
        from kafkacompat.control_api import replicas

        self._call(broker, lambda server: replicas.lag(server, topic, partition))

    def catch_up(self, topic: str, partition: int, broker: int) -> None:
        """End `lag`: the replica fetches again, and joins the ISR when it has all records."""
        from kafkacompat.control_api import replicas

        self._call(broker, lambda server: replicas.catch_up(server, topic, partition))

    def shrink_isr(self, topic: str, partition: int, broker: int) -> None:
        """Make a replica leave the ISR: it stops fetching, and the leader removes it. Returns when that is committed.

        With fewer in-sync replicas than `min.insync.replicas`, acks=all fails with NOT_ENOUGH_REPLICAS.
        """
        from kafkacompat.control_api import replicas

        self.lag(topic, partition, broker)

        def has_left() -> bool:
            leader = self._leader(topic, partition)
            if leader in self._running_brokers():
                self._call(leader, lambda server: replicas.propose_shrink(server, topic, partition, broker))
            return all(
                broker not in self._call(node_id, lambda server: replicas.isr(server, topic, partition))
                for node_id in self._running_brokers()
            )

        self._await(has_left, TIMEOUT_S, f"broker {broker} has not left the ISR of {topic}-{partition}")

    def expand_isr(self, topic: str, partition: int, broker: int) -> None:
        """Let a replica catch up and return to the ISR. Returns when that is committed; raises after 30 s."""
        from kafkacompat.control_api import replicas

        self.catch_up(topic, partition, broker)

        def has_joined() -> bool:
            return all(
                broker in self._call(node_id, lambda server: replicas.isr(server, topic, partition))
                for node_id in self._running_brokers()
            )

        self._await(has_joined, CATCH_UP_TIMEOUT_S, f"broker {broker} is not in the ISR of {topic}-{partition}")

    def expire_session(self, group: str, member: str) -> str:
        """End the session of a group's member, as if it had sent no heartbeat; returns its member id.

        member: its member id, group.instance.id or client id. The group rebalances. The member is told
        UNKNOWN_MEMBER_ID at its next heartbeat or commit, and joins again. Members that wait for a rebalance have no
        session that could end: KafkaCompatError.
        """
        from kafkacompat.control_api import session_expiry

        coordinator = self._leader(OFFSETS_TOPIC, self._partition_of(group))
        return self._call(coordinator, lambda server: session_expiry.expire_session(server, group, member))

    # Parts

    def _partition_of(self, group: str) -> int:
        from kafkacompat.control_api import leaders

        return self._call(self._any_broker(), lambda server: leaders.coordinator_partition(server, group))

    def _leader(self, topic: str, partition: int) -> int:
        from kafkacompat.control_api import leaders

        return self._call(self._any_broker(), lambda server: leaders.leader(server, topic, partition))[0]

    def _any_broker(self) -> int:
        running = self._running_brokers()
        if not running:
            raise KafkaCompatError("no broker of this cluster runs: start one with restart(id)")
        return running[0]

    def _on_controller(self, operation: Callable[[BrokerServer], Result]) -> Result:
        """Run an operation on the active controller, once there is one. Raises KafkaCompatError after TIMEOUT_S."""
        from kafkacompat.control_api.leaders import is_controller_active

        active: list[int] = []

        def is_there() -> bool:
            active[:] = [each for each in self._running_nodes() if self._call(each, is_controller_active)]
            return bool(active)

        self._await(is_there, TIMEOUT_S, "no controller is active")
        return self._call(active[0], operation)

    def _await_all(self, is_done: Callable[[BrokerServer], bool], what: str) -> None:
        """Wait until a condition holds on all running brokers. Raises KafkaCompatError after TIMEOUT_S."""
        self._await(lambda: all(self._call(each, is_done) for each in self._running_brokers()), TIMEOUT_S, what)
