"""The import budget, kept by counting modules and bytes of source, not by clocks.

Start-up time is import time: what is not imported before it is needed makes a broker answer in a tenth of a second.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kafkacompat import Cluster
from kafkacompat.broker.registry import APIS

LIST = 'print(*(f\'{n}={getattr(m, "__file__", None) or ""}\' for n, m in sys.modules.items()))'
SERVE = f"""
import os, signal, sys
import kafkacompat.cli.serve

def say(line):
    {LIST}
    os.kill(os.getpid(), signal.SIGTERM)

kafkacompat.cli.serve._say = say
kafkacompat.cli.main(["serve", "--port", "0"])
"""

FIRST_USES = """
import os, sys
import kafkacompat.cli.serve
from kafkacompat.broker.registry import APIS

before = set(sys.modules)
for api in APIS.values():
    sys.stdout.flush()
    child = os.fork()
    if child:
        assert os.waitpid(child, 0)[1] == 0
    else:
        api.messages, api.handler
        new = [m for n, m in sys.modules.items() if n not in before and n.partition(".")[0] == "kafkacompat"]
        print(api.stem, sum(os.stat(module.__file__).st_size for module in new), flush=True)
        os._exit(0)
"""

NEVER = {
    "argparse", "cProfile", "cramjam", "dataclasses", "difflib", "email", "http", "importlib.metadata",
    "importlib.resources", "multiprocessing", "numpy", "pathlib", "pydoc", "unittest", "xml", "zipfile",
}  # fmt: skip
"""Heavy, and not needed by a broker before some request asks for it. (What asyncio itself imports is not ours.)"""
OWN_MODULES_MAX = 217
OWN_SOURCE_BYTES_MAX = 1_534_000
OTHER_MODULES_MAX = 75
MESSAGES_MAX = 5
FIRST_USE_SOURCE_BYTES_MAX = 480_000
"""What the first request of an API imports, which holds the event loop: 450,000 bytes for 8 ms of CPU with bytecode."""


def modules(code: str) -> dict[str, str]:
    """The modules, with their files, that are loaded after `code` (which prints them itself if it says `LIST`)."""
    script = code if LIST in code else f"import sys\n{code}\n{LIST}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return dict(entry.split("=", 1) for entry in done.stdout.split())


def ours(loaded: dict[str, str]) -> set[str]:
    return {name for name in loaded if name.split(".")[0] == "kafkacompat"}


def test_the_package_alone_is_one_module() -> None:
    bare, loaded = modules(""), modules("import kafkacompat")
    assert set(loaded) - set(bare) == {"kafkacompat"}


def test_the_public_names_are_there_and_cost_no_loop() -> None:
    loaded = modules("from kafkacompat import Cluster, KafkaCompatError, StartupError")
    bases = {base.__module__ for base in Cluster.__mro__ if base is not object}
    assert ours(loaded) == {"kafkacompat", "kafkacompat.cluster", *bases, "kafkacompat.errors"}
    assert not {"asyncio", "threading", "logging", "socket", "uvloop"} & set(loaded)


def test_what_a_broker_needs_to_compact_needs_no_numpy() -> None:
    loaded = modules("import kafkacompat.broker.log_cleaner, kafkacompat.server.compaction_child")
    assert "kafkacompat.storage.compaction.clean_pass" in loaded
    assert "numpy" not in loaded


def test_an_unknown_name_is_an_attribute_error() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from kafkacompat import Nothing"], capture_output=True, text=True, timeout=120
    )
    assert "ImportError: cannot import name 'Nothing'" in done.stderr


def test_the_pytest_plugin_costs_pytest_runs_nothing() -> None:
    bare, loaded = modules("import pytest"), modules("import pytest, kafkacompat.testing.plugin")
    assert set(loaded) - set(bare) == {"kafkacompat", "kafkacompat.testing", "kafkacompat.testing.plugin"}


def test_serve_imports_little_more_than_asyncio() -> None:
    bare = modules("import asyncio")
    loaded = modules(SERVE)
    extra = {name: file for name, file in loaded.items() if name not in bare}
    assert not NEVER & set(extra)
    assert len([name for name in extra if name.startswith("kafkacompat.protocol.messages.")]) <= MESSAGES_MAX
    handlers = {name.rpartition(".")[2] for name in extra if name.startswith("kafkacompat.broker.handlers.")}
    assert handlers <= {"broker_registration", "broker_heartbeat"}  # a node registers with the controller, be it itself
    own = ours(extra)
    assert len(own) <= OWN_MODULES_MAX
    assert len(set(extra) - own) <= OTHER_MODULES_MAX
    assert sum(Path(extra[name]).stat().st_size for name in own) <= OWN_SOURCE_BYTES_MAX


@pytest.mark.skipif(not hasattr(os, "fork"), reason="each API is imported in a fork of one process")
def test_the_first_request_of_an_api_imports_little() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_USES], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = {stem: int(size) for stem, size in map(str.split, done.stdout.splitlines())}
    assert len(found) == len(APIS)
    assert found["heartbeat"] > 0
    assert {stem: size for stem, size in found.items() if size > FIRST_USE_SOURCE_BYTES_MAX} == {}
