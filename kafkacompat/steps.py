"""Long work in steps, so that the event loop can do other things in between.

The work is a generator that yields how many units it did since it last yielded, and returns its result. A unit is what
one partition, or one config of an answer, costs: 5 to 10 µs. Counting units instead of time keeps simulations
deterministic.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import TypeAlias, TypeVar

    Result = TypeVar("Result")
    Steps: TypeAlias = Generator[int, None, Result]

UNITS_A_TURN = 1_000
"""About as much as a turn of the event loop may have: 5 to 10 ms."""
UNITS_A_STEP = 100
"""Work that counts single units yields when it has done so many."""


class Stepped:
    """Work that has begun. `result` is there when `go_on` has returned True."""

    __slots__ = ("_steps", "result")

    def __init__(self, steps: "Steps[object]") -> None:
        self._steps = steps
        self.result: object = None

    def go_on(self, budget: int = UNITS_A_TURN) -> bool:
        """Work until the budget is used up, by one step at most more than that. Whether it is done."""
        try:
            while budget > 0:
                budget -= next(self._steps)
        except StopIteration as end:
            self.result = end.value
            return True
        return False

    def close(self) -> None:
        """Nobody wants the result any more."""
        self._steps.close()


def at_once(steps: "Steps[Result]") -> "Result":
    """All steps in one go, for who cannot wait."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        result: Result = end.value
        return result
