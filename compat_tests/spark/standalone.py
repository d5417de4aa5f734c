"""Spark's standalone cluster as processes of this machine: a master and workers of one core each, out of pyspark."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark

from compat_tests.broker_process import Process, answers, free_port

START_TIMEOUT_S = 120
MEMORY = "600m"
"""Of each worker, all of which one executor takes."""
_HOST = "127.0.0.1"


@contextmanager
def standalone_cluster(folder: Path, workers: int = 2) -> Iterator[str]:
    """The master's URL, once all workers are there. Executors have their folders below `folder`/worker-N."""
    home = Path(pyspark.__file__).parent
    port = free_port()
    environment = {
        "SPARK_HOME": str(home), "SPARK_LOCAL_IP": _HOST, "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": sys.executable, "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    }  # fmt: skip
    url = f"spark://{_HOST}:{port}"
    processes: list[Process] = []

    def start(name: str, kind: str, *arguments: str) -> Process:
        command = ["env", *(f"{key}={value}" for key, value in environment.items()), str(home / "bin" / "spark-class")]
        command += [f"org.apache.spark.deploy.{kind}", "--host", _HOST, "--webui-port", "0", *arguments]
        processes.append(Process(command, folder / f"{name}.log"))
        return processes[-1]

    try:
        master = start("master", "master.Master", "--port", str(port))
        master.wait_until(lambda: answers(port), START_TIMEOUT_S, "Spark's master")
        for number in range(workers):
            work = folder / f"worker-{number}"
            work.mkdir()
            start(f"worker-{number}", "worker.Worker", "--cores", "1", "--memory", MEMORY, "--work-dir", str(work), url)
        log = folder / "master.log"

        def registered() -> bool:  # a worker that says it twice counts once
            return len(set(re.findall(r"Registering worker (\S+)", log.read_text()))) >= workers

        master.wait_until(registered, START_TIMEOUT_S, "workers")
        yield url
    finally:
        for process in reversed(processes):
            process.kill()


def flags(url: str, jars: list[Path]) -> list[str]:
    """How a verb of `kafkacompat spark` uses the cluster."""
    settings = {
        "spark.executor.memory": "512m", "spark.driver.memory": "512m", "spark.jars": ",".join(map(str, jars)),
        "spark.driver.host": _HOST, "spark.driver.bindAddress": _HOST, "spark.sql.shuffle.partitions": "2",
        "spark.executor.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        # a job begins when all executors are there: otherwise the first of them does all that a small job has
        "spark.scheduler.minRegisteredResourcesRatio": "1", "spark.scheduler.maxRegisteredResourcesWaitingTime": "60s",
    }  # fmt: skip
    return ["--master", url, *(f"--conf={name}={value}" for name, value in settings.items())]


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
