"""The tools that need no broker: storage, run-class, configure, start and stop; and what unknown ones answer."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kafkacompat.cli import kafka_tools
from kafkacompat.cli.kafka_tools import (
    container_configure,
    container_health,
    container_launch,
    cub,
    run_class,
    server_start,
    server_stop,
    storage,
    zookeeper,
)
from kafkacompat.cli.kafka_tools.arguments import ToolError

CLUSTER_ID = "4L6g3nShT-eMCtK--X86sw"


@pytest.fixture
def properties(tmp_path: Path) -> str:
    file = tmp_path / "kafka.properties"
    listeners = "PLAINTEXT://:9092,CONTROLLER://:9093\ncontroller.listener.names=CONTROLLER"
    roles = "process.roles=broker,controller\nnode.id=1\ncontroller.quorum.voters=1@localhost:9093"
    file.write_text(f"{roles}\nlisteners={listeners}\nlog.dirs={tmp_path}/data\n")
    return str(file)


def test_a_directory_is_formatted_once(properties: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["format", "-t", CLUSTER_ID, "-c", properties]
    assert storage.run(command) == 0
    assert "Formatting metadata directory" in capsys.readouterr().out
    assert f"cluster.id={CLUSTER_ID}" in (tmp_path / "data" / "meta.properties").read_text()
    assert kafka_tools.run("kafka-storage", command) == 1
    assert "is already formatted. Use --ignore-formatted" in capsys.readouterr().err
    assert storage.run([*command, "--ignore-formatted"]) == 0
    assert storage.run(["info", "-c", properties]) == 0
    assert CLUSTER_ID in capsys.readouterr().out


def test_of_several_directories_those_are_formatted_that_are_not(
    properties: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["format", "-t", CLUSTER_ID, "-c", properties]
    assert storage.run(command) == 0
    file = Path(properties)
    file.write_text(file.read_text().replace(f"log.dirs={tmp_path}/data", f"log.dirs={tmp_path}/data,{tmp_path}/more"))
    assert kafka_tools.run("kafka-storage", command) == 1
    capsys.readouterr()
    assert storage.run(["info", "-c", properties]) == 1
    assert f"Found problem:\n  {tmp_path}/more is not formatted." in capsys.readouterr().out
    assert storage.run([*command, "--ignore-formatted"]) == 0
    assert capsys.readouterr().out == f"Formatting data directory {tmp_path}/more with metadata.version 4.3-IV0.\n"
    assert storage.run(["info", "-c", properties]) == 0
    assert f"Found log directories:\n  {tmp_path}/data\n  {tmp_path}/more\n" in capsys.readouterr().out


@pytest.mark.parametrize("flags", [[], ["-g"]])
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (CLUSTER_ID, "other", "Invalid cluster.id in: {file}. Expected " + CLUSTER_ID + ", but read other"),
        (
            "node.id=1",
            "node.id=7",
            "Stored node id 7 doesn't match previous node id 1 in {file}. If you moved your data, make sure your "
            "configured node id matches. If you intend to create a new node, you should remove all data in your data "
            "directories.",
        ),
    ],
)
def test_nothing_is_formatted_beside_a_directory_of_another_cluster_or_node(
    properties: str, tmp_path: Path, flags: list[str], old: str, new: str, words: str
) -> None:
    command = ["format", "-t", CLUSTER_ID, "-c", properties, *flags]
    assert storage.run(command) == 0
    file = tmp_path / "data" / "meta.properties"
    file.write_text(file.read_text().replace(old, new))
    for more in ("", f",{tmp_path}/more"):
        Path(properties).write_text(f"{Path(properties).read_text().rstrip()}{more}\n")
        with pytest.raises(ToolError) as refused:
            storage.run(command)
        assert str(refused.value) == words.format(file=file)
    assert not (tmp_path / "more").exists()


def test_directories_that_cannot_be_read_are_ignored(
    properties: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["format", "-t", CLUSTER_ID, "-c", properties]
    file = tmp_path / "data" / "meta.properties"
    file.parent.mkdir()
    file.write_text("version=one\n")
    line = f"I/O error trying to read log directory {tmp_path}/data. Ignoring...\n"
    with pytest.raises(ToolError, match=r"\ANo available log directories to format\.\Z"):
        storage.run(command)
    assert capsys.readouterr().out == line
    Path(properties).write_text(f"{Path(properties).read_text().rstrip()},{tmp_path}/more\n")
    assert storage.run(command) == 0
    assert (
        capsys.readouterr().out == f"{line}Formatting data directory {tmp_path}/more with metadata.version 4.3-IV0.\n"
    )
    assert file.read_text() == "version=one\n"


def test_a_directory_of_a_broker_without_roles_is_left_to_the_broker(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "kafka.properties").write_text(f"listeners=PLAINTEXT://:9092\nlog.dirs={tmp_path}/data\n")
    assert storage.run(["format", "-t", CLUSTER_ID, "-c", str(tmp_path / "kafka.properties")]) == 0
    assert not (tmp_path / "data").exists()
    assert storage.run(["info", "-c", str(tmp_path / "kafka.properties")]) == 1
    assert "is not formatted" in capsys.readouterr().out


def test_a_random_uuid_is_22_characters_that_do_not_begin_with_a_dash(capsys: pytest.CaptureFixture[str]) -> None:
    assert storage.run(["random-uuid"]) == 0
    printed = capsys.readouterr().out
    assert len(printed) == 23
    assert printed[0] != "-"


def test_scram_users_are_refused_as_long_as_there_is_no_sasl(properties: str) -> None:
    with pytest.raises(ToolError, match="no SASL yet"):
        storage.run(["format", "-t", CLUSTER_ID, "-c", properties, "--add-scram", "SCRAM-SHA-256=[name=a]"])


def test_the_docker_wrapper_writes_and_formats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KAFKA_LOG_DIRS", str(tmp_path / "data"))
    monkeypatch.setenv("CLUSTER_ID", CLUSTER_ID)
    (tmp_path / "mounted").mkdir()
    (tmp_path / "mounted" / "server.properties").write_text("num.partitions=8\n")
    wrapper = ["kafka.docker.KafkaDockerWrapper", "setup", "--default-configs-dir", "/etc/kafka/docker"]
    folders = ["--mounted-configs-dir", f"{tmp_path}/mounted", "-F", str(tmp_path)]
    assert run_class.run([*wrapper, *folders]) == 0
    assert "num.partitions=8\n" in (tmp_path / "server.properties").read_text()
    assert CLUSTER_ID in (tmp_path / "data" / "meta.properties").read_text()
    assert run_class.run([*wrapper, *folders]) == 0
    with pytest.raises(ToolError, match="no Java"):
        run_class.run(["org.apache.kafka.tools.Other"])


def test_configure_writes_the_file_that_it_is_given(tmp_path: Path) -> None:
    assert container_configure.run([str(tmp_path / "kafka.properties")]) == 0
    assert "process.roles" in (tmp_path / "kafka.properties").read_text()


def test_there_is_no_broker_to_stop_and_none_is_healthy(tmp_path: Path) -> None:
    for tool in (server_stop, container_health):
        with pytest.raises(ToolError):
            tool.run([], str(tmp_path / "missing"))
    with pytest.raises(ToolError, match="does not answer"):
        container_health.check("127.0.0.1:1")


def test_kafka_ready_gives_up_when_the_time_is_over(capsys: pytest.CaptureFixture[str]) -> None:
    assert cub.wait(1, 0.2, ["127.0.0.1:1"]) == 1
    assert "Kafka is not ready: 127.0.0.1:1 does not answer" in capsys.readouterr().err
    assert cub.run(["zk-ready", "localhost:2181", "5"]) == 0
    with pytest.raises(ToolError, match="only kafka-ready"):
        cub.run(["sr-ready"])


REFUSED: list[tuple[Callable[[list[str]], int], list[str]]] = [
    (server_start.run, []), (server_start.run, ["-daemon", "a"]), (container_launch.run, ["--x"]),
    (container_configure.run, []), (storage.run, ["erase"]), (storage.run, ["format", "-t", "x"]),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "arguments"), REFUSED)
def test_what_a_tool_cannot_do_is_an_error_of_one_line(tool: Callable[[list[str]], int], arguments: list[str]) -> None:
    with pytest.raises(ToolError, match=r"\A[^\n]+\Z"):
        tool(arguments)


def test_zookeeper_is_not_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert zookeeper.run(["zookeeper.properties"]) == 0
    assert "no ZooKeeper is needed" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["kafka-nothing", "kafka-nothing.sh"])
def test_a_program_that_is_no_tool_says_which_there_are(name: str) -> None:
    code = f"from kafkacompat.cli.kafka_tools import main; main(['/usr/bin/{name}'])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ))
    assert ended.returncode == 1
    assert "kafka-storage" in ended.stderr
    assert ended.stderr.count("\n") == 1
