"""CRC-32C (Castagnoli) over any buffer, without copying it.

The ``crc32c`` package's ``__init__`` looks its own version up in the installed metadata, which costs tens of
milliseconds. Its extension module alone loads in about two, so that is what is loaded here.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import ExtensionFileLoader, PathFinder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

_PACKAGE = "crc32c"
_EXTENSION = "crc32c._crc32c"


def _load_extension() -> "ModuleType | None":
    """The extension module without its package, or None where the package is laid out differently."""
    package = PathFinder.find_spec(_PACKAGE)
    if package is None or not package.submodule_search_locations:
        return None
    spec = PathFinder.find_spec(_EXTENSION, list(package.submodule_search_locations))
    if spec is None or not isinstance(spec.loader, ExtensionFileLoader):
        return None
    module = spec.loader.create_module(spec)
    spec.loader.exec_module(module)
    return module


def _load() -> Callable[..., int]:
    module = sys.modules.get(_PACKAGE) or _load_extension() or import_module(_PACKAGE)
    function: Callable[..., int] = module.crc32c
    return function


#: ``crc32c(data, value=0) -> int``: the checksum of ``data`` continued from ``value``, as an unsigned 32-bit integer.
crc32c: Callable[..., int] = _load()
