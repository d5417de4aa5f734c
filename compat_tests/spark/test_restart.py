"""A broker stops, or is killed, in the middle of a stream: the stream goes on, and each record is there once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from compat_tests.broker_process import Broker
from compat_tests.clients.samples import eventually
from compat_tests.spark.workbench import LATEST, WAIT_S, Workbench, progress, rows_of

pytestmark = pytest.mark.api("Fetch", "ListOffsets", "Metadata")

COUNT, MORE, PER_BATCH = 600, 50, 50
"""Records of each of two partitions, and of both in a micro-batch."""
WRITTEN = 100_000
EVERY = "500 milliseconds"
"""The pace of the micro-batches: the broker has to be gone before the last of them, and may be long in going."""


@pytest.fixture
def own(new_broker: Callable[..., Broker], workbench: Callable[[Broker], Workbench]) -> tuple[Broker, Workbench]:
    """A broker for this test alone."""
    broker = new_broker()
    return broker, workbench(broker)


@pytest.mark.spark_behaviour(38)
@pytest.mark.parametrize("how", ["stop", pytest.param("kill", marks=pytest.mark.full)])
def test_a_stream_outlives_its_broker(how: str, own: tuple[Broker, Workbench], topic: str) -> None:
    broker, bench = own
    bench.create(topic, 2)
    for partition in range(2):
        bench.send(topic, partition, range(COUNT))
    stream = bench.stream(subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger=PER_BATCH)
    query = bench.start_files(stream, processingTime=EVERY)
    eventually(lambda: len(progress(query)) >= 3, WAIT_S)
    getattr(broker, how)()
    assert len(progress(query)) < 2 * COUNT // PER_BATCH, "the stream was at its end before the broker went"
    broker.start()
    for partition in range(2):
        bench.send(topic, partition, range(COUNT, COUNT + MORE))
    query.processAllAvailable()
    assert len(progress(query)) >= 2 * (COUNT + MORE) // PER_BATCH
    query.stop()
    expected = rows_of(0, range(COUNT + MORE)) + rows_of(1, range(COUNT + MORE))
    assert bench.rows(bench.files()) == expected


@pytest.mark.spark_behaviour(38)
@pytest.mark.full
def test_a_stopped_stream_goes_on_from_its_checkpoint_after_the_broker_was_away(
    own: tuple[Broker, Workbench], topic: str
) -> None:
    broker, bench = own
    bench.create(topic, 2)
    bench.send(topic, 0, range(COUNT))
    stream = bench.stream(subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger=100)
    query = bench.start_files(stream)
    eventually(lambda: len(progress(query)) >= 2, WAIT_S)
    query.stop()
    broker.stop()
    broker.start()
    bench.send(topic, 1, range(COUNT))
    broker.kill()
    broker.start()
    query = bench.start_files(stream)
    query.processAllAvailable()
    query.stop()
    assert bench.rows(bench.files()) == rows_of(0, range(COUNT)) + rows_of(1, range(COUNT))


@pytest.mark.full
@pytest.mark.spark_behaviour(49)
def test_the_broker_is_killed_during_a_write(own: tuple[Broker, Workbench], topic: str) -> None:
    """The producer tries again until the broker is back: each record is there at least once."""
    broker, bench = own
    bench.create(topic, 2)
    frame = bench.spark.range(0, WRITTEN, 1, 20).selectExpr("format_string('%06d', id) AS value")
    small = {"kafka.batch.size": "1000", "kafka.buffer.memory": "20000"}
    with ThreadPoolExecutor(1) as beside:
        writing = beside.submit(bench.write, frame, topic=topic, **small)
        eventually(lambda: bench.offset(topic, 0, LATEST) > WRITTEN // 40, WAIT_S)
        broker.kill()
        assert not writing.done(), "all was written before the broker was killed"
        broker.start()
        writing.result(2 * WAIT_S)
    found = {record.value for record in bench.consumed(topic)}
    bench.saw("values", sorted(str(value) for value in found))
    assert found == {b"%06d" % number for number in range(WRITTEN)}
