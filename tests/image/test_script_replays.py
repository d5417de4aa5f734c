"""Each testcontainers module that starts a Kafka, step by step without the library: the same entrypoint, the same start
script with the mode that the module sets, the same wait. Then a real client uses the address that the module gives out.
"""

from __future__ import annotations

from tests.image import modules
from tests.image.client import produce_and_consume
from tests.image.conftest import StartContainer
from tests.image.container import HOST_NAME, Container
from tests.image.modules import HOST, JAVA_SCRIPT, JAVA_WAITS
from tests.waiting import wait_until


def wait_and_use(container: Container, pattern: str, port: int, *, stdout_only: bool = False) -> None:
    """Wait as the module does, then be a client on the host; nothing was logged twice, nothing goes wrong."""
    container.wait_for_log(pattern, stdout_only=stdout_only)
    produce_and_consume(f"{HOST}:{container.mapped[port]}")
    for line in (modules.RUNNING, modules.KRAFT_STARTED, modules.ZOOKEEPER_STARTED):
        wait_until(lambda line=line: container._matches(line, stdout_only=True), what=container.logs)
    assert container.stdout.count("Transitioning from RECOVERY to RUNNING") == 1
    assert "ERROR" not in container.stderr


def apache_java_script(container: Container) -> str:
    advertised = f"PLAINTEXT://{HOST}:{container.mapped[9092]},BROKER://{HOST_NAME}:9093"
    return f"#!/bin/bash\nexport KAFKA_ADVERTISED_LISTENERS={advertised}\n/etc/kafka/docker/run \n"


def test_java_kafka_container(start: StartContainer) -> None:
    container = start(["sh", "-c", JAVA_WAITS], modules.JAVA, 9092)
    container.copy(JAVA_SCRIPT, apache_java_script(container), 0o777)
    wait_and_use(container, modules.RUNNING, 9092)


def test_java_kafka_container_with_a_listener_for_another_container(start: StartContainer) -> None:
    """`withListener("kafka:19092")`: the listener binds the alias, so it has to resolve inside."""
    more = {"KAFKA_LISTENERS": f"TC-0://{HOST_NAME}:19092", "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP": "TC-0:PLAINTEXT"}
    environ = modules.JAVA | {name: f"{modules.JAVA[name]},{entry}" for name, entry in more.items()}
    container = start(["sh", "-c", JAVA_WAITS], environ, 9092, 19092)
    script = apache_java_script(container).replace(":9093\n", f":9093,TC-0://{HOST}:{container.mapped[19092]}\n")
    container.copy(JAVA_SCRIPT, script, 0o777)
    wait_and_use(container, modules.RUNNING, 9092)
    wait_and_use(container, modules.RUNNING, 19092)


def test_java_confluent_kafka_container(start: StartContainer) -> None:
    container = start(["sh", "-c", JAVA_WAITS], modules.JAVA, 9092)
    script = apache_java_script(container).replace("/etc/kafka/docker/run", "/etc/confluent/docker/run")
    container.copy(JAVA_SCRIPT, script, 0o777)
    wait_and_use(container, modules.RUNNING, 9092)


def old_java_script(container: Container, *steps: str) -> str:
    advertised = f"PLAINTEXT://{HOST}:{container.mapped[9093]},BROKER://{HOST_NAME}:9092"
    first = f"#!/bin/bash\nexport KAFKA_ADVERTISED_LISTENERS={advertised}\n"
    return first + "".join(f"{step}\n" for step in steps) + "/etc/confluent/docker/run \n"


def test_old_java_kafka_container_with_zookeeper(start: StartContainer) -> None:
    container = start(["sh", "-c", JAVA_WAITS], modules.OLD_JAVA, 9093)
    script = old_java_script(
        container,
        "echo '' > /etc/confluent/docker/ensure ",
        "echo 'clientPort=2181' > /tmp/zookeeper.properties",
        "echo 'dataDir=/var/lib/zookeeper/data' >> /tmp/zookeeper.properties",
        "echo 'dataLogDir=/var/lib/zookeeper/log' >> /tmp/zookeeper.properties",
        "zookeeper-server-start /tmp/zookeeper.properties &",
    )
    container.copy(JAVA_SCRIPT, script, 0o777)
    wait_and_use(container, modules.ZOOKEEPER_STARTED, 9093)


def test_old_java_kafka_container_with_kraft(start: StartContainer) -> None:
    """Before 7.4.0 it also empties `ensure`; here is the longer way."""
    container = start(["sh", "-c", JAVA_WAITS], modules.OLD_JAVA_KRAFT, 9093)
    script = old_java_script(
        container,
        "echo '' > /etc/confluent/docker/ensure ",
        "sed -i '/KAFKA_ZOOKEEPER_CONNECT/d' /etc/confluent/docker/configure",
        f'echo \'kafka-storage format --ignore-formatted -t "{modules.CLUSTER_ID}" '
        "-c /etc/kafka/kafka.properties' >> /etc/confluent/docker/configure",
    )
    container.copy(JAVA_SCRIPT, script, 0o777)
    wait_and_use(container, modules.RUNNING, 9093)
    container.wait_for_log(f"cluster {modules.CLUSTER_ID}", stdout_only=True)


def python_script(container: Container, boot: str) -> str:
    listeners = f"PLAINTEXT://{HOST}:{container.mapped[9093]},BROKER://$(hostname -i):9092"
    return (
        f"#!/bin/bash\n{boot}export KAFKA_ADVERTISED_LISTENERS={listeners}\n"
        ". /etc/confluent/docker/bash-config\n/etc/confluent/docker/configure\n/etc/confluent/docker/launch"
    )


PYTHON_WAITS = ["sh", "-c", f"while [ ! -f {modules.PYTHON_SCRIPT} ]; do sleep 0.1; done; sh {modules.PYTHON_SCRIPT}"]


def test_python_kafka_container_with_zookeeper(start: StartContainer) -> None:
    container = start(PYTHON_WAITS, modules.PYTHON, 9093)
    boot = (
        "echo 'clientPort=2181' > zookeeper.properties\n"
        "echo 'dataDir=/var/lib/zookeeper/data' >> zookeeper.properties\n"
        "echo 'dataLogDir=/var/lib/zookeeper/log' >> zookeeper.properties\n"
        "zookeeper-server-start zookeeper.properties &\nexport KAFKA_ZOOKEEPER_CONNECT='localhost:2181'\n"
    )
    container.copy(modules.PYTHON_SCRIPT, python_script(container, boot))
    wait_and_use(container, modules.ZOOKEEPER_STARTED, 9093)


def test_python_kafka_container_with_kraft(start: StartContainer) -> None:
    container = start(PYTHON_WAITS, modules.PYTHON_KRAFT, 9093)
    boot = (
        "sed -i '/KAFKA_ZOOKEEPER_CONNECT/d' /etc/confluent/docker/configure\n"
        f"echo 'kafka-storage format --ignore-formatted -t {modules.PYTHON_CLUSTER_ID} "
        "-c /etc/kafka/kafka.properties' >> /etc/confluent/docker/configure\n"
    )
    container.copy(modules.PYTHON_SCRIPT, python_script(container, boot))
    wait_and_use(container, modules.KRAFT_STARTED, 9093)
    container.wait_for_log(f"cluster {modules.PYTHON_CLUSTER_ID}", stdout_only=True)


def test_python_kafka_container_on_two_networks(start: StartContainer) -> None:
    """`hostname -i` prints two addresses then, and the listener has a blank in its host: the first one is taken."""
    container = start(PYTHON_WAITS, modules.PYTHON_KRAFT, 9093)
    script = python_script(container, "").replace("$(hostname -i)", "$(hostname -i) 10.0.0.9")
    script = script.replace("LISTENERS=PLAINTEXT", 'LISTENERS="PLAINTEXT').replace("10.0.0.9:9092", '10.0.0.9:9092"')
    container.copy(modules.PYTHON_SCRIPT, script)
    wait_and_use(container, modules.KRAFT_STARTED, 9093)


def test_go(start: StartContainer) -> None:
    script = modules.GO_SCRIPT
    container = start(["sh", "-c", f"while [ ! -f {script} ]; do sleep 0.1; done; bash {script}"], modules.GO, 9093)
    advertised = f"PLAINTEXT://{HOST}:{container.mapped[9093]},BROKER://{HOST_NAME}:9092"
    more = "${EXTRA_ADVERTISED_LISTENERS:+,${EXTRA_ADVERTISED_LISTENERS}}"
    text = (
        "#!/bin/bash\nsource /etc/confluent/docker/bash-config\n"
        f'export KAFKA_ADVERTISED_LISTENERS="{advertised}{more}"\n'
        "echo Starting Kafka KRaft mode\nsed -i '/KAFKA_ZOOKEEPER_CONNECT/d' /etc/confluent/docker/configure\n"
        'echo \'kafka-storage format --ignore-formatted -t "$(kafka-storage random-uuid)" '
        "-c /etc/kafka/kafka.properties' >> /etc/confluent/docker/configure\n"
        "echo '' > /etc/confluent/docker/ensure\n/etc/confluent/docker/configure\n/etc/confluent/docker/launch"
    )
    container.copy(script, text, 0o755)
    wait_and_use(container, modules.RUNNING, 9093)


def test_node_waits_for_ports(start: StartContainer) -> None:
    script = modules.NODE_SCRIPT
    echo = "echo 'Waiting for script...'"
    waits = f"{echo}; while [ ! -f {script} ]; do sleep 0.1; done; {script}"
    container = start(["sh", "-c", waits], modules.NODE, 9093)
    container.wait_for_log("Waiting for script")
    listed, connected = (
        "cat /proc/net/tcp* | awk '{print $2}' | grep -i :2385",  # 9093
        "</dev/tcp/localhost/9093",
    )
    assert container.exec("/bin/sh", "-c", listed).returncode == 1
    assert container.exec("/bin/bash", "-c", connected).returncode == 1
    advertised = f"BROKER://{HOST_NAME}:9092,PLAINTEXT://{HOST}:{container.mapped[9093]}"
    text = f"#!/bin/bash\nexport KAFKA_ADVERTISED_LISTENERS={advertised}\n/etc/confluent/docker/run \n"
    container.copy(script, text, 0o777)
    wait_until(lambda: container.exec("/bin/sh", "-c", listed).returncode == 0, what=container.logs)
    wait_until(lambda: container.exec("/bin/bash", "-c", connected).returncode == 0, what=container.logs)
    produce_and_consume(f"{HOST}:{container.mapped[9093]}")


def test_dotnet_leaves_a_comma_at_the_end(start: StartContainer) -> None:
    script = modules.DOTNET_SCRIPT
    waits = f"while [ ! -f {script} ]; do sleep 0.1; done; {script}"
    container = start(["/bin/sh", "-c", waits], modules.DOTNET, 9092)
    advertised = f"PLAINTEXT://{HOST}:{container.mapped[9092]},BROKER://127.0.0.1:9093,"
    text = f"#!/bin/bash\n\nexport KAFKA_ADVERTISED_LISTENERS={advertised}\nexec /etc/kafka/docker/run\n"
    container.copy(script, text, 0o755)
    wait_and_use(container, modules.RUNNING, 9092)


def test_rust_makes_the_script_by_exec_and_reads_standard_output_only(start: StartContainer) -> None:
    script = modules.RUST_SCRIPT
    waits = f"while [ ! -f {script}  ]; do sleep 0.1; done; chmod 755 {script} && {script}"
    container = start(["bash", "-c", waits], modules.RUST, 9092)
    advertised = f"PLAINTEXT://127.0.0.1:{container.mapped[9092]},BROKER://localhost:9093"
    lines = f"#!/usr/bin/env bash\nexport KAFKA_ADVERTISED_LISTENERS={advertised}\n/etc/kafka/docker/run \n"
    made = container.exec("sh", "-c", f"echo '{lines}' > {script}")
    assert made.returncode == 0, made.stderr
    wait_and_use(container, modules.KRAFT_STARTED, 9092, stdout_only=True)


def test_quarkus_looks_for_a_native_binary_first(start: StartContainer) -> None:
    waits = JAVA_WAITS.replace("! -f", "! -x")
    container = start(["sh", "-c", waits], modules.QUARKUS, 9092)
    first, _, _ = apache_java_script(container).partition("/etc/kafka")
    text = f"{first}if [ -f /opt/kafka/kafka.Kafka ]; then\n  exit 9\nelse\n  exec /etc/kafka/docker/run\nfi\n"
    container.copy(JAVA_SCRIPT, text, 0o777)
    wait_and_use(container, modules.RUNNING, 9092)
