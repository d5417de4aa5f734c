"""The built image: size, user, ports, time to ready, a read-only root, stops, health, and compose."""

from __future__ import annotations

import gzip
import os
import subprocess
import time
import urllib.error
import urllib.request
import uuid
from datetime import datetime
from pathlib import Path

import pytest

from compat_tests.containers.engine import APACHE, ROOT, docker, run, wait_until
from tests.image.client import produce_and_consume

MAX_COMPRESSED_BYTES = 60_000_000
READY_S = 0.5
BUSY = 3
"""Machines that run tests are busy; it takes 0.2 s with a load of 5 on 2 cores."""
STOP_S = 1.0
IMPORTED = """
import os, sys, kafkacompat.cli.serve
files = [module.__cached__ for module in sys.modules.values() if getattr(module, "__cached__", None)]
print(len(files), [file for file in files if not os.path.exists(file)])
"""


def test_the_image_is_small_and_is_not_root(tmp_path: Path) -> None:
    config = docker("image", "inspect", "-f", "{{.Config.User}} {{json .Config.ExposedPorts}}", APACHE)
    assert config == 'appuser {"9092/tcp":{},"9644/tcp":{}}'
    docker("save", "-o", str(tmp_path / "image.tar"), APACHE)
    assert len(gzip.compress((tmp_path / "image.tar").read_bytes(), 6)) <= MAX_COMPRESSED_BYTES


def test_it_is_ready_inside_in_half_a_second_and_then_healthy() -> None:
    with run("-p", "127.0.0.1::9092") as container:
        container.wait_ready()
        line = next(line for line in container.logs().splitlines() if "[KafkaServer id=1] started" in line)
        ready = datetime.fromisoformat(line[1:24].replace(",", ".") + "+00:00").timestamp()
        started = datetime.fromisoformat(container.inspect()["State"]["StartedAt"][:26] + "+00:00").timestamp()
        assert 0 < ready - started <= READY_S * BUSY
        wait_until(lambda: container.inspect()["State"]["Health"]["Status"] == "healthy", container.logs)
        assert container.exec("id", "-u") == "1000"
        count, _, missing = container.exec("/opt/kafkacompat/bin/python3", "-I", "-c", IMPORTED).partition(" ")
        assert int(count) > 100
        assert missing == "[]", "without bytecode, which its user cannot write, a start takes twice the time"


def test_a_program_inside_makes_requests_fail_and_resets_the_broker() -> None:
    with run() as container:
        container.wait_ready()
        container.exec("kafkacompat", "topic", "create", "orders")
        rule = container.exec("kafkacompat", "fault", "add", "--api", "metadata", "--topic", "orders", "--hide")
        assert '"hits":0' in rule
        container.exec("kafkacompat", "reset", "--yes")
        assert container.exec("kafkacompat", "fault", "list") == ""
        assert "orders" not in container.exec("kafkacompat", "topic", "list")


def test_a_read_only_root_and_a_quick_stop_with_100_partitions() -> None:
    with run("--read-only", "--tmpfs", "/tmp", "-e", "KAFKACOMPAT_TOPICS=orders:100") as container:
        container.wait_ready()
        began = time.monotonic()
        docker("stop", "-t", "10", container.name)
        assert time.monotonic() - began < STOP_S + 0.5  # the engine's own time
        assert container.inspect()["State"]["ExitCode"] == 0


def stopped_after_s(*options: str) -> float:
    """The time of `docker stop` where a shell, which hands no signals on, runs the image's script."""
    with run(*options, command=["sh", "-c", "/etc/kafka/docker/run; true"]) as container:
        container.wait_ready()
        began = time.monotonic()
        docker("stop", "-t", "4", container.name)
        return time.monotonic() - began


def test_tini_hands_signals_on_where_only_the_command_is_replaced() -> None:
    assert stopped_after_s() < STOP_S + 0.5
    assert stopped_after_s("--entrypoint", "") >= 4, "without tini the grace period is over first"


def test_probes_are_open_to_the_host_and_v1_is_not() -> None:
    with run("-p", "127.0.0.1::9644") as container:
        container.wait_ready()
        url = f"http://127.0.0.1:{container.port(9644)}"
        with urllib.request.urlopen(f"{url}/readyz", timeout=10) as ready:
            assert ready.status == 200
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(f"{url}/v1/cluster", timeout=10)
        asked = "import urllib.request as r; print(r.urlopen('http://localhost:9644/v1/cluster').status)"
        assert container.exec("/opt/kafkacompat/bin/python3", "-I", "-c", asked) == "200"


def test_a_volume_keeps_what_a_container_has_written() -> None:
    volume = f"kafkacompat-{uuid.uuid4().hex[:8]}"
    docker("volume", "create", volume)
    try:
        mount = ("-v", f"{volume}:/var/lib/kafka/data")
        with run(*mount, "-e", "KAFKACOMPAT_TOPICS=orders:3") as container:
            container.wait_ready()
            docker("stop", "-t", "30", container.name)
        with run(*mount) as container:
            container.wait_ready()
            assert container.exec("kafka-topics", "--list", "--bootstrap-server", "localhost:9092") == "orders"
    finally:
        docker("volume", "rm", volume)


def test_compose_serves_the_host_and_another_container_at_once() -> None:
    project = f"kafkacompat{uuid.uuid4().hex[:8]}"
    command = ["docker", "compose", "-p", project, "-f", str(ROOT / "docker" / "compose.yaml")]
    environ = {**os.environ, "KAFKACOMPAT_IMAGE": APACHE}
    try:
        up = subprocess.run([*command, "up", "-d"], capture_output=True, text=True, env=environ, timeout=60)
        assert up.returncode == 0, up.stderr
        ended = subprocess.run([*command, "wait", "client"], capture_output=True, text=True, env=environ, timeout=60)
        logs = subprocess.run([*command, "logs"], capture_output=True, text=True, env=environ).stdout
        assert ended.returncode == 0, logs
        at = ["kafka-console-consumer", "--bootstrap-server", "localhost:9092", "--topic", "orders", "--from-beginning"]
        read = [*command, "exec", "-T", "kafka", *at, "--max-messages", "1"]
        assert subprocess.run(read, capture_output=True, text=True, env=environ, timeout=30).stdout == "hello\n"
    finally:
        subprocess.run([*command, "down", "-v", "-t", "2"], capture_output=True, env=environ, timeout=60)


def test_a_client_on_the_host_uses_the_default_port_without_settings() -> None:
    with run("-p", "127.0.0.1:9092:9092") as container:
        container.wait_ready()
        produce_and_consume("localhost:9092")
