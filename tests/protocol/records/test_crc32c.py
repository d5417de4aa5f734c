import subprocess
import sys

import pytest

from kafkacompat.protocol.records import crc32c as module
from kafkacompat.protocol.records.crc32c import crc32c


def test_check_value_of_the_catalogue():
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(b"") == 0


def test_continues_from_a_value_and_takes_any_view():
    data = bytearray(b"x123456789y")
    view = memoryview(data)[1:-1]
    assert crc32c(view[4:], crc32c(view[:4])) == 0xE3069283


def test_does_not_import_the_package():
    code = (
        "import sys, kafkacompat.protocol.records.crc32c;"
        "print([m for m in ('crc32c', 'importlib.metadata', 'typing', 'asyncio') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True).stdout == "[]\n"


@pytest.mark.parametrize("found", [None, "no extension"])
def test_falls_back_to_the_package(monkeypatch, found):
    class Spec:
        submodule_search_locations = ()

    monkeypatch.setattr(module.PathFinder, "find_spec", lambda *_: Spec() if found else None)
    monkeypatch.delitem(sys.modules, "crc32c", raising=False)
    assert module._load_extension() is None
    monkeypatch.setattr(module, "import_module", lambda name: __import__("types").SimpleNamespace(crc32c=len))
    assert module._load() is len
