"""Puts the compatibility suite into the wheel, inside the package, where it takes no top-level name.

A hook of hatchling's: its own options would copy the suite into editable installs as well, or break them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SUITE = "compat_tests"
INSIDE = "kafkacompat/suite"
NOT_FOR_OTHERS = ("schemas", "__pycache__")
"""Folders that stay out: the tests of schemas read the whole notation, of which a part is not in the wheel either."""


class SuiteHook(BuildHookInterface):  # type: ignore[type-arg]
    """`kafkacompat compat` finds the suite at kafkacompat/suite."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        root = Path(self.root)
        for path in sorted((root / SUITE).rglob("*")):
            name = path.relative_to(root)
            if path.is_file() and not set(name.parts) & set(NOT_FOR_OTHERS):
                build_data["force_include"][str(path)] = f"{INSIDE}/{name.as_posix()}"
