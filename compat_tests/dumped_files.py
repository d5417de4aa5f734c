"""The files of data directories, dumped by Apache Kafka's DumpLogSegments and by `kafkacompat log dump`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from compat_tests.clients.java_tools.tools import DUMP_LOG
from compat_tests.tool_jvm.tools import Outcome, run

DUMP_TIMEOUT_S = 300
SEGMENTS = {".log", ".checkpoint"}
INDEXES = {".index", ".timeindex"}
STATES = {".snapshot", ".txnindex"}
DEEP = ("--print-data-log",)
DECODERS = {
    "__consumer_offsets": ("--offsets-decoder",),
    "__transaction_state": ("--transaction-log-decoder",),
    "__cluster_metadata": ("--cluster-metadata-decoder",),
    "__share_group_state": ("--share-group-state-decoder",),
}
SEGMENT_MODES = (
    (), ("--deep-iteration",), DEEP, (*DEEP, "--skip-record-metadata"), (*DEEP, "--max-bytes", "700"),
    ("--value-decoder-class", "org.apache.kafka.tools.api.StringDecoder"),
)  # fmt: skip
INDEX_MODES = ((), ("--verify-index-only",), ("--index-sanity-check",), ("--max-message-size", "2000000"))


def files_of(*directories: Path) -> list[Path]:
    """The files of logs in data directories that hold something. Those of a deleted topic are none."""
    found = [path for each in directories for path in each.glob("*-*/*") if not path.parent.name.endswith("-delete")]
    kinds = SEGMENTS | INDEXES | STATES
    return sorted(path for path in found if path.suffix in kinds and path.is_file() and path.stat().st_size)


def modes(files: Iterable[Path]) -> list[tuple[tuple[str, ...], list[Path]]]:
    """The options of each run, and the files that it is for."""
    paths = list(files)
    segments = [path for path in paths if path.suffix in SEGMENTS]
    found = [(mode, segments) for mode in SEGMENT_MODES]
    for topic, decoder in DECODERS.items():
        own = [path for path in segments if path.parent.name.rpartition("-")[0] == topic]
        found += [(decoder, own), ((*decoder, "--skip-record-metadata"), own)]
    found += [(mode, [path for path in paths if path.suffix in INDEXES]) for mode in INDEX_MODES]
    found.append(((), [path for path in paths if path.suffix in STATES]))
    return [(mode, each) for mode, each in found if each]


def theirs(files: Sequence[Path], *options: str) -> Outcome:
    """What Apache Kafka's tool says of the files."""
    return run(DUMP_LOG, "--files", ",".join(map(str, files)), *options, timeout_s=DUMP_TIMEOUT_S)


def ours(files: Sequence[Path], *options: str) -> Outcome:
    """What this project's tool says of them."""
    command = [sys.executable, "-m", "kafkacompat", "log", "dump", *map(str, files), *options]
    done = subprocess.run(command, capture_output=True, timeout=DUMP_TIMEOUT_S, check=False)
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())


def differences(files: Sequence[Path], *options: str) -> list[str]:
    """The lines that are not the same, of standard output in its order, of standard error in any order."""
    their, our = theirs(files, *options), ours(files, *options)
    found = unlike(their.stdout.split("\n"), our.stdout.split("\n"))
    return found + unlike(sorted(their.stderr.split("\n")), sorted(our.stderr.split("\n")))


def unlike(their: Sequence[str], our: Sequence[str]) -> list[str]:
    """Lines that differ, one below the other."""
    found = [f"< {a}\n> {b}" for a, b in zip(their, our, strict=False) if a != b]
    return found if len(their) == len(our) else [*found, f"{len(their)} lines and {len(our)}"]
