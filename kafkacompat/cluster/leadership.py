"""Moves leaders, coordinators and the controller; lets replicas lag, leave the ISR and return."""

from __future__ import annotations

from kafkacompat.cluster.running import RunningCluster
from kafkacompat.errors import KafkaCompatError


class Leadership(RunningCluster):
    """The verbs for leaders and replicas that `Cluster` offers.

    Each raises KafkaCompatError for a broker, topic, partition or group that is not there, and after its time-out: 10
    seconds unless it says otherwise.
    """

    def move_leader(self, topic: str, partition: int = 0, to: int | None = None) -> int:
        """Elect another leader of a partition; returns its id when all running brokers follow it.

        to: a broker in the ISR; None for the next one. With one in-sync replica it stays the leader, in a new leader
        epoch. Clients see NOT_LEADER_OR_FOLLOWER or FENCED_LEADER_EPOCH, and look for the leader. With
        `auto.leader.rebalance.enable` the preferred leader returns within five minutes.
        """
        body = _moved({"topic": topic, "partition": partition}, to)
        return int(self._ask("cluster_faults:move_leader", body=body)["leader"])

    def move_coordinator(
        self, group: str | None = None, *, transactional_id: str | None = None, to: int | None = None
    ) -> int:
        """Move the coordinator of a group or of a transactional id; returns its broker id when it has loaded that.

        to: a broker in the ISR of its partition of __consumer_offsets or __transaction_state; None for the next one.
        With one broker it is loaded again. Clients see NOT_COORDINATOR, look for the coordinator and go on; an open
        transaction stays open, and one that was ending is ended by the new coordinator.
        """
        if (transactional_id is None) == (group is None):
            raise KafkaCompatError("move_coordinator: give a group or a transactional id")
        key = {"group_id": group} if group is not None else {"transactional_id": transactional_id}
        body = _moved({**key}, to)
        return int(self._ask("cluster_faults:move_coordinator", body=body)["coordinator"])

    def move_controller(self, to: int | None = None) -> int:
        """Let the active controller resign; returns the id of the next one when all running nodes know it.

        to: a controller's id; None for the one with the longest log. Brokers serve clients meanwhile; changes of the
        metadata wait. The only controller of a cluster is elected again, after its election time-out.
        """
        return int(self._ask("cluster_faults:move_controller", body=_moved({}, to))["controller"])

    def lag(self, topic: str, partition: int, broker: int) -> None:
        """Let a follower stop fetching a partition, until `catch_up`, `heal_all` or its restart.

        Records with acks=all wait for it until the leader removes it from the ISR, `replica.lag.time.max.ms` (30 s)
        after the first record that it lacks; `shrink_isr` does that at once. Not for the leader: move it first.
        """
        self._check_running(broker)
        self._ask("cluster_faults:lag", body={"topic": topic, "partition": partition, "broker_id": broker})

    def catch_up(self, topic: str, partition: int, broker: int) -> None:
        """End `lag`: the replica fetches again, and joins the ISR when it has all records."""
        self._check_running(broker)
        self._ask("cluster_faults:catch_up", query={"topic": topic, "partition": partition, "broker_id": broker})

    def shrink_isr(self, topic: str, partition: int, broker: int) -> None:
        """Make a replica leave the ISR: it stops fetching, and the leader removes it. Returns when that is committed.

        With fewer in-sync replicas than `min.insync.replicas`, acks=all fails with NOT_ENOUGH_REPLICAS.
        """
        self._change_isr(topic, partition, broker, in_sync=False)

    def expand_isr(self, topic: str, partition: int, broker: int) -> None:
        """Let a replica catch up and return to the ISR. Returns when that is committed; raises after 30 s."""
        self._change_isr(topic, partition, broker, in_sync=True)

    def expire_session(self, group: str, member: str) -> str:
        """End the session of a group's member, as if it had sent no heartbeat; returns its member id.

        member: its member id, group.instance.id or client id. The group rebalances. The member is told
        UNKNOWN_MEMBER_ID at its next heartbeat or commit, and joins again. Members that wait for a rebalance have no
        session that could end: KafkaCompatError.
        """
        body = {"group_id": group, "member": member}
        return str(self._ask("cluster_faults:expire_session", body=body)["member_id"])

    def _change_isr(self, topic: str, partition: int, broker: int, *, in_sync: bool) -> None:
        self._check_running(broker)
        body = {"topic": topic, "partition": partition, "broker_id": broker, "in_sync": in_sync}
        self._ask("cluster_faults:change_isr", body=body)


def _moved(what: dict[str, object], to: int | None) -> dict[str, object]:
    return what if to is None else {**what, "to": to}
