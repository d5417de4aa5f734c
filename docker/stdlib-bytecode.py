"""stdlib-bytecode PYTHON TARGET: compiles what the broker uses of the standard library, into a tree to be copied to /.

The official Python images have no bytecode of the standard library, and the broker's user cannot write any. All of it
would be 12 MB more; this is what the entry points below import, and what they import on first use.
"""

import importlib.util
import json
import py_compile
import subprocess
import sys
from pathlib import Path

ENTRIES = """
import json, pkgutil, sys, importlib
import kafkacompat
skipped = ("kafkacompat.demo", "kafkacompat.testing", "kafkacompat.protocol.notation", "kafkacompat.compat")
for found in pkgutil.walk_packages(kafkacompat.__path__, "kafkacompat."):
    if not found.name.startswith(skipped) and not found.name.endswith("__main__"):
        try:
            importlib.import_module(found.name)
        except ImportError:
            pass
import concurrent.futures.thread, ssl, http.client, encodings.idna, encodings.latin_1, encodings.ascii, venv
print(json.dumps([module.__file__ for module in list(sys.modules.values()) if getattr(module, "__file__", None)]))
"""


def main() -> None:
    """Compile, and say how many files."""
    python, target = sys.argv[1:3]
    answer = subprocess.run([python, "-I", "-c", ENTRIES], check=True, capture_output=True, text=True)
    count = 0
    for file in json.loads(answer.stdout):
        if file.endswith(".py") and "site-packages" not in file:
            cached = importlib.util.cache_from_source(file)
            place = Path(target + cached)
            place.parent.mkdir(parents=True, exist_ok=True)
            mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
            py_compile.compile(file, cfile=str(place), doraise=True, invalidation_mode=mode)
            count += 1
    print(f"{count} files of the standard library")


main()
