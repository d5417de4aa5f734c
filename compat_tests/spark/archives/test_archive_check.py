"""What is wrong with an archive is found, as what it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compat_tests.spark.workbench import Workbench
from kafkacompat.spark import ArchiveError, ArchiveSpec, archive, read_archive, verify_archive

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
    write(file, whole[:100] + bytes(100) + whole[200:])
    (found,) = findings()
    assert found.startswith("batch 0")
    write(file, whole)
    assert findings() == []
    text = second.read_text()
    write(second, text[: len(text) // 2].encode())
    with pytest.raises(ArchiveError, match=r"is no manifest .*If it is the last one, remove it: its batch is archived"):
        read_archive(bench.spark, str(path))
    second.unlink()
    archive(bench.spark, ArchiveSpec(str(path), bench.bootstrap_servers, topics=topic))
    assert (findings(), read_archive(bench.spark, str(path)).count()) == ([], 100)
    bench.saw("a half-written manifest", "its batch is archived anew")
