"""What is read from the machine: memory of a process, the first answer of a broker, facts for the table."""

from __future__ import annotations

import compileall
import datetime
import os
import platform
import signal
import socket
import statistics
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import kafkacompat

ROOT = Path(__file__).parent.parent

_API_VERSIONS_REQUEST = struct.pack(">ihhih", 10, 18, 0, 1, -1)
POLL_S = 0.001


def memory_mb(pid: int) -> tuple[float, float]:
    """Resident memory of a process now, and its highest since the last `reset_peak`, in MB."""
    fields: dict[str, float] = {}
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name in ("VmRSS", "VmHWM"):
            fields[name] = int(value.split()[0]) * 1024 / 1e6
    return fields["VmRSS"], fields["VmHWM"]


def reset_peak(pid: int) -> None:
    """Let the highest resident memory begin at what it is now."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def cpu_seconds(pid: int) -> float:
    """CPU time that a process has used, to a hundredth."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def answers_api_versions(port: int) -> bool:
    """Whether the broker at `port` answers an ApiVersions request now."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=0.5) as peer:
            peer.sendall(_API_VERSIONS_REQUEST)
            head = peer.recv(4, socket.MSG_WAITALL)
            return len(head) == 4 and len(peer.recv(struct.unpack(">i", head)[0], socket.MSG_WAITALL)) > 0
    except OSError:
        return False


def seconds_to_answer(port: int, since: float, timeout_s: float) -> float:
    """Seconds from `since` (time.perf_counter) to the first answered ApiVersions."""
    while not answers_api_versions(port):
        if time.perf_counter() - since > timeout_s:
            raise TimeoutError(f"no answer at port {port} within {timeout_s} s")
        time.sleep(POLL_S)
    return time.perf_counter() - since


def keep_bytecode(checkout: Path = ROOT) -> None:
    """Compile a checkout. Brokers that this process starts from now on use that bytecode, as they do for users."""
    compileall.compile_dir(checkout / "kafkacompat", quiet=1)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def child_environment(**extra: str) -> dict[str, str]:
    """The environment of a broker in Python: bytecode is kept, as it is for users."""
    environment = {**os.environ, **extra}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment.pop("PYTHONPROFILEIMPORTTIME", None)
    return environment


def python_seconds(code: str) -> float:
    """Seconds from starting a Python that runs `code` to its end."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env=child_environment())
    return time.perf_counter() - start


def python_output(code: str) -> str:
    """What a Python that runs `code` prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, env=child_environment(), capture_output=True, text=True
    )
    return done.stdout


def pause(pids: list[int]) -> None:
    """Stop processes so that they do not disturb."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)


def resume(pids: list[int]) -> None:
    """Let them go on."""
    for pid in pids:
        os.kill(pid, signal.SIGCONT)


def median(values: list[float]) -> float:
    return statistics.median(values)


def facts() -> dict[str, Any]:
    """What belongs to every number: the version, the commit, the day and the machine."""
    command = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True)
    return {
        "version": kafkacompat.__version__,
        "commit": done.stdout.strip() or "unknown",
        "date": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC",
        **_machine(),
    }


def _machine() -> dict[str, Any]:
    processor = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        platform.processor(),
    )
    kilobytes = int(Path("/proc/meminfo").read_text().split()[1])
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "memory_gb": round(kilobytes / 1e6, 1),
        "system": platform.platform(),
        "python": platform.python_version(),
        "load_before": os.getloadavg()[0],
    }
