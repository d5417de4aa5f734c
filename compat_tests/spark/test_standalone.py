"""A standalone cluster with a master and two workers: an archive is written and a log audited by both of them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyspark
import pytest

from compat_tests.broker_process import Broker
from compat_tests.spark.standalone import environment, finished_tasks, flags, standalone_cluster
from compat_tests.spark.test_log_source import fill, same
from compat_tests.spark.versions import spark_jars
from compat_tests.spark.workbench import VERB_S, Workbench
from kafkacompat.spark import read_archive

PER_CODEC = 300
RECORDS = 2 * PER_CODEC * 5


def done(arguments: list[str], folder: Path) -> dict[str, object]:
    """What a verb of `kafkacompat spark` says."""
    command = [sys.executable, "-m", "kafkacompat", "spark", *arguments]
    ended = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=VERB_S)
    assert ended.returncode == 0, f"{ended.stdout[-2000:]}{ended.stderr[-3000:]}"
    return dict(json.loads(ended.stdout))


@pytest.mark.api("Produce", "Fetch", "ListOffsets")
@pytest.mark.spark_behaviour
@pytest.mark.full("kafka")
def test_two_workers_archive_each_record_once_and_audit_the_log(
    new_broker: Callable[..., Broker], workbench: Callable[[Broker], Workbench], topic: str, tmp_path: Path
) -> None:
    broker = new_broker()
    bench = workbench(broker)
    fill(bench, topic, PER_CODEC)
    expected = bench.read(subscribe=topic, includeHeaders=True).cache()
    assert expected.count() == RECORDS
    lake = str(tmp_path / "lake")
    with standalone_cluster(tmp_path) as cluster:
        on_cluster = flags(cluster.url, spark_jars(pyspark.__version__))
        archived = done(
            ["archive", "-b", broker.bootstrap_servers, "--topics", topic, "--to", lake, *on_cluster], tmp_path
        )
        assert archived["records"] == RECORDS
        assert len(finished_tasks(tmp_path)) == 2, "each worker has done a part"
        broker.stop()
        (directory,) = broker.data_dirs
        audited = done(["audit", "log", "--log-dir", str(directory), "--topics", topic, *on_cluster], tmp_path)
        assert audited["counts"] == {}
    assert same(read_archive(bench.spark, lake).select(*expected.columns), expected) == RECORDS
    bench.saw("records", RECORDS)
