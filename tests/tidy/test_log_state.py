"""A log owns its state: no other module assigns an attribute of a `Log`."""

from __future__ import annotations

import ast

from kafkacompat.storage.log import Log
from kafkacompat.storage.readable_log import ReadableLog
from tests.tidy.tree import python_files, tree

STATE = frozenset(Log.__slots__ + ReadableLog.__slots__)
OWN = ("kafkacompat/storage/log.py", "kafkacompat/storage/readable_log.py")
NAMES = {"log", "_log"}
"""How a log is called where it is used."""


def _is_log(node: ast.expr) -> bool:
    return (isinstance(node, ast.Name) and node.id in NAMES) or (isinstance(node, ast.Attribute) and node.attr in NAMES)


def _assigned(module: ast.AST) -> list[str]:
    return [
        f"{node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(module)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, (ast.Store, ast.Del))
        and node.attr in STATE
        and _is_log(node.value)
    ]


def test_no_module_assigns_what_is_a_logs() -> None:
    found = {name: _assigned(tree(name)) for name in python_files("kafkacompat/") if name not in OWN}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_an_assignment_is_seen_however_it_is_written() -> None:
    source = "log.failure = x\npartition.log.log_end_offset += 1\na, self._log.owner = b\nlog.config = c\nlog.path"
    assert len(_assigned(ast.parse(source))) == 3
