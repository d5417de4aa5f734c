import pytest

from kafkacompat.errors import StartupError
from kafkacompat.server.endpoints import plan
from kafkacompat.server.settings import broker_config, data_dir


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
    with pytest.raises(StartupError, match="one directory"):
        data_dir(broker_config({"log.dirs": "/a,/b"})[0], None)
