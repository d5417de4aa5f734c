"""A function fits a screen, a file fits a head."""

from __future__ import annotations

import ast

from tests.tidy.tree import NOTATION, python_files, text, tree

MAX_FILE_LINES = 600
MAX_FUNCTION_LINES = 60

# What is longer than it should be. Nothing is added here; what became short enough has to leave.
LONG_FILES: frozenset[str] = frozenset()
LONG_FUNCTIONS: frozenset[str] = frozenset()


def code() -> list[str]:
    return [name for name in python_files("") if not name.startswith(NOTATION)]


def test_files_are_short() -> None:
    long = {name for name in code() if len(text(name).splitlines()) > MAX_FILE_LINES}
    assert long == LONG_FILES


def test_functions_are_short() -> None:
    long = {
        f"{name}:{node.name}"
        for name in code()
        for node in ast.walk(tree(name))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (node.end_lineno or 0) - node.lineno >= MAX_FUNCTION_LINES
    }
    assert long == LONG_FUNCTIONS
