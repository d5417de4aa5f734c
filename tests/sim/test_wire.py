"""A seed is the same run whether replicas exchange objects or Kafka's messages."""

from __future__ import annotations

import pytest

from tests.sim.raft import Run
from tests.sim.wire import WireNetwork

SEEDS = range(20_001, 20_021)


@pytest.mark.parametrize("seed", SEEDS)
def test_messages_on_the_wire_change_nothing(seed: int) -> None:
    plain, wired = Run(seed), Run(seed)
    wired.quorum.network.__class__ = WireNetwork
    assert str(wired.go()) == str(plain.go())
