"""The Sparks that the tests run on: pyspark of a version, and the jars that it lacks for its Kafka source and sink.

The tests run on the pyspark that is installed. Another one is put into a folder of the cache and goes before it on
PYTHONPATH, so that everything else stays what it is; `test_older_spark.py` does that. Which jars a version needs, the
demo knows.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pyspark

from compat_tests.artifacts import Artifact, cache_root, locked, resolve
from kafkacompat.demo.spark_jars import JARS, TOKEN_PROVIDER

INSTALL_TIMEOUT_S = 900
"""How long pip may take to fetch and unpack pyspark (450 MB)."""

OLDEST = next(iter(JARS))
"""The jobs run on it, too, and name the options that it lacks."""


def is_since(version: str) -> bool:
    """Whether the Spark of this process is of this version or newer."""
    return _numbers(pyspark.__version__) >= _numbers(version)


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")[:3]]


def spark_jars(version: str) -> list[Path]:
    """The jars for `spark.jars`, and nothing that pyspark has. Raises LookupError for a Spark that is not known."""
    if version not in JARS:
        raise LookupError(f"pyspark {version} is installed; the jars are known for {', '.join(JARS)}")
    named = (coordinates.split(":") for coordinates in JARS[version])
    artifacts = [Artifact(group, name, number, (TOKEN_PROVIDER,)) for group, name, number in named]
    return sorted(resolve(f"spark-{version}", artifacts, transitive=False).glob("*.jar"))


def pyspark_folder(version: str) -> Path:
    """A folder for PYTHONPATH with pyspark of `version`, filled by pip the first time.

    Raises RuntimeError with pip's words when it cannot be had.
    """
    requirement = f"pyspark=={version}"
    digest = hashlib.sha256(f"{requirement} {sys.version_info[:2]}".encode()).hexdigest()[:12]
    target = cache_root() / f"pyspark-{version}-{digest}"
    with locked(target.parent / f"{target.name}.lock"):
        if not target.is_dir():
            _install(requirement, target)
    return target


def _install(requirement: str, target: Path) -> None:
    """Have pip fill the folder; it appears whole or not at all."""
    with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as scratch:
        filled = Path(scratch) / "site"
        command = [sys.executable, "-m", "pip", "install", "-q", "--no-compile", "--target", str(filled), requirement]
        environment = {**os.environ, "TMPDIR": scratch}  # unpacked it is larger than what some systems keep in /tmp
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, env=environment)
        if done.returncode != 0:
            raise RuntimeError(f"pip could not install {requirement} into {target}: {done.stderr[-1000:]}")
        filled.rename(target)
