"""Modules that import each other can only be read together, and so can folders: there is no circle of either in the
package. Imports for types alone count, as do those inside of functions.
"""

from __future__ import annotations

import ast
import functools
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

import pytest

from tests.tidy.tree import files, python_files, tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PACKAGE = "kafkacompat"
ABOVE = {
    "kafkacompat": "the door for programs: `from kafkacompat import Cluster`",
    "kafkacompat.__main__": "the door for `python -m kafkacompat`",
    "kafkacompat.broker.broker": "puts a node together out of all its parts",
    "kafkacompat.broker.context": "declares all services that handlers reach",
    "kafkacompat.broker.inspect": "shows what the parts of a node hold",
    "kafkacompat.broker.internal_topics": "creates the topics that coordinators keep their state in",
    "kafkacompat.broker.pipeline": "a request that only a controller can answer goes on to it from there",
    "kafkacompat.broker.scheduled_tasks": "runs what the parts of a node do from time to time",
    "kafkacompat.broker.services": "declares what parts use of each other",
    "kafkacompat.broker.coordinator.coordinators": "the table of all coordinators",
    "kafkacompat.broker.coordinator.group.shard": "hands a group's events to its kind",
}
"""Modules that stand above the folders below their own: what they import of these makes no circle of folders."""


def _module(name: str) -> str:
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@functools.cache
def imports() -> dict[str, set[str]]:
    """What each module of the package imports of it."""
    names = {_module(name): name for name in python_files(f"{PACKAGE}/")}
    return {module: _imported(name, set(names)) - {module} for module, name in names.items()}


def _imported(name: str, modules: set[str]) -> set[str]:
    found = set()
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names} & modules
            found |= inner or {node.module}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found & modules


@functools.cache
def _folder(module: str) -> str:
    is_folder = f"{module.replace('.', '/')}/__init__.py" in files()
    return module if is_folder else module.rpartition(".")[0]


def folders(but: Iterable[str] = ()) -> dict[str, set[str]]:
    """Of which folders each folder imports something; what these modules import of folders below their own is left
    out.
    """
    found: dict[str, set[str]] = {}
    for module, targets in imports().items():
        folder = _folder(module)
        into = {_folder(target) for target in targets} - {folder}
        if module in but:
            into = {other for other in into if not other.startswith(f"{folder}.")}
        found.setdefault(folder, set()).update(into)
    return found


def circle(graph: Mapping[str, set[str]]) -> str:
    """One circle in words, "" where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return " imports ".join(reversed(error.args[1]))
    return ""


def test_no_module_imports_one_that_imports_it() -> None:
    assert circle(imports()) == ""


def test_no_folder_imports_one_that_imports_it() -> None:
    assert circle(folders(ABOVE)) == ""


@pytest.mark.parametrize("module", ABOVE)
def test_each_exception_is_needed(module: str) -> None:
    assert circle(folders([other for other in ABOVE if other != module])) != ""


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}).count(" imports ") == 3
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == ""
