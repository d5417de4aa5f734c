"""Settings that say what a node is and where: each is changed, and the effect is seen."""

from typing import Any

from kafkacompat.server.endpoints import plan
from kafkacompat.server.limits import Limits
from kafkacompat.server.settings import broker_config, data_dir, log_dirs
from tests.broker.control.test_lifecycle import running
from tests.config.effects.registry import shows

NODE = {
    "node.id": "1",
    "listeners": "A://:29092,B://:29094",
    "listener.security.protocol.map": "A:PLAINTEXT,B:PLAINTEXT,C:PLAINTEXT",
    "inter.broker.listener.name": "A",
}
PAIR = {
    "node.id": "1",
    "process.roles": "broker,controller",
    "controller.listener.names": "C",
    "controller.quorum.bootstrap.servers": "localhost:29093",
    "listeners": "A://:29092,C://:29093",
    "listener.security.protocol.map": "A:PLAINTEXT,C:PLAINTEXT",
    "inter.broker.listener.name": "A",
}


def _bindings(settings: dict[str, str]) -> list[Any]:
    return list(plan(broker_config(settings)[0]))


@shows("log.dir", "log.dirs")
def test_the_data_goes_where_it_is_said() -> None:
    assert data_dir(broker_config({})[0], None) is None
    assert data_dir(broker_config({"log.dir": "/one"})[0], None) == "/one"
    assert data_dir(broker_config({"log.dirs": "/two"})[0], None) == "/two"


@shows("metadata.log.dir")
def test_the_metadata_log_goes_where_it_is_said() -> None:
    for settings, expected in (
        ({}, "/one"),
        ({"metadata.log.dir": "/two"}, "/two"),
        ({"metadata.log.dir": "/x"}, "/x"),
    ):
        config = broker_config({"log.dirs": "/one,/two", **settings})[0]
        assert (data_dir(config, None), log_dirs(config, None)) == (expected, ("/one", "/two"))


@shows("log.dir.failure.timeout.ms")
def test_a_failed_directory_has_to_be_heard_of_within_a_time() -> None:
    for settings, timeout_ms in (({}, 30_000), ({"log_dir_failure_timeout_ms": "700"}, 700)):
        broker = running(**settings)
        broker.lifecycle.directory_failed(b"d" * 16, broker.now)  # the heartbeat is not answered
        broker.advance(timeout_ms - 1)
        assert "fatal" not in broker.names()
        broker.advance(1)
        assert "fatal" in broker.names()


@shows("broker.id")
def test_the_old_name_of_a_nodes_id_counts() -> None:
    assert broker_config({"broker.id": "7"})[0].get_int("node.id") == 7


@shows("listeners", "listener.security.protocol.map")
def test_a_node_listens_where_it_is_said() -> None:
    assert [(one.listener, one.port) for one in _bindings(NODE)] == [("A", 29092), ("B", 29094)]
    assert [one.port for one in _bindings({**NODE, "listeners": "A://:29099"})] == [29099]


@shows("inter.broker.listener.name")
def test_brokers_meet_on_the_listener_that_is_named() -> None:
    for name in ("A", "B"):
        found = [one.listener for one in _bindings({**NODE, "inter.broker.listener.name": name}) if one.is_inter_broker]
        assert found == [name]


@shows("process.roles", "controller.listener.names")
def test_a_node_has_the_listeners_of_its_roles() -> None:
    both = [(one.listener, one.kind) for one in _bindings(PAIR)]
    assert both == [("A", "broker"), ("C", "controller")]
    alone = {**PAIR, "process.roles": "controller", "listeners": "C://:29093"}
    del alone["inter.broker.listener.name"]
    assert [(one.listener, one.kind) for one in _bindings(alone)] == [("C", "controller")]


@shows("max.connections.per.ip", "max.connections.per.ip.overrides")
def test_an_address_may_have_as_many_connections() -> None:
    # who has more is closed: tests/server/test_listener.py
    def allowed(settings: dict[str, str]) -> list[int]:
        limits = Limits(broker_config(settings)[0])
        return [limits.connections_from(address) for address in ("127.0.0.1", "127.0.0.2")]

    assert allowed({"max.connections.per.ip": "3"}) == [3, 3]
    assert allowed({"max.connections.per.ip": "3", "max.connections.per.ip.overrides": "127.0.0.1:2"}) == [2, 3]
