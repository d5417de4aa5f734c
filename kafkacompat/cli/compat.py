"""`kafkacompat compat`: the compatibility suite, run on any broker."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_PACKAGE = Path(__file__).resolve().parent.parent
_NEEDED = ("pytest", "hypothesis", "kafka", "aiokafka", "confluent_kafka")


def suite_folder() -> Path:
    """The folder of the package `compat_tests`: inside this package if installed, beside it in a checkout. Raises
    KafkaCompatError if it is in neither place.
    """
    for folder in (_PACKAGE / "suite", _PACKAGE.parent):
        if (folder / "compat_tests" / "__main__.py").is_file():
            return folder
    raise KafkaCompatError("the compatibility suite is not in this installation; install kafkacompat from its wheel")


def run(arguments: Sequence[str]) -> int:
    """Run the suite in its own process and return its exit status. Raises KafkaCompatError if it cannot run."""
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing and "--help" not in arguments:
        raise KafkaCompatError(
            f"the suite needs {', '.join(missing)}: install the extra with `pip install 'kafkacompat[compat]'`"
        )
    folder = suite_folder()
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "compat_tests", *arguments]
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, check=False).returncode  # noqa: S603
