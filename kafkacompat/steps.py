"""Long work in steps, so that the event loop handles other events in between.

The work is a generator that yields the units of work done since its last yield, and returns its result. A unit costs
about as much as one partition or one config of a response: 5 to 10 µs. Counting units, not time, keeps simulations
deterministic.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import TypeAlias, TypeVar

    Result = TypeVar("Result")
    Steps: TypeAlias = Generator[int, None, Result]

UNITS_PER_ITERATION = 1_000
"""The budget of one iteration of the event loop: 5 to 10 ms."""
UNITS_PER_STEP = 100
"""Work that counts single units yields after this many."""


class Stepped:
    """Work in progress. `result` is set when `resume` has returned True."""

    __slots__ = ("_steps", "result")

    def __init__(self, steps: "Steps[object]") -> None:
        self._steps = steps
        self.result: object = None

    def resume(self, budget: int = UNITS_PER_ITERATION) -> bool:
        """Work until the budget is used up, at most one step beyond it. Returns whether the work is done."""
        try:
            while budget > 0:
                budget -= next(self._steps)
        except StopIteration as end:
            self.result = end.value
            return True
        return False

    def close(self) -> None:
        """Abandon the work."""
        self._steps.close()


def at_once(steps: "Steps[Result]") -> "Result":
    """Run all steps now and return the result."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        result: Result = end.value
        return result
