"""testcontainers' own modules start the image; a client on the host then uses the address that they give out."""

from __future__ import annotations

import os
import subprocess
import venv
from collections.abc import Sequence
from pathlib import Path

import pytest

from compat_tests.clients.program import CARGO, GO, NODE, NPM, Tool, build
from compat_tests.containers.engine import APACHE, CONFLUENT
from tests.image.client import produce_and_consume

HERE = Path(__file__).parent
MAVEN = Tool(("mvn", "--version"), "Maven 3.8 or newer")
START_S = 120


def use(command: Sequence[str | Path]) -> None:
    """Start a program that starts a container, be a client of it, and let it stop."""
    environ = {**os.environ, "TESTCONTAINERS_RYUK_DISABLED": "true"}
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environ)
    assert program.stdin is not None
    assert program.stdout is not None
    try:
        lines = []
        for line in program.stdout:
            lines.append(line)
            if line.startswith("SERVERS "):
                produce_and_consume(line.removeprefix("SERVERS ").strip())
                break
        else:
            pytest.fail(f"the module did not start the image: {''.join(lines)[-2000:]}")
        program.stdin.close()
        program.stdout.read()
        assert program.wait(START_S) == 0
    finally:
        program.kill()
        program.wait()
        program.stdout.close()


@pytest.mark.parametrize(
    ("kind", "image"), [("apache", APACHE), ("confluent", CONFLUENT), ("old", CONFLUENT), ("old-kraft", CONFLUENT)]
)
def test_java(kind: str, image: str) -> None:
    steps = [
        ("mvn", "-B", "-q", "dependency:copy-dependencies", "-DoutputDirectory=lib"),
        ("javac", "-nowarn", "-cp", "lib/*", "-d", "classes", "Main.java"),
    ]
    folder = build("containers-java", HERE / "java", [MAVEN], steps)
    quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
    use(["java", quiet, "-cp", f"{folder}/classes:{folder}/lib/*", "Main", kind, image])


@pytest.mark.parametrize("kind", ["zookeeper", "kraft"])
def test_python(kind: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp() / "testcontainers"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "testcontainers==4.15.0", "packaging"], check=True)
    use([python, HERE / "python" / "main.py", kind, CONFLUENT])


def test_go() -> None:
    folder = build("containers-go", HERE / "go", [GO], [("go", "build", "-o", "program", ".")])
    use([folder / "program", CONFLUENT])


def test_node() -> None:
    steps = [("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")]
    folder = build("containers-node", HERE / "node", [NODE, NPM], steps)
    use(["node", folder / "main.js", CONFLUENT])


def test_rust() -> None:
    folder = build("containers-rust", HERE / "rust", [CARGO], [("cargo", "build", "-q", "--locked")])
    use([folder / "target" / "debug" / "containers", APACHE])
