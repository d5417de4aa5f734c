"""How a pass of the cleaner ends: it is closed, whatever it met, and nothing of it is left where it is not used."""

from typing import Any

import pytest

from kafkacompat.config import TopicConfig
from kafkacompat.now import Now
from kafkacompat.storage.compaction.clean_pass import Pass
from tests.broker.harness import BrokerHarness
from tests.broker.test_log_cleaner import (
    COMPACTED,
    ROUND_MS,
    _aborted_transactions,
    cleaner,
    log_of,
    produce,
    records,
    rounds,
    sealed,
    with_topic,
)


class Watched(Pass):
    """Tells whether it was closed."""

    made: list["Watched"]
    is_closed = False

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.made.append(self)

    def close(self) -> None:
        self.is_closed = True
        super().close()


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[Watched]:
    """Those that are made from now on."""
    made: list[Watched] = []
    monkeypatch.setattr(Watched, "made", made, raising=False)
    return made


def watched(kafka: BrokerHarness) -> BrokerHarness:
    kafka.broker.compaction.new_pass = Watched
    return kafka


def left(kafka: BrokerHarness) -> list[str]:
    """Files of results that are not used."""
    return [name for name in kafka.fs.listdir("/data/t-0") if name.endswith((".cleaned", ".swap"))]


def test_a_pass_that_did_its_work_is_closed(passes: list[Watched]) -> None:
    kafka = watched(with_topic())
    produce(kafka)
    rounds(kafka)
    assert cleaner(kafka).passes == 1
    assert [each.is_closed for each in passes] == [True]


def test_a_pass_that_meets_a_damaged_index_is_closed_before_the_next_one(passes: list[Watched]) -> None:
    kafka = watched(with_topic({"internal.segment.bytes": "2000"}))
    produce(kafka, count=4)
    _aborted_transactions(kafka, 14)
    produce(kafka, count=1)
    segment = log_of(kafka).segments.all[0]
    path = segment.txn_index.path
    segment._txn_index = None  # as after a start
    sound = kafka.fs.read_bytes(path)
    assert sound
    kafka.fs.write_atomic(path, b"\1" + sound[1:], sync=True)
    rounds(kafka)
    rounds(kafka)
    assert len(passes) > 1
    assert all(each.is_closed for each in passes)


def test_a_stop_ends_what_a_pass_does_beside_the_loop(passes: list[Watched]) -> None:
    kafka = watched(with_topic())
    produce(kafka)
    kafka.now = Now(kafka.now.monotonic_ms + ROUND_MS, kafka.now.wall_ms + ROUND_MS)
    kafka.broker.timers.run(kafka.now)
    assert [each.is_closed for each in passes] == [False]
    kafka.broker.compaction.stop()
    assert [each.is_closed for each in passes] == [True]


@pytest.mark.parametrize("step", ["index", "clean"])
def test_a_policy_that_keeps_everything_ends_the_pass_that_runs(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in Apache Kafka (``LogManager.updateTopicConfig``)."""
    kafka = with_topic()
    produce(kafka)
    before = records(kafka)
    run = getattr(Pass, step)

    def altered(self: Pass, *given: Any) -> Any:
        result = run(self, *given)
        log_of(kafka).config = TopicConfig.resolve(COMPACTED | {"cleanup.policy": "delete"}, kafka.broker.config)
        return result

    monkeypatch.setattr(Pass, step, altered)
    rounds(kafka)
    assert (records(kafka), cleaner(kafka).passes, cleaner(kafka).uncleanable) == (before, 0, {})
    assert not cleaner(kafka).is_at_work
    assert left(kafka) == []


def test_the_result_for_segments_that_went_meanwhile_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    kafka = with_topic()
    produce(kafka)
    clean = Pass.clean
    has_changed = []

    def late(self: Pass, group: list[int]) -> Any:
        result = clean(self, group)
        if not has_changed:
            has_changed.append(True)
            log_of(kafka).delete_segments(1, kafka.now)
        return result

    monkeypatch.setattr(Pass, "clean", late)
    kafka.advance(ROUND_MS)
    for _ in range(5):
        kafka.advance(0)
    assert has_changed
    assert (cleaner(kafka).passes, left(kafka)) == (0, [])
    rounds(kafka)
    assert (cleaner(kafka).passes, sealed(kafka)) == (1, 2)
