"""What a client of a simulation makes of several failures at once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tests.sim.invariants import InvariantError
from tests.sim.nodes.transaction_clients import Instance
from tests.sim.nodes.transaction_ledger import Ledger
from tests.sim.nodes.transaction_protocol import AbortError, FencedError, GiveUpError

if TYPE_CHECKING:
    from tests.sim.nodes.transaction_ledger import Told


class Failing(Instance):
    """Writes to partition n end with failure n."""

    def __init__(self, *failures: Exception) -> None:
        self.protocol = 2
        self._writes_at_once = True
        self._failures = failures

    async def write(self, _told: Told, partition: int, _values: list[str]) -> None:
        raise self._failures[partition]


@pytest.mark.parametrize(
    ("failures", "counts"),
    [
        ((FencedError(), InvariantError("lost")), InvariantError),
        ((AbortError(), InvariantError("lost")), InvariantError),
        ((GiveUpError(), AbortError(), ValueError("a mistake")), ValueError),
        ((AbortError(), FencedError(), GiveUpError()), FencedError),
        ((AbortError(), GiveUpError(), FencedError()), GiveUpError),
        ((AbortError(), AbortError()), AbortError),
    ],
)
def test_what_nobody_expects_is_hidden_by_nothing(failures: tuple[Exception, ...], counts: type[Exception]) -> None:
    batches: list[tuple[int, list[str]]] = [(partition, ["value"]) for partition in range(len(failures))]
    with pytest.raises(counts):
        asyncio.run(Failing(*failures)._write_all(Ledger().begin("A"), batches))
