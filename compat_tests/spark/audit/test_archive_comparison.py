"""`audit_archive`: what an archive has is there, in the broker that it came from and in one that a replay wrote to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from compat_tests.broker_process import Broker
from compat_tests.clients.samples import eventually
from compat_tests.spark.workbench import BASE_MS, LATEST, WAIT_S, Workbench
from kafkacompat.spark import ArchiveSpec, AuditError, AuditReport, ReplaySpec, archive, audit_archive, replay
from kafkacompat.spark.archives.archive_writer import source_of
from kafkacompat.spark.audit import archive_comparison
from kafkacompat.spark.audit.audit_findings import OF_ARCHIVES

pytestmark = pytest.mark.api("Produce", "Fetch", "ListOffsets")

RECORDS, REMOVED = 60, 5


def found(report: AuditReport) -> list[tuple[str, int, int, int]]:
    return [(each.kind, each.partition, each.first_offset, each.last_offset) for each in report.findings]


@pytest.mark.spark_behaviour
def test_an_archive_is_compared_with_where_it_came_from_and_went(
    new_broker: Callable[..., Broker], workbench: Callable[[Broker], Workbench], topic: str, tmp_path: Path
) -> None:
    broker = new_broker()
    bench = workbench(broker)
    records: list[Any] = [(b"k%d" % n, None if n % 5 == 0 else b"%d" % n, [("h", b"v")]) for n in range(RECORDS)]
    bench.create(topic, 2)
    bench.send_records(topic, 0, records, [BASE_MS + n for n in range(RECORDS)])
    bench.send(topic, 1, range(3))
    lake = str(tmp_path / "lake")
    archive(bench.spark, ArchiveSpec(lake, bench.bootstrap_servers, topics=topic))
    bench.send(topic, 0, ["since"])
    bench.delete_records_before(topic, 0, REMOVED)
    report = audit_archive(bench.spark, lake, bootstrap_servers=bench.bootstrap_servers)
    assert found(report) == []
    assert report.totals == {"equal_records": RECORDS + 3 - REMOVED, "partitions": 2, "removed_records": REMOVED}
    again = f"{topic}-again"
    replay(bench.spark, ReplaySpec(lake, bench.bootstrap_servers, topic_map={topic: again}))
    of_replay: dict[str, Any] = {"bootstrap_servers": bench.bootstrap_servers, "topic_map": {topic: again}}
    assert found(audit_archive(bench.spark, lake, align="order", **of_replay)) == []
    bench.send(again, 1, ["more"])
    more = found(audit_archive(bench.spark, lake, align="order", **of_replay))
    assert more == [("only-in-broker", 1, 3, 3)]
    assert found(audit_archive(bench.spark, lake, **of_replay)) == []  # behind what is archived
    bench.saw("found", [report.totals, more])
    broker.stop()
    of_files = audit_archive(bench.spark, lake, log_dirs=[str(each) for each in broker.data_dirs], topics=topic)
    assert (found(of_files), of_files.totals) == ([], report.totals)


@pytest.mark.api("AddPartitionsToTxn", "EndTxn")
@pytest.mark.spark_behaviour
def test_each_difference_is_found_as_what_it_is(bench: Workbench, topic: str, tmp_path: Path) -> None:
    """A topic of the same name that has one record less, another one, and one where a transaction was aborted."""
    other = f"{topic}-other"
    for name in (topic, other):
        bench.create(name, 1)
    producer = Producer({"bootstrap.servers": bench.bootstrap_servers, "transactional.id": topic})
    producer.init_transactions(WAIT_S)
    bench.send_records(topic, 0, [(None, b"%d" % n, ()) for n in range(3)], [BASE_MS] * 3)
    producer.begin_transaction()
    producer.produce(topic, b"aborted", partition=0)
    producer.flush(WAIT_S)
    producer.abort_transaction(WAIT_S)
    eventually(lambda: bench.offset(topic, 0, LATEST) == 5)  # with the marker, which is written behind the answer
    bench.send_records(topic, 0, [(None, b"5", ()), (None, b"6", ())], [BASE_MS] * 2)
    values = [b"0", b"another", b"2", b"3", b"4", b"5"]
    bench.send_records(other, 0, [(None, value, ()) for value in values], [BASE_MS] * len(values))
    lake = str(tmp_path / "lake")
    spec = ArchiveSpec(lake, bench.bootstrap_servers, topics=topic, isolation="read_committed", allow_gaps=True)
    assert archive(bench.spark, spec).records == 5
    assert found(audit_archive(bench.spark, lake, bootstrap_servers=bench.bootstrap_servers)) == []
    differs = audit_archive(
        bench.spark, lake, bootstrap_servers=bench.bootstrap_servers, topic_map={topic: other}
    )  # fmt: skip
    bench.saw("found", found(differs))
    assert found(differs) == [
        ("different-record", 0, 1, 1), ("only-in-broker", 0, 3, 4), ("only-in-archive", 0, 6, 6),
    ]  # fmt: skip
    assert {each.kind for each in differs.findings} == {*OF_ARCHIVES}
    assert differs.totals == {"equal_records": 3, "partitions": 1, "removed_records": 0}


@pytest.mark.spark_behaviour
def test_who_set_timestamps_and_batches_archived_meanwhile_are_no_difference_from_a_replay(
    bench: Workbench, topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake, servers, again = str(tmp_path / "lake"), bench.bootstrap_servers, f"{topic}-again"
    bench.create(topic, 1, message_timestamp_type="LogAppendTime")
    bench.send(topic, 0, range(3))
    archive(bench.spark, ArchiveSpec(lake, servers, topics=topic))
    replay(bench.spark, ReplaySpec(lake, servers, topic_map={topic: again}))

    def meanwhile(spec: ArchiveSpec) -> Any:
        bench.send(topic, 0, ["more"])
        assert archive(bench.spark, ArchiveSpec(lake, servers, topics=topic)).records == 1
        return source_of(spec)

    monkeypatch.setattr(archive_comparison, "source_of", meanwhile)
    report = audit_archive(bench.spark, lake, bootstrap_servers=servers, topic_map={topic: again}, align="order")
    bench.saw("found", [found(report), report.totals])
    assert found(report) == []
    assert report.totals == {"equal_records": 3, "partitions": 1, "removed_records": 0}


@pytest.mark.spark_behaviour
def test_what_cannot_be_compared_is_said(bench: Workbench, topic: str, tmp_path: Path) -> None:
    lake, servers = str(tmp_path / "lake"), bench.bootstrap_servers
    with pytest.raises(AuditError, match="is no archive: it has no manifests"):
        audit_archive(bench.spark, lake, bootstrap_servers=servers)
    bench.create(topic, 1)
    bench.send(topic, 0, range(3))
    archive(bench.spark, ArchiveSpec(lake, servers, topics=topic))
    with pytest.raises(AuditError, match="has no topic that matches 'none'"):
        audit_archive(bench.spark, lake, bootstrap_servers=servers, topics="none")
    with pytest.raises(AuditError, match="topic_map has none, which is not among the topics to compare"):
        audit_archive(bench.spark, lake, bootstrap_servers=servers, topic_map={"none": "some"})
    with pytest.raises(AuditError, match="align is offset or order, not 'key'"):
        audit_archive(bench.spark, lake, bootstrap_servers=servers, align="key")
    assert audit_archive(bench.spark, lake, bootstrap_servers=servers).totals["equal_records"] == 3
    bench.saw("refused", 3)
