"""The event loop of a simulated process."""

import gc

import pytest

from tests.sim.virtual_loop import ProcessLoop
from tests.sim.world import World


def test_what_a_killed_process_begins_in_its_last_steps_is_closed() -> None:
    """Else it would be told as never awaited, in the middle of another test."""

    async def work() -> None:
        """Nothing."""

    loop = ProcessLoop(World(1), "node")
    loop.drop()
    with pytest.raises(RuntimeError, match="closed"):
        loop.create_task(work())
    gc.collect()
