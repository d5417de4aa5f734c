"""Places where one part calls, schedules or subscribes to another, found in the source; each can be taken out."""

from __future__ import annotations

import ast
from typing import NamedTuple

HARMLESS = ("log", "_log")
"""Loggers: a line that is not logged breaks no promise."""


class Cut(NamedTuple):
    """A statement to take out. `line` and `end_line` are its own, from 1; `text` is how it begins."""

    path: str
    function: str
    line: int
    end_line: int
    column: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.function}: {self.text}"

    @property
    def key(self) -> str:
        """What names it when lines have moved."""
        return f"{self.path}:{self.function}: {self.text}"


def find_cuts(path: str, source: str) -> list[Cut]:
    """The calls whose result nobody uses, and the assignments of callbacks, in source order."""
    found: list[Cut] = []
    lines = source.splitlines()

    def look(node: ast.AST, function: str) -> None:
        for child in ast.iter_child_nodes(node):
            inside = function
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                inside = f"{function}.{child.name}".lstrip(".")
            elif isinstance(child, ast.stmt) and (_is_call(child) or _is_subscription(child)):
                end_line = child.end_lineno or child.lineno
                text = lines[child.lineno - 1].strip()
                found.append(Cut(path, function, child.lineno, end_line, child.col_offset, text))
            look(child, inside)

    look(ast.parse(source), "")
    return found


def _is_call(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value.value if isinstance(statement.value, ast.Await) else statement.value
    if not isinstance(value, ast.Call):
        return False
    function = value.func
    return not (
        isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id in HARMLESS
    )


def _is_subscription(statement: ast.stmt) -> bool:
    """Whether a function is hung on another object: `events.stale = self.partitions.resign`."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Attribute):
        return False
    is_own = isinstance(statement.targets[0].value, ast.Name) and statement.targets[0].value.id == "self"
    return not is_own and isinstance(statement.value, (ast.Attribute, ast.Lambda, ast.Name))


def without(source: str, cut: Cut) -> ast.Module:
    """The source with `if False:` before the statement: its names stay those of the function."""

    class Out(ast.NodeTransformer):
        def generic_visit(self, node: ast.AST) -> ast.AST:
            if isinstance(node, ast.stmt) and (node.lineno, node.col_offset) == (cut.line, cut.column):
                return ast.copy_location(ast.If(ast.copy_location(ast.Constant(False), node), [node], []), node)
            return super().generic_visit(node)

    return ast.fix_missing_locations(Out().visit(ast.parse(source)))
