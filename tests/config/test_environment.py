import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.config import ConfigError
from kafkacompat.config.definitions import BROKER_CONFIGS
from kafkacompat.config.environment import BITNAMIS, NO_CONFIGS, config_name, read_environment


@pytest.mark.parametrize(
    ("variable", "name"),
    [
        ("KAFKA_LOG_DIRS", "log.dirs"),
        ("KAFKA_NODE_ID", "node.id"),
        ("KAFKA_LISTENER_NAME_INTERNAL_SSL_KEYSTORE_LOCATION", "listener.name.internal.ssl.keystore.location"),
        ("KAFKA_LISTENER_NAME_MY__NAME_MAX_CONNECTIONS", "listener.name.my_name.max.connections"),
        ("KAFKA_LISTENER_NAME_SASL___PLAINTEXT_MAX_CONNECTIONS", "listener.name.sasl-plaintext.max.connections"),
        ("KAFKA_NOT__KNOWN___AT_ALL", "not_known-at.all"),
        ("KAFKA_ZOOKEEPER_CONNECT", "zookeeper.connect"),
        ("KAFKA_LOG____DIRS", "log-.dirs"),
    ],
)
def test_variables_are_named_as_in_kafkas_image(variable: str, name: str) -> None:
    assert config_name(variable) == name


def test_every_broker_config_has_its_variable() -> None:
    for name in BROKER_CONFIGS:
        assert config_name("KAFKA_" + name.replace("_", "__").replace("-", "___").replace(".", "_").upper()) == name


def test_confluents_reading_counts_where_it_alone_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"a-b": 1, "c_d": 2, "e-f": 3, "e_f": 4}
    monkeypatch.setattr("kafkacompat.config.environment.broker_key", known.get)
    assert [config_name(f"KAFKA_{text}") for text in ("A__B", "A___B", "C__D", "C___D", "E__F", "E___F", "G__H")] == [
        "a-b", "a-b", "c_d", "c_d", "e_f", "e-f", "g_h",
    ]  # fmt: skip


@given(st.text("AB_", max_size=12))
def test_any_name_is_replaced_as_by_kafkas_three_steps(text: str) -> None:
    expected = text.lower().replace("_", ".").replace("...", "-").replace("..", "_")
    assert config_name("KAFKA_" + text) == expected


def test_variables_of_scripts_and_of_others_are_no_settings() -> None:
    environ = dict.fromkeys(NO_CONFIGS, "x") | {"PATH": "/bin", "MY_KAFKA_LOG_DIRS": "/no", "KAFKA_NUM_PARTITIONS": "3"}
    assert read_environment(environ) == {"num.partitions": "3"}


def test_bitnamis_variables_are_read_where_the_plain_one_is_missing() -> None:
    environ = dict.fromkeys(BITNAMIS, "x") | {
        "KAFKA_CFG_NUM_PARTITIONS": "3", "KAFKA_CFG_LOG_RETENTION_HOURS": "1", "KAFKA_LOG_RETENTION_HOURS": "2",
        "KAFKA_AUTO_CREATE_TOPICS_ENABLE": "false", "KAFKA_CFG_AUTO_CREATE_TOPICS_ENABLE": "true",
    }  # fmt: skip
    expected = {"num.partitions": "3", "log.retention.hours": "2", "auto.create.topics.enable": "false"}
    assert read_environment(environ) == expected


def test_a_broker_listens_where_it_is_advertised() -> None:
    environ = {"KAFKA_ADVERTISED_LISTENERS": "PLAINTEXT://kafka.example:9092,BROKER://[::1]:9093"}
    assert read_environment(environ)["listeners"] == "PLAINTEXT://0.0.0.0:9092,BROKER://0.0.0.0:9093"
    environ["KAFKA_LISTENERS"] = "PLAINTEXT://:9092"
    assert read_environment(environ)["listeners"] == "PLAINTEXT://:9092"


def test_what_testcontainers_leave_in_lists_of_listeners_is_cleaned() -> None:
    environ = {
        "KAFKA_ADVERTISED_LISTENERS": "PLAINTEXT://localhost:32768,BROKER://172.17.0.2:9093,",
        "KAFKA_LISTENERS": "PLAINTEXT://0.0.0.0:9092, BROKER://172.17.0.2 172.18.0.3 172.19.0.4:9093",
    }
    assert read_environment(environ) == {
        "advertised.listeners": "PLAINTEXT://localhost:32768,BROKER://172.17.0.2:9093",
        "listeners": "PLAINTEXT://0.0.0.0:9092,BROKER://172.17.0.2:9093",
    }


def test_a_controller_advertises_nothing() -> None:
    environ = {"KAFKA_PROCESS_ROLES": "controller", "KAFKA_ADVERTISED_LISTENERS": "CONTROLLER://c:9093"}
    with pytest.raises(ConfigError, match="only a controller"):
        read_environment(environ)
