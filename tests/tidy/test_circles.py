"""Modules that import each other can only be read together: where there is no circle, none comes. Imports for types
alone count, as do those inside of functions.
"""

from __future__ import annotations

import ast
import functools
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.tidy.tree import python_files, tree

FREE = ("kafkacompat/storage/",)
"""Folders without a circle. Others are added when their last one has gone."""


def _module(name: str) -> str:
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@functools.cache
def imports(folder: str) -> dict[str, set[str]]:
    """What each module of a folder imports of it."""
    names = {_module(name): name for name in python_files(folder)}
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


@pytest.mark.parametrize("folder", FREE)
def test_no_module_imports_one_that_imports_it(folder: str) -> None:
    try:
        TopologicalSorter(imports(folder)).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))
