from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kafkacompat.steps import Stepped, at_once

if TYPE_CHECKING:
    from kafkacompat.steps import Steps


def work(count: int, log: list[int]) -> Steps[str]:
    for n in range(count):
        log.append(n)
        yield 10
    return "done"


def test_goes_on_until_the_budget_is_used_up():
    log: list[int] = []
    stepped = Stepped(work(7, log))
    assert not stepped.resume(25)
    assert log == [0, 1, 2]  # by one step more
    assert not stepped.resume(30)
    assert log == [0, 1, 2, 3, 4, 5]
    assert stepped.resume(30)
    assert stepped.result == "done"


def test_what_fails_raises_in_the_turn_in_which_it_does():
    def failing() -> Steps[None]:
        yield 10
        raise ValueError

    stepped = Stepped(failing())
    assert not stepped.resume(10)
    with pytest.raises(ValueError):
        stepped.resume(10)


def test_who_cannot_wait_has_it_done_at_once():
    assert at_once(work(3, [])) == "done"


def test_nobody_wants_it_any_more():
    log: list[int] = []
    stepped = Stepped(work(7, log))
    stepped.resume(10)
    stepped.close()
    assert stepped.resume(100)
    assert log == [0]
