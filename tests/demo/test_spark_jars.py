"""Whether Spark can run here, without running it."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from kafkacompat.demo import spark_jars
from kafkacompat.demo.errors import DemoError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are shell scripts")


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.mark.parametrize(
    ("says", "version"),
    [('openjdk version "17.0.15" 2025-04-15', 17), ('java version "1.8.0_402"', 8), ("gibberish", None)],
)
def test_the_version_of_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, version: int | None) -> None:
    program(tmp_path / "bin", "java", f"echo '{says}' >&2")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert spark_jars.java_version() == version


def test_without_java_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "no Java" in str(spark_jars.why_not())


def test_an_old_java_is_not_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "bin", "java", "echo 'openjdk version \"11.0.2\"' >&2")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert "Java 11 is too old" in str(spark_jars.why_not())


def test_a_pyspark_without_known_jars_is_not_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "bin", "java", "echo 'openjdk version \"17.0.15\"' >&2")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    for version, told in (
        ("4.1.0", "pyspark is 4.1.0, and not 4.0.0 or 4.2.0: pip install pyspark==4.2.0"),
        (None, "pyspark is not installed: pip install pyspark==4.2.0"),
        *((known, None) for known in spark_jars.JARS),
    ):
        monkeypatch.setattr(spark_jars, "pyspark_version", lambda version=version: version)
        assert spark_jars.why_not() == told


def test_without_maven_spark_fetches_the_connector_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("KAFKACOMPAT_CACHE", str(tmp_path / "cache"))
    assert spark_jars.session_settings("4.2.0") == {
        "spark.jars.packages": f"{spark_jars.CONNECTOR}:4.2.0", "spark.jars.ivy": str(tmp_path / "cache" / "ivy"),
    }  # fmt: skip


def test_maven_fills_the_cache_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill = 'for a in "$@"; do case $a in -DoutputDirectory=*) d=${a#*=};; esac; done; /bin/mkdir -p $d; : > $d/one.jar'
    program(tmp_path / "bin", "mvn", fill)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("KAFKACOMPAT_CACHE", str(tmp_path / "cache"))
    first = spark_jars.session_settings("4.2.0")
    assert Path(first["spark.jars"]).name == "one.jar"
    program(tmp_path / "bin", "mvn", "exit 1")
    assert spark_jars.session_settings("4.2.0") == first


def test_maven_in_vain_is_one_line_and_leaves_no_half_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "bin", "mvn", "echo '[ERROR] Could not resolve it'; exit 1")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("KAFKACOMPAT_CACHE", str(tmp_path / "cache"))
    with pytest.raises(DemoError, match=r"Could not resolve it.*--no-spark"):
        spark_jars.session_settings("4.0.0")
    assert list((tmp_path / "cache").iterdir()) == []
