"""One run: a cluster, clients, faults by plan, and an end at which everything has to be well and there."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from compat_tests.broker_process import BrokerError
from compat_tests.chaos import view
from compat_tests.chaos.clients import AssignedReader, Member, Reader, Writer, key_of, read_all
from compat_tests.chaos.faults import Faults
from compat_tests.chaos.ledger import Ledger
from compat_tests.chaos.nodes import Nodes
from compat_tests.chaos.plan import Cycle

TOPIC = "chaos"
STAMPED = "chaos-stamped"
"""A topic of one partition whose records get their time from the broker (LogAppendTime), whatever its clock says."""
WELL_TIMEOUT_S = 60.0
HEALED_TIMEOUT_S = 120.0
SOON_S = 0.2
"""An acknowledgement that comes this soon may be of a write from before."""


class Load(NamedTuple):
    """What the clients do."""

    partitions: int = 3
    writers: int = 3
    """The last of them plain, the others idempotent, and one more for STAMPED; without acks=all they are all plain."""
    acks: str = "all"
    rate: float = 100.0
    """Writes a second of each."""
    readers: int = 1
    members: int = 2


class Run:
    """`say` is told of each step. What went wrong with the cluster itself is in `complaints`."""

    def __init__(self, nodes: Nodes, ledger_path: Path, seed: int, load: Load, say: Callable[[str], None]) -> None:
        self._nodes = nodes
        self._seed = seed
        self._load = load
        self._say = say
        self.ledger = Ledger(ledger_path)
        self.faults = Faults(nodes, TOPIC, load.partitions)
        self.complaints: list[str] = []
        self._topics = {TOPIC: load.partitions, STAMPED: 1}

    def go(self, cycles: Iterator[Cycle], seconds: float, most: int | None) -> None:
        """Run for so long, or so many cycles. Raises BrokerError when the cluster does not come back."""
        self._say(f"start: {self._nodes.start():.1f} s")
        replicas = min(3, len(self._nodes.brokers))
        at_least = str(min(2, replicas))
        view.create(self._nodes, TOPIC, self._load.partitions, replicas, min_insync_replicas=at_least)
        view.create(
            self._nodes, STAMPED, 1, replicas, min_insync_replicas=at_least, message_timestamp_type="LogAppendTime"
        )
        writers, readers = self._clients()
        for client in (*writers, *readers):
            client.start()
        try:
            time.sleep(2)
            end = time.monotonic() + seconds
            for cycle in itertools.islice(cycles, most):
                if time.monotonic() > end:
                    break
                self._cycle(cycle)
        finally:
            self._end(writers, readers)

    def _clients(self) -> tuple[list[Writer], list[Reader]]:
        load, servers = self._load, self._nodes.bootstrap_servers
        topics = [TOPIC] * load.writers + [STAMPED]
        writers = [
            Writer(
                f"w{n}", self.ledger, servers, topic, self._topics[topic], rate=load.rate, acks=load.acks,
                idempotent=n != load.writers and load.acks == "all",
            )
            for n, topic in enumerate(topics, 1)
        ]  # fmt: skip
        readers: list[Reader] = [
            AssignedReader(f"r{n}", self.ledger, servers, TOPIC, load.partitions, self._seed)
            for n in range(load.readers)
        ]
        readers.append(AssignedReader("stamped", self.ledger, servers, STAMPED, 1, self._seed))
        readers += [
            Member(f"m{n}", self.ledger, servers, TOPIC, load.partitions, self._seed) for n in range(load.members)
        ]
        return writers, readers

    def _cycle(self, cycle: Cycle) -> None:
        began = self.ledger.now_s()
        target = self.faults.run(cycle)
        self.faults.start_all()
        time.sleep(cycle.rest_s)
        well_s = None
        if cycle.waits:
            well_s = self._wait_until_well(WELL_TIMEOUT_S)
            if well_s is None:
                self.complaints.append(f"cycle {cycle.number} ({cycle.fault}): not in sync after {WELL_TIMEOUT_S} s")
        self.ledger.enter(
            "fault", fault=cycle.fault, number=cycle.number, began=began, target=target, hold_s=round(cycle.hold_s, 2),
            well_s=well_s and round(well_s, 2),
        )  # fmt: skip
        self._say(
            f"{began:7.1f} {cycle.number:4} {cycle.fault:18} of {target:4} for {cycle.hold_s:4.1f} s; "
            + (
                f"in sync after {well_s:4.1f} s"
                if well_s is not None
                else "not waited for"
                if not cycle.waits
                else "NOT IN SYNC"
            )
            + f"; {self.ledger.acknowledged} acknowledged"
        )

    def _wait_until_well(self, timeout_s: float) -> float | None:
        """Wait until all replicas are in sync and each partition has acknowledged a write that came after now.

        Metadata alone is well for a while after a node was killed: nobody has noticed yet.
        """
        since = self.ledger.now_s()
        keys = [key_of(topic, partition) for topic, count in self._topics.items() for partition in range(count)]

        def is_well() -> bool:
            return all(self.ledger.last_acknowledged.get(key, 0.0) > since + SOON_S for key in keys) and view.is_well(
                self._nodes
            )

        return view.wait(is_well, timeout_s)

    def _end(self, writers: list[Writer], readers: list[Reader]) -> None:
        """No more faults: all must be in sync again, and all that was acknowledged must be there to be read."""
        self._nodes.heal()
        self.faults.start_all()
        well_s = self._wait_until_well(HEALED_TIMEOUT_S)
        if well_s is None:
            self.complaints.append(f"not in sync {HEALED_TIMEOUT_S} s after the last fault")
        for writer in writers:
            writer.finish()
        try:
            servers = self._nodes.bootstrap_servers
            count = sum(read_all(self.ledger, servers, topic, parts) for topic, parts in self._topics.items())
            self._say(f"healed after {-1 if well_s is None else well_s:.1f} s; {count} records read at the end")
        except (TimeoutError, BrokerError) as error:
            self.complaints.append(f"not all could be read at the end: {error}")
        for reader in readers:
            reader.finish()
        self.complaints += self.faults.complaints
        self.ledger.close()
