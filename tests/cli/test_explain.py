"""`kafkacompat config --explain`: values of settings, and where they come from."""

from __future__ import annotations

from pathlib import Path

from tests.cli.verbs import run


def explained(*arguments: str, environment: dict[str, str] | None = None) -> dict[str, tuple[str | None, str]]:
    done = run("config", "-f", "json", *arguments, servers="", environment=environment)
    assert (done.status, done.err) == (0, "")
    return {row["name"]: (row["value"], row["source"]) for row in done.json_lines}


def test_each_source_is_named_and_the_nearest_wins(tmp_path: Path) -> None:
    path = tmp_path / "server.properties"
    path.write_text("num.partitions=2\nlog.retention.ms=5\n")
    file, name = ["--properties", str(path)], "num.partitions"
    ask = ["--explain", name]
    variable = {"KAFKA_NUM_PARTITIONS": "4"}
    assert explained(*ask) == {name: ("1", "default")}
    assert explained(*ask, *file) == {name: ("2", "properties file")}
    assert explained(*ask, *file, environment=variable) == {name: ("2", "properties file")}
    assert explained(*ask, *file, "--from-env", environment=variable) == {name: ("4", "variable KAFKA_NUM_PARTITIONS")}
    flag = ["--config", "num.partitions=6"]
    assert explained(*ask, *file, *flag, "--from-env", environment=variable) == {name: ("6", "command line")}
    assert explained("--explain", "offsets.topic.replication.factor") == {
        "offsets.topic.replication.factor": ("1", "development default")
    }


def test_without_a_name_what_is_set_is_shown(tmp_path: Path) -> None:
    shown = explained("--config", "num.partitions=6")
    assert shown["num.partitions"] == ("6", "command line")
    assert "log.retention.hours" not in shown
    assert explained("--all")["log.retention.hours"] == ("168", "default")


def test_a_name_that_is_none_gets_a_hint() -> None:
    done = run("config", "--explain", "num.partition", servers="")
    assert done == (
        3, b"", "kafkacompat: num.partition is no setting of a broker; did you mean num.partitions?\n",
    )  # fmt: skip
    assert run("config", "--config", "num.partitions=many", servers="").status == 1


def test_secrets_are_hidden_as_describe_configs_hides_them(tmp_path: Path) -> None:
    path = tmp_path / "server.properties"
    path.write_text("ssl.key.password=hush\n")
    file, flag = ["--properties", str(path)], ["--config", "sasl.jaas.config=hush"]
    assert explained("--explain", "ssl.key.password") == {"ssl.key.password": (None, "default")}
    shown = explained(*file, *flag)
    assert shown["ssl.key.password"] == ("(hidden)", "properties file")
    assert shown["sasl.jaas.config"] == ("(hidden)", "command line")
    assert not [name for name, (value, _) in shown.items() if value == "hush"]


def test_a_variable_of_kafkas_images_is_explained_as_its_setting() -> None:
    arguments = ("config", "-f", "json", "--from-env", "--explain")
    done = run(*arguments, "KAFKA_NUM_PARTITIONS", servers="", environment={"KAFKA_NUM_PARTITIONS": "4"})
    assert done.json_lines == [{"name": "num.partitions", "value": "4", "source": "variable KAFKA_NUM_PARTITIONS"}]
    where = "it is read in the container, and by serve with --from-env"
    assert done.err == f"KAFKA_NUM_PARTITIONS is num.partitions; {where}\n"
    assert run(*arguments, "KAFKA_HEAP_OPTS", servers="").status == 3
    unknown = run(*arguments, "KAFKA_NUM_PARTITION", servers="")
    assert unknown.status == 3
    assert unknown.err.endswith("num.partition is no setting of a broker; did you mean num.partitions?\n")
