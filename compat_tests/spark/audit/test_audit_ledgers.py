"""`load` keeps a ledger, and `audit_ledger` finds what a broker does not keep of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from compat_tests.broker_process import Broker
from compat_tests.chaos.ledger import Ledger
from compat_tests.spark.workbench import Workbench
from kafkacompat.spark import AuditError, audit_ledger, load
from kafkacompat.spark.audit.audit_findings import OF_LEDGERS
from kafkacompat.spark.audit.ledger_files import ledger_line, value_of
from kafkacompat.spark.audit.load_writer import LoadReport, writer_name

pytestmark = pytest.mark.api("Produce", "Fetch", "ListOffsets")


@pytest.mark.api("InitProducerId")
@pytest.mark.spark_behaviour
def test_what_was_acknowledged_is_there_also_after_a_kill(
    new_broker: Callable[..., Broker], workbench: Callable[[Broker], Workbench], topic: str, tmp_path: Path
) -> None:
    broker = new_broker()
    bench = workbench(broker)
    bench.create(topic, 3)
    path = str(tmp_path / "ledger")
    loaded = load(bench.spark, bench.bootstrap_servers, topic, path, rate=2000, duration_s=2)
    assert loaded == LoadReport(loaded.acknowledged, 0, 0)
    assert loaded.acknowledged > 1000
    broker.kill()
    broker.start()
    report = audit_ledger(bench.spark, path, bootstrap_servers=bench.bootstrap_servers)
    assert report.findings == ()
    assert report.totals["acknowledged"] == report.totals["stored"] == loaded.acknowledged
    assert report.totals["not_in_the_ledger"] == 0
    broker.stop()
    files = audit_ledger(bench.spark, path, log_dirs=[str(broker.data_dirs[0])])
    assert files == report
    bench.saw("clean", [report.is_clean, files.is_clean])
    with pytest.raises(AuditError, match="there already"):
        load(bench.spark, bench.bootstrap_servers, topic, path)


@pytest.mark.spark_behaviour
def test_each_difference_is_found_as_what_it_is(bench: Workbench, topic: str, tmp_path: Path) -> None:
    values = [value_of("p", number, 30) for number in range(8)]
    bench.create(topic, 1)
    stored = [0, 1, 1, 3, 2, 5, 6, 7]  # at offsets 0 to 7: 1 twice, 2 behind 3, no 4
    bench.send_records(topic, 0, [(None, values[number], ()) for number in stored])

    def ledger(name: str, statuses: dict[int, tuple[str, int | None]]) -> list[tuple[str, int | None]]:
        path = tmp_path / f"{name}.jsonl"
        lines = [
            ledger_line(topic, 0, offset, "p", number, values[number], status, 0, 1)
            for number, (status, offset) in statuses.items()
        ]
        path.write_text("".join(lines))
        report = audit_ledger(bench.spark, str(path), bootstrap_servers=bench.bootstrap_servers)
        return [(each.kind, each.first_offset) for each in report.findings]

    found = {
        "lost": ledger("lost", {0: ("ok", 0), 4: ("ok", 5)}),
        "duplicate": ledger("duplicate", {0: ("ok", 0), 1: ("ok", 1)}),
        "wrong-offset": ledger("wrong", {5: ("ok", 5), 6: ("ok", 9)}),
        "out-of-order": ledger("order", {2: ("ok", 4), 3: ("ok", 3)}),
        "refused-but-stored": ledger("refused", {5: ("ok", 5), 7: ("fail", None)}),
    }
    bench.saw("found", found)
    assert found.keys() == OF_LEDGERS.keys()
    assert {kind: [each[0] for each in each_found] for kind, each_found in found.items()} == {
        kind: [kind] for kind in OF_LEDGERS
    }
    allowed = {0: ("ok", 0), 4: ("info", None), 5: ("info", None)}
    assert ledger("allowed", dict(allowed)) == []
    path = tmp_path / "cut-off.jsonl"
    whole = ledger_line(topic, 0, 0, "p", 0, values[0], "ok", 0, 1)
    cut_off = ledger_line(topic, 0, 5, "p", 5, values[5], "ok", 0, 1)
    for size in (10, len(cut_off) - 60, len(cut_off) - 2):
        path.write_text(whole + cut_off[:size])
        report = audit_ledger(bench.spark, str(path), bootstrap_servers=bench.bootstrap_servers)
        assert report.findings == ()
        assert (report.totals["writes"], report.totals["unreadable_lines"]) == (1, 1), size


@pytest.mark.spark_behaviour
def test_a_writer_that_is_started_again_has_another_name(spark: SparkSession) -> None:
    tasks = spark.sparkContext.parallelize(range(2), 2).map(lambda number: writer_name("run", number))
    names = tasks.collect() + tasks.collect()
    assert len({*names}) == 4
    assert [name.rsplit("-", 1)[0] for name in names] == ["run-0", "run-1"] * 2


@pytest.mark.spark_behaviour
def test_the_ledger_of_a_chaos_run_is_read(bench: Workbench, topic: str, tmp_path: Path) -> None:
    bench.create(topic, 2)
    bench.send(topic, 1, ["w.1", "w.2", "w.3"])
    ledger = Ledger(tmp_path / "ledger.jsonl")
    for number, end, offset in ((1, "ok", 0), (2, "info", None), (3, "ok", 2), (4, "ok", 3)):
        ledger.enter(
            "send", process="w", key=f"{topic}/1", value=f"w.{number}", end=end, offset=offset, idempotent=True, ms=1.0
        )
    ledger.enter("poll", process="r", reads={})
    ledger.close()
    assert len([json.loads(line) for line in ledger.path.read_text().splitlines()]) == 5
    report = audit_ledger(bench.spark, str(ledger.path), bootstrap_servers=bench.bootstrap_servers)
    found = [(each.kind, each.partition, each.first_offset) for each in report.findings]
    bench.saw("found", [found, report.totals["unknown_and_stored"]])
    assert found == [("lost", 1, 3)]
    assert report.totals["unknown_and_stored"] == 1
    assert report.totals["writes"] == 4
