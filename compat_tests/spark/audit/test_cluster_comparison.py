"""`audit_clusters` finds the first record that differs, by offset, by order and by key."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compat_tests.broker_process import Broker
from compat_tests.spark.workbench import BASE_MS, Workbench
from kafkacompat.spark import AuditError, audit_clusters
from kafkacompat.spark.audit.audit_sources import of_broker

pytestmark = pytest.mark.api("Produce", "Fetch", "ListOffsets")


@pytest.mark.spark_behaviour
def test_two_clusters_are_compared(
    new_broker: Callable[..., Broker], workbench: Callable[[Broker], Workbench], topic: str
) -> None:
    one, other = (workbench(new_broker()) for _ in range(2))
    records = [(b"k%d" % (n % 3), None if n % 5 == 0 else b"%d" % n, [("h", b"v")]) for n in range(60)]
    times = [BASE_MS + n for n in range(60)]
    for bench in (one, other):
        bench.create(topic, 2)
        bench.send_records(topic, 0, records, times)
    servers = (one.bootstrap_servers, other.bootstrap_servers)

    def found(**options: object) -> list[tuple[str, int, int, int]]:
        report = audit_clusters(one.spark, *servers, topics=topic, **options)  # type: ignore[arg-type]
        return [(each.kind, each.partition, each.first_offset, each.last_offset) for each in report.findings]

    assert found() == []
    with pytest.raises(AuditError, match="nothing was compared: no topic that matches 'none' has records in "):
        audit_clusters(one.spark, *servers, topics="none")
    assert of_broker(one.spark, servers[0], topic[:-1]).count() == 0  # the whole name has to match
    assert of_broker(one.spark, servers[0], rf"\p{{Alpha}}{topic[1:]}").count() == 60  # which only Java understands
    one.send_records(topic, 1, records, times)
    other.send_records(topic, 1, [*records[:20], (b"k2", b"other", ()), *records[21:]], [n + 1 for n in times])
    assert found() == [("different-record", 1, 0, 59)]
    assert found(ignore=["timestamp"]) == [("different-record", 1, 20, 20)]
    one.send_records(topic, 0, records[:1], times[:1])
    assert found(ignore=["timestamp"])[0] == ("only-in-a", 0, 60, 60)
    other.delete_records_before(topic, 0, 5)
    by_offset, by_order = found(ignore=["timestamp"]), found(ignore=["timestamp"], align="order")
    one.saw("found", [by_offset, by_order])
    assert by_offset[0] == ("only-in-a", 0, 0, 60)
    assert [each[0] for each in by_order if each[1] == 0] == ["different-record", "only-in-a"]
    with pytest.raises(AuditError, match="align is offset, order, key, not 'time'"):
        found(align="time")


@pytest.mark.spark_behaviour
def test_by_key_partitions_need_not_be_the_same(
    new_broker: Callable[..., Broker], workbench: Callable[[Broker], Workbench], topic: str
) -> None:
    one, other = (workbench(new_broker()) for _ in range(2))
    for bench, partitions in ((one, 1), (other, 3)):
        bench.create(topic, partitions)
        for key in range(3):
            records = [(b"k%d" % key, b"%d" % n, ()) for n in range(10)]
            bench.send_records(topic, key % partitions, records, [BASE_MS] * 10)
    report = audit_clusters(one.spark, one.bootstrap_servers, other.bootstrap_servers, topics=topic, align="key")
    assert (report.findings, report.totals["equal_records"]) == ((), 30)
    one.saw("equal", report.totals["equal_records"])
