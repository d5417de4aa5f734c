"""A node's settings in the container: variables on top of a mounted file on top of defaults."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkacompat.cli.container.settings import (
    DATA_VOLUME,
    TEMPORARY_LOG_DIR,
    cluster_settings,
    container_settings,
    is_mounted_by_user,
    is_temporary,
    write_settings,
)
from kafkacompat.config.properties import read_properties
from kafkacompat.errors import StartupError

NAMED = f"31 22 8:1 /var/lib/docker/volumes/orders/_data {DATA_VOLUME} rw - ext4 /dev/sda rw\n"
ANONYMOUS = NAMED.replace("orders", "0123456789abcdef" * 4)
BOUND = NAMED.replace("/var/lib/docker/volumes/orders/_data", "/srv/kafka")


def test_without_variables_the_node_is_that_of_apache_kafkas_image(tmp_path: Path) -> None:
    settings = container_settings({}, str(tmp_path / "missing"), mounts=str(tmp_path / "missing"))
    assert settings["process.roles"] == "broker,controller"
    assert settings["node.id"] == "1"
    assert settings["listeners"] == "PLAINTEXT://:9092,CONTROLLER://:9093"
    assert settings["controller.quorum.voters"] == "1@localhost:9093"
    assert settings["log.dirs"] == TEMPORARY_LOG_DIR
    assert settings["offsets.topic.replication.factor"] == "1"


def test_a_release_brings_its_settings_below_those_of_the_user(tmp_path: Path) -> None:
    assert container_settings({"KAFKACOMPAT_VERSION": "3.9.1"})["emulated.release"] == "3.9"
    assert container_settings({"KAFKACOMPAT_VERSION": "7.9.0"})["emulated.release"] == "3.9"
    given = {"KAFKACOMPAT_VERSION": "3.9.1", "KAFKA_LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS": "5"}
    assert container_settings(given)["log.message.timestamp.after.max.ms"] == "5"
    assert cluster_settings({"KAFKACOMPAT_VERSION": "3.9.1"})["emulated.release"] == "3.9"
    assert "emulated.release" not in container_settings({"KAFKACOMPAT_VERSION": ""})
    with pytest.raises(StartupError, match="KAFKACOMPAT_VERSION: version 'newest' is not known"):
        container_settings({"KAFKACOMPAT_VERSION": "newest"})


def test_bitnamis_volume_keeps_data(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(NAMED.replace(DATA_VOLUME, "/bitnami/kafka"))
    assert container_settings({}, mounts=str(mounts))["log.dirs"] == "/bitnami/kafka/data"
    assert cluster_settings({}, mounts=str(mounts))["log.dirs"] == "/bitnami/kafka/data"
    assert container_settings({"KAFKA_CFG_LOG_DIRS": "/elsewhere"}, mounts=str(mounts))["log.dirs"] == "/elsewhere"


def test_a_single_variable_lies_on_top_of_the_defaults() -> None:
    settings = container_settings({"KAFKA_NUM_PARTITIONS": "3", "KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR": "2"})
    assert settings["num.partitions"] == "3"
    assert settings["offsets.topic.replication.factor"] == "2"
    assert settings["listeners"] == "PLAINTEXT://:9092,CONTROLLER://:9093"


def test_another_node_id_votes_for_itself() -> None:
    settings = container_settings({"KAFKA_BROKER_ID": "7"})
    assert settings["controller.quorum.voters"] == "7@localhost:9093"
    assert settings["offsets.topic.replication.factor"] == "1"


def test_advertised_listeners_alone_leave_room_for_the_controller() -> None:
    given = {"KAFKA_ADVERTISED_LISTENERS": "PLAINTEXT://kafka:19092", "KAFKA_PROCESS_ROLES": "broker,controller"}
    settings = container_settings(given)
    assert settings["listeners"] == "PLAINTEXT://0.0.0.0:19092,CONTROLLER://:9093"


def test_listeners_without_roles_are_those_of_a_single_broker_as_in_zookeepers_times() -> None:
    given = {"KAFKA_LISTENERS": "PLAINTEXT://:9093,BROKER://:9092", "KAFKA_ZOOKEEPER_CONNECT": "localhost:2181"}
    settings = container_settings(given)
    assert "process.roles" not in settings
    assert "controller.quorum.voters" not in settings
    assert "zookeeper.connect" not in settings


def test_a_node_of_a_larger_cluster_keeps_kafkas_replication_factors() -> None:
    given = {"KAFKA_PROCESS_ROLES": "broker,controller", "KAFKA_CONTROLLER_QUORUM_VOTERS": "1@a:9093,2@b:9093"}
    assert "offsets.topic.replication.factor" not in container_settings(given)
    given = {"KAFKA_PROCESS_ROLES": "broker", "KAFKA_CONTROLLER_QUORUM_VOTERS": "1@a:9093", "KAFKA_NODE_ID": "2"}
    assert container_settings(given)["listeners"] == "PLAINTEXT://:9092"


def test_a_pure_controller_listens_for_controllers_only() -> None:
    settings = container_settings({"KAFKA_PROCESS_ROLES": "controller", "KAFKA_NODE_ID": "3"})
    assert settings["listeners"] == "CONTROLLER://:9093"
    assert settings["controller.quorum.voters"] == "3@localhost:9093"


def test_variables_win_over_a_mounted_file_and_that_over_defaults(tmp_path: Path) -> None:
    mounted = tmp_path / "server.properties"
    mounted.write_text("num.partitions=4\nnode.id=5\n")
    settings = container_settings({"KAFKA_NUM_PARTITIONS": "6"}, str(mounted))
    assert settings["num.partitions"] == "6"
    assert settings["controller.quorum.voters"] == "5@localhost:9093"


@pytest.mark.parametrize(("mounts", "is_the_users"), [(NAMED, True), (BOUND, True), (ANONYMOUS, False), ("", False)])
def test_data_is_durable_on_a_volume_that_the_user_has_mounted(tmp_path: Path, mounts: str, is_the_users: bool) -> None:
    file = tmp_path / "mountinfo"
    file.write_text(mounts)
    assert is_mounted_by_user(DATA_VOLUME, str(file)) is is_the_users
    settings = container_settings({}, mounts=str(file))
    assert settings["log.dirs"] == (DATA_VOLUME if is_the_users else TEMPORARY_LOG_DIR)
    assert is_temporary(settings) is not is_the_users
    assert not is_temporary(container_settings({"KAFKA_LOG_DIRS": "/data"}, mounts=str(file)))


def test_written_settings_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / "server.properties"
    settings = {"listeners": "PLAINTEXT://:9092", "log.dirs": "/srv/ü\\n"}
    write_settings(str(path), settings)
    assert read_properties(path.read_text()) == settings
    with pytest.raises(StartupError, match="cannot be written"):
        write_settings(str(tmp_path / "missing" / "server.properties"), settings)
