"""Moves leaders, coordinators and the controller; lets replicas lag, leave the ISR and return."""

from __future__ import annotations

from kafkacompat.cluster.running import RunningCluster
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.server.broker_server import BrokerServer


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
        from kafkacompat.control_api import moves

        return self._run_on_all(lambda servers: moves.move_leader(servers, topic, partition, to))

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
        from kafkacompat.control_api import moves

        return self._run_on_all(lambda servers: moves.move_coordinator(servers, group, to))

    def move_controller(self, to: int | None = None) -> int:
        """Let the active controller resign; returns the id of the next one when all running nodes know it.

        to: a controller's id; None for the one with the longest log. Brokers serve clients meanwhile; changes of the
        metadata wait. The only controller of a cluster is elected again, after its election time-out.
        """
        from kafkacompat.control_api import moves

        return self._run_on_all(lambda servers: moves.move_controller(servers, to))

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
        from kafkacompat.control_api import moves

        self.lag(topic, partition, broker)
        self._run_on_all(lambda servers: moves.shrink_isr(servers, topic, partition, broker))

    def expand_isr(self, topic: str, partition: int, broker: int) -> None:
        """Let a replica catch up and return to the ISR. Returns when that is committed; raises after 30 s."""
        from kafkacompat.control_api import moves

        self.catch_up(topic, partition, broker)
        self._run_on_all(lambda servers: moves.expand_isr(servers, topic, partition, broker))

    def expire_session(self, group: str, member: str) -> str:
        """End the session of a group's member, as if it had sent no heartbeat; returns its member id.

        member: its member id, group.instance.id or client id. The group rebalances. The member is told
        UNKNOWN_MEMBER_ID at its next heartbeat or commit, and joins again. Members that wait for a rebalance have no
        session that could end: KafkaCompatError.
        """
        from kafkacompat.control_api import moves

        async def on_all(servers: Sequence[BrokerServer]) -> str:
            return moves.expire_session(servers, group, member)

        return self._run_on_all(on_all)
