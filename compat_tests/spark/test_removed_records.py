"""Records that retention and compaction take: gone for a batch and under a stream, and gaps that are no loss."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from compat_tests.broker_process import Broker
from compat_tests.clients.samples import eventually
from compat_tests.spark.taking import Taking, check_counted
from compat_tests.spark.workbench import BASE_MS, LOST, RETENTION_SOON, Row, Workbench, as_json, finish, rows_of

pytestmark = pytest.mark.api("Fetch", "ListOffsets", "Metadata")

OLD, NEW = range(12), range(12, 20)
LEFT = rows_of(0, NEW, first_offset=12)
CLEANS_SOON = {"log.cleaner.backoff.ms": "100"}
KEYS = "abcbddeff"
"""Of one segment, by offset: compaction leaves the last record of each."""
KEPT = [0, 2, 3, 5, 6, 8]


@pytest.fixture
def expiring(
    new_broker: Callable[..., Broker], workbench: Callable[[Broker], Workbench], topic: str
) -> tuple[Workbench, Callable[[], None]]:
    """A topic of 20 records, of which retention takes 12 when the function is called."""
    bench = workbench(new_broker(config=RETENTION_SOON))
    return bench, bench.fill_and_expire(topic, OLD, NEW)


@pytest.mark.spark_behaviour(16)
def test_retention_between_two_uses_of_a_frame(expiring: tuple[Workbench, Callable[[], None]], topic: str) -> None:
    bench, expire = expiring
    frame = bench.read(subscribe=topic)
    assert bench.rows(frame) == rows_of(0, OLD) + LEFT
    expire()
    assert bench.rows(frame) == LEFT
    asked = {"subscribe": topic, "startingOffsets": as_json(topic, [3]), "endingOffsets": as_json(topic, [15])}
    assert bench.rows(bench.read(failOnDataLoss="false", **asked)) == LEFT[:3]
    with bench.refused(LOST):
        bench.rows(bench.read(failOnDataLoss="true", **asked))


@pytest.mark.spark_behaviour(34)
@pytest.mark.parametrize("strict", [True, pytest.param(False, marks=pytest.mark.full)])
def test_retention_takes_records_when_their_batch_is_planned(
    strict: bool, expiring: tuple[Workbench, Callable[[], None]], topic: str
) -> None:
    bench, expire = expiring
    stream = bench.stream(subscribe=topic, startingOffsets="earliest", failOnDataLoss=str(strict).lower())
    Taking(bench, stream, {0: expire}).check_first(LEFT, is_strict=strict)


@pytest.mark.spark_behaviour(34)
def test_spark_counts_what_retention_took(expiring: tuple[Workbench, Callable[[], None]], topic: str) -> None:
    bench, expire = expiring
    expire()
    stream = bench.stream(subscribe=topic, startingOffsets=as_json(topic, [3]), failOnDataLoss="false")
    check_counted(bench, stream, LEFT)


@pytest.mark.parametrize(
    "of_batch",
    [pytest.param(1, id="batches of one record", marks=pytest.mark.full), pytest.param(100, id="one batch")],
)
@pytest.mark.spark_behaviour(22)
def test_gaps_of_compaction_are_no_loss(
    new_broker: Callable[..., Broker], workbench: Callable[[Broker], Workbench], topic: str, of_batch: int
) -> None:
    """In the middle of a range, at its start and end, and all of it, for a batch and for a strict stream."""
    bench = workbench(new_broker(config=CLEANS_SOON))
    configs = {"cleanup_policy": "compact", "min_cleanable_dirty_ratio": "0.01", "segment_ms": "1000"}
    bench.create(topic, 1, **configs)
    records = [(key.encode(), b"%d" % offset, ()) for offset, key in enumerate(KEYS)]
    bench.send_records(topic, 0, records, [BASE_MS] * len(records), **{"batch.num.messages": of_batch})
    last = len(KEYS)
    bench.send_records(topic, 0, [(b"active", b"%d" % last, ())], [int(time.time() * 1000)])
    expected = [Row(0, offset, str(offset)) for offset in [*KEPT, last]]
    eventually(lambda: [each.offset for each in bench.consumed(topic)] == [*KEPT, last])
    strict = {"subscribe": topic, "failOnDataLoss": "true"}
    assert bench.rows(bench.read(**strict)) == expected
    for start, end in ((0, 5), (1, 2), (4, 5), (1, 8), (7, 8), (4, last + 1)):
        given = {"startingOffsets": as_json(topic, [start]), "endingOffsets": as_json(topic, [end])}
        assert bench.rows(bench.read(**strict, **given)) == [row for row in expected if start <= row.offset < end]
    stream = bench.stream(**strict, startingOffsets="earliest", maxOffsetsPerTrigger=1)
    query = bench.start(stream, availableNow=True)
    finish(query)
    assert bench.rows(bench.table(query)) == expected
