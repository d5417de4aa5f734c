"""Background jobs: one of a class at a time, in order; no class waits for another, and no outcome is lost."""

import pytest

from kafkacompat.storage.background import (
    OTHER_WORK,
    SEGMENT_SYNC,
    WORK_CLASSES,
    Background,
)
from tests.storage.support import at


def submit(background: Background, work_class: str, name: str, told: list[str]) -> None:
    background.submit(work_class, lambda: name, lambda outcome, now: told.append(f"{outcome} at {now.monotonic_ms}"))


def test_one_job_of_a_class_at_a_time_in_their_order() -> None:
    background, told = Background(), list[str]()
    submit(background, OTHER_WORK, "first", told)
    submit(background, OTHER_WORK, "second", told)
    first = background.next_job(OTHER_WORK)
    assert first is not None
    assert background.next_job(OTHER_WORK) is None
    assert not background.is_startable
    background.finish(first, first.execute(), at(1))
    assert background.startable() == [OTHER_WORK]
    second = background.next_job(OTHER_WORK)
    assert second is not None
    background.finish(second, second.execute(), at(2))
    assert told == ["first at 1", "second at 2"]
    assert not background.is_startable


def test_no_class_waits_for_another() -> None:
    background, told = Background(), list[str]()
    for work_class in reversed(WORK_CLASSES):
        submit(background, work_class, work_class, told)
    assert background.startable() == list(WORK_CLASSES)
    slow = background.next_job(SEGMENT_SYNC)
    background.run_inline(at())
    assert told == [f"{work_class} at 0" for work_class in WORK_CLASSES if work_class != SEGMENT_SYNC]
    assert slow is not None
    background.finish(slow, slow.execute(), at(6000))
    assert told[-1] == f"{SEGMENT_SYNC} at 6000"


def test_work_is_collected_when_its_job_begins() -> None:
    background, waiting, done = Background(), list[int](), list[object]()

    def begin() -> bool:
        taken.extend(waiting)
        waiting.clear()
        return bool(taken)

    taken: list[int] = []
    background.submit(OTHER_WORK, lambda: None, lambda *_: None)
    background.submit(OTHER_WORK, lambda: list(taken), lambda outcome, _now: done.append(outcome), begin)
    running = background.next_job(OTHER_WORK)
    waiting.extend([1, 2])
    assert running is not None
    background.finish(running, running.execute(), at())
    background.run_inline(at())
    assert done == [[1, 2]]


def test_a_job_with_nothing_to_do_gives_way_to_the_next() -> None:
    background, told = Background(), list[str]()
    background.submit(OTHER_WORK, lambda: told.append("run"), lambda *_: told.append("done"), lambda: False)
    submit(background, OTHER_WORK, "next", told)
    background.run_inline(at())
    assert told == ["next at 0"]


@pytest.mark.parametrize("where", ["begin", "run"])
def test_a_bug_is_logged_and_reported_and_the_next_job_runs(where: str, caplog: pytest.LogCaptureFixture) -> None:
    background, outcomes, told = Background(), list[object](), list[str]()

    def bug() -> bool:
        raise ValueError("broken")

    begin = bug if where == "begin" else None
    background.submit(OTHER_WORK, bug, lambda outcome, _now: outcomes.append(outcome), begin)
    submit(background, OTHER_WORK, "next", told)
    background.run_inline(at())
    assert [repr(outcome) for outcome in outcomes] == ["ValueError('broken')"]
    assert "a bug" in caplog.text
    assert told == ["next at 0"]


def test_a_disk_error_is_reported_and_is_no_bug(caplog: pytest.LogCaptureFixture) -> None:
    background, outcomes = Background(), list[object]()

    def fail() -> None:
        raise OSError(28, "no space left on device")

    background.submit(OTHER_WORK, fail, lambda outcome, _now: outcomes.append(outcome))
    background.run_inline(at())
    assert [type(outcome) for outcome in outcomes] == [OSError]
    assert not caplog.text


def test_a_bug_in_what_follows_does_not_stop_the_class() -> None:
    background, told = Background(), list[str]()
    background.submit(OTHER_WORK, lambda: None, lambda *_: 1 // 0)
    submit(background, OTHER_WORK, "next", told)
    with pytest.raises(ZeroDivisionError):
        background.run_inline(at())
    background.run_inline(at())
    assert told == ["next at 0"]


def test_a_job_may_submit_the_next_when_it_is_done() -> None:
    background, told = Background(), list[str]()
    background.submit(OTHER_WORK, lambda: None, lambda *_: submit(background, OTHER_WORK, "next", told))
    background.run_inline(at())
    assert told == ["next at 0"]
