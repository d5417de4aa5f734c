"""A shard that wants to write as soon as it is loaded, on a partition that refuses that at first."""

from types import SimpleNamespace

import pytest

from kafkacompat.broker.coordinator import loading
from kafkacompat.broker.coordinator.loading import Loader
from kafkacompat.broker.coordinator.result import Result
from kafkacompat.broker.coordinator.runtime import CoordinatorContext
from kafkacompat.broker.timers import Timers
from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.storage.errors import LogError

NOW = Now(5, 0)


class EagerShard:
    """Has two things to write once it is loaded."""

    def __init__(self) -> None:
        self.replayed: list[object] = []

    def on_loaded(self, _now: Now):
        for name in ("first", "second"):
            result = Result()
            result.records = [(name, None)]
            result.otherwise = self.failed
            yield result

    def release(self):
        yield 1

    def failed(self, error_code: int) -> Result:
        self.replayed.append(error_code)
        return Result()

    def replay(self, _offset: int, _id: int, _epoch: int, record: tuple[str, None], *_: int) -> None:
        self.replayed.append(record[0])

    def on_committed(self, _high_watermark: int) -> None:
        pass


class RefusingPartition:
    """An empty log, to which the first append fails; it is its broker's `partitions` as well."""

    topic, index = "t", 0
    has_failed = False
    high_watermark = log_end_offset = 0
    log = SimpleNamespace(log_start_offset=0, log_end_offset=0)

    def __init__(self) -> None:
        self.appends = 0

    def append(self, *_args: object, internal: bool, **_how: object) -> SimpleNamespace:
        assert internal
        self.appends += 1
        if self.appends == 1:
            raise LogError(errors.NOT_ENOUGH_REPLICAS, "a replica is missing")
        self.high_watermark = self.log_end_offset = self.log_end_offset + 1
        return SimpleNamespace(
            first_offset=self.log_end_offset - 1, last_offset=self.log_end_offset - 1, sync_required=False
        )


class OtherShard:
    """Keeps the loader busy for more than two turns, so that who is loaded anew has to wait."""

    def __init__(self) -> None:
        self.left = 3 * loading.ITERATION_BUDGET

    @property
    def has_work(self) -> bool:
        return self.left > 0

    def work(self, budget: int, _now: Now) -> int:
        done = min(budget, self.left)
        self.left -= done
        return done


@pytest.mark.parametrize("is_alone", [True, False])
def test_what_cannot_be_written_is_left_out_and_nothing_is_loaded_anew(is_alone: bool) -> None:
    timers = Timers()
    loader = Loader(timers, lambda: True)
    partition = RefusingPartition()
    compaction = SimpleNamespace(bound_tail=lambda *_: None)
    context = CoordinatorContext(
        SimpleNamespace(timers=timers, partitions=partition, compaction=compaction), loader, partition, EagerShard,
        lambda *_: bytearray(),
        lambda *_: None,
        replays_every_record=False,
    )  # fmt: skip
    if not is_alone:
        loader.add(OtherShard(), NOW)
    context.load(NOW)
    ask = lambda: context.read(lambda shard: shard.replayed, lambda error: error, NOW)  # noqa: E731
    seen = [ask()]
    for now_ms in range(6, 12):
        timers.run(Now(now_ms, 0))
        seen.append(ask())
    assert partition.appends == 2  # one in vain
    assert seen[-1] == [errors.COORDINATOR_NOT_AVAILABLE, "second"]
    assert all(answer in (errors.COORDINATOR_LOAD_IN_PROGRESS, seen[-1]) for answer in seen)
