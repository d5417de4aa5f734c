"""Keys are counted by Spark as Python counts them, and the command line writes the page in a process of its own."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from kafkacompat import Cluster
from kafkacompat.spark import audit_log, audit_page
from kafkacompat.spark.audit.key_figures import TopicKeys, key_figures

SEED = 7
VERB_S = 300
"""How long the verb may take, a JVM included."""
HOSTILE = "<script>alert(1)</script>"


class Tags(HTMLParser):
    """The tags of a page, and its texts as a reader sees them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.shown = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.shown += data


def written(tmp_path: Path) -> tuple[Path, list[dict[str, Any]]]:
    """The log directory of a broker with records of few keys, tombstones, and some without a key."""
    chance = random.Random(SEED)
    records: list[dict[str, Any]] = [
        {
            "key": chance.choice([None, HOSTILE, *map(str, range(20))]),
            "value": chance.choice([None, "v" * chance.randrange(50)]),
            "partition": chance.randrange(2),
        }
        for _ in range(2000)
    ]
    with Cluster(topics={"orders": 2}, records={"orders": records}, data_dir=tmp_path / "data"):
        pass
    (log,) = tmp_path.glob("data/**/orders-0")
    return log.parent, records


def counted(records: list[dict[str, Any]]) -> TopicKeys:
    """The same without Spark."""
    last: dict[tuple[int, str], Any] = {}
    size = without_key = without_key_bytes = 0
    for each in records:
        size_bytes = len(each["key"] or "") + len(each["value"] or "")
        size += size_bytes
        if each["key"] is None:
            without_key += 1
            without_key_bytes += size_bytes
        else:
            last[each["partition"], each["key"]] = None if each["value"] is None else size_bytes
    kept = [each for each in last.values() if each is not None]
    tombstones = len(last) - len(kept)
    return TopicKeys("orders", len(last), len(records), size, sum(kept) + without_key_bytes, tombstones, without_key)


@pytest.mark.spark_behaviour
def test_keys_are_counted(spark: SparkSession, tmp_path: Path) -> None:
    directory, records = written(tmp_path)
    figures = key_figures(spark, [str(directory)], ".*", 0)
    assert figures.topics == (counted(records),)
    sizes: defaultdict[bytes | None, int] = defaultdict(int)
    for each in records:
        key = None if each["key"] is None else each["key"].encode()
        sizes[key] += len(each["key"] or "") + len(each["value"] or "")
    assert [each.size_bytes for each in figures.top] == sorted(sizes.values(), reverse=True)[: len(figures.top)]
    assert all(sizes[each.key] == each.size_bytes for each in figures.top)


@pytest.mark.spark_behaviour
def test_a_log_without_records_has_a_page(spark: SparkSession, tmp_path: Path) -> None:
    with Cluster(topics=["orders"], data_dir=tmp_path / "data"):
        pass
    (log,) = tmp_path.glob("data/**/orders-0")
    (log / f"{0:020}.log").touch()
    report = audit_log(spark, [str(log.parent)], topics="orders")
    assert report.totals["records"] == 0
    assert "Sound: no damage found" in audit_page(spark, report, [str(log.parent)], topics="orders")


@pytest.mark.spark_behaviour
def test_the_command_line_writes_the_page(tmp_path: Path) -> None:
    directory, _ = written(tmp_path)
    (segment,) = directory.glob("orders-1/*.log")
    data = bytearray(segment.read_bytes())
    data[-1] ^= 1
    segment.write_bytes(data)
    page, verdict = tmp_path / "audit.html", tmp_path / "audit.json"
    command = (
        sys.executable, "-m", "kafkacompat", "spark", "audit", "log", "--log-dir", str(directory),
        "--master", "local[1]", "--html", str(page), "--json", str(verdict),
    )  # fmt: skip
    result = subprocess.run(command, capture_output=True, text=True, timeout=VERB_S, check=False)
    assert result.returncode == 8, result.stderr
    assert json.loads(verdict.read_text())["counts"] == {"checksum": 1}
    text = page.read_text(encoding="utf-8")
    assert "Damaged: 1 finding" in text
    assert "What compaction would save" in text
    seen = Tags(text)
    assert HOSTILE in seen.shown
    assert "div" in seen.tags
    assert "script" not in seen.tags
