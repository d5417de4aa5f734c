"""What is wrong with an archive is found, as what it is."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession

from compat_tests.spark.workbench import WAIT_S, Workbench
from kafkacompat.spark import ArchiveError, ArchiveSpec, archive, read_archive, verify_archive
from kafkacompat.spark.archives.archive_files import ArchiveFiles

pytestmark = pytest.mark.api("Produce", "Fetch", "ListOffsets")


def write(file: Path, content: bytes) -> None:
    """In place of what is there, without Hadoop's checksum beside it, as in a copy that was made by other means."""
    (file.parent / f".{file.name}.crc").unlink(missing_ok=True)
    file.write_bytes(content)


@pytest.mark.spark_behaviour
def test_damage_is_found_as_what_it_is(bench: Workbench, topic: str, tmp_path: Path) -> None:
    bench.create(topic, 1)
    bench.send(topic, 0, range(100))
    path = tmp_path / "archive"
    archive(bench.spark, ArchiveSpec(str(path), bench.bootstrap_servers, topics=topic, max_records=50))
    first, second = sorted(path.glob("manifest/*.json"))
    text = first.read_text()
    plain = json.loads(text)
    (file,) = (path / each["path"] for each in plain["files"])

    def findings() -> list[str]:
        return list(verify_archive(bench.spark, str(path)).findings)

    def with_manifest(**changed: object) -> list[str]:
        write(first, json.dumps({**plain, "partitions": [{**plain["partitions"][0], **changed}]}).encode())
        found = findings()
        write(first, text.encode())
        return found

    name = f"batch 0, {topic}-0"
    assert with_manifest(digest="1") == [f"{name}: the records differ from those that were archived"]
    assert with_manifest(records=49, missing=1) == [f"{name}: the files have 50 records, and the manifest 49"]
    assert with_manifest(end_offset=49, records=49)[0].startswith(f"batch 1, {topic}-0: it begins at offset 50")
    size = file.stat().st_size
    whole = file.read_bytes()
    file.unlink()
    (found,) = findings()
    assert found.endswith("is missing")
    write(file, whole[:-1])
    (found,) = findings()
    assert found.endswith(f"has {size - 1} bytes, not {size}")
    damaged = whole[:100] + bytes(100) + whole[200:]
    write(file, damaged)
    told = f"batch 0: {plain['files'][0]['path']} has SHA-256 {sha256(damaged).hexdigest()}, not "
    assert findings() == [f"{told}{sha256(whole).hexdigest()}"]
    old = {**plain, "format_version": 2, "files": [{**plain["files"][0]}]}
    del old["files"][0]["sha256"], old["partitions"][0]["gaps"]
    write(first, json.dumps(old).encode())
    (found,) = findings()
    assert found.startswith(("batch 0: its files cannot be read", f"batch 0, {topic}-0: "))
    write(file, whole)
    assert findings() == [], "a manifest of format 2, without checksums"
    write(first, text.encode())
    assert findings() == []
    text = second.read_text()
    write(second, text[: len(text) // 2].encode())
    with pytest.raises(ArchiveError, match=r"is no manifest .*If it is the last one, remove it: its batch is archived"):
        read_archive(bench.spark, str(path))
    second.unlink()
    archive(bench.spark, ArchiveSpec(str(path), bench.bootstrap_servers, topics=topic))
    assert (findings(), read_archive(bench.spark, str(path)).count()) == ([], 100)
    bench.saw("a half-written manifest", "its batch is archived anew")


@pytest.mark.spark_behaviour
def test_a_file_that_cannot_be_read_hides_no_other(bench: Workbench, topic: str, tmp_path: Path) -> None:
    bench.create(topic, 2)
    for partition in (0, 1):
        bench.send(topic, partition, range(50))
    path = tmp_path / "archive"
    assert archive(bench.spark, ArchiveSpec(str(path), bench.bootstrap_servers, topics=topic)).batches == 1
    (manifest,) = path.glob("manifest/*.json")
    unreadable, changed = (each["path"] for each in json.loads(manifest.read_text())["files"])
    for name, place in ((unreadable, Path.write_bytes), (changed, write)):  # of the first Hadoop's checksum stays
        whole = (path / name).read_bytes()
        place(path / name, whole[:100] + bytes(100) + whole[200:])
    found = verify_archive(bench.spark, str(path)).findings
    assert [each.split(":")[1].split()[0] for each in found] == [unreadable, changed]
    assert f"batch 0: {unreadable} cannot be read: org.apache.hadoop.fs.ChecksumException" in found[0]
    assert f"batch 0: {changed} has SHA-256 " in found[1]
    bench.saw("findings", len(found))


@pytest.mark.spark_behaviour
def test_a_file_system_that_writes_and_deletes_nothing_says_so(spark: SparkSession) -> None:
    """Hadoop's one for HTTP only reads."""
    with pytest.raises(ArchiveError, match=r"manifest/0.json cannot be written: java.lang.Unsupp.*; run it again"):
        ArchiveFiles(spark, "http://localhost/lake").write_new("manifest/0.json", "{}")


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.spark_behaviour
def test_an_archive_of_an_older_version_is_read_checked_and_goes_on(
    bench: Workbench, topic: str, tmp_path: Path, version: int
) -> None:
    bench.create(topic, 1)
    bench.send(topic, 0, range(5))
    path = tmp_path / "archive"
    spec = ArchiveSpec(str(path), bench.bootstrap_servers, topics=topic)
    archive(bench.spark, spec)
    (first,) = path.glob("manifest/*.json")
    plain = json.loads(first.read_text())
    for entry, name in ((plain["partitions"][0], "gaps"), (plain["files"][0], "sha256")):
        del entry[name]
    if version == 1:
        del plain["topics"]
    write(first, json.dumps({**plain, "format_version": version}).encode())
    bench.send(topic, 0, range(5, 8))
    assert archive(bench.spark, spec).records == 3
    found = read_archive(bench.spark, str(path)).selectExpr("cast(value as string)").collect()
    assert sorted(row[0] for row in found) == [str(n) for n in range(8)]
    verdict = verify_archive(bench.spark, str(path))
    bench.saw("verdict", [verdict.records, verdict.findings])
    assert (verdict.records, verdict.findings) == (8, ())


@pytest.mark.spark_behaviour
def test_gaps_of_transactions_are_listed(bench: Workbench, topic: str, tmp_path: Path) -> None:
    bench.create(topic, 2)
    producer = Producer({"bootstrap.servers": bench.bootstrap_servers, "transactional.id": topic})
    producer.init_transactions(WAIT_S)
    for commits in (True, False, True):
        producer.begin_transaction()
        for _ in range(3):
            producer.produce(topic, b"v", partition=0)
        producer.flush(WAIT_S)
        producer.commit_transaction(WAIT_S) if commits else producer.abort_transaction(WAIT_S)
    producer.begin_transaction()
    producer.produce(topic, b"v", partition=1)
    producer.flush(WAIT_S)
    producer.abort_transaction(WAIT_S)  # which leaves partition 1 without a record
    path = tmp_path / "archive"
    spec = ArchiveSpec(str(path), bench.bootstrap_servers, topics=topic, isolation="read_committed")
    with pytest.raises(ArchiveError, match=f"{topic}-0: 6 of the offsets 0 to 11 have no record"):
        archive(bench.spark, spec)
    assert archive(bench.spark, spec._replace(allow_gaps=True)).missing == 8
    (manifest,) = path.glob("manifest/*.json")
    gaps = {each["partition"]: each["gaps"] for each in json.loads(manifest.read_text())["partitions"]}
    bench.saw("gaps", gaps)
    assert gaps == {0: [[3, 8], [11, 12]], 1: [[0, 2]]}
    assert verify_archive(bench.spark, str(path)).findings == ()
