"""Changes of a partition's leader, ISR and ELR (KIP-966; Kafka's PartitionChangeBuilder).

Every change of a partition goes through `change`: finish a reassignment, compute the ELR, elect a leader, and write the
differences into one record. This is rule C2, and the part of C6 about the last known leader.
"""

from kafkacompat.protocol.internal.cluster_metadata import PartitionChangeRecord
from kafkacompat.replication.metadata.image import NO_LEADER, RECOVERED, RECOVERING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from kafkacompat.replication.metadata.image import PartitionImage

PREFERRED = 0
UNCLEAN = 1
"""Kinds of elections (Kafka's ElectionType)."""


class ElectionContext:
    """The facts that an election needs beside the partition.

    `min_isr` is min(min.insync.replicas, replication factor). `may_lead` tells whether a broker is registered,
    unfenced, not shutting down, and has the replica's directory online. `allow_unclean` is the topic's
    unclean.leader.election.enable. `has_room` tells whether a broker accepts new records; brokers that do are
    preferred as leaders.
    """

    __slots__ = ("allow_unclean", "has_room", "may_lead", "min_isr")

    def __init__(
        self,
        min_isr: int,
        may_lead: "Callable[[int], bool]",
        *,
        allow_unclean: bool = False,
        has_room: "Callable[[int], bool]" = lambda _broker_id: True,
    ) -> None:
        self.has_room = has_room
        self.min_isr = min_isr
        self.may_lead = may_lead
        self.allow_unclean = allow_unclean


class Assignment:
    """The replicas that a partition will have: `replicas` includes those in `removing` and the new ones in `adding`.

    `new_directory` returns the directory of a new replica on a broker.
    """

    __slots__ = ("adding", "new_directory", "removing", "replicas")

    def __init__(
        self,
        replicas: tuple[int, ...],
        adding: tuple[int, ...],
        removing: tuple[int, ...],
        new_directory: "Callable[[int], bytes]",
    ) -> None:
        self.replicas = replicas
        self.adding = adding
        self.removing = removing
        self.new_directory = new_directory


class _Target:
    """The new state of the partition."""

    __slots__ = (
        "adding",
        "context",
        "elr",
        "isr",
        "leader",
        "partition",
        "recovery_state",
        "removing",
        "replicas",
        "unclean_stops",
    )  # fmt: skip

    def __init__(
        self, partition: "PartitionImage", isr: tuple[int, ...], context: ElectionContext, unclean: "Collection[int]"
    ) -> None:
        self.partition = partition
        self.context = context
        self.unclean_stops = unclean
        self.isr = isr
        self.elr = partition.elr
        self.leader = partition.leader
        self.replicas = partition.replicas
        self.adding = partition.adding
        self.removing = partition.removing
        self.recovery_state = partition.recovery_state

    def assign(self, assignment: Assignment) -> None:
        """Begin a reassignment, or change the present one (C8)."""
        self.replicas, self.adding, self.removing = assignment.replicas, assignment.adding, assignment.removing
        self.isr = tuple(broker for broker in self.isr if broker in self.replicas)

    def finish_reassignment(self) -> None:
        """Drop the removed replicas once all others are in sync (C8)."""
        if not self.removing and not self.adding:
            return
        isr = tuple(broker for broker in self.isr if broker not in self.removing)
        replicas = tuple(broker for broker in self.replicas if broker not in self.removing)
        if isr and replicas and set(replicas) <= set(isr):
            self.isr, self.replicas, self.adding, self.removing = isr, replicas, (), ()

    def update_elr(self) -> None:
        """Compute the ELR: while the ISR is smaller than `min_isr`, the high watermark does not advance, so a replica
        that leaves the ISR stays eligible.
        """
        if len(self.isr) >= self.context.min_isr:
            self.elr = ()
            return
        candidates = [*self.elr, *(broker for broker in self.partition.isr if broker not in self.elr)]
        self.elr = tuple(
            sorted(b for b in candidates if b in self.replicas and b not in self.isr and b not in self.unclean_stops)
        )

    def elect(self, *, preferred: bool) -> None:
        """Keep the leader if it may lead, or elect the first replica that may; none rather than one that may lack
        committed records. A broker whose disk is full leads only if no other replica can, or all are full.

        With `preferred` the first replica comes before the present leader (C7).
        """
        eligible = self.isr or self.elr
        order = (*self.replicas[: int(preferred)], self.partition.leader, *self.replicas)
        able = [b for b in order if b in eligible and self.context.may_lead(b)]
        found = next(filter(self.context.has_room, able), able[0] if able else NO_LEADER)
        if found == NO_LEADER:
            found = self._elect_unclean()
        elif found not in self.isr:
            self.isr = (found,)
            self.update_elr()
        self.leader = found

    def _elect_unclean(self) -> int:
        """Elect the last known leader if no other replica can lead, or any replica if unclean elections are enabled."""
        last = self.partition.last_known_elr
        found = NO_LEADER
        if not self.isr and not self.elr and len(last) == 1 and self.context.may_lead(last[0]):
            found = last[0]
        elif self.context.allow_unclean:
            found = next((b for b in self.replicas if self.context.may_lead(b)), NO_LEADER)
        if found != NO_LEADER:
            self.isr, self.elr, self.recovery_state = (found,), (), RECOVERING
        return found

    def last_known_elr(self) -> tuple[int, ...]:
        """The last known leader: set when the ISR becomes empty, cleared when it has members again."""
        before = self.partition
        if self.leader != NO_LEADER:
            return ()
        if not self.isr and before.leader != NO_LEADER:
            return (before.leader,)
        return before.last_known_elr


def change(
    partition: "PartitionImage",
    topic_id: bytes,
    index: int,
    context: ElectionContext,
    *,
    isr: tuple[int, ...] | None = None,
    unclean_stops: "Collection[int]" = (),
    recovered: bool = False,
    bump: bool = False,
    preferred: bool = False,
    assignment: Assignment | None = None,
) -> PartitionChangeRecord | None:
    """The record that changes a partition; None if nothing changes.

    isr: the new ISR, by default the present one. unclean_stops: brokers that may have lost data; they leave ISR and
    ELR. recovered: ends the recovery after an unclean election. bump: make a record, which raises the partition epoch,
    even without a difference. preferred: move the leadership to the first replica if that may lead. assignment: new
    replicas.
    """
    wanted = partition.isr if isr is None else isr
    target = _Target(partition, tuple(b for b in wanted if b not in unclean_stops), context, unclean_stops)
    if assignment is not None:
        target.assign(assignment)
    target.finish_reassignment()
    target.update_elr()
    target.elect(preferred=preferred)
    if recovered:
        target.recovery_state = RECOVERED
    record = _difference(target, topic_id, index, bump=bump)
    if record is not None and target.replicas != partition.replicas:
        record.directories = [
            partition.directory(broker) if broker in partition.replicas or assignment is None
            else assignment.new_directory(broker)
            for broker in target.replicas
        ]  # fmt: skip
    return record


def _difference(target: _Target, topic_id: bytes, index: int, *, bump: bool) -> PartitionChangeRecord | None:
    before = target.partition
    record = PartitionChangeRecord(partition_id=index, topic_id=topic_id)
    different = bump
    if target.leader != before.leader or not set(before.replicas) <= set(target.replicas):
        record.leader, different = (
            target.leader,
            True,
        )  # a record with the present leader raises the leader epoch, as replicas were removed
    for name, wanted, present in (
        ("isr", target.isr, before.isr),
        ("eligible_leader_replicas", target.elr, before.elr),
        ("last_known_elr", target.last_known_elr(), before.last_known_elr),
        ("replicas", target.replicas, before.replicas),
        ("removing_replicas", target.removing, before.removing),
        ("adding_replicas", target.adding, before.adding),
    ):
        if wanted != present:
            setattr(record, name, list(wanted))
            different = True
    if target.recovery_state != before.recovery_state:
        record.leader_recovery_state, different = target.recovery_state, True
    return record if different else None
