"""A network of this machine's own in which each node has an address, and packets from one to another can be dropped."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from collections.abc import Iterable

NOBODY = "02:00:00:00:00:01"
"""A hardware address that no node has: what is sent there is gone, and the sender is told nothing."""


class NetworkError(RuntimeError):
    """The network could not be made; says which command failed."""


def is_possible() -> bool:
    """Whether this user may make network namespaces here (root on Linux with iproute2)."""
    return hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("ip") is not None


class Network:
    """One network namespace for each node, joined by a bridge on which this process is, too.

    A cut is one way: the packets of one node to another vanish. It is done with a wrong neighbour entry at the sender,
    for which the kernel needs no filter.
    """

    def __init__(self) -> None:
        self._tag = secrets.token_hex(2)
        self._bridge = f"kc{self._tag}"
        number = secrets.randbelow(1 << 16)
        self._subnet = f"10.{64 + (number >> 8) % 128}.{number & 255}"
        self._nodes: dict[int, str] = {}
        self._cuts: set[tuple[int, int]] = set()
        _ip("link", "add", self._bridge, "type", "bridge")
        _ip("addr", "add", f"{self._subnet}.1/24", "dev", self._bridge)
        _ip("link", "set", self._bridge, "up")

    def add(self, node_id: int) -> str:
        """A namespace for a node; its address."""
        name, outside = f"kc{self._tag}-{node_id}", f"kv{self._tag}-{node_id}"
        address = f"{self._subnet}.{10 + node_id}"
        self._nodes[node_id] = address
        _ip("netns", "add", name)
        _ip("link", "add", outside, "type", "veth", "peer", "name", "eth0", "netns", name)
        _ip("link", "set", outside, "master", self._bridge, "up")
        _ip("-n", name, "addr", "add", f"{address}/24", "dev", "eth0")
        _ip("-n", name, "link", "set", "eth0", "up")
        _ip("-n", name, "link", "set", "lo", "up")
        return address

    def inside(self, node_id: int) -> list[str]:
        """What comes before a command that is to run as that node."""
        return ["ip", "netns", "exec", f"kc{self._tag}-{node_id}"]

    def cut(self, sender: int, receiver: int) -> None:
        """Drop what one node sends to another from now on."""
        if (sender, receiver) not in self._cuts:
            self._cuts.add((sender, receiver))
            at = self._nodes[receiver]
            _ip("-n", self._name(sender), "neigh", "replace", at, "lladdr", NOBODY, "dev", "eth0", "nud", "permanent")

    def isolate(self, node_id: int, others: Iterable[int], *, hears: bool = False, is_heard: bool = False) -> None:
        """Cut a node off from others: both ways, or so that it still hears them, or is heard by them."""
        for other in others:
            if not is_heard:
                self.cut(node_id, other)
            if not hears:
                self.cut(other, node_id)

    def heal(self) -> None:
        """Everybody reaches everybody again."""
        for sender, receiver in sorted(self._cuts):
            _ip("-n", self._name(sender), "neigh", "del", self._nodes[receiver], "dev", "eth0")
        self._cuts.clear()

    def close(self) -> None:
        """Take it all down. No process may be in it any more."""
        for node_id in self._nodes:
            subprocess.run(["ip", "netns", "del", self._name(node_id)], capture_output=True)
        subprocess.run(["ip", "link", "del", self._bridge], capture_output=True)

    def _name(self, node_id: int) -> str:
        return f"kc{self._tag}-{node_id}"


def _ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise NetworkError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")
