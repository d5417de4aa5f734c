"""The start of a node from a file, as `kafka-server-start` does it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkacompat.cli.container.settings import TEMPORARY_LOG_DIR
from kafkacompat.cli.container.start import _log_level, _new_cluster_id, _options, run_file, setup
from kafkacompat.server.settings import broker_config, data_dir, log_dirs


def test_settings_that_are_wrong_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "server.properties"
    file.write_text("listeners=PLAINTEXT://:9092\nadvertised.listeners=PLAINTEXT://0.0.0.0:9092\n")
    assert run_file(str(file), [f"log.dirs={tmp_path}"]) == 1
    error = capsys.readouterr().err
    assert "nobody can connect to 0.0.0.0" in error
    assert error.count("\n") == 1
    assert run_file(str(tmp_path / "missing")) == 1
    assert "missing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("environ", "level"),
    [
        ({}, "info"), ({"KAFKA_LOG4J_ROOT_LOGLEVEL": "WARN"}, "warning"),
        ({"KAFKA_LOG4J_ROOT_LOGLEVEL": "TRACE"}, "debug"),
        ({"KAFKA_LOG4J_ROOT_LOGLEVEL": "ERROR", "KAFKACOMPAT_LOG_LEVEL": "debug"}, "debug"),
        ({"KAFKA_LOG4J_ROOT_LOGLEVEL": "shouting"}, "info"),
    ],
)  # fmt: skip
def test_the_level_of_logs_is_ours_or_log4js(
    monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], level: str
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert _log_level() == level


@pytest.mark.parametrize("name", ["CLUSTER_ID", "KAFKA_KRAFT_CLUSTER_ID"])
def test_the_cluster_id_is_kafkas_variable_or_bitnamis(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "9999g3nShT-eMCtK--X86s")
    assert _new_cluster_id() == "9999g3nShT-eMCtK--X86s"


def test_a_setup_writes_the_settings_of_the_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAFKA_NODE_ID", "9")
    setup(None, str(tmp_path / "kafka.properties"))
    assert "node.id=9\n" in (tmp_path / "kafka.properties").read_text()


@pytest.mark.parametrize(
    ("settings", "metadata", "others"),
    [
        ({"log.dirs": "/a"}, "/a", ("/a",)),
        ({"log.dir": "/a"}, "/a", ("/a",)),
        ({}, TEMPORARY_LOG_DIR, (TEMPORARY_LOG_DIR,)),
        ({"log.dirs": "/a,/b"}, "/a", ("/a", "/b")),
        ({"log.dirs": "/a", "metadata.log.dir": "/m"}, "/m", ("/a",)),
        ({"metadata.log.dir": "/m"}, "/m", (TEMPORARY_LOG_DIR,)),
    ],
)
def test_the_directories_of_a_node_are_those_of_its_settings(
    settings: dict[str, str], metadata: str, others: tuple[str, ...]
) -> None:
    options = _options(settings)
    config, _ = broker_config(options.settings())
    assert (data_dir(config, options.data_dir), log_dirs(config, options.data_dir)) == (metadata, others)
