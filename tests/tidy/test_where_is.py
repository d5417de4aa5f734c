"""Who knows Apache Kafka finds the place of each of its parts: the table of "Where is ..." in ARCHITECTURE.md holds.

A row's noun, in bold, is in the name of the file or in the first line of its docstring, and the file defines the name.
"""

from __future__ import annotations

import ast
import re

import pytest

from tests.tidy.tree import PACKAGE, text, tree

PAGE = "ARCHITECTURE.md"
TITLE = "## Where is ...?\n"
ROW = re.compile(r"^\| ((?:\S.*)?\*\*(.+?)\*\*.*?) \| (.+?) \| `([\w/]+\.py)` \| `([\w.]+)` \|$")
MIN_QUESTIONS = 31
STEM_LENGTH = 4


def section() -> list[str]:
    """The lines of the table, without its two heading lines."""
    after = text(PAGE).partition(TITLE)[2].partition("\n## ")[0]
    return [line for line in after.splitlines() if line.startswith("|")][2:]


MATCHES = [ROW.match(line) for line in section()]
ROWS = [match.group(2, 4, 5) for match in MATCHES if match]


def words(phrase: str) -> list[str]:
    """`ProducerStateManager` is three words, as `producer_state` is two."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", phrase)
    return re.findall(r"[a-z0-9]+", spaced.lower())


def says(told: list[str], noun: str) -> bool:
    """Whether a word or another form of it is told: segments for segment, flushing for flush."""

    def is_form(word: str) -> bool:
        short = min(len(word), len(noun))
        return word == noun or (short >= STEM_LENGTH and word[:short] == noun[:short])

    return any(map(is_form, told))


def defined(module: ast.Module) -> set[str]:
    """Functions, classes and constants of a module, and the methods of its classes."""
    names = set()
    for node in module.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef)}
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


def faults(noun: str, path: str, name: str) -> list[str]:
    """What is wrong with a row."""
    if not (PACKAGE / path).is_file():
        return [f"{path} does not exist"]
    module = tree(f"kafkacompat/{path}")
    first_line = (ast.get_docstring(module) or "").partition("\n")[0]
    told = words(path.rpartition("/")[2].removesuffix(".py")) + words(first_line)
    missing = [word for word in words(noun) if word != "in" and not says(told, word)]
    found = [f"neither the name of {path} nor its first line says {', '.join(missing)}"] if missing else []
    return found if name in defined(module) else [*found, f"{path} does not define {name}"]


def test_every_row_can_be_read() -> None:
    assert [line for line, match in zip(section(), MATCHES, strict=True) if match is None] == []
    assert len(ROWS) >= MIN_QUESTIONS


def test_no_question_is_asked_twice() -> None:
    assert len({(noun, path) for noun, path, _ in ROWS}) == len(ROWS)


@pytest.mark.parametrize(("noun", "path", "name"), ROWS, ids=[f"{noun}: {path}" for noun, path, _ in ROWS])
def test_who_asks_finds_it(noun: str, path: str, name: str) -> None:
    assert faults(noun, path, name) == []


@pytest.mark.parametrize(
    ("noun", "path", "name", "fault"),
    [
        ("segment", "storage/pieces.py", "Segment", "storage/pieces.py does not exist"),
        ("purgatory", "storage/segment.py", "Segment", "neither the name"),
        ("segment", "storage/segment.py", "LogSegment", "does not define LogSegment"),
        ("in-sync", "replication/in_sync.py", "InSync.shrink", "does not define InSync.shrink"),
    ],
)
def test_a_row_that_misleads_is_seen(noun: str, path: str, name: str, fault: str) -> None:
    assert [fault in found for found in faults(noun, path, name)] == [True]
