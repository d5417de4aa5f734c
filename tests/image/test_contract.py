"""What the image promises beside the modules: settings, hooks, a cluster, stops, and errors as in Kafka's image."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from tests.image.conftest import StartContainer
from tests.image.container import HOST_NAME, READY, ROOTFS, RUN, Container
from tests.image.modules import JAVA, JAVA_SCRIPT, JAVA_WAITS

STOP_S = 1.0
STOPS_MAX = 3


def admin(container: Container, port: int = 9092) -> AdminClient:
    return AdminClient({"bootstrap.servers": f"localhost:{container.mapped[port]}"})


def test_without_anything_it_serves_and_tells_those_inside_their_own_address(start: StartContainer) -> None:
    container = start(RUN)
    container.wait_for_log(READY)
    assert container.exec("/opt/kafkacompat/bin/container-health").stdout == "healthy: 127.0.0.1:9092\n"
    assert container.exec("cub", "kafka-ready", "1", "5", "-b", "localhost:9092").returncode == 0
    written = container.exec("cat", "/opt/kafka/config/server.properties").stdout
    assert "process.roles=broker,controller\n" in written
    assert "log.dirs=/tmp/kraft-combined-logs\n" in written


def test_arguments_are_variables_and_variables_lie_on_a_mounted_file(start: StartContainer) -> None:
    script = "echo num.partitions=3 > /mnt/shared/config/server.properties; exec /etc/kafka/docker/run"
    advertised = "KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://localhost:9092"
    container = start(["bash", "-c", f"{script} KAFKA_MESSAGE_MAX_BYTES=2000 {advertised}"])
    container.wait_for_log(READY)
    written = container.exec("cat", "/opt/kafka/config/server.properties").stdout
    assert "num.partitions=3\n" in written
    assert "message.max.bytes=2000\n" in written


def test_the_steps_that_projects_take_singly(start: StartContainer) -> None:
    setup = (
        ". /etc/kafka/docker/bash-config; . /etc/kafka/docker/configureDefaults; . /etc/kafka/docker/configure; "
        "cd /opt/kafka/bin; ./kafka-run-class.sh kafka.docker.KafkaDockerWrapper setup "
        "--default-configs-dir /etc/kafka/docker --mounted-configs-dir /mnt/shared/config "
        "--final-configs-dir /opt/kafka/config; "
        "./kafka-storage.sh format --ignore-formatted -t $CLUSTER_ID -c /opt/kafka/config/server.properties; "
        "exec /opt/kafka/bin/kafka-server-start.sh /opt/kafka/config/server.properties --override num.partitions=4"
    )
    container = start(["bash", "-c", setup], {"CLUSTER_ID": "9999g3nShT-eMCtK--X86s"})
    container.wait_for_log("cluster 9999g3nShT-eMCtK--X86s", stdout_only=True)  # this line comes last
    assert re.search(READY, container.stdout)


def test_hooks_are_done_before_the_lines_that_tools_wait_for(start: StartContainer) -> None:
    script = (
        "echo 'echo hook at $BOOTSTRAP_SERVERS; id -u' > /docker-entrypoint-initdb.d/a.sh; exec /etc/kafka/docker/run"
    )
    environ = {"KAFKACOMPAT_TOPICS": "orders:3,audit", "KAFKA_CREATE_TOPICS": "old:2:1"}
    container = start(["bash", "-c", script], environ, 9092)
    container.wait_for_log(READY)
    assert container.stdout.index("hook at 127.0.0.1:9092") < container.stdout.index("Transitioning")
    found = admin(container).list_topics(timeout=10).topics
    assert {name: len(topic.partitions) for name, topic in found.items()} == {"orders": 3, "audit": 1, "old": 2}


def test_a_hook_that_fails_ends_the_container_before_it_is_ready(start: StartContainer) -> None:
    script = "echo 'exit 7' > /docker-entrypoint-initdb.d/a.sh; exec /etc/kafka/docker/run"
    container = start(["bash", "-c", script])
    assert container.wait() == 1
    assert "a.sh failed with status 7" in container.stderr
    assert "started" not in container.stdout


def test_seeds_are_written_although_the_advertised_address_only_works_outside(start: StartContainer) -> None:
    """As a module of testcontainers starts it, with a mapped port."""
    hooks = "/docker-entrypoint-initdb.d"
    writes = (
        f"printf 'topics: {{orders: 3}}\nrecords: {{orders: [{{value: one}}]}}\n' > {hooks}/10-orders.yaml; "
        f'echo \'{{"topic": "orders", "value": "two"}}\' > {hooks}/30-more.jsonl; '
        f"echo 'kafka-topics --create --topic from-script --bootstrap-server $BOOTSTRAP_SERVERS' > {hooks}/20-b.sh; "
    )
    container = start(["bash", "-c", f"{writes} {JAVA_WAITS}"], {**JAVA, "KAFKACOMPAT_TOPICS": "audit:2"}, 9092)
    advertised = f"PLAINTEXT://localhost:{container.mapped[9092]},BROKER://{HOST_NAME}:9093"
    script = f"#!/bin/bash\nexport KAFKA_ADVERTISED_LISTENERS={advertised}\n/etc/kafka/docker/run\n"
    container.copy(JAVA_SCRIPT, script, 0o777)
    container.wait_for_log(READY)
    found = admin(container).list_topics(timeout=10).topics
    assert {name: len(topic.partitions) for name, topic in found.items()} == {"audit": 2, "orders": 3, "from-script": 1}
    at = ("--bootstrap-server", f"{HOST_NAME}:9093", "--from-beginning", "--max-messages", "2")
    read = container.exec("kafka-console-consumer", "--topic", "orders", *at)
    assert sorted(read.stdout.split()) == ["one", "two"], read.stderr


def test_a_seed_that_is_wrong_ends_the_container_with_its_name_and_line(start: StartContainer) -> None:
    script = (
        "printf 'topics:\n  orders: 3\n  audit: [\n' > /docker-entrypoint-initdb.d/a.yaml; exec /etc/kafka/docker/run"
    )
    container = start(["bash", "-c", script])
    assert container.wait() == 1
    assert re.search(r"kafkacompat: seed /docker-entrypoint-initdb.d/a.yaml: .*line 4", container.stderr)
    assert "started" not in container.stdout


def test_three_brokers_in_one_container(start: StartContainer) -> None:
    seed = """echo '{"topic": "orders", "value": "one"}' > /docker-entrypoint-initdb.d/a.jsonl; exec """
    environ = {"KAFKACOMPAT_BROKERS": "3", "KAFKACOMPAT_TOPICS": "orders:3:3"}
    container = start(["bash", "-c", seed + RUN[0]], environ)
    container.wait_for_log(READY)
    read = ("kafka-console-consumer", "--topic", "orders", "--from-beginning", "--max-messages", "1")
    assert container.exec(*read, "--bootstrap-server", "localhost:9093").stdout == "one\n"
    health = container.exec("/opt/kafkacompat/bin/container-health").stdout
    assert health == "healthy: 127.0.0.1:9092, 127.0.0.1:9093, 127.0.0.1:9094\n"
    assert container.exec("cub", "kafka-ready", "3", "5", "-b", "localhost:9094").returncode == 0
    assert container.stop() == 0


@pytest.mark.parametrize(
    ("environ", "says"),
    [
        ({"KAFKA_ADVERTISED_LISTENERS": "PLAINTEXT://0.0.0.0:9092"}, "nobody can connect to 0.0.0.0"),
        (
            {"KAFKA_PROCESS_ROLES": "controller", "KAFKA_ADVERTISED_LISTENERS": "PLAINTEXT://a:9092"},
            "KAFKA_ADVERTISED_LISTENERS is not supported on a KRaft controller.",
        ),
        ({"KAFKA_ADVERTISED_LISTENERS": "SSL://a:9092"}, "KAFKA_SSL_KEYSTORE_FILENAME environment variable not set"),
        (
            {"KAFKA_ADVERTISED_LISTENERS": "SSL://a:9092", "KAFKA_SSL_KEYSTORE_FILENAME": "store.jks"},
            "/etc/kafka/secrets/store.jks file does not exist",
        ),
        ({"KAFKA_ADVERTISED_LISTENERS": "SASL_PLAINTEXT://a:9092"}, "KAFKA_OPTS environment variable not set"),
        ({"KAFKACOMPAT_BROKERS": "none"}, "KAFKACOMPAT_BROKERS=none"),
        ({"KAFKACOMPAT_LOG_LEVEL": "loud"}, "KAFKACOMPAT_LOG_LEVEL=loud"),
        ({"KAFKACOMPAT_TOPICS": "orders:none"}, "name:partitions:replicas"),
    ],
)
def test_what_cannot_start_ends_with_status_1_and_says_why(
    start: StartContainer, environ: dict[str, str], says: str
) -> None:
    container = start(RUN, environ)
    assert container.wait() == 1
    assert says in container.stderr
    assert "Traceback" not in container.stderr


def test_a_stop_of_temporary_data_with_100_partitions_takes_no_second(start: StartContainer) -> None:
    taken_s: list[float] = []
    while not taken_s or taken_s[-1] >= STOP_S:  # what else the machine does may slow one of them
        assert len(taken_s) < STOPS_MAX, taken_s
        container = start(RUN, {"KAFKACOMPAT_TOPICS": "orders:100"}, 9092)
        container.wait_for_log(READY)
        began_s = time.monotonic()
        assert container.stop() == 0
        taken_s.append(time.monotonic() - began_s)
        assert not Path(container.root, "tmp/kafkacompat-ready.json").exists()


def test_a_second_start_finds_the_data_of_the_first(start: StartContainer) -> None:
    twice = "trap : TERM; for n in 1 2; do /etc/kafka/docker/run & wait $!; wait $!; done"
    container = start(["bash", "-c", twice], {"KAFKACOMPAT_TOPICS": "orders:3"})
    container.wait_for_log(READY)
    assert container.exec("kafka-server-stop").returncode == 0
    container.wait_for_log(rf"(?s){READY}.*{READY}")
    assert container.exec("kafka-storage", "info", "-c", "/opt/kafka/config/server.properties").returncode == 0
    assert container.exec("/opt/kafkacompat/bin/container-health").returncode == 0


def test_scripts_hand_the_process_over_and_fit_every_shell() -> None:
    scripts = [path for path in ROOTFS.rglob("*") if path.is_file() and path.parent.name == "docker"]
    assert len(scripts) == 10
    for path in scripts:
        text = path.read_text()
        if path.name in ("run", "launch"):
            assert "\nexec " in text, f"{path}: without exec, no signal reaches the broker"
        if path.name == "bash-config":
            assert "pipefail" not in text
            assert "[[" not in text, f"{path}: dash sources it, too"
        assert path.stat().st_mode & 0o111, f"{path} is not executable"
