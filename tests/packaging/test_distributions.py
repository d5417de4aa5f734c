"""What users get: the files in the wheel and the sdist, and the wheel in a clean environment."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from kafkacompat import __version__
from tests.tidy.tree import PACKAGE, ROOT

EXCLUDED = tuple(
    tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]["exclude"]
)
NOT_IN_THE_WHEEL = (*EXCLUDED, "compat_tests/schemas/")
SUITE = "kafkacompat/suite/"
USE = """
import json, urllib.request
from kafkacompat import Cluster

with Cluster(topics=["orders"]) as kafka:
    fault = kafka.faults.add(when={"topic": "orders"}, then={"error": "REQUEST_TIMED_OUT"})
    with urllib.request.urlopen(f"{kafka.control_url}/v1/faults") as answer:
        print(json.load(answer)["faults"][0]["then"]["error"]["code"])
    kafka.faults.clear()
    kafka.snapshot("saved.tar")
    kafka.clock.advance(minutes=5)
    kafka.reset()
    print(len(kafka.topics()["orders"].partitions))
"""
"""A little of each part, as a new user would."""
DIST_INFO = f"kafkacompat-{__version__}.dist-info"


@pytest.fixture(scope="session")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel, built as a release builds them, the wheel from the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    done = run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT))
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def run(*command: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="session")
def wheel(distributions: Path) -> Path:
    (wheel,) = distributions.glob("*.whl")
    return wheel


def test_the_wheel_holds_the_package_and_the_suite_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if not name.startswith(f"{DIST_INFO}/")}
    names = {name for name in found if not name.startswith(SUITE)}
    suite = {name.removeprefix(SUITE) for name in found - names}
    there = {path.relative_to(ROOT).as_posix() for path in (ROOT / "compat_tests").rglob("*.py")}
    assert {name for name in suite if name.endswith(".py")} == {
        name for name in there if not name.startswith(NOT_IN_THE_WHEEL)
    }
    assert "compat_tests/suite.ini" in suite
    sources = {f"kafkacompat/{path.relative_to(PACKAGE).as_posix()}" for path in PACKAGE.rglob("*.py")}
    others = {"kafkacompat/py.typed", "kafkacompat/cli/control.schema.json", "kafkacompat/cli/record.schema.json"}
    assert names == {name for name in sources if not name.startswith(NOT_IN_THE_WHEEL)} | others


def imported(source: str) -> set[str]:
    """The modules of this package that a file imports, those inside functions and for type checkers included."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.startswith("kafkacompat.")}


def test_the_wheel_has_each_module_that_its_modules_import(wheel: Path) -> None:
    all_modules = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in PACKAGE.rglob("*.py")
    }
    with zipfile.ZipFile(wheel) as archive:
        files = [name for name in archive.namelist() if name.endswith(".py") and not name.startswith(SUITE)]
        imports = set().union(*(imported(archive.read(name).decode()) for name in files))
    there = {name.removesuffix(".py").replace("/", ".").removesuffix(".__init__") for name in files}
    assert imports & all_modules <= there


def test_the_wheel_says_what_it_is(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        entry_points = archive.read(f"{DIST_INFO}/entry_points.txt").decode()
        metadata = archive.read(f"{DIST_INFO}/METADATA").decode()
        licences = {name.rpartition("/")[2] for name in archive.namelist() if "/licenses/" in name}
    assert "kafkacompat = kafkacompat.cli:main" in entry_points
    assert "[pytest11]\nkafkacompat = kafkacompat.testing.plugin" in entry_points
    assert licences == {"LICENSE", "NOTICE"}
    assert "License-Expression: Apache-2.0" in metadata
    assert {needed.name for needed in required(metadata)} == {"click", "crc32c", "cramjam", "h11", "mmh3", "uvloop"}


def required(metadata: str) -> list[Requirement]:
    """What a wheel's metadata requires of every installation, without extras."""
    lines = [line.partition(": ")[2] for line in metadata.splitlines() if line.startswith("Requires-Dist")]
    return [Requirement(line) for line in lines if "extra ==" not in line]


@pytest.mark.parametrize(
    ("has_wheels", "implementation", "python", "system", "machine"),
    [
        (True, "cpython", "3.11", "linux", "x86_64"),
        (True, "cpython", "3.14", "linux", "aarch64"),
        (True, "cpython", "3.13", "darwin", "arm64"),
        (True, "cpython", "3.12", "darwin", "x86_64"),
        (False, "cpython", "3.15", "linux", "x86_64"),
        (False, "cpython", "3.12", "linux", "s390x"),
        (False, "cpython", "3.12", "linux", "armv7l"),
        (False, "cpython", "3.12", "win32", "AMD64"),
        (False, "pypy", "3.11", "linux", "x86_64"),
    ],
)
def test_uvloop_is_required_only_where_it_has_wheels(
    wheel: Path, has_wheels: bool, implementation: str, python: str, system: str, machine: str
) -> None:
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(f"{DIST_INFO}/METADATA").decode()
    (uvloop,) = [needed for needed in required(metadata) if needed.name == "uvloop"]
    assert uvloop.marker is not None
    environment = {"sys_platform": system, "platform_machine": machine, "implementation_name": implementation}
    assert uvloop.marker.evaluate({**environment, "python_version": python}) == has_wheels


def test_each_dependency_of_the_image_has_wheels_for_arm64(wheel: Path, tmp_path: Path) -> None:
    done = run(
        sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--dry-run", "--ignore-installed",
        "--target", str(tmp_path), "--platform", "manylinux2014_aarch64", "--platform", "manylinux_2_28_aarch64",
        "--python-version", "3.11", "--only-binary=:all:", "--report", "-", f"{wheel}[yaml]",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = {
        each["metadata"]["name"].lower(): each["download_info"]["url"].rpartition("/")[2]
        for each in json.loads(done.stdout)["install"]
    }
    assert set(found) == {"kafkacompat", "click", "crc32c", "cramjam", "h11", "mmh3", "pyyaml", "uvloop"}
    assert all("-none-any." in file or "aarch64" in file for file in found.values()), found


def test_the_sdist_can_be_built_and_tested_from(distributions: Path) -> None:
    (sdist,) = distributions.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        members = archive.getmembers()
    names = {member.name.partition("/")[2] for member in members}
    for name in (
        "pyproject.toml", "README.md", "LICENSE", "NOTICE", "ARCHITECTURE.md", "docs/layers.svg", ".ci/dev.py",
        "kafkacompat/protocol/notation/fetch.py", "kafkacompat/py.typed", "tests/tidy/tree.py",
    ):  # fmt: skip
        assert name in names
    assert not any(member.issym() for member in members)
    assert not any(
        name.startswith((".venv", ".git/", ".cache", "protocol/")) or "__pycache__" in name for name in names
    )


def test_the_wheel_installs_and_runs_in_a_clean_environment(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "clean", with_pip=True)
    programs = tmp_path / "clean" / ("Scripts" if os.name == "nt" else "bin")
    python = str(programs / "python")
    done = run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", str(wheel))
    assert done.returncode == 0, done.stderr
    assert run(str(programs / "kafkacompat"), "--version", cwd=tmp_path).stdout == f"kafkacompat {__version__}\n"
    lacking = run(str(programs / "kafkacompat"), "compat", "localhost:9092", cwd=tmp_path)
    assert (lacking.returncode, "pip install 'kafkacompat[compat]'" in lacking.stderr) == (1, True)
    started = run(python, "-c", USE, cwd=tmp_path)
    assert started.returncode == 0, started.stderr
    assert started.stdout == "REQUEST_TIMED_OUT\n1\n"
