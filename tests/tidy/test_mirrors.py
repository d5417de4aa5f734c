"""Each source file is tested by name: `storage/fs.py` in `tests/storage/test_fs.py`, or at least imported by a test; a
handler is, where a test imports the messages that it answers. What needs Spark is tested in `compat_tests/spark/`.
"""

from __future__ import annotations

import ast
import functools
from fnmatch import fnmatch

from tests.tidy.tree import ROOT, files, python_files, tree

# What is reached through something else, and by which tests. Patterns that are no longer needed have to leave.
REACHED_BY = {
    "kafkacompat/__main__.py": "tests/cli",
    "kafkacompat/broker/*.py": "tests/broker/handlers",
    "kafkacompat/broker/control/*.py": "tests/broker",
    "kafkacompat/broker/coordinator/*.py": "tests/broker/coordinator",
    "kafkacompat/broker/coordinator/group/classic/*.py": "tests/broker/coordinator",
    "kafkacompat/broker/handlers/*.py": "tests/broker/handlers",
    "kafkacompat/cli/*.py": "tests/cli",
    "kafkacompat/cluster/*.py": "tests/cluster",
    "kafkacompat/config/*.py": "tests/config",
    "kafkacompat/demo/*.py": "tests/demo",
    "kafkacompat/replication/controller/*.py": "tests/replication/controller",
    "kafkacompat/replication/metadata/*.py": "tests/replication/metadata",
    "kafkacompat/replication/raft/*.py": "tests/replication/raft",
    "kafkacompat/server/*.py": "tests/server",
    "kafkacompat/spark/log/*.py": "compat_tests/spark",
    "kafkacompat/storage/*.py": "tests/storage",
}
MAX_REACHED = 71
"""So many files may do without a test that names them. The number only goes down."""


@functools.cache
def untested() -> tuple[str, ...]:
    """Source files that no test file is named after and no test imports."""
    imported = set()
    for test in (*python_files("tests/"), *python_files("compat_tests/spark/")):
        for node in ast.walk(tree(test)):
            if isinstance(node, ast.ImportFrom) and node.module:
                imported |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
            elif isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
    sources = [
        name
        for name in python_files("kafkacompat/")
        if not name.endswith("__init__.py") and "/protocol/notation/" not in name
    ]
    there = frozenset(files())
    return tuple(
        name
        for name in sources
        if not {name[:-3].replace("/", "."), _messages(name)} & imported
        and not {_mirror(name), f"compat_{_mirror(name)}"} & there
    )


def _messages(name: str) -> str:
    """The module of a handler's messages: who imports it in a test asks the handler."""
    folder, _, stem = name.removesuffix(".py").rpartition("/")
    is_handler = folder == "kafkacompat/broker/handlers"
    return f"kafkacompat.protocol.messages.{stem}" if is_handler else ""


def _mirror(name: str) -> str:
    folder, _, stem = name.removeprefix("kafkacompat/").rpartition("/")
    return "/".join(part for part in ("tests", folder, f"test_{stem}") if part)


def _covers(pattern: str, name: str) -> bool:
    return fnmatch(name, pattern) and name.count("/") == pattern.count("/")


def test_each_source_is_tested_by_name_or_reached_by_tests_that_we_can_name() -> None:
    assert [name for name in untested() if not any(_covers(pattern, name) for pattern in REACHED_BY)] == []
    assert len(untested()) <= MAX_REACHED


def test_exceptions_are_needed_and_name_tests_that_exist() -> None:
    assert [pattern for pattern in REACHED_BY if not any(_covers(pattern, name) for name in untested())] == []
    assert [where for where in REACHED_BY.values() if not (ROOT / where).exists()] == []
