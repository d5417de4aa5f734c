"""The plan of a cluster: who is there, who votes, at which ports; and that it stays so."""

from __future__ import annotations

import itertools
import json
import socket
import sys
from contextlib import closing
from pathlib import Path

import pytest

from kafkacompat.cluster.layout import FILE_NAME, Layout, is_cluster, plan, voter_count
from kafkacompat.errors import StartupError
from kafkacompat.server import ports
from kafkacompat.server.ports import PortFinder, bind, close_all


def planned(directory: Path, first_free: int = 20_000, **options: object) -> Layout:
    found = itertools.count(first_free)
    return plan(
        str(directory),
        **{
            "brokers": 3, "controllers": 0, "host": "localhost", "port": None,
            "free_ports": lambda count: list(itertools.islice(found, count)), **options,
        },
    )  # fmt: skip


def shape(layout: Layout) -> list[tuple[int, int, int]]:
    return [(node.node_id, node.port, node.controller_port) for node in layout.nodes]


def test_three_brokers_all_vote_and_no_port_is_used_twice(tmp_path: Path) -> None:
    layout = planned(tmp_path)
    assert [node.node_id for node in layout.nodes] == [1, 2, 3]
    assert [node.roles for node in layout.nodes] == [["broker", "controller"]] * 3
    ports = [port for _, *ports in shape(layout) for port in ports]
    assert len(set(ports)) == 6
    assert all(20_000 <= port < 20_100 for port in ports)
    assert layout.bootstrap_servers == ",".join(f"localhost:{node.port}" for node in layout.nodes)
    assert layout.stop_stages() == [[1, 2, 3]]


@pytest.mark.parametrize(("brokers", "voters"), [(1, 1), (2, 1), (3, 3), (4, 3), (5, 5), (6, 5), (9, 5)])
def test_an_odd_number_votes(tmp_path: Path, brokers: int, voters: int) -> None:
    assert voter_count(brokers) == voters
    layout = planned(tmp_path, brokers=brokers)
    assert [node.node_id for node in layout.controllers] == list(range(1, voters + 1))
    assert len(layout.brokers) == brokers


def test_controllers_of_their_own(tmp_path: Path) -> None:
    layout = planned(tmp_path, controllers=2)
    assert [(node.node_id, node.roles) for node in layout.nodes] == [
        (1, ["broker"]), (2, ["broker"]), (3, ["broker"]), (1001, ["controller"]), (1002, ["controller"]),
    ]  # fmt: skip
    assert layout.stop_stages() == [[1, 2, 3], [1001, 1002]]


def test_a_named_port_is_that_of_the_first_broker(tmp_path: Path) -> None:
    layout = planned(tmp_path, port=9092, first_free=9093)
    assert [node.port for node in layout.nodes] == [9092, 9093, 9094]
    assert not {node.controller_port for node in layout.nodes} & {9092, 9093, 9094}
    with pytest.raises(StartupError, match="65536"):
        planned(tmp_path / "other", port=65_534)


def test_what_was_kept_stays_and_named_ports_go_before(tmp_path: Path) -> None:
    first = planned(tmp_path)
    assert not is_cluster(str(tmp_path))
    first.save()
    assert is_cluster(str(tmp_path))
    again = planned(tmp_path, first_free=30_000, port=0)
    assert shape(again) == shape(first)
    moved = planned(tmp_path, port=9092)
    assert [node.port for node in moved.nodes] == [9092, 9093, 9094]
    assert [node.controller_port for node in moved.nodes] == [node.controller_port for node in first.nodes]


def test_what_is_not_said_is_taken_from_what_was_kept(tmp_path: Path) -> None:
    planned(tmp_path, controllers=1).save()
    assert len(planned(tmp_path, brokers=None, controllers=None).nodes) == 4


def test_brokers_are_added_and_do_not_vote(tmp_path: Path) -> None:
    first = planned(tmp_path)
    first.save()
    grown = planned(tmp_path, first_free=30_000, brokers=5)
    assert shape(grown)[:3] == shape(first)
    assert [(node.node_id, node.roles) for node in grown.nodes[3:]] == [(4, ["broker"]), (5, ["broker"])]


@pytest.mark.parametrize(
    ("change", "words"), [({"brokers": 2}, "3 brokers"), ({"controllers": 1}, "0 dedicated controllers")]
)
def test_a_cluster_of_another_shape_is_refused(tmp_path: Path, change: dict[str, int], words: str) -> None:
    planned(tmp_path).save()
    with pytest.raises(StartupError, match=words):
        planned(tmp_path, **change)


def test_the_directory_of_one_broker_is_refused(tmp_path: Path) -> None:
    (tmp_path / "meta.properties").write_text("")
    with pytest.raises(StartupError, match="data of one broker"):
        planned(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", '{"version": 1}', '{"version": 1, "cluster_id": "", "nodes": [{}]}',
        '{"version": 1, "cluster_id": "", "nodes": [{"id": 1, "roles": [], "port": 0, "controller_port": 0}]}',
        '{"version": 1, "cluster_id": "", "nodes": [{"id": 1, "roles": ["broker"], "port": -1, "controller_port": 0}]}',
    ],
)  # fmt: skip
def test_a_damaged_file_is_named_in_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE_NAME).write_text(text)
    with pytest.raises(StartupError, match=FILE_NAME) as refused:
        planned(tmp_path)
    assert "\n" not in str(refused.value)


def test_several_log_directories_are_kept_in_a_file_of_version_2(tmp_path: Path) -> None:
    assert [node.log_dir_count for node in planned(tmp_path, brokers=1, controllers=1).nodes] == [1, 1]
    layout = planned(tmp_path, brokers=1, controllers=1, log_dirs=2)
    assert [node.log_dir_count for node in layout.nodes] == [2, 1]
    assert layout.settings(layout.nodes[0])["log.dirs"] == f"{tmp_path}/node-1/disk1,{tmp_path}/node-1/disk2"
    layout.cluster_id = "x"
    layout.save()
    assert '"version": 2' in (tmp_path / FILE_NAME).read_text()
    assert [node.log_dir_count for node in planned(tmp_path, brokers=1, controllers=1).nodes] == [2, 1]


def test_a_file_of_a_later_version_is_left_to_that_version(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text('{"version": 3, "nodes": []}')
    with pytest.raises(StartupError, match=f"{FILE_NAME} was written by a newer version") as refused:
        planned(tmp_path)
    assert "\n" not in str(refused.value)
    assert [file.name for file in tmp_path.iterdir()] == [FILE_NAME]


def test_what_a_node_is_told(tmp_path: Path) -> None:
    layout = planned(tmp_path, racks=["a", "b"], host="0.0.0.0", brokers=4)
    node = layout.node(2)
    assert layout.settings(node) == {
        "process.roles": "broker,controller",
        "node.id": "2",
        "controller.quorum.bootstrap.servers": ",".join(f"localhost:{n.controller_port}" for n in layout.controllers),
        "listeners": f"PLAINTEXT://0.0.0.0:{node.port},CONTROLLER://localhost:{node.controller_port}",
        "advertised.listeners": f"PLAINTEXT://localhost:{node.port},CONTROLLER://localhost:{node.controller_port}",
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "log.dirs": f"{tmp_path}/node-2",
        "broker.rack": "b",
    }
    assert [layout.settings(each).get("broker.rack") for each in layout.nodes] == ["a", "b", "a", "b"]
    assert layout.settings(layout.node(4))["listeners"] == f"PLAINTEXT://0.0.0.0:{layout.node(4).port}"


def test_an_ipv6_address_is_written_in_brackets(tmp_path: Path) -> None:
    layout = planned(tmp_path, host="::1", brokers=1, controllers=1)
    assert layout.bootstrap_servers == f"[::1]:{layout.node(1).port}"
    assert layout.settings(layout.node(1001))["listeners"] == f"CONTROLLER://[::1]:{layout.node(1001).controller_port}"


def test_the_file_is_for_people_as_well(tmp_path: Path) -> None:
    layout = planned(tmp_path, brokers=1, controllers=1)
    layout.cluster_id = "abc"
    layout.save()
    kept = json.loads((tmp_path / FILE_NAME).read_text())
    assert kept["cluster_id"] == "abc"
    assert [sorted(node) for node in kept["nodes"]] == [["controller_port", "id", "port", "roles"]] * 2
    assert planned(tmp_path, brokers=None, controllers=None).cluster_id == "abc"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere ports are not held")
def test_ports_of_an_earlier_start_are_held_for_the_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(PortFinder("127.0.0.1")) as before:
        found = before.find(5)
    kept, used, other = found[0], found[1], found[4]
    layout = plan(str(tmp_path), brokers=1, controllers=0, host="127.0.0.1", port=0, free_ports=lambda _: found)
    assert layout.ports == [kept, used]
    with socket.socket() as user, closing(PortFinder("127.0.0.1")) as finder:
        user.bind(("127.0.0.1", used))
        user.listen()
        layout.hold_ports(finder)
        with monkeypatch.context() as patch:
            drawn = iter((kept, other))
            patch.setattr(ports.random.SystemRandom, "choice", lambda *_: next(drawn))
            elsewhere = bind("127.0.0.1", 0)
        own = bind("127.0.0.1", kept)
        own[0].listen()
        assert elsewhere[0].getsockname()[1] == other
        close_all([*elsewhere, *own])
