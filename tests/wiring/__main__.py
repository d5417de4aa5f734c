"""Take out one call after the other, and see that some test fails.

    python -m tests.wiring                                     the files that put parts together
    python -m tests.wiring kafkacompat/broker/chores.py ...    these files
    python -m tests.wiring --jobs 2 --list                     what would be taken out

Each cut is made in a copy of the tree; the tests run there, quick ones first, until one fails. What no test misses is
printed at the end, and the exit status is 1 unless `KNOWN` says why nothing can fail.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue

from tests.tidy.tree import ROOT
from tests.wiring.cuts import Cut, find_cuts, without
from tests.wiring.known import KNOWN

FILES = (
    "kafkacompat/broker/broker.py",
    "kafkacompat/broker/chores.py",
    "kafkacompat/broker/control/controllership.py",
    "kafkacompat/broker/control/controller_channel.py",
    "kafkacompat/broker/control/lifecycle.py",
    "kafkacompat/broker/control/quorum_channel.py",
    "kafkacompat/broker/control/reached_brokers.py",
    "kafkacompat/broker/replicas/alter_isr.py",
    "kafkacompat/broker/replicas/fetchers.py",
    "kafkacompat/broker/replicas/partition_events.py",
    "kafkacompat/broker/replicas/replica_manager.py",
    "kafkacompat/replication/controller/active.py",
    "kafkacompat/replication/metadata/quorum.py",
    "kafkacompat/server/runtime.py",
    "kafkacompat/storage/flush.py",
    "kafkacompat/storage/manager.py",
)
STAGES = (
    ("tests/broker", "tests/replication", "tests/storage"),
    ("tests/server", "tests/sim/nodes"),
    ("tests/cli", "tests/cluster"),
)
"""Folders of tests, those that tell soonest first."""
TIMEOUT_S = 600
COPIED = ("kafkacompat", "tests", "compat_tests", "pyproject.toml", "docs", "README.md", "benchmarks", ".ci")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", default=FILES)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--trust", action="store_true", help="do not run the tests once before anything is taken out")
    parser.add_argument("--stages", type=int, default=len(STAGES), help="how many groups of tests are run")
    parser.add_argument("--only", default="", help="cuts whose line holds this text")
    options = parser.parse_args()
    cuts = [cut for path in options.files for cut in find_cuts(path, (ROOT / path).read_text())]
    cuts = [cut for cut in cuts if options.only in str(cut)]
    if options.list:
        _say("\n".join(map(str, cuts)))
        return 0
    trees: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory(prefix="wiring-") as directory:
        for number in range(options.jobs):
            trees.put(_copy(Path(directory) / str(number)))
        whole = trees.get()
        failure = None if options.trust else _first_failure(whole, options.stages)
        if failure is not None:
            _say(f"a test fails before anything is taken out: {failure}")
            return 2
        trees.put(whole)
        with ThreadPoolExecutor(options.jobs) as pool:
            caught = list(pool.map(lambda cut: _is_caught(cut, trees, options.stages), cuts))
    missed = [cut for cut, is_caught in zip(cuts, caught, strict=True) if not is_caught]
    unexplained = [cut for cut in missed if cut.key not in KNOWN]
    for cut in missed:
        _say(f"missed: {cut} ({KNOWN.get(cut.key, 'not explained')})")
    _say(f"{len(cuts)} taken out, {len(missed)} missed, {len(unexplained)} of them unexplained")
    return 1 if unexplained else 0


def _copy(target: Path) -> Path:
    target.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, target / name)
    return target


def _is_caught(cut: Cut, trees: SimpleQueue[Path], stages: int) -> bool:
    tree = trees.get()
    file = tree / cut.path
    source = file.read_text()
    begin = time.monotonic()
    try:
        file.write_text(without(source, cut))
        failure = _first_failure(tree, stages)
    finally:
        file.write_text(source)
        trees.put(tree)
    _say(f"{time.monotonic() - begin:5.0f} s  {cut}\n         {failure or 'MISSED'}")
    return failure is not None


def _first_failure(tree: Path, stages: int) -> str | None:
    """The first test that fails in this tree, None if all pass."""
    return next((failure for stage in STAGES[:stages] if (failure := _run(tree, stage)) is not None), None)


def _run(tree: Path, stage: tuple[str, ...]) -> str | None:
    options = ("-q", "-x", "-rfE", "--tb=no", "-p", "no:randomly", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", *options, *stage]
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, cwd=tree, env=environment, stdout=output, stderr=output, start_new_session=True
        )
        try:
            if process.wait(TIMEOUT_S) == 0:
                return None
        except subprocess.TimeoutExpired:
            return f"not done after {TIMEOUT_S} s"
        finally:
            _end_group(process)
        output.seek(0)
        lines = output.read().decode(errors="replace").splitlines()
    said = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return said[0] if said else f"status {process.returncode}"


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Nodes that a cut has left running end with their test run."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
