from kafkacompat.server.budget import RequestBudget, default_limit_bytes


def test_those_who_wait_are_served_in_order_when_something_is_left() -> None:
    budget = RequestBudget(100)
    served: list[str] = []

    def resume(name: str):
        def take() -> None:
            served.append(name)
            budget.charge(60)

        return take

    budget.charge(100)
    assert budget.is_spent
    for name in "abc":
        budget.wait(resume(name))
    budget.charge(-1)
    assert served == ["a"]
    budget.charge(-60)
    assert served == ["a", "b"]


def test_who_is_gone_is_not_called() -> None:
    budget = RequestBudget(10)
    called: list[int] = []
    callback = lambda: called.append(1)  # noqa: E731
    budget.charge(10)
    budget.wait(callback)
    budget.forget(callback)
    budget.forget(callback)
    budget.charge(-10)
    assert not called


def test_the_default_is_a_part_of_memory() -> None:
    assert 16 * 1024**2 < default_limit_bytes() < 2**50
