"""The messages of each API, one generated module for each, imported when first asked for."""

from __future__ import annotations

from kafkacompat.protocol.api_keys import STEMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def stem(api_key: int) -> str:
    """Return the name of the API's modules, `list_offsets` for 2; KeyError for an unknown key."""
    return STEMS[api_key]


def load(api_key: int) -> ModuleType:
    """Return the module with the API's messages; KeyError for an unknown key."""
    return __import__(f"{__name__}.{STEMS[api_key]}", fromlist=("API_KEY",))
