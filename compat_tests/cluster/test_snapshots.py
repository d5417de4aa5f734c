"""Kafka's metadata shell reads the snapshots that this project writes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from compat_tests.artifacts import KAFKA_VERSION, Artifact, java_program, resolve
from compat_tests.broker_process import free_port
from compat_tests.clients.java_tools.tools import TOPICS, Tools
from compat_tests.cluster.test_tools import METADATA_SHELL, TRIES, WAIT_S
from compat_tests.cluster.test_voters import Place
from compat_tests.tool_jvm.tools import JVM_OPTIONS
from tests.waiting import wait_until


@pytest.mark.api("CreateTopics")
def test_metadata_shell_reads_a_snapshot(tmp_path: Path) -> None:
    port = free_port()
    place = Place(tmp_path, 1, {1: port}, {1: free_port()})

    def newest() -> Path:
        return max((place.data_dir / "__cluster_metadata-0").glob("*.checkpoint"))

    with place.properties.open("a") as file:
        file.write("metadata.log.max.record.bytes.between.snapshots=500\n")
    place.format("dm90ZXJzLW9mLWEtcXVvcg", "--standalone")
    place.start()
    try:
        tools = Tools(f"127.0.0.1:{port}", tmp_path)
        for name in ("one", "two"):  # the second one makes it time for a snapshot, if the first did not
            tools.run(TOPICS, "--create", "--topic", name, "--partitions", "5", "--config", "retention.ms=77")
        wait_until(lambda: b"retention.ms" in newest().read_bytes(), what="a snapshot with a topic")
    finally:
        place.stop()
    snapshot = newest()
    assert not snapshot.name.startswith("00000000000000000000-")
    jars = resolve(f"kafka-shell-{KAFKA_VERSION}", [Artifact("org.apache.kafka", "kafka-shell", KAFKA_VERSION)])

    def shown(wanted: str, *command: str) -> str:
        """What the shell prints; it may begin before it has read all."""
        shell = [java_program(), *JVM_OPTIONS, "-cp", f"{jars}/*", METADATA_SHELL, "--snapshot", str(snapshot)]
        for _ in range(TRIES):
            done = subprocess.run([*shell, *command], capture_output=True, text=True, timeout=WAIT_S * 2)
            assert done.returncode == 0, done.stdout + done.stderr
            if wanted in done.stdout:
                break
        assert wanted in done.stdout
        return done.stdout

    (config,) = [
        path
        for path in shown("/retention.ms", "find", "/image").split()
        if "/configs/" in path and "one" in path and path.endswith("retention.ms")
    ]
    for path in ("/image/topics/byName/one/4", "/image/cluster/brokers/1"):
        assert path in shown(path, "find", "/image").split()
    assert "77" in shown("77", "cat", config)
