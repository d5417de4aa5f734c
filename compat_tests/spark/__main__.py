"""The Spark tests on a Spark of another version: `python -m compat_tests.spark 4.0.0 [pytest's arguments]`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from compat_tests.spark.versions import pyspark_folder
from kafkacompat.demo.spark_jars import JARS

HERE = Path(__file__).parent


def command(*arguments: str) -> list[str]:
    """How to start pytest on this folder."""
    return [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(HERE), *arguments]


def environment(version: str) -> dict[str, str]:
    """Where Python finds pyspark of this version before any other. It is installed if need be."""
    path = [str(pyspark_folder(version)), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


def main(arguments: Sequence[str]) -> None:
    """Become pytest."""
    if not arguments or arguments[0] not in JARS:
        sys.exit(f"which Spark? One of {', '.join(JARS)}")
    version, *rest = arguments
    os.execve(sys.executable, command(*rest), environment(version))


if __name__ == "__main__":
    main(sys.argv[1:])
