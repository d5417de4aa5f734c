"""Carries out one fault of a plan on a cluster, and takes it back."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence

from compat_tests.broker_process import BrokerError
from compat_tests.chaos import view
from compat_tests.chaos.nodes import Nodes
from compat_tests.chaos.plan import STORM_KILLS, Cycle, jump_s
from compat_tests.chaos.view import SilentError

CLOCK_WATCH_S = 0.25
AFTER_CLOCK_S = 1.0
WELL_TIMEOUT_S = 60.0
JUMPS = 3
"""So often a clock jumps before unrest is put down to it: what hangs on the clock comes back, a stall does not."""
STARTS = 3
"""So often a node that ends instead of starting is started again, before the run fails."""


class Faults:
    """Faults on the cluster whose topic the clients use."""

    def __init__(self, nodes: Nodes, topic: str, partitions: int) -> None:
        self._nodes = nodes
        self._topic, self._partitions = topic, partitions
        self.complaints: list[str] = []
        """Processes that ended and were not asked to, by what the log said last, and elections without a reason."""

    def run(self, cycle: Cycle) -> str:
        """One fault from its beginning to its end; which node it met."""
        name, _, role = cycle.fault.partition("-")
        target = self._target(role, cycle.pick)
        act = {
            "kill": self._kill, "pause": self._pause, "stop": self._stop, "rolling": self._roll,
            "isolate": self._isolate, "deaf": self._deafen, "mute": self._mute, "one": self._cut_pair,
            "full": self._fill, "reassign": self._reassign, "elect": self._elect, "clock": self._shift_clock,
            "power": self._cut_power,
        }[name]  # fmt: skip
        if cycle.fault == "kill-all":
            self._kill_all(cycle.hold_s)
            return "all"
        if cycle.fault == "kill-storm":
            for _ in range(STORM_KILLS):
                self._kill(target, cycle)
            return str(target)
        act(target, cycle)
        return "all" if cycle.fault in ("power-all", "power-storm") else str(target)

    def start_all(self) -> None:
        """Start what does not run, again if need be. Raises BrokerError.

        All are begun before one is waited for: alone, none has a quorum.
        """
        for node_id in self._nodes.nodes:
            self._begin(node_id)
        for node_id in self._nodes.nodes:
            self._start(node_id)

    def _target(self, role: str, pick: float) -> int:
        """The node that a fault is for; of those that run, one by `pick` where the role has nobody."""
        brokers = self._nodes.brokers
        if role == "controller":
            found = view.controller(self._nodes)
            return found if found != view.NONE else _choose(list(self._nodes.nodes), pick)
        leader = view.leader(self._nodes, self._topic, int(pick * self._partitions))
        if leader == view.NONE:
            return _choose(brokers, pick)
        return leader if role != "follower" else _choose([each for each in brokers if each != leader], pick)

    def _kill(self, target: int, cycle: Cycle) -> None:
        self._nodes.kill(target)
        time.sleep(cycle.hold_s)
        self._start(target)

    def _kill_all(self, hold_s: float) -> None:
        for node_id in self._nodes.nodes:
            self._nodes.kill(node_id)
        time.sleep(hold_s)
        for node_id in self._nodes.nodes:
            self._nodes.begin(node_id)
        self.start_all()

    def _cut_power(self, target: int, cycle: Cycle) -> None:
        """On these machines each end of a process is a loss of power. A storm hits them while they start."""
        role = cycle.fault.removeprefix("power-")
        ids = list(self._nodes.nodes)
        others = [each for each in ids if each != target]
        chosen = {"two": [target, _choose(others, cycle.pick)], "all": ids, "storm": ids}.get(role, [target])
        for turn in range(STORM_KILLS if role == "storm" else 1):
            self._nodes.kill_together(chosen)
            if role != "storm":
                time.sleep(cycle.hold_s)
            for node_id in chosen:
                self._nodes.begin(node_id)
            if role == "storm":
                time.sleep(cycle.hold_s * (turn + 1) / STORM_KILLS)
        self.start_all()

    def _shift_clock(self, target: int, cycle: Cycle) -> None:
        """Sessions, leases and elections know nothing of the wall clock: while it jumps, all stays as it is."""
        seen: list[str] = []
        for _ in range(JUMPS):
            if view.wait(lambda: view.is_well(self._nodes), WELL_TIMEOUT_S) is None:
                self.complaints.append(f"cycle {cycle.number}: not in sync before the clock was to jump")
            unrest = self._unrest_of_a_jump(target, cycle)
            if not unrest:
                return
            seen.append(unrest)
        jump = f"{jump_s(cycle.pick):+.0f} s on node {target}"
        self.complaints.append(f"cycle {cycle.number}: each time that a clock jumped ({jump}): {'; '.join(seen)}")

    def _unrest_of_a_jump(self, target: int, cycle: Cycle) -> str:
        """Let the clock jump, and back; what became meanwhile of what should have stayed as it was, "" for nothing."""
        machine = self._nodes.nodes[target].machine
        assert machine is not None
        try:
            since = {(part.topic, part.number): part for part in view.ask(self._nodes, view.parts)}
            _, epoch = view.ask(self._nodes, view.quorum)
        except SilentError as error:
            return str(error)
        unrest = ""
        for offset_s, hold_s in ((jump_s(cycle.pick), cycle.hold_s), (0.0, AFTER_CLOCK_S)):
            machine.jump(offset_s)
            end = time.monotonic() + hold_s
            while time.monotonic() < end:
                time.sleep(CLOCK_WATCH_S)
                unrest = unrest or view.unrest(self._nodes, since, epoch)
        return unrest

    def _pause(self, target: int, cycle: Cycle) -> None:
        self._nodes.pause(target)
        time.sleep(cycle.hold_s)
        self._nodes.resume(target)

    def _stop(self, target: int, cycle: Cycle) -> None:
        self._nodes.stop(target)
        time.sleep(cycle.hold_s)
        self._start(target)

    def _roll(self, target: int, cycle: Cycle) -> None:
        ids = list(self._nodes.nodes)
        first = ids.index(target)
        for node_id in ids[first:] + ids[:first]:
            self._stop(node_id, cycle)
            view.wait(lambda: view.is_well(self._nodes), 30)

    def _isolate(self, target: int, cycle: Cycle, *, hears: bool = False, is_heard: bool = False) -> None:
        network = self._nodes.network
        assert network is not None
        network.isolate(target, [each for each in self._nodes.nodes if each != target], hears=hears, is_heard=is_heard)
        time.sleep(cycle.hold_s)
        network.heal()

    def _deafen(self, target: int, cycle: Cycle) -> None:
        self._isolate(target, cycle, is_heard=True)

    def _mute(self, target: int, cycle: Cycle) -> None:
        self._isolate(target, cycle, hears=True)

    def _cut_pair(self, _: int, cycle: Cycle) -> None:
        network = self._nodes.network
        assert network is not None
        pairs = list(itertools.permutations(self._nodes.nodes, 2))
        network.cut(*pairs[int(cycle.pick * len(pairs))])
        time.sleep(cycle.hold_s)
        network.heal()

    def _fill(self, target: int, cycle: Cycle) -> None:
        """Apache Kafka's node ends, as it has lost its only log directory; ours goes on, and is killed afterwards."""
        self._nodes.fill_disk(target)
        time.sleep(cycle.hold_s)
        self._nodes.free_disk(target)
        view.wait(lambda: not self._nodes.nodes[target].is_running, 1.0)
        self._nodes.kill(target)
        self._start(target)

    def _reassign(self, _: int, cycle: Cycle) -> None:
        """Take one replica away, and put it back elsewhere in the order."""
        partition = int(cycle.pick * self._partitions)
        brokers = self._nodes.brokers
        turn = int(cycle.pick * 1000) % len(brokers)
        order = brokers[turn:] + brokers[:turn]
        for replicas in (order[:-1], order):
            try:
                view.ask(self._nodes, lambda client, to=replicas: view.reassign(client, self._topic, partition, to))  # type: ignore[misc]
            except SilentError:
                continue
            time.sleep(cycle.hold_s)

    def _elect(self, _: int, cycle: Cycle) -> None:
        try:
            view.ask(self._nodes, view.elect_preferred)
        except SilentError:
            time.sleep(cycle.hold_s)

    def _begin(self, node_id: int) -> None:
        node = self._nodes.nodes[node_id]
        if node.process is not None and not node.is_running:
            self.complaints.append(f"node {node_id} ended by itself: {self._nodes.log_tail(node_id)[-600:]}")
            self._nodes.kill(node_id)
        self._nodes.begin(node_id)

    def _start(self, node_id: int) -> None:
        for attempt in range(1, STARTS + 1):
            self._begin(node_id)
            try:
                self._nodes.wait(node_id)
                return
            except BrokerError as error:
                self.complaints.append(f"node {node_id} did not start: {str(error)[-600:]}")
                self._nodes.kill(node_id)
                if attempt == STARTS:
                    raise
                time.sleep(1)


def _choose(from_: Sequence[int], pick: float) -> int:
    return from_[int(pick * len(from_))]
