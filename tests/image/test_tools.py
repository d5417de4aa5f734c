"""Kafka's tools by their names and places in the image."""

from __future__ import annotations

from tests.image.conftest import StartContainer
from tests.image.container import READY, RUN


def test_tools_are_on_path_without_sh_and_in_kafkas_directory_with_it(start: StartContainer) -> None:
    container = start(RUN)
    container.wait_for_log(READY)
    at = ("--bootstrap-server", "localhost:9092")
    made = container.exec("kafka-topics", "--create", "--topic", "orders", *at)
    assert made.stdout == "Created topic orders.\n", made.stderr
    lines = "printf 'a\\nb\\n' | kafka-console-producer --topic orders --bootstrap-server localhost:9092"
    assert container.exec("bash", "-c", lines).returncode == 0
    read = ("--topic", "orders", "--from-beginning", "--max-messages", "2")
    assert container.exec("/opt/kafka/bin/kafka-console-consumer.sh", *read, *at).stdout == "a\nb\n"
    assert container.exec("/opt/kafka/bin/kafka-topics.sh", "--list", *at).stdout == "orders\n"
    assert container.exec("kafka-get-offsets", "--topic", "orders", *at).stdout == "orders:0:2\n"
    assert "Cluster ID: 5L6g3nShT-eMCtK--X86sw" in container.exec("kafka-cluster", "cluster-id", *at).stdout
    groups = container.exec("/opt/kafka/bin/kafka-consumer-groups.sh", "--list", *at)
    assert (groups.returncode, groups.stdout) == (0, ""), groups.stderr
    assert "LeaderId:               1\n" in container.exec("kafka-metadata-quorum", *at, "describe", "--status").stdout
    assert (
        "Dynamic configs for topic orders are:"
        in container.exec("kafka-configs", *at, "--describe", "--topic", "orders").stdout
    )
    container.exec("bash", "-c", "echo client.id=me > /tmp/client.properties")
    config = ("--command-config", "/tmp/client.properties")
    assert container.exec("kafka-topics", "--list", *at, *config).stdout == "orders\n"
    assert "No Authorizer is configured" in container.exec("kafka-acls", "--list", *at).stdout
    wrong = container.exec("kafka-topics", "--list", "--unheard-of", *at)
    assert (wrong.returncode, wrong.stderr.count("\n")) == (1, 1)
