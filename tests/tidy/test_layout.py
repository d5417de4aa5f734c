"""The layout that ARCHITECTURE.md draws, and the layers as import-linter sees them."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from kafkacompat.protocol import generate
from tests.tidy.pages import __main__ as pages
from tests.tidy.pages import layers, leader_dies, one_door
from tests.tidy.tree import PACKAGE, ROOT, SHORTCUTS, files, python_files, tree

COMPOSITION_ROOT = "kafkacompat.broker.broker"
RUN, FLIGHTS = "docs/last_full_run.json", "docs/spark-flights.svg"
"""Written by the suite that compares both brokers, and by the run of a page on Spark."""


@pytest.mark.skipif(sys.platform == "win32", reason="links are for people on systems that have them")
@pytest.mark.parametrize("name", SHORTCUTS)
def test_the_layers_can_be_opened_from_the_top(name: str) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("an sdist leaves the links out")
    assert (ROOT / name).is_symlink()
    assert (ROOT / name).readlink() == Path("kafkacompat", name)


def test_the_contracts_hold() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache", "--no-logo"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_composition_root_is_known_to_the_servers_runtime_alone() -> None:
    """For types as well: who needs a part of a node declares what of it (`broker/services.py`)."""
    importers = [
        name
        for name in python_files("kafkacompat/")
        for node in ast.walk(tree(name))
        if isinstance(node, ast.Import | ast.ImportFrom) and COMPOSITION_ROOT in _imported(node)
    ]
    assert set(importers) == {"kafkacompat/server/broker_server.py"}


def _imported(node: ast.Import | ast.ImportFrom) -> set[str]:
    names = {alias.name for alias in node.names}
    return names if isinstance(node, ast.Import) else {node.module or "", *(f"{node.module}.{name}" for name in names)}


def test_every_folder_of_the_package_is_a_layer() -> None:
    rooms = {room for row in layers.contract() for room in row}
    there = {path.name for path in PACKAGE.iterdir() if path.is_dir() and (path / "__init__.py").exists()}
    assert there <= rooms
    assert all((PACKAGE / room).exists() for room in rooms)


def test_the_pictures_show_files_that_exist() -> None:
    steps = [step for way in layers.WAYS.values() for channel in way for step in channel]
    assert [path for _, _, path, _ in steps if not (PACKAGE / path).is_file()] == []
    assert [path for _, path, _ in leader_dies.STEPS if not (PACKAGE / path).is_file()] == []
    drawn = {path for path, _ in one_door.BOXES} - {one_door.HANDLER}
    assert [path for path in drawn if not (PACKAGE / path).is_file()] == []
    assert all(path.startswith(f"{layer}/") for layer, _, path, _ in steps)


def test_pages_made_from_the_code_are_current() -> None:
    assert list(pages.stale()) == [], "run python3 .ci/dev.py generate"


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="an sdist has no attributes")
def test_what_a_program_writes_is_marked_as_generated() -> None:
    """So that a page that shows a change folds it (`.gitattributes`)."""
    command = ["git", "check-attr", "--stdin", "linguist-generated"]
    told = subprocess.run(
        command, input="\n".join(files()), cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    marked = {line.split(": ")[0] for line in told.splitlines() if line.endswith((": set", ": true"))}
    written = {path.relative_to(ROOT).as_posix() for path in generate.generated_files()} | {*pages.PAGES, RUN, FLIGHTS}
    assert marked == written


def test_message_modules_are_current() -> None:
    stale = [path for path, source in generate.generated_files().items() if path.read_text(encoding="utf-8") != source]
    assert stale == [], "run python3 .ci/dev.py generate"
