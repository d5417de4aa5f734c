"""Spark's standalone cluster as processes of this machine: a master and workers, out of pyspark."""

from __future__ import annotations

import contextlib
import os
import random
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pyspark

from compat_tests.broker_process import Process, answers, free_port

START_TIMEOUT_S = 120
EXECUTOR_MB = 512
OVERHEAD_MB = 88
"""What a worker has beside each executor's memory."""
_HOST = "127.0.0.1"
_JVM = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"


class StandaloneCluster:
    """A master and its workers, each of which runs `cores` executors of one core. `url`: of the master.

    Executors have their folders below `folder`/worker-N.
    """

    def __init__(self, folder: Path, workers: int, cores: int) -> None:
        self._folder, self._cores = folder, cores
        self._home = Path(pyspark.__file__).parent
        self._port = free_port()
        self._environment = {
            "SPARK_HOME": str(self._home), "SPARK_LOCAL_IP": _HOST, "SPARK_DAEMON_MEMORY": "256m",
            "PYSPARK_PYTHON": sys.executable, "SPARK_DAEMON_JAVA_OPTS": _JVM, "SPARK_LOCAL_DIRS": str(folder / "local"),
        }  # fmt: skip
        self.url = f"spark://{_HOST}:{self._port}"
        self._master: Process | None = None
        self._workers: list[Process] = []
        self._wanted = workers

    def start(self) -> None:
        """Returns when all workers are there. Raises BrokerError."""
        self._master = self._process("master", "master.Master", "--port", str(self._port))
        self._master.wait_until(lambda: answers(self._port), START_TIMEOUT_S, "Spark's master")
        self._workers = [self._worker(number) for number in range(self._wanted)]
        log = self._folder / "master.log"

        def registered() -> bool:  # a worker that says it twice counts once
            return len(set(re.findall(r"Registering worker (\S+)", log.read_text()))) >= self._wanted

        self._master.wait_until(registered, START_TIMEOUT_S, "workers")

    def _worker(self, number: int) -> Process:
        work = self._folder / f"worker-{number}"
        work.mkdir(exist_ok=True)
        memory = f"{self._cores * (EXECUTOR_MB + OVERHEAD_MB)}m"
        cores = str(self._cores)
        given = ("--cores", cores, "--memory", memory, "--work-dir", str(work), self.url)
        return self._process(f"worker-{number}", "worker.Worker", *given)

    def _process(self, name: str, kind: str, *arguments: str) -> Process:
        command = ["env", *(f"{key}={value}" for key, value in self._environment.items())]
        command += [str(self._home / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}"]
        return Process([*command, "--host", _HOST, "--webui-port", "0", *arguments], self._folder / f"{name}.log")

    def kill_executor(self, chance: random.Random) -> bool:
        """Kill -9 of one executor and its Python workers; its worker starts another. Whether there was one."""
        executors = [each for worker in self._workers for each in executors_of(worker.pid)]
        return bool(executors) and _kill_tree(chance.choice(executors))

    def kill_node(self, chance: random.Random) -> bool:
        """Kill -9 of a worker with its executors, and a new worker in its place. Whether it had executors."""
        number = chance.randrange(len(self._workers))
        worker = self._workers[number]
        is_busy = bool(executors_of(worker.pid))
        _kill_tree(psutil.Process(worker.pid))
        worker.kill()
        self._workers[number] = self._worker(number)
        return is_busy

    def close(self) -> None:
        """Kill all of it, executors too: one whose worker is gone ends a while later."""
        for process in (*self._workers, *filter(None, [self._master])):
            with contextlib.suppress(psutil.NoSuchProcess):
                _kill_tree(psutil.Process(process.pid))
            process.kill()


def executors_of(pid: int) -> list[psutil.Process]:
    """The executors of a worker that have begun."""
    found = []
    with contextlib.suppress(psutil.Error):
        for each in psutil.Process(pid).children():
            with contextlib.suppress(psutil.Error):
                if any("CoarseGrainedExecutorBackend" in word for word in each.cmdline()):
                    found.append(each)
    return found


def _kill_tree(process: psutil.Process) -> bool:
    """Whether it was there. First the process, so that it starts nothing more, then what it had started."""
    try:
        below = process.children(recursive=True)
        process.kill()
    except psutil.NoSuchProcess:
        return False
    for each in below:
        with contextlib.suppress(psutil.NoSuchProcess):
            each.kill()
    return True


@contextmanager
def standalone_cluster(folder: Path, workers: int = 2, cores: int = 1) -> Iterator[StandaloneCluster]:
    """A cluster whose workers are there; its processes are killed at the end."""
    cluster = StandaloneCluster(folder, workers, cores)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.close()


def settings_of(jars: list[Path]) -> dict[str, str]:
    """What an application on the cluster sets."""
    return {
        "spark.executor.memory": f"{EXECUTOR_MB}m", "spark.driver.memory": "512m", "spark.executor.cores": "1",
        "spark.jars": ",".join(map(str, jars)), "spark.driver.host": _HOST, "spark.driver.bindAddress": _HOST,
        "spark.sql.shuffle.partitions": "2", "spark.executor.extraJavaOptions": _JVM,
        # a job begins when all executors are there: otherwise the first of them does all that a small job has
        "spark.scheduler.minRegisteredResourcesRatio": "1", "spark.scheduler.maxRegisteredResourcesWaitingTime": "60s",
    }  # fmt: skip


def flags(url: str, jars: list[Path]) -> list[str]:
    """How a verb of `kafkacompat spark` uses the cluster."""
    return ["--master", url, *(f"--conf={name}={value}" for name, value in settings_of(jars).items())]


def environment() -> dict[str, str]:
    """That of a driver: the same Python here and there."""
    return {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}


def finished_tasks(folder: Path) -> dict[str, int]:
    """How many tasks each worker's executors say that they have finished, of workers that finished any."""
    counts: dict[str, int] = {}
    for log in folder.glob("worker-*/app-*/*/stderr"):
        worker = log.relative_to(folder).parts[0]
        counts[worker] = counts.get(worker, 0) + log.read_text(errors="replace").count("INFO Executor: Finished task")
    return {worker: count for worker, count in counts.items() if count}
