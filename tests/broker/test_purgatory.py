from kafkacompat.broker.purgatory import OpenParts, Pending, Purgatory
from kafkacompat.broker.timers import Timers
from kafkacompat.now import Now


def at(monotonic_ms: int) -> Now:
    return Now(monotonic_ms, 0)


class Waiter:
    """Answers once `value` is set, or "expired"."""

    def __init__(self, purgatory: Purgatory, *keys: object, deadline_ms: int = 100) -> None:
        self.value: object = None
        self.asked = 0
        self.replies: list[object] = []
        self.pending = Pending(keys, deadline_ms, self.finish)
        purgatory.add(self.pending, lambda answer, _now: self.replies.append(answer))

    def finish(self, _now: Now, expired: bool) -> object:
        self.asked += 1
        return self.value or ("expired" if expired else None)


def test_answers_once_when_a_key_moves_and_it_is_ready():
    timers = Timers()
    purgatory = Purgatory(timers)
    waiter = Waiter(purgatory, "a", "b")
    purgatory.touch("a", at(1))
    assert waiter.replies == []
    waiter.value = "done"
    purgatory.touch("b", at(2))
    purgatory.touch("a", at(3))
    timers.run(at(1_000))
    assert waiter.replies == ["done"]
    assert waiter.asked == 2
    assert len(purgatory) == 0


def test_answers_at_the_deadline():
    timers = Timers()
    purgatory = Purgatory(timers)
    waiter = Waiter(purgatory, "a", deadline_ms=50)
    timers.run(at(49))
    assert waiter.replies == []
    timers.run(at(50))
    assert waiter.replies == ["expired"]
    assert len(purgatory) == 0
    assert len(timers) == 0


def test_a_discarded_answer_is_never_given():
    timers = Timers()
    purgatory = Purgatory(timers)
    waiter = Waiter(purgatory, "a")
    purgatory.discard(waiter.pending)
    waiter.value = "done"
    purgatory.touch("a", at(1))
    timers.run(at(1_000))
    assert waiter.replies == []
    assert len(purgatory) == 0


def test_answering_one_may_discard_another_that_waits_for_the_same_key():
    timers = Timers()
    purgatory = Purgatory(timers)
    first, second = Waiter(purgatory, "a"), Waiter(purgatory, "a")
    first.value = second.value = "done"
    first.pending.reply = lambda response, _now: (first.replies.append(response), purgatory.discard(second.pending))
    purgatory.touch("a", at(1))
    assert first.replies == ["done"]
    assert second.replies == []


def test_many_that_wait_for_one_key_are_answered_in_several_turns():
    """Thousands of consumers wait for the records of one partition."""
    timers = Timers()
    purgatory = Purgatory(timers, lambda _now: sum(waiter.asked for waiter in waiters) % 2 == 0)
    waiters = [Waiter(purgatory, "a") for _ in range(5)]
    for waiter in waiters[1:]:
        waiter.value = "done"
    purgatory.touch("a", at(1))
    assert [waiter.asked for waiter in waiters] == [1, 1, 0, 0, 0]
    waiters[0].value = "done"
    purgatory.touch("a", at(1))  # the first one waits still, and is to hear of this as well
    late = Waiter(purgatory, "a")
    assert [waiter.asked for waiter in waiters] == [1, 1, 0, 0, 0]
    for _ in range(3):
        timers.run(at(1))
    assert [waiter.asked for waiter in waiters] == [2, 1, 1, 1, 1]
    assert [waiter.replies for waiter in waiters] == [["done"]] * 5
    assert late.asked == 0
    assert timers.next_deadline_ms() == 100


def test_an_answer_may_touch_its_own_key_in_a_long_turn():
    timers = Timers()
    purgatory = Purgatory(timers, lambda _now: True)
    waiters = [Waiter(purgatory, "a") for _ in range(3)]
    waiters[1].pending.reply = lambda _answer, now: purgatory.touch("a", now)
    waiters[1].value = "done"
    purgatory.touch("a", at(1))
    for waiter in waiters:
        waiter.value = "done"
    while timers.next_deadline_ms() == 1:
        timers.run(at(1))
    assert [waiters[0].replies, waiters[2].replies] == [["done"]] * 2
    assert len(purgatory) == 0


def test_a_finish_that_fails_harms_its_own_request_alone():
    timers = Timers()
    purgatory = Purgatory(timers)
    answers = []

    def note(answer: object, now: Now) -> None:
        answers.append((answer, now.monotonic_ms))

    purgatory.add(Pending(["key"], 100, lambda _now, _expired: 1 / 0), note, lambda: "a bug")
    purgatory.add(Pending(["key"], 100, lambda _now, _expired: "fine"), note, lambda: "a bug")
    purgatory.add(Pending(["other"], 100, lambda _now, _expired: None), note, lambda: "no answer in time")
    purgatory.touch("key", Now(50, 50))
    timers.run(Now(100, 100))
    assert answers == [("a bug", 50), ("fine", 50), ("no answer in time", 100)]
    assert len(purgatory) == 0


def test_the_touch_of_a_key_asks_only_the_parts_that_wait_for_it() -> None:
    parts = OpenParts({part: (f"key {part}", "of all") for part in range(1_000)})
    assert len(parts.keys) == 1_001
    asked: list[int] = []

    def complete(part: int) -> bool:
        asked.append(part)
        return part != 7

    for part in range(10):
        assert not parts.try_complete(f"key {part}", complete)
    assert asked == list(range(10))
    assert not parts.try_complete("key 3", complete)
    assert len(asked) == 10, "a part that is complete is asked no more"
    for key in ("of all", "of none", None):
        asked.clear()
        assert not parts.try_complete(key, complete)
        assert asked[:2] == ([7, 10] if key == "of all" else [7])
    assert list(parts) == [7]
    assert parts.try_complete("key 7", lambda _part: True)


def test_a_delayed_answer_knows_which_key_was_touched() -> None:
    timers = Timers()
    purgatory = Purgatory(timers)
    touched: list[object] = []
    pending = Pending(["a", "b"], 100, lambda _now, expired: touched.append(pending.touched) or (expired or None))
    purgatory.add(pending, lambda _answer, _now: None)
    purgatory.touch("b", at(1))
    purgatory.touch("a", at(2))
    timers.run(at(100))
    assert touched == ["b", "a", None]
