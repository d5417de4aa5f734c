"""Which faults a seed stands for. The same seed gives the same faults in the same order, at the same times at best."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

NETWORK, DISK, CLOCK = "network", "disk", "clock"
POWER_OF_ONE, POWER_OF_ALL = "power of one", "power of all"
PAUSES = ("pause-leader", "pause-follower", "pause-controller")


class NoFaultError(Exception):
    """Nothing is left to draw from."""


class Kind(NamedTuple):
    """A fault, how often it is drawn, how long it is held, and what it needs of the machine."""

    name: str
    weight: int
    hold_s: tuple[float, float]
    needs: str = ""


KINDS: Sequence[Kind] = (
    Kind("kill-leader", 4, (0.0, 3.0)),
    Kind("kill-follower", 2, (0.0, 3.0)),
    Kind("kill-controller", 3, (0.0, 3.0)),
    Kind("kill-all", 2, (0.0, 1.0)),
    Kind("kill-storm", 2, (0.0, 0.5)),
    Kind("pause-leader", 3, (0.3, 15.0)),
    Kind("pause-follower", 1, (0.3, 15.0)),
    Kind("pause-controller", 2, (0.3, 15.0)),
    Kind("stop-leader", 2, (0.0, 1.0)),
    Kind("rolling-restart", 2, (0.0, 0.5)),
    Kind("isolate-leader", 3, (0.5, 15.0), NETWORK),
    Kind("isolate-follower", 1, (0.5, 15.0), NETWORK),
    Kind("isolate-controller", 2, (0.5, 15.0), NETWORK),
    Kind("deaf-leader", 2, (0.5, 15.0), NETWORK),
    Kind("mute-leader", 2, (0.5, 15.0), NETWORK),
    Kind("one-way-pair", 2, (0.5, 15.0), NETWORK),
    Kind("full-disk", 1, (0.5, 5.0), DISK),
    Kind("clock-leader", 2, (2.0, 14.0), CLOCK),
    Kind("clock-follower", 1, (2.0, 14.0), CLOCK),
    Kind("clock-controller", 1, (2.0, 14.0), CLOCK),
    Kind("power-leader", 2, (0.0, 2.0), POWER_OF_ONE),
    Kind("power-follower", 1, (0.0, 2.0), POWER_OF_ONE),
    Kind("power-controller", 1, (0.0, 2.0), POWER_OF_ONE),
    Kind("power-two", 2, (0.0, 2.0), POWER_OF_ALL),
    Kind("power-all", 4, (0.0, 1.0), POWER_OF_ALL),
    Kind("power-storm", 2, (0.1, 2.0), POWER_OF_ALL),
    Kind("reassign", 2, (0.5, 3.0)),
    Kind("elect-preferred", 1, (0.0, 0.2)),
)
POWER_LOSSES = [kind.name for kind in KINDS if kind.needs in (POWER_OF_ONE, POWER_OF_ALL)]
STORM_KILLS = 4
MAX_JUMP_S = 86_000.0
"""Just less than the day after which a producer that wrote nothing is forgotten, with all that it could repeat."""


class Cycle(NamedTuple):
    """One fault. `pick` (0 to 1) chooses among the partitions and nodes there are when its time has come."""

    number: int
    fault: str
    pick: float
    hold_s: float
    rest_s: float
    waits: bool
    """Whether the cluster is left alone until it is well, before the next fault."""


def jump_s(pick: float) -> float:
    """How far a clock jumps: a second to almost a day, forward or back, each order of magnitude as often."""
    sign, exponent = (1.0, pick * 2) if pick < 0.5 else (-1.0, pick * 2 - 1)
    return sign * math.pow(MAX_JUMP_S, exponent)


def plan(seed: int, possible: Sequence[str], only: Sequence[str] = ()) -> Iterator[Cycle]:
    """Cycles without end. `possible` says which needs of faults are met; `only` names faults to draw from.

    Raises NoFaultError when nothing is left to draw from.
    """
    kinds = [kind for kind in KINDS if (not kind.needs or kind.needs in possible) and (not only or kind.name in only)]
    if not kinds:
        raise NoFaultError(f"no fault of {', '.join(only)} is possible here")
    return _draw(random.Random(seed), kinds)


def _draw(rng: random.Random, kinds: Sequence[Kind]) -> Iterator[Cycle]:
    number = 0
    while True:
        number += 1
        kind = rng.choices(kinds, [kind.weight for kind in kinds])[0]
        low, high = kind.hold_s
        hold_s = low + (high - low) * rng.random() ** 2  # short ones more often
        yield Cycle(number, kind.name, rng.random(), hold_s, rng.random() * 2, rng.random() < 0.7)
