"""Files with clients' settings. `compat_tests/kafka_tools` compares them with Kafka's tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kafkacompat import Cluster
from kafkacompat.cli import kafka_tools
from kafkacompat.cli.kafka_tools.arguments import UsageError, parse
from kafkacompat.cli.kafka_tools.client_config import ClientConfigError, file_of, settings_of
from kafkacompat.cli.kafka_tools.tool_client import client_of
from kafkacompat.client.errors import SecurityError


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with Cluster(topics=["orders"], records={"orders": [{"value": "a"}, {"value": "b"}]}) as kafka:
        yield kafka.bootstrap_servers


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], str]:
    """Makes a file of settings, and returns its path."""
    path = tmp_path / "client.properties"

    def write(content: str) -> str:
        path.write_text(content)
        return str(path)

    return write


def test_the_address_on_the_command_line_wins_over_the_files(
    servers: str, file: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = file("bootstrap.servers=127.0.0.1:1\nclient.id=me\nunheard.of=1\n")
    assert kafka_tools.run("kafka-topics", ["--list", "--bootstrap-server", servers, "--command-config", path]) == 0
    assert "orders" in capsys.readouterr().out.splitlines()


def test_credentials_of_the_file_are_used(servers: str, file: Callable[[str], str]) -> None:
    path = file("security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.username=ann\nsasl.password=x\n")
    given = parse(["--bootstrap-server", servers, "--command-config", path], ("--bootstrap-server", "--command-config"))
    with client_of(given) as client, pytest.raises(SecurityError, match="takes no SASL"):
        client.metadata(())


def test_a_consumers_file_names_its_group_and_its_start(
    servers: str, file: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = file("group.id=billing\nauto.offset.reset=earliest\n")
    read = ["--bootstrap-server", servers, "--topic", "orders", "--consumer.config", path]
    assert kafka_tools.run("kafka-console-consumer", [*read, "--max-messages", "2"]) == 0
    deprecated = "Option --consumer.config is deprecated and will be removed in a future version. Use --command-config"
    assert capsys.readouterr().out == f"{deprecated} instead.\na\nb\n"
    assert kafka_tools.run("kafka-consumer-groups", ["--bootstrap-server", servers, "--list"]) == 0
    assert capsys.readouterr().out.splitlines() == ["billing"]
    assert kafka_tools.run("kafka-console-consumer", [*read, "--group", "other"]) == 1
    assert "do not match. Detected group ids: 'other', 'billing'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "request.timeout.ms=soon",
            "Invalid value soon for configuration request.timeout.ms: Not a number",
        ),
        ("default.api.timeout.ms=-1", "Invalid value -1 for configuration default.api.timeout.ms"),
        ("security.protocol=SHOE", "Invalid value SHOE for configuration security.protocol: String must be one of"),
        ("acks=7", "Invalid value 7 for configuration acks: String must be one of: all, -1, 0, 1"),
        ("auto.offset.reset=shoe", "Invalid value shoe for configuration auto.offset.reset"),
    ],
)
def test_what_a_client_of_kafka_refuses_is_refused(line: str, says: str, file: Callable[[str], str]) -> None:
    with pytest.raises(ClientConfigError, match=says):
        settings_of(file(line + "\n"))


def test_a_file_that_is_not_there(
    servers: str, tmp_path: Path, file: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    missing = str(tmp_path / "nowhere")
    says = f"java.nio.file.NoSuchFileException: {missing}"
    for tool, more, status in (
        ("kafka-topics", ["--list"], 1), ("kafka-configs", ["--describe", "--topic", "orders"], 1),
        ("kafka-get-offsets", [], 1), ("kafka-console-producer", ["--topic", "orders"], 1),
        ("kafka-consumer-groups", ["--list"], 0),
    ):  # fmt: skip
        assert kafka_tools.run(tool, ["--bootstrap-server", servers, "--command-config", missing, *more]) == status
        printed = capsys.readouterr()
        assert says in (printed.err if status else printed.out)
    with pytest.raises(ClientConfigError, match="Is a directory"):
        settings_of(str(tmp_path))
    with pytest.raises(UsageError, match="Options --command-config and --config cannot be specified together"):
        file_of(parse(["--command-config", "a", "--config", "b"], ("--command-config", "--config")), "--config")
