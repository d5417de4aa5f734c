"""The checkout as the house rules see it: its files, and what its Python says."""

from __future__ import annotations

import ast
import functools
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "kafkacompat"
SHORTCUTS = ("protocol", "storage", "replication")
"""Links at the top to the layers of these names, for people."""

WRITTEN_BY_MACHINE = ("kafkacompat/protocol/messages/", "kafkacompat/protocol/internal/")
WRITTEN_BY_MACHINE_BUT = ("kafkacompat/protocol/messages/__init__.py", "kafkacompat/protocol/internal/__init__.py")
NOTATION = "kafkacompat/protocol/notation/"


@functools.cache
def files() -> tuple[str, ...]:
    """Every file that is or may be committed, as a path from the top with slashes."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):  # an unpacked sdist
        listed = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if not _is_by_product(path)]
    return tuple(sorted(name for name in listed if name and (ROOT / name).is_file() and not (ROOT / name).is_symlink()))


def _is_by_product(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    return "__pycache__" in parts or (parts[0].startswith(".") and parts[0] != ".ci") or parts[0] in SHORTCUTS


def python_files(*folders: str) -> list[str]:
    """The Python files below these folders, without generated ones."""
    return [name for name in files() if name.endswith(".py") and name.startswith(folders) and not is_generated(name)]


def is_generated(name: str) -> bool:
    """Whether a program wrote this file."""
    return name.startswith(WRITTEN_BY_MACHINE) and name not in WRITTEN_BY_MACHINE_BUT


def text(name: str) -> str:
    """What a file says."""
    return (ROOT / name).read_text(encoding="utf-8")


@functools.cache
def tree(name: str) -> ast.Module:
    """The syntax tree of a Python file."""
    return ast.parse(text(name), name)
