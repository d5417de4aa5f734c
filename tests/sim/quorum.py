"""A quorum of simulated processes, each a RaftClient with a disk; tests start, kill, pause and isolate them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkacompat.now import Now
from kafkacompat.replication.raft.client import RaftClient
from kafkacompat.replication.raft.epoch_state import FOLLOWER
from kafkacompat.replication.raft.messages import NO_DIRECTORY_ID, Reply, Send, Vote, matches
from kafkacompat.replication.raft.quorum_state import QuorumState
from kafkacompat.replication.raft.voter_requests import ADD, REMOVE, VoterRequests
from kafkacompat.replication.raft.voters import Voter, VoterChangeError
from tests.sim.disk import CrashError, Disk
from tests.sim.invariants import Invariants, must
from tests.sim.network import Network
from tests.sim.world import MS, SECOND, World

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkacompat.replication.raft.voter_requests import VoterRequest

WALL_MS = 1_700_000_000_000
MAX_HAZARDS = 10
"""Most crashes during events in one run: a cluster that crashed at every store would never make progress."""


class Node:
    """One process, running or not. `incarnation` counts its starts."""

    def __init__(self, quorum: Quorum, node_id: int) -> None:
        self.id = node_id
        self.incarnation = 0
        self.is_running = False
        self.has_power = True
        self.is_paused = False
        self.directories = 1
        self.replica: RaftClient | None = None
        self.votes_asked: dict[object, int] = {}
        self.voter_requests: VoterRequests | None = None
        self.disk = Disk(quorum.invariants, self._hazard, None if quorum.is_static else quorum.first_voters)
        self._quorum = quorum
        self._rng = quorum.world.rng(f"node {node_id}")
        self._inbox: list[tuple[str, tuple[object, ...]]] = []
        self._clock_ms = 0
        self._rate = 1.0
        self._wake_ms = -1
        self._is_syncing = self._sync_again = False

    @property
    def now(self) -> Now:
        """This process's clocks, with an offset and a rate of their own."""
        now_ms = int(self._quorum.world.now_us * self._rate) // MS
        return Now(self._clock_ms + now_ms, WALL_MS + now_ms)

    @property
    def key(self) -> tuple[int, bytes]:
        """Its id and its directory id, which changes when the disk is replaced."""
        return self.id, bytes([self.id, self.directories]) * 8

    def replace_disk(self) -> None:
        """The process ends, and its directory is lost: a new one is another replica (KIP-853)."""
        self.stop()
        self._quorum.world.note(f"{self.id} gets a new disk")
        self.directories += 1
        self.disk = Disk(self._quorum.invariants, self._hazard)

    def start(self) -> None:
        """Start the process from its disk."""
        if self.is_running:
            return
        quorum = self._quorum
        self.incarnation += 1
        self.is_running = self.has_power = True
        self.is_paused = self._is_syncing = self._sync_again = False
        self._clock_ms = self._rng.randrange(1_000_000)
        self._rate = 1 + quorum.clock_drift * (2 * self._rng.random() - 1)
        self._wake_ms = -1
        self._inbox.clear()
        quorum.world.note(f"{self.id} starts, epoch {getattr(self.disk.stored, 'leader_epoch', None)}")
        log = self.disk.open()
        self._guarded(self._make, log)

    def _make(self, log: object) -> None:
        stored, store = self.disk.stored, self.disk.store
        quorum = self._quorum
        configured = dict.fromkeys(quorum.voters, NO_DIRECTORY_ID) if quorum.is_static else {}
        is_known = configured or self.disk.log.voters
        others = [] if is_known else [node_id for node_id in quorum.nodes if node_id != self.id]
        state = QuorumState(*self.key, configured, log, stored, store, self._rng, None, others)  # type: ignore[arg-type]
        self.replica = RaftClient(state, self.now)
        self.voter_requests = VoterRequests(self.replica, (), joins=quorum.joins)

    def stop(self, *, power: bool = True) -> None:
        """Kill the process; without power, unsynced data may be lost too."""
        if not self.is_running:
            return
        self._quorum.world.note(f"{self.id} {'is killed' if power else 'loses power'}")
        self.is_running, self.has_power, self.replica = False, power, None
        self.votes_asked.clear()
        self._quorum.network.ended(self)
        if not power:
            self.disk.lose_power(self._rng)

    def pause(self) -> None:
        self._quorum.world.note(f"{self.id} pauses")
        self.is_paused = True

    def resume(self) -> None:
        """Resume: messages that came meanwhile and expired time-outs are handled, in either order."""
        if not (self.is_running and self.is_paused):
            return
        self._quorum.world.note(f"{self.id} goes on")
        self.is_paused = False
        waiting, self._inbox = self._inbox, []
        if self._rng.random() < 0.5:
            waiting.insert(0, ("tick", ()))
        for event, arguments in [*waiting, ("tick", ())]:
            self.run(self.incarnation, event, *arguments)

    def run(self, incarnation: int, event: str, *arguments: object) -> None:
        """Deliver an event to the replica, if the process still has that incarnation."""
        if incarnation != self.incarnation or self.replica is None:
            return
        if self.is_paused:
            if event != "tick":
                self._inbox.append((event, arguments))
            return
        if event == "requested" and isinstance(arguments[1], Vote) and not arguments[1].pre_vote:
            self.votes_asked[arguments[0]] = arguments[1].candidate_id
        self._guarded(self._event, event, arguments)

    def _event(self, event: str, arguments: tuple[object, ...]) -> None:
        getattr(self.replica, event)(*arguments, *(() if event == "forgotten" else (self.now,)))

    def _guarded(self, call: object, *arguments: object) -> None:
        """Handle an event, which may crash the process, then carry out its effects."""
        try:
            call(*arguments)  # type: ignore[operator]
            effects = self.replica.take_effects()  # type: ignore[union-attr]
            self._quorum.checked(self)  # before any message is sent
            self._carry_out(effects)
            request = self.voter_requests.take_due(self.now)  # type: ignore[union-attr]
            if request is not None:
                self._quorum.voter_requested(self, request)
        except CrashError:
            self.stop(power=self._rng.random() < 0.7)
            self._quorum.world.after(self._rng.randrange(2 * SECOND), self.start)
            return
        self._arm()

    def _carry_out(self, effects: list[object]) -> None:
        network, invariants = self._quorum.network, self._quorum.invariants
        for effect in effects:
            invariants.said(self, effect)
            if isinstance(effect, Send):
                network.ask(self, effect)
            elif isinstance(effect, Reply):
                network.answer(self, effect)
                self.votes_asked.pop(effect.token, None)
            else:
                self._sync()
            self._hazard("said")

    def _arm(self) -> None:
        """Schedule `tick` at the replica's deadline."""
        assert self.replica is not None
        due_ms = self._due_ms()
        if due_ms < 1 << 61 and not (self._wake_ms >= 0 and self._wake_ms <= due_ms):
            self._wake_ms = due_ms
            due_us = int((due_ms - self._clock_ms) * MS / self._rate) + 1
            delay_us = max(0, due_us - self._quorum.world.now_us)
            self._quorum.world.after(delay_us, self._wake, self.incarnation, due_ms)

    def _due_ms(self) -> int:
        assert self.replica is not None
        assert self.voter_requests is not None
        return min(self.replica.deadline_ms, self.voter_requests.deadline_ms)

    def _wake(self, incarnation: int, due_ms: int) -> None:
        if incarnation != self.incarnation or self.replica is None or due_ms != self._wake_ms:
            return
        self._wake_ms = -1
        if self._due_ms() <= self.now.monotonic_ms:
            self.run(incarnation, "tick")
        elif not self.is_paused:
            self._arm()

    def _sync(self) -> None:
        """Sync the log as it is now; later records wait for the next sync."""
        if self._is_syncing:
            self._sync_again = True
            return
        self._is_syncing, self._sync_again = True, False
        delay_us = self._rng.randrange(self._quorum.sync_max_us)
        self._quorum.world.after(delay_us, self._synced, self.incarnation, self.disk.log.begin_sync())

    def _synced(self, incarnation: int, offset: int) -> None:
        if incarnation != self.incarnation or self.replica is None:
            return
        self._is_syncing = False
        self.disk.log.synced(offset)
        self.run(incarnation, "flushed")
        if self._sync_again and self.replica is not None:
            self._sync()

    def _hazard(self, where: str) -> None:
        quorum = self._quorum
        chance = quorum.hazards.get(where)
        if chance and quorum.hazards_left and self._rng.random() < chance:
            quorum.hazards_left -= 1
            quorum.world.note(f"{self.id} crashes: {where}")
            raise CrashError(where)


class Quorum:
    """Voters 1…n, then observers, and the clients' appends with their outcomes.

    is_static: the configuration has the voters until they are moved into the log. joins: all replicas make themselves
    voters.
    """

    def __init__(
        self, world: World, voters: int, observers: int = 0, *, is_static: bool = False, joins: bool = False
    ) -> None:
        self.world = world
        self.is_static = is_static
        self.joins = joins
        self._voter_request_rng = world.rng("petitions")  # seeds depend on this name
        self.voter_requests = 0
        self.voters = tuple(range(1, voters + 1))
        self.first_voters = tuple(Voter(voter_id, bytes([voter_id, 1]) * 8) for voter_id in self.voters)
        self.voter_changes = 0
        self.snapshot_chance = 0.0
        """The probability of a snapshot after an event of a replica."""
        self._snapshot_rng = world.rng("snapshots")
        self.snapshots = 0
        self.invariants = Invariants()
        self.hazards: dict[str, float] = {}
        self.hazards_left = MAX_HAZARDS
        self.sync_max_us = 5 * MS
        self.clock_drift = 0.0
        self.nodes: dict[int, Node] = {}
        for node_id in range(1, voters + observers + 1):
            self.nodes[node_id] = Node(self, node_id)
        self.invariants.nodes = self.nodes
        self.network = Network(world, self.nodes)  # type: ignore[arg-type]
        self.acknowledged: list[str] = []
        self._waiting: dict[int, list[tuple[int, int, str]]] = {node_id: [] for node_id in self.nodes}
        self._appends = 0

    def start(self, node_ids: Iterable[int] | None = None) -> None:
        for node_id in self.nodes if node_ids is None else node_ids:
            self.nodes[node_id].start()

    def leaders(self) -> list[Node]:
        """The replicas that believe to lead, newest epoch last."""
        found = [node for node in self.nodes.values() if node.replica is not None and node.replica.is_leader]
        return sorted(found, key=lambda node: node.replica.epoch)  # type: ignore[union-attr]

    def leader(self) -> Node | None:
        """The leader of the newest epoch, if it is running and not paused."""
        found = self.leaders()
        is_newest = found and found[-1].replica.epoch == self.invariants.newest_epoch and not found[-1].is_paused  # type: ignore[union-attr]
        return found[-1] if is_newest else None

    def append(self, node: Node, count: int = 1) -> None:
        """A client's append at a replica that believes to lead."""
        if node.replica is None or node.is_paused or not node.replica.is_leader:
            return
        values = []
        for _ in range(count):
            self._appends += 1
            values.append(f"v{self._appends}")
        node._guarded(self._append, node, values)

    def _append(self, node: Node, values: list[str]) -> None:
        assert node.replica is not None
        self.world.note(f"{node.id} appends {values[0]}+{len(values)} in epoch {node.replica.epoch}")
        offset = node.replica.append(values, node.now)
        waiting = self._waiting[node.id]
        waiting += [(offset + n, node.replica.epoch, value) for n, value in enumerate(values)]

    def change_voters(self, node: Node, key: tuple[int, bytes], *, is_new: bool) -> bool:
        """An administrator changes the voters at a replica that believes to lead. Returns whether it was accepted."""
        if node.replica is None or node.is_paused or not node.replica.is_leader:
            return False
        before = self.voter_changes
        node._guarded(self._change_voters, node, key, is_new)
        return self.voter_changes > before

    def _change_voters(self, node: Node, key: tuple[int, bytes], is_new: bool) -> None:
        replica = node.replica
        assert replica is not None
        try:
            voters = (
                replica.voter_changes.with_voter(Voter(*key), node.now)
                if is_new
                else replica.voter_changes.without_voter(key)
            )
        except VoterChangeError:
            return
        self.voter_changes += 1
        self.world.note(f"{node.id} {'adds' if is_new else 'removes'} {key[0]}: {[voter.id for voter in voters]}")
        replica.append_voters(voters, node.now)

    def raise_level(self) -> None:
        """An administrator moves the static voters into the log."""
        for node in self.leaders()[-1:]:
            if node.replica is not None and not node.is_paused and node.replica.log.voters is None:
                node._guarded(self._raise_level, node)

    def _raise_level(self, node: Node) -> None:
        replica = node.replica
        assert replica is not None
        try:
            voters = replica.voter_changes.configured_voters(Voter(*replica.key))
        except VoterChangeError:
            return
        self.voter_changes += 1
        self.world.note(f"{node.id} moves the voters into the log: {[voter.id for voter in voters]}")
        replica.append_voters(voters, node.now)

    def voter_requested(self, node: Node, request: VoterRequest) -> None:
        """A follower sends a voter request to its leader, which may be lost or late."""
        replica = node.replica
        assert replica is not None
        link = (node.id, replica.leader_id)
        if link not in self.network.cut and self._voter_request_rng.random() >= self.network.loss:
            delay_us = self._voter_request_rng.randrange(200, self.network.delay_max_us)
            key, epoch = replica.key, replica.epoch
            self.world.after(delay_us, self._voter_request, self.nodes[replica.leader_id], request, key, epoch, node)

    def _voter_request(
        self, leader: Node, request: VoterRequest, key: tuple[int, bytes], epoch: int, node: Node
    ) -> None:
        what, whom = request
        if leader.replica is None or leader.is_paused or not leader.replica.is_leader or leader.replica.epoch != epoch:
            return
        self.voter_requests += 1
        self.world.note(f"{key[0]} asks {leader.id} to {what} {whom[0]}")
        if what in (ADD, REMOVE):
            self.change_voters(leader, whom, is_new=what == ADD)
            return
        try:
            leader.replica.voter_changes.register(Voter(*whom))
        except VoterChangeError:
            return
        if node.voter_requests is not None and node.is_running and (leader.id, node.id) not in self.network.cut:
            node.voter_requests.registered(epoch)

    def dead_voters(self, node: Node) -> list[tuple[int, bytes]]:
        """The voters in this node's log whose directory is lost."""
        assert node.replica is not None
        return [key for key in node.replica.voters.items() if not matches(key, self.nodes[key[0]].key)]

    def has_answered_all(self) -> bool:
        """Whether no client waits."""
        return not any(self._waiting.values())

    def checked(self, node: Node) -> None:
        """Check the invariants and answer clients, after each event."""
        self.invariants.check(node)
        if self.snapshot_chance and node.replica is not None and self._snapshot_rng.random() < self.snapshot_chance:
            self.snapshots += 1
            node.disk.log.take_snapshot(node.replica.high_watermark)
        waiting = self._waiting[node.id]
        replica = node.replica
        if waiting and (replica is None or not replica.is_leader or replica.epoch != waiting[0][1]):
            waiting.clear()  # the client learns that the outcome is unknown
        while waiting and replica is not None and waiting[0][0] < replica.high_watermark:
            self.acknowledged.append(waiting.pop(0)[2])

    def cut_off(self, *groups: Iterable[int], one_way: bool = False) -> None:
        """Drop messages between these groups; one way: only those from the first group to the others."""
        for n, group in enumerate(groups):
            for other in groups[n + 1 :]:
                for one_id in group:
                    for other_id in other:
                        self.network.cut.add((one_id, other_id))
                        if not one_way:
                            self.network.cut.add((other_id, one_id))

    def heal(self) -> None:
        """End all faults and start all processes."""
        self.world.note("everything is healed")
        network = self.network
        network.cut.clear()
        network.loss = network.duplicate = 0.0
        network.tail_us, network.delay_max_us, self.sync_max_us = 0, 5 * MS, 5 * MS
        self.hazards = {}
        for node in self.nodes.values():
            node.resume()
            node.start()

    def is_settled(self) -> bool:
        """Whether there is one leader that all others follow."""
        leader = self.leader()
        if leader is None or len(self.leaders()) != 1:
            return False
        assert leader.replica is not None
        epoch = leader.replica.epoch
        return all(
            node.replica is not None
            and node.replica.epoch == epoch
            and (node is leader or (node.replica.state == FOLLOWER and node.replica.leader_id == leader.id))
            for node in self.nodes.values()
        )

    def is_caught_up(self) -> bool:
        """Whether the leader's whole log is committed, and all replicas have it and its high watermark."""
        leader = self.leader()
        if leader is None:
            return False
        end = leader.disk.log.end_offset
        return all(
            node.replica is not None and node.replica.high_watermark == node.disk.log.end_offset == end
            for node in self.nodes.values()
        )

    def check_the_end(self) -> None:
        """Check that all logs are equal and contain each acknowledged record once."""
        logs = [node.disk.log.entries for node in self.nodes.values()]
        must(all(log == logs[0] for log in logs), "the logs differ at the end")
        must(logs[0] == self.invariants.committed, "the log is not what was committed")
        values = [value for _, value in logs[0]]
        must(len(set(values)) == len(values) - _twice(values), "a record is in the log twice")
        missing = set(self.acknowledged) - set(values)
        must(not missing, f"acknowledged and lost: {sorted(missing)[:5]}")


def _twice(values: list[object]) -> int:
    """The number of LeaderChange and voter records that repeat an earlier one."""
    begins = [value for value in values if isinstance(value, tuple) or str(value).startswith("leader")]
    return len(begins) - len(set(begins))
