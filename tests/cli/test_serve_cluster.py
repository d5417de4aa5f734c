"""`kafkacompat serve --brokers`: real processes, and what becomes of them when one of them is stopped or killed."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path

import pytest

from kafkacompat.cluster import startup_topics
from kafkacompat.server.ports import PortFinder
from tests.cli.processes import Child, ask_api_versions, lines, run, serving
from tests.control_api.harness import Api
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc; the kernel ends orphans")

STOP_LIMIT_S = 8
"""It takes less than one; the rest is for a machine that does other things as well. A session takes nine."""


def is_alive(pid: int) -> bool:
    return not stat(pid).startswith("Z")


def stat(pid: int | str) -> str:
    """What the system says of a process: its state, its parent, and more; Z when it is not there."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].strip()
    except OSError:
        return "Z -1"


def has_children(pid: int) -> bool:
    return any(stat(entry.name).split()[1] == str(pid) for entry in Path("/proc").glob("[0-9]*"))


def nodes_of(state: dict) -> dict[int, int]:
    """Process by node id."""
    return {node["id"]: node["pid"] for node in state["brokers"] + state["controllers"]}


def test_three_brokers_start_stop_and_come_back_where_they_were(tmp_path: Path) -> None:
    data = tmp_path / "data"
    states = []
    for _ in range(2):
        with serving(tmp_path, "--brokers", "3", "--data-dir", str(data)) as (child, state):
            states.append(state)
            pids = set(nodes_of(state).values())
            assert state["pid"] == child.process.pid
            assert len(pids) == 3
            assert child.process.pid not in pids
            for broker in state["brokers"]:
                assert broker["port"] < 32_768
                assert ask_api_versions(f"localhost:{broker['port']}")
            begun = time.monotonic()
            assert child.stop() == 0
            assert time.monotonic() - begun < STOP_LIMIT_S
            assert not any(map(is_alive, pids))
            assert "was killed" not in child.stderr
            assert "Traceback" not in child.stderr
        assert not (tmp_path / "state.json").exists()
    first, second = ({**state, "pid": 0, "control_url": "", "brokers": [], "controllers": []} for state in states)
    assert first == second
    for role in ("brokers", "controllers"):
        was, now = ([{**node, "pid": 0, "control_url": ""} for node in state[role]] for state in states)
        assert was == now
        assert [node["id"] for node in now] == [1, 2, 3]
        assert [node["data_dir"] for node in now] == [f"{data}/node-{node_id}" for node_id in (1, 2, 3)]
    assert all((data / f"node-{node_id}" / ".kafka_cleanshutdown").exists() for node_id in (1, 2, 3))


def create_partitions(state: dict, *, count: int, topic: str = "orders") -> None:
    startup_topics.create_topics(f"localhost:{state['brokers'][0]['port']}", {topic: (count, len(state["brokers"]))})


def clean_markers(data: Path) -> list[str]:
    return sorted(marker.parent.name for marker in data.glob("*/.kafka_cleanshutdown"))


def test_many_partitions_and_a_node_that_stands_still_for_a_while_are_waited_for(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(tmp_path, "--brokers", "3", "--data-dir", str(data)) as (child, state):
        create_partitions(state, count=200)
        pids = nodes_of(state)
        os.kill(pids[3], signal.SIGSTOP)
        threading.Timer(2, os.kill, (pids[3], signal.SIGCONT)).start()
        assert child.stop() == 0
        assert "was killed" not in child.stderr
        assert "kafkacompat: stopping: " in child.stderr  # how far each is
        assert "a second signal ends it at once: nothing that was acknowledged is lost" in child.stderr
        assert not any(map(is_alive, pids.values()))
    assert clean_markers(data) == ["node-1", "node-2", "node-3"]


def test_a_node_that_hangs_is_killed_at_the_limit_and_named(tmp_path: Path) -> None:
    data = tmp_path / "data"
    flags = ("--brokers", "3", "--data-dir", str(data), "--stop-timeout", "4")
    with serving(tmp_path, *flags) as (child, state):
        os.kill(nodes_of(state)[3], signal.SIGSTOP)
        assert child.stop() == 0
        (line,) = (line for line in lines(child.stderr) if "was killed" in line)
        assert line.startswith("kafkacompat: node 3 was killed: its stop made no progress for 4 s")
        assert not any(map(is_alive, nodes_of(state).values()))
    assert clean_markers(data) == ["node-1", "node-2"]


def test_a_broker_whose_controllers_are_gone_stops_cleanly_and_soon(tmp_path: Path) -> None:
    data = tmp_path / "data"
    flags = ("--brokers", "1", "--controllers", "1", "--data-dir", str(data))
    with serving(tmp_path, *flags) as (child, state):
        create_partitions(state, count=3)
        os.kill(nodes_of(state)[1001], signal.SIGKILL)
        wait_until(lambda: "node 1001" in child.stderr)
        begun = time.monotonic()
        assert child.stop() == 0
        assert 2.5 < time.monotonic() - begun < 3 + STOP_LIMIT_S
        assert "broker 1 stops without handing over its partitions: no active controller answers" in child.stderr
        assert "was killed" not in child.stderr
    assert clean_markers(data) == ["node-1"]


def test_who_reads_the_log_may_go(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    options = ("--port", "0", "--data-dir", str(tmp_path))
    with Child("serve", "--brokers", "2", *options, stderr=writing) as child:
        os.close(writing)
        child.wait_until_ready()
        os.close(reading)
        assert child.stop() == 0
    assert len([*tmp_path.glob("*/.kafka_cleanshutdown")]) == 2


def test_a_limit_is_for_several_brokers() -> None:
    assert "--stop-timeout needs --brokers" in run("serve", "--port", "0", "--stop-timeout", "9").stderr


def test_one_is_killed_and_told_of_then_the_supervisor_and_all_are_gone(tmp_path: Path) -> None:
    with serving(tmp_path, "--brokers", "3") as (child, state):
        directory = Path(state["brokers"][0]["data_dir"]).parent
        ready = f"3 brokers, data in {directory}, control at {state['control_url']})"
        assert lines(child.stdout)[0].endswith(ready)
        pids = nodes_of(state)
        os.kill(pids[2], signal.SIGKILL)
        wait_until(lambda: f"kafkacompat: node 2 (pid {pids[2]}) died: killed by SIGKILL" in child.stderr)
        assert is_alive(pids[1])
        assert is_alive(pids[3])
        wait_until(lambda: nodes_of(json.loads((tmp_path / "state.json").read_text())) == {**pids, 2: None})
        os.kill(pids[3], signal.SIGSTOP)  # one that cannot notice anything
        child.process.kill()
        child.wait()
        wait_until(lambda: not any(map(is_alive, pids.values())))


def test_a_start_can_be_given_up(tmp_path: Path) -> None:
    """By the supervisor, whose nodes are gone then; and by a node that waits for others which do not come."""
    data = tmp_path / "data"
    with Child("serve", "--brokers", "3", "--data-dir", str(data)) as child:
        wait_until(lambda: has_children(child.process.pid))
        assert child.stop() == 0
        assert child.stdout == ""
    with Child("serve", "--properties", str(data / "node-2.properties")) as child:
        wait_until((data / "node-2" / ".lock").exists)
        begun = time.monotonic()
        assert child.stop() == 0
        assert time.monotonic() - begun < STOP_LIMIT_S
        assert child.stdout == ""


def test_controllers_of_their_own_and_a_second_signal(tmp_path: Path) -> None:
    flags = ("--brokers", "2", "--controllers", "1", "--rack", "a", "--rack", "b")
    with serving(tmp_path, *flags) as (child, state):
        assert [node["id"] for node in state["brokers"]] == [1, 2]
        assert [node["id"] for node in state["controllers"]] == [1001]
        folder = Path(state["brokers"][0]["data_dir"]).parent
        settings = (folder / "node-2.properties").read_text()
        assert "process.roles=broker\n" in settings
        assert "broker.rack=b\n" in settings
        assert "process.roles=controller\n" in (folder / "node-1001.properties").read_text()
        child.process.send_signal(signal.SIGSTOP)  # so that both signals are there before either is handled
        child.process.send_signal(signal.SIGINT)
        child.process.send_signal(signal.SIGTERM)
        child.process.send_signal(signal.SIGCONT)
        assert child.wait() in (128 + signal.SIGINT, 128 + signal.SIGTERM)
        wait_until(lambda: not any(map(is_alive, nodes_of(state).values())))
        assert not folder.exists()
        assert not (tmp_path / "state.json").exists()


def test_when_nobody_is_left_it_ends(tmp_path: Path) -> None:
    with serving(tmp_path, "--brokers", "1", "--controllers", "1") as (child, state):
        for pid in nodes_of(state).values():
            os.kill(pid, signal.SIGKILL)
        assert child.wait() == 1
        assert "kafkacompat: no node is left" in child.stderr


def test_what_keeps_a_node_from_starting_is_one_line_and_ends_all(tmp_path: Path) -> None:
    environment = {"TMPDIR": str(tmp_path)}
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        flags = ("--host", "127.0.0.1", "--brokers", "1", "--controllers", "1", "--port", str(port))
        done = run("serve", *flags, environment=environment)
    assert done.returncode == 1
    assert f"kafkacompat: node 1 did not start: 127.0.0.1:{port} is taken" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--config", "node.id=7"], "node.id cannot be set for all nodes"),
        (["--config", "num.partitions=many"], "num.partitions=many"),
        (["--config", "allow.everyone.if.no.acl.found=false"], "there is no authorizer"),
        (["--config", "listener.name.controller.ssl.keystore.location=/keys"], "there is no TLS"),
        (["--properties", "/no/such/file"], "/no/such/file"),
        (["--data-dir", "FILE"], "cannot be read"),
        (["--port", "65535"], "65536"),
    ],
)
def test_what_the_user_got_wrong_is_one_line(tmp_path: Path, flags: list[str], words: str) -> None:
    file = tmp_path / "file"
    file.write_text("")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    given = [str(file / "data") if flag == "FILE" else flag for flag in flags]
    done = run("serve", "--brokers", "2", *given, environment={"TMPDIR": str(scratch)})
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = lines(done.stderr)
    assert words in line
    assert not list(scratch.iterdir())


def test_racks_are_for_several_brokers() -> None:
    assert "--brokers" in run("serve", "--port", "0", "--rack", "a").stderr


def test_the_directory_of_a_cluster_starts_that_cluster(tmp_path: Path) -> None:
    (tmp_path / "cluster.json").write_text(json.dumps({"version": 9}))
    done = run("serve", "--data-dir", str(tmp_path))
    assert "cluster.json was written by a newer version" in done.stderr
    assert not (tmp_path / "meta.properties").exists()


@pytest.mark.parametrize("is_paused", [False, True])
def test_a_broker_ends_with_its_standard_input(is_paused: bool) -> None:
    with Child("serve", "--port", "0", "--stop-with-stdin", stdin_is_a_pipe=True) as child:
        child.wait_until_ready()
        if is_paused:
            child.process.send_signal(signal.SIGSTOP)
        child.process.stdin.close()
        child.wait()


def test_brokers_of_one_machine_can_be_started_one_by_one(tmp_path: Path) -> None:
    """As on several machines: a file and a formatted directory for each, and no supervisor."""
    finder = PortFinder("localhost")
    first, second, third, fourth = finder.find(4)
    ports = {1: (first, second), 2: (third, fourth)}
    cluster_id, directories = run("random-uuid").stdout.strip(), {}
    for node_id in ports:
        directories[node_id] = run("random-uuid").stdout.strip()
    voters = ",".join(f"{n}@localhost:{port}:{directories[n]}" for n, (_, port) in ports.items())
    children = []
    try:
        for node_id, (port, controller_port) in ports.items():
            file = tmp_path / f"{node_id}.properties"
            file.write_text(
                f"process.roles=broker,controller\nnode.id={node_id}\nlog.dirs={tmp_path}/{node_id}\n"
                f"listeners=PLAINTEXT://localhost:{port},CONTROLLER://localhost:{controller_port}\n"
                "controller.listener.names=CONTROLLER\n"
                f"controller.quorum.bootstrap.servers=localhost:{ports[1][1]}\n"
            )
            formatted = run(
                "format", "--properties", str(file), "--cluster-id", cluster_id, "--initial-controllers", voters
            )
            assert formatted.returncode == 0, formatted.stderr
            children.append(Child("serve", "--properties", str(file)))
        for child in children:
            assert f"cluster {cluster_id}" in child.wait_until_ready()
    finally:
        for child in children:
            child.__exit__(None, None, None)
        finder.close()


def test_each_node_has_a_control_api_that_may_change_temporary_data_alone(tmp_path: Path) -> None:
    for flags, expected in (((), 201), (("--data-dir", str(tmp_path / "data")), 403)):
        with serving(tmp_path, "--brokers", "2", *flags) as (child, state):
            urls = [broker["control_url"] for broker in state["brokers"]]
            assert len(set(urls)) == 2
            for url in urls:
                api = Api(url)
                assert api.send("POST", "/v1/faults", {"when": {"api": "metadata"}, "observe": True}).status == expected
                api.close()
            assert child.stop() == 0


def test_one_control_api_answers_for_all_nodes_and_stops_and_starts_them(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    with serving(tmp_path, "--brokers", "3", "--control", "127.0.0.1:0") as (child, state):
        assert f", control at {state['control_url']})" in child.stdout
        assert state["control_url"] not in {broker["control_url"] for broker in state["brokers"]}
        api = Api(state["control_url"])
        assert api.get("/v1")["node_ids"] == [1, 2, 3]
        assert api.get("/healthz")["healthy"]
        wait_until(lambda: api.send("GET", "/readyz").status == 200, what="all nodes")
        assert api.send("POST", "/v1/faults", {"when": {"api": "metadata"}, "observe": True}).status == 201
        pids = nodes_of(state)
        assert api.send("POST", "/v1/brokers/2/kill").body == {"broker_id": 2, "is_running": False}
        assert not is_alive(pids[2])
        assert nodes_of(json.loads(file.read_text()))[2] is None
        assert api.get("/healthz")["nodes"].keys() == {"1", "3"}, "it was asked to end"
        assert api.send("POST", "/v1/brokers/2/start").body == {"broker_id": 2, "is_running": True}
        again = nodes_of(json.loads(file.read_text()))[2]
        assert is_alive(again)
        assert again != pids[2]
        assert api.send("POST", "/v1/brokers/2/start").status == 409
        assert api.send("POST", "/v1/brokers/7/stop").status == 404
        os.kill(pids[3], signal.SIGKILL)
        wait_until(lambda: api.send("GET", "/healthz").status == 503, what="the death")
        assert api.send("GET", "/readyz").body["missing"] != []
        api.close()
        assert child.stop() == 0
    assert not is_alive(again)


def test_a_reset_at_that_port_goes_back_to_what_all_nodes_were_started_with(tmp_path: Path) -> None:
    seed = tmp_path / "seed.json"
    seed.write_text('{"topics": {"orders": {"partitions": 2}}, "records": {"orders": [{"value": "first"}]}}')
    for flags, status in (((), 200), (("--data-dir", str(tmp_path / "data")), 403)):
        with serving(tmp_path, "--brokers", "2", "--seed", str(seed), *flags) as (child, state):
            create_partitions(state, count=3, topic="later")
            api = Api(state["control_url"])
            assert api.send("POST", "/v1/reset", {}).status == status
            names = {topic["name"] for topic in api.get("/v1/topics")["topics"]}
            assert names == ({"orders"} if status == 200 else {"later", "orders"})
            held = [api.get(f"/v1/topics/orders/partitions/{index}/records")["records"] for index in (0, 1)]
            assert [record["value"] for records in held for record in records] == ["first"]
            api.close()
            assert nodes_of(json.loads((tmp_path / "state.json").read_text())) == nodes_of(state), "processes go on"
            assert child.stop() == 0


def test_the_control_api_of_all_changes_no_data_of_the_user_and_may_be_left_out(tmp_path: Path) -> None:
    rule = {"when": {"api": "metadata"}, "observe": True}
    for flags, expected in (((), 403), (("--allow-faults",), 201)):
        with serving(tmp_path, "--brokers", "2", "--data-dir", str(tmp_path / "data"), *flags) as (child, state):
            api = Api(state["control_url"])
            assert api.send("POST", "/v1/faults", rule).status == expected
            if expected == 403:
                assert api.send("POST", "/v1/brokers/1/kill").status == 403
            api.close()
            assert child.stop() == 0  # one that is killed has sessions, for which the next would wait
    with serving(tmp_path, "--brokers", "2", "--no-control") as (child, state):
        assert {state["control_url"], *(each["control_url"] for each in state["brokers"])} == {None}
        assert "control at" not in child.stdout
