import pytest

from kafkacompat.steps import UNITS_PER_ITERATION, Stepped


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Units of work of each turn."""
    turns: list[int] = []
    resume = Stepped.resume

    def counted(stepped: Stepped, budget: int = UNITS_PER_ITERATION) -> bool:
        units, work = [], stepped._steps

        def metered():
            try:
                while True:
                    units.append(next(work))
                    yield units[-1]
            except StopIteration as end:
                return end.value

        stepped._steps = metered()
        is_done = resume(stepped, budget)
        stepped._steps = work
        turns.append(sum(units))
        return is_done

    monkeypatch.setattr(Stepped, "resume", counted)
    return turns
