"""`KAFKA_*` variables mean what they mean to the program in Apache Kafka's container image."""

from __future__ import annotations

import subprocess
from pathlib import Path

from compat_tests.artifacts import java_program, kafka_jars
from kafkacompat.config.definitions import BROKER_CONFIGS
from kafkacompat.config.environment import NO_CONFIGS, read_environment
from kafkacompat.config.properties import read_properties

TIMEOUT_S = 120
FILES = ("server.properties", "log4j2.yaml", "tools-log4j2.yaml")
ODD = ("A__B___C", "A____B", "A_____B", "A______B", "_A", "A_", "LISTENER_NAME_MY__NAME_MAX_CONNECTIONS", "HOME")
OF_OTHER_IMAGES = "KAFKA_CREATE_TOPICS"
"""Of hooks that images of others have; to Apache Kafka's it is an unknown config."""


def _written_by_kafka(environ: dict[str, str], folder: Path) -> dict[str, str]:
    """The settings that KafkaDockerWrapper writes for these variables, before it formats the storage."""
    folders = {name: folder / name for name in ("default", "mounted", "final")}
    for each in folders.values():
        each.mkdir()
    for name in FILES:
        (folders["default"] / name).write_text("")
    flags = [word for name, path in folders.items() for word in (f"--{name}-configs-dir", str(path))]
    command = [java_program(), "-cp", f"{kafka_jars()}/*", "kafka.docker.KafkaDockerWrapper", "setup", *flags]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert "CLUSTER_ID environment variable is not set" in done.stderr, done.stderr  # how it ends, once it has written
    return read_properties((folders["final"] / "server.properties").read_text())


def test_variables_are_read_as_by_apache_kafkas_image(tmp_path: Path) -> None:
    environ = {f"KAFKA_{name.upper().replace('.', '_')}": str(number) for number, name in enumerate(BROKER_CONFIGS)}
    environ |= {f"KAFKA_{name}": "odd" for name in ODD}
    environ |= dict.fromkeys(NO_CONFIGS - {OF_OTHER_IMAGES}, "INFO") | {"KAFKA_LOG4J_LOGGERS": "kafka=INFO"}
    environ |= {
        "KAFKA_PROCESS_ROLES": "broker,controller", "KAFKA_LISTENERS": "PLAINTEXT://:9092,CONTROLLER://:9093",
        "KAFKA_ADVERTISED_LISTENERS": "PLAINTEXT://localhost:9092", "NOT_KAFKAS": "1",
    }  # fmt: skip
    written = _written_by_kafka(environ, tmp_path)
    assert len(written) > 200
    assert read_environment(environ) == written
