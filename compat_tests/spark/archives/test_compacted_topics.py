"""Compacted topics: what an archive has of them, begun before compaction and after it, and what it becomes again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from compat_tests.broker_process import Broker
from compat_tests.clients.samples import eventually
from compat_tests.spark.test_removed_records import CLEANS_SOON, KEPT, KEYS
from compat_tests.spark.workbench import BASE_MS, Workbench
from kafkacompat import Cluster
from kafkacompat.spark import (
    ArchiveError,
    ArchiveSpec,
    ImportSpec,
    ReplaySpec,
    archive,
    audit_archive,
    import_archive,
    read_archive,
    replay,
    verify_archive,
)

LAST = len(KEYS)
GAPS = [[1, 2], [4, 5], [7, 8]]
POLICY = "cleanup.policy"


@pytest.mark.api("Produce", "Fetch", "ListOffsets")
@pytest.mark.spark_behaviour
def test_archives_of_a_compacted_topic(
    new_broker: Callable[..., Broker], workbench: Callable[[Broker], Workbench], topic: str, tmp_path: Path
) -> None:
    bench = workbench(new_broker(config=CLEANS_SOON))
    configs = {"cleanup_policy": "compact", "min_cleanable_dirty_ratio": "0.01", "segment_ms": "1000"}
    bench.create(topic, 1, **configs)
    records = [(key.encode(), b"%d" % offset, ()) for offset, key in enumerate(KEYS)]
    bench.send_records(topic, 0, records, [BASE_MS] * LAST)
    long, late = (ArchiveSpec(str(tmp_path / name), bench.bootstrap_servers, topics=topic) for name in ("long", "late"))
    assert archive(bench.spark, long).records == LAST
    bench.send_records(topic, 0, [(b"active", b"%d" % LAST, ())], [int(time.time() * 1000)])
    eventually(lambda: [each.offset for each in bench.consumed(topic)] == [*KEPT, LAST])

    assert archive(bench.spark, long) == (1, 1, archive_size(tmp_path / "long", 1), 0, 0)  # it goes on, without gaps
    assert offsets(bench, long.path) == [*range(LAST + 1)]
    with pytest.raises(ArchiveError, match=f"{topic}-0: 3 of the offsets 0 to {LAST} have no record, as after comp"):
        archive(bench.spark, late)
    assert archive(bench.spark, late._replace(allow_gaps=True)).missing == LAST - len(KEPT)
    assert offsets(bench, late.path) == [*KEPT, LAST]
    (manifest,) = (tmp_path / "late").glob("manifest/*.json")
    assert json.loads(manifest.read_text())["partitions"][0]["gaps"] == GAPS
    assert [verify_archive(bench.spark, each.path).findings for each in (long, late)] == [(), ()]
    reports = [
        audit_archive(bench.spark, each.path, bootstrap_servers=bench.bootstrap_servers) for each in (long, late)
    ]
    assert [report.counts for report in reports] == [{"only-in-archive": LAST - len(KEPT)}, {}]

    for each, there in ((long, [*range(LAST + 1)]), (late, [*KEPT, LAST])):
        data = f"{each.path}-data"
        assert import_archive(bench.spark, ImportSpec(each.path, data)).records == len(there)
        with Cluster(data_dir=data) as kafka:
            assert [record.offset for record in kafka.records(topic)] == there
            assert kafka.topics()[topic].configs[POLICY].value == "compact"
    again = f"{topic}-again"
    report = replay(bench.spark, ReplaySpec(late.path, bench.bootstrap_servers, topic_map={topic: again}))
    values = [each.value for each in bench.consumed(again)]
    bench.saw("replayed", [report.sent, values])
    assert values == [b"%d" % offset for offset in [*KEPT, LAST]]


def offsets(bench: Workbench, path: str) -> list[int]:
    """Those that an archive has."""
    return [row[0] for row in read_archive(bench.spark, path).select("offset").sort("offset").collect()]


def archive_size(path: Path, batch: int) -> int:
    """The bytes of a batch's files."""
    return sum(each.stat().st_size for each in path.glob(f"records/batch={batch}/**/*.parquet"))
