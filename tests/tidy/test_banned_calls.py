"""Time, randomness, sockets, threads and files come from one place each; everything else is handed them.

The linter's contracts say which modules a layer may import. This says what may be called, name by name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.tidy.tree import python_files, tree

CORES = (
    "kafkacompat/protocol/", "kafkacompat/storage/", "kafkacompat/replication/", "kafkacompat/broker/",
    "kafkacompat/config/",
)  # fmt: skip

CLOCKS = ("time.time", "time.time_ns", "time.monotonic", "time.monotonic_ns", "time.perf_counter", "time.sleep")
CALENDAR = ("datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today", "datetime.date.today")
CHANCE = ("os.urandom", "uuid.uuid1", "uuid.uuid4", "secrets.*", "random.*")
WORLD = ("os.environ", "os.getenv", "os.getpid", "os.kill", "os.fork", "input", "sys.exit", "print")
DISK = (
    "open", "os.open", "os.read", "os.pread", "os.write", "os.writev", "os.fsync", "os.rename", "os.replace",
    "os.remove", "os.unlink", "os.mkdir", "os.makedirs", "os.listdir", "os.stat", "shutil.*", "tempfile.*", "pathlib.*",
)  # fmt: skip
NEVER = ("eval", "exec", "breakpoint", "asyncio.get_event_loop", "os.system")

ALLOWED = {
    "random.Random": "a generator with a seed is how a core is given randomness",
}

# Files that are the one home of what their layer may not do otherwise.
HOMES = {
    "kafkacompat/storage/fs.py": ("disk", (*DISK, "os.getpid")),
    "kafkacompat/storage/data_dir.py": ("the lock file names the process that holds it", ("os.getpid",)),
    "kafkacompat/protocol/generate.py": (
        "writes the message modules; not part of the wheel",
        (*DISK, "print", "sys.exit"),
    ),
}


def names_used(name: str) -> Iterator[tuple[int, str]]:
    """Lines and full names of what a file names, with its imports resolved: `from time import time as t; t()`."""
    imported: dict[str, str] = {}
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name_here = alias.asname or alias.name.partition(".")[0]
                imported[name_here] = alias.name if alias.asname else name_here
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imported.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
    for node in ast.walk(tree(name)):
        full = _dotted(node, imported)
        if full is not None:
            yield node.lineno, full


def _dotted(node: ast.AST, imported: dict[str, str]) -> str | None:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return imported.get(node.func.id, node.func.id)
    if isinstance(node, ast.Attribute):
        parts = [node.attr]
        value = node.value
        while isinstance(value, ast.Attribute):
            parts.append(value.attr)
            value = value.value
        if isinstance(value, ast.Name) and value.id in imported:
            return ".".join([imported[value.id], *reversed(parts)])
    return None


def is_banned(full: str, banned: tuple[str, ...]) -> bool:
    if full in ALLOWED:
        return False
    return any(full == name or (name.endswith(".*") and full.startswith(name[:-1])) for name in banned)


def found(name: str, banned: tuple[str, ...]) -> list[str]:
    allowed_here = HOMES.get(name, ("", ()))[1]
    return [
        f"{name}:{line}: {full}"
        for line, full in names_used(name)
        if is_banned(full, banned) and not is_banned(full, allowed_here)
    ]


@pytest.mark.parametrize("banned", [CLOCKS + CALENDAR, CHANCE, WORLD, DISK], ids=["time", "chance", "world", "disk"])
def test_cores_are_handed_what_they_need(banned: tuple[str, ...]) -> None:
    assert [line for name in python_files(*CORES) for line in found(name, banned)] == []


def test_time_is_read_in_one_file() -> None:
    read = {
        line.partition(":")[0]
        for name in python_files("kafkacompat/server/")
        for line in found(name, CLOCKS[:-1] + CALENDAR)
    }
    assert read <= {"kafkacompat/server/clock.py"}


def test_nobody_calls_what_nobody_should() -> None:
    assert [line for name in python_files("kafkacompat/", ".ci/") for line in found(name, NEVER)] == []


def test_functions_change_no_module_state() -> None:
    states = [
        f"{name}:{node.lineno}"
        for name in python_files("kafkacompat/")
        for node in ast.walk(tree(name))
        if isinstance(node, ast.Global)
    ]
    assert states == []


def test_each_home_still_needs_its_permission() -> None:
    idle = [
        name
        for name, (_, allowed) in HOMES.items()
        if not any(is_banned(full, allowed) for _, full in names_used(name))
    ]
    assert idle == []


@pytest.mark.parametrize(
    "source",
    [
        "import time\ntime.time()",
        "from time import monotonic as m\nm()",
        "import time as t\nt.sleep(1)",
        "import random\nx = random.random",
    ],
)
def test_the_rule_sees_through_names(
    source: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.tidy.test_banned_calls.tree", lambda name: ast.parse(source))
    assert found("anything.py", CLOCKS + CHANCE)
