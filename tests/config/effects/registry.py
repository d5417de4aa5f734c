"""Which test shows that a setting is obeyed: it changes the setting and sees the effect."""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Test = TypeVar("Test", bound=Callable[..., Any])

SHOWN: dict[tuple[str, str], str] = {}
"""(scope, name of a setting) -> the test beside this module that shows its effect."""


def shows(*names: str, scope: str = "broker") -> Callable[[Test], Test]:
    """Say which settings a test shows to be obeyed."""

    def register(test: Test) -> Test:
        for name in names:
            SHOWN[scope, name] = f"{test.__module__}.{test.__name__}"
        return test

    return register


def load() -> None:
    """Have all tests beside this module enter themselves."""
    for path in Path(__file__).parent.glob("test_*.py"):
        importlib.import_module(f"{__package__}.{path.stem}")
