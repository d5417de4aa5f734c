from pathlib import Path

import pytest

from kafkacompat.errors import StartupError
from kafkacompat.server.endpoints import plan
from kafkacompat.server.settings import broker_config, data_dir, log_dirs


def bindings(config: dict[str, str] | None = None, **flags: object) -> list[tuple[str, str, int, str, int]]:
    settings, warnings = broker_config(config or {})
    assert not warnings
    planned = plan(settings, **flags)
    return [(one.listener, one.bind_host, one.bind_port, one.host, one.port) for one in planned]


def test_by_default_localhost_at_9092() -> None:
    assert bindings() == [("PLAINTEXT", "localhost", 9092, "localhost", 9092)]


def test_flags_go_before_listeners() -> None:
    config = {"listeners": "PLAINTEXT://somewhere:1000"}
    assert bindings(config) == [("PLAINTEXT", "somewhere", 1000, "somewhere", 1000)]
    assert bindings(config, port=0) == [("PLAINTEXT", "localhost", 0, "localhost", 0)]
    assert bindings(config, host="127.0.0.1") == [("PLAINTEXT", "127.0.0.1", 9092, "127.0.0.1", 9092)]


def test_nobody_is_told_to_connect_to_every_address() -> None:
    for everywhere in ("0.0.0.0", "::", ""):
        assert bindings(host=everywhere)[0][3] == "localhost"
    assert bindings(host="0.0.0.0", advertised_host="kafka")[0][3] == "kafka"


def test_advertised_listeners_by_name() -> None:
    config = {
        "listeners": "INSIDE://:9092,OUTSIDE://[::1]:9094,CONTROLLER://:9093",
        "advertised.listeners": "INSIDE://kafka:19092,OUTSIDE://example.org:9094",
        "listener.security.protocol.map": "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "controller.listener.names": "CONTROLLER",
    }
    assert bindings(config) == [
        ("INSIDE", "", 9092, "kafka", 19092),
        ("OUTSIDE", "::1", 9094, "example.org", 9094),
        ("CONTROLLER", "", 9093, "localhost", 9093),
    ]


def test_port_0_is_told_as_what_it_became() -> None:
    settings, _ = broker_config({})
    (binding,) = plan(settings, port=0)
    assert binding.endpoint(23_456).port == 23_456
    (binding,) = plan(broker_config({"advertised.listeners": "PLAINTEXT://example.org:80"})[0], port=0)
    assert (binding.endpoint(23_456).host, binding.endpoint(23_456).port) == ("example.org", 80)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"listeners": "SSL://:9093"}, "SSL"),
        ({"listeners": "FOO://:9093"}, "FOO:PLAINTEXT"),
        ({"listeners": "PLAINTEXT:9093"}, "form"),
        ({"listeners": "PLAINTEXT://host:port"}, "form"),
        ({"listeners": "CONTROLLER://:9093", "controller.listener.names": "CONTROLLER"}, "no listener for clients"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(config: dict[str, str], words: str) -> None:
    with pytest.raises(StartupError, match=words):
        bindings(config)


def test_an_unknown_setting_is_warned_about_with_the_nearest_name() -> None:
    _, warnings = broker_config({"num.partition": "3"})
    assert len(warnings) == 1
    assert "num.partitions" in warnings[0]


def test_a_bad_value_is_one_line() -> None:
    with pytest.raises(StartupError, match=r"num\.partitions"):
        broker_config({"num.partitions": "many"})


def test_the_data_directory_is_chosen_or_set_or_temporary() -> None:
    assert data_dir(broker_config({})[0], None) is None
    assert data_dir(broker_config({"log.dirs": "/data"})[0], None) == "/data"
    assert data_dir(broker_config({"log.dirs": "/data"})[0], "/mine") == "/mine"


def test_several_directories_are_apart_and_the_metadata_log_is_in_the_first_or_where_it_is_said(tmp_path: Path) -> None:
    several = broker_config({"log.dirs": " /a, /b,/a"})[0]
    assert (data_dir(several, None), log_dirs(several, None)) == ("/a", ("/a", "/b"))
    assert log_dirs(several, "/mine") == ("/mine",)
    apart = broker_config({"log.dirs": "/a,/b", "metadata.log.dir": "/c"})[0]
    assert (data_dir(apart, None), data_dir(apart, "/mine"), log_dirs(apart, "/mine")) == ("/c", "/mine", ("/mine",))
    assert data_dir(broker_config({"metadata.log.dir": "/c"})[0], "/mine") == "/mine"
    (tmp_path / "same").symlink_to(tmp_path)
    with pytest.raises(StartupError, match="are the same directory"):
        log_dirs(broker_config({"log.dirs": f"{tmp_path},{tmp_path / 'same'}"})[0], None)
    for other_name in (f"{tmp_path}/", str(tmp_path / "same")):
        one = broker_config({"log.dirs": f"/a,{tmp_path}", "metadata.log.dir": other_name})[0]
        assert data_dir(one, None) == str(tmp_path)
    with pytest.raises(StartupError, match="needs directories for the other logs"):
        data_dir(broker_config({"metadata.log.dir": "/a"})[0], None)


BOTH = {
    "node.id": "1",
    "process.roles": "broker,controller",
    "controller.listener.names": "CONTROLLER",
    "listeners": "PLAINTEXT://:29092,CONTROLLER://:29093",
    "controller.quorum.bootstrap.servers": "localhost:29093",
}
BROKER = {**BOTH, "process.roles": "broker", "listeners": "PLAINTEXT://:29092"}
CONTROLLER = {**BOTH, "process.roles": "controller", "listeners": "CONTROLLER://:29093"}
TWO = {
    **BOTH,
    "listeners": "A://:29092,B://:29094,CONTROLLER://:29093",
    "listener.security.protocol.map": "A:PLAINTEXT,B:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "inter.broker.listener.name": "B",
}


def kinds(config: dict[str, str], **flags: object) -> list[tuple[str, str, bool]]:
    settings, _ = broker_config({"node.id": "1", **config})
    return [(one.listener, one.kind, one.is_inter_broker and one.kind == "broker") for one in plan(settings, **flags)]


def test_each_role_has_its_listeners() -> None:
    assert kinds(BOTH) == [("PLAINTEXT", "broker", True), ("CONTROLLER", "controller", False)]
    assert kinds(BROKER) == [("PLAINTEXT", "broker", True)]
    assert kinds(CONTROLLER) == [("CONTROLLER", "controller", False)]
    assert kinds(TWO) == [
        ("A", "broker", False), ("B", "broker", True), ("CONTROLLER", "controller", False),
    ]  # fmt: skip


def test_a_lone_node_needs_no_word_about_controllers() -> None:
    assert kinds({}) == [("PLAINTEXT", "broker", True)]
    assert kinds({"process.roles": "broker,controller"}) == [("PLAINTEXT", "broker", True)]
    assert kinds({"controller.listener.names": "CONTROLLER"}) == [("PLAINTEXT", "broker", True)]
    unnamed = {name: text for name, text in TWO.items() if name not in ("process.roles", "inter.broker.listener.name")}
    assert kinds(unnamed)[:2] == [("A", "broker", True), ("B", "broker", False)]


def test_flags_stand_for_the_listeners_for_clients() -> None:
    assert kinds(BOTH, port=0) == kinds(BOTH)
    assert kinds(CONTROLLER, port=0) == kinds(CONTROLLER)
    assert kinds({**BOTH, "advertised.listeners": "PLAINTEXT://a:1"}, port=0) == kinds(BOTH)
    assert bindings({**BOTH, "advertised.listeners": "CONTROLLER://a:5"}, host="0.0.0.0", advertised_host="b") == [
        ("PLAINTEXT", "0.0.0.0", 9092, "b", 9092),
        ("CONTROLLER", "", 29093, "a", 5),
    ]


def test_what_is_not_advertised_is_bound_all_the_same() -> None:
    settings, _ = broker_config({**TWO, "advertised.listeners": "B://b:1"})
    assert [(one.listener, one.is_advertised) for one in plan(settings)] == [
        ("A", False), ("B", True), ("CONTROLLER", True),
    ]  # fmt: skip


WITHOUT = ""
TAKEN_BY_KAFKA = [
    (BROKER, {"controller.listener.names": "CONTROLLER,SECOND"}),
    (CONTROLLER, {"advertised.listeners": "CONTROLLER://host:1"}),
    (BROKER, {"listeners": WITHOUT}),
    (BOTH, {"advertised.listeners": "PLAINTEXT://a:1,CONTROLLER://a:2"}),
    (BOTH, {"listeners": "PLAINTEXT://:29092,CONTROLLER://0.0.0.0:29093"}),
    (BOTH, {"listeners": "PLAINTEXT://:0,CONTROLLER://:0"}),
    (BOTH, {"listeners": "PLAINTEXT://127.0.0.1:29092,CONTROLLER://[::1]:29092"}),
    (TWO, {"advertised.listeners": "A://x:1,B://y:1"}),
    (BOTH, {"inter.broker.listener.name": "PLAINTEXT"}),
    (BOTH, {"listeners": "plaintext://:29092,controller://:29093"}),
    (BOTH, {"advertised.listeners": "PLAINTEXT://a:0"}),
]
REFUSED_BY_KAFKA = [
    (BOTH, {"listeners": "PLAINTEXT://:29092"}, "CONTROLLER, which listeners lacks"),
    (BOTH, {"listeners": "CONTROLLER://:29093"}, "no listener for clients"),
    (BOTH, {"listeners": WITHOUT}, "CONTROLLER, which listeners lacks"),
    (BOTH, {"controller.listener.names": "CONTROLLER,SECOND"}, "SECOND, which listeners lacks"),
    (BOTH, {"controller.listener.names": "controller"}, "CONTROLLER has no protocol"),
    (BROKER, {"listeners": "PLAINTEXT://:29092,CONTROLLER://:29093"}, "is for controllers"),
    (BROKER, {"controller.listener.names": WITHOUT}, "needs controller.listener.names"),
    (BROKER, {"controller.quorum.bootstrap.servers": WITHOUT}, "where are the controllers"),
    (BROKER, {"controller.quorum.voters": "1@localhost:29093"}, "voters has this node, 1"),
    (CONTROLLER, {"listeners": "PLAINTEXT://:29092,CONTROLLER://:29093"}, "is for clients"),
    (CONTROLLER, {"controller.listener.names": WITHOUT}, "CONTROLLER has no protocol"),
    (CONTROLLER, {"controller.quorum.voters": "2@localhost:29093"}, "lacks this node, 1"),
    (CONTROLLER, {"advertised.listeners": "PLAINTEXT://host:1"}, "PLAINTEXT, which listeners lacks"),
    (CONTROLLER, {"listeners": WITHOUT}, "CONTROLLER, which listeners lacks"),
    (BOTH, {"advertised.listeners": "CONTROLLER://a:2"}, "no listener for clients"),
    (BOTH, {"advertised.listeners": "PLAINTEXT://a:1,X://b:1"}, "X, which listeners lacks"),
    (BOTH, {"advertised.listeners": "PLAINTEXT://0.0.0.0:1"}, "nobody can connect to 0.0.0.0"),
    (BOTH, {"listeners": "PLAINTEXT://:29092,CONTROLLER://:29092"}, "port 29092 twice"),
    (BOTH, {"listeners": "PLAINTEXT://:29092,PLAINTEXT://:29094,CONTROLLER://:29093"}, "name twice"),
    (BOTH, {"listener.security.protocol.map": "PLAINTEXT:PLAINTEXT"}, "CONTROLLER:PLAINTEXT"),
    (BROKER, {"listener.security.protocol.map": "PLAINTEXT:PLAINTEXT"}, "CONTROLLER:PLAINTEXT"),
    (BOTH, {"inter.broker.listener.name": "INSIDE"}, "no listener INSIDE is advertised"),
    (BOTH, {"inter.broker.listener.name": "CONTROLLER"}, "no listener CONTROLLER is advertised"),
    (TWO, {"inter.broker.listener.name": WITHOUT}, "no listener PLAINTEXT is advertised.*A, B"),
    (TWO, {"advertised.listeners": "A://x:1"}, "no listener B is advertised"),
    (TWO, {"security.inter.broker.protocol": "PLAINTEXT"}, "say the same"),
]


@pytest.mark.parametrize(("base", "change"), TAKEN_BY_KAFKA, ids=str)
def test_what_kafka_takes(base: dict[str, str], change: dict[str, str]) -> None:
    assert kinds({name: text for name, text in {**base, **change}.items() if text != WITHOUT})


@pytest.mark.parametrize(("base", "change", "words"), REFUSED_BY_KAFKA, ids=str)
def test_what_kafka_refuses(base: dict[str, str], change: dict[str, str], words: str) -> None:
    with pytest.raises(StartupError, match=words) as refused:
        kinds({name: text for name, text in {**base, **change}.items() if text != WITHOUT})
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"process.roles": "broker,controller"}, "requires node.id"),
        ({**BOTH, "broker.id": "2"}, "mean the same"),
        ({"node.id": "1", "broker.id": "2"}, "mean the same"),
        ({**BOTH, "process.roles": "broker,zookeeper"}, "zookeeper is not one of broker, controller"),
    ],
    ids=str,
)
def test_ids_and_roles_that_kafka_refuses(config: dict[str, str], words: str) -> None:
    with pytest.raises(StartupError, match=words) as refused:
        broker_config(config)
    assert "\n" not in str(refused.value)


def test_what_kafka_takes_and_warns_of() -> None:
    _, warnings = broker_config({**BROKER, "controller.listener.names": "CONTROLLER,SECOND"})
    assert ["uses the first one" in line for line in warnings] == [True]
    _, warnings = broker_config({**BROKER, "broker.heartbeat.interval.ms": "4501"})
    assert ["one late heartbeat" in line for line in warnings] == [True]


def test_a_node_that_is_described_as_for_kafka_has_the_defaults_of_kafka() -> None:
    name = "offsets.topic.replication.factor"
    assert broker_config({})[0].get(name) == 1
    assert broker_config(BOTH)[0].get(name) == 3
