"""`kafkacompat serve` from start to end, as a process."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path

import pytest

import kafkacompat
from kafkacompat.server.garbage import THRESHOLDS
from tests.cli.processes import TIMEOUT_S, Child, ask_api_versions, lines, run, serving
from tests.waiting import wait_until

posix_only = pytest.mark.skipif(os.name != "posix", reason="POSIX signals and permissions")


def test_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"kafkacompat {kafkacompat.__version__}\n")


def test_help_names_every_flag() -> None:
    text = run("serve", "--help").stdout
    flags = (
        "--host", "--port", "--advertised-host", "--data-dir", "--partitions", "--auto-create-topics",
        "--control", "--no-control", "--allow-faults", "--log-format",
        "--no-auto-create-topics", "--state-file", "--log-level", "--config", "--properties", "--from-env",
    )  # fmt: skip
    for flag in flags:
        assert flag in text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
@posix_only
def test_from_ready_to_a_clean_stop(tmp_path: Path, number: int, loop: str) -> None:
    with serving(tmp_path, environment={"KAFKACOMPAT_LOOP": loop}) as (child, state):
        (broker,) = state["brokers"]
        assert state["bootstrap_servers"] == f"{broker['host']}:{broker['port']}" == f"localhost:{broker['port']}"
        assert broker["pid"] == child.process.pid
        assert Path(broker["data_dir"]).is_dir()
        assert lines(child.stdout) == [
            f"kafkacompat {kafkacompat.__version__} ready on {state['bootstrap_servers']} "
            f"(cluster {state['cluster_id']}, data in {broker['data_dir']}, control at {state['control_url']})"
        ]
        assert ask_api_versions(state["bootstrap_servers"])[:6] == b"\0\0\0\7\0\0"
        begun = time.monotonic()
        assert child.stop(number) == 0
        assert time.monotonic() - begun < 5
        assert "Traceback" not in child.stderr
        assert not Path(broker["data_dir"]).exists()
        assert not (tmp_path / "state.json").exists()
        assert not list(tmp_path.iterdir())


def ask_control(url: str, path: str, **headers: str) -> tuple[int, str]:
    """Status and text of what the control API answers."""
    connection = HTTPConnection(url.removeprefix("http://"), timeout=TIMEOUT_S)
    with contextlib.closing(connection):
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return response.status, response.read().decode()


def test_the_control_api_answers_at_a_port_of_its_own_until_the_stop(tmp_path: Path) -> None:
    with serving(tmp_path) as (child, first):
        assert ask_control(first["control_url"], "/readyz")[0] == 200
        (tmp_path / "second").mkdir()
        with serving(tmp_path / "second") as (_, second):  # 9644 is taken, by this one if by nobody else
            assert first["control_url"] != second["control_url"]
            assert second["cluster_id"] in ask_control(second["control_url"], "/v1/cluster")[1]
        assert child.stop() == 0
        with contextlib.suppress(OSError):  # 9644 may be another broker's by now
            assert first["cluster_id"] not in ask_control(first["control_url"], "/v1/cluster")[1]


def test_a_control_port_that_was_given_is_taken_or_the_start_fails(tmp_path: Path) -> None:
    with serving(tmp_path, "--control", "127.0.0.1:0") as (_, state):
        done = run("serve", "--port", "0", "--control", state["control_url"].removeprefix("http://"))
    assert done.returncode == 1
    assert "is taken by another process: stop it, or choose another port (--control" in done.stderr


@pytest.mark.parametrize(
    ("given", "says"),
    [("9644", "give HOST:PORT"), ("localhost:http", "give HOST:PORT"), ("0.0.0.0:0", "set KAFKACOMPAT_CONTROL_TOKEN")],
)
def test_a_control_address_that_cannot_be_used_is_refused(given: str, says: str) -> None:
    done = run("serve", "--port", "0", "--control", given, environment={"KAFKACOMPAT_CONTROL_TOKEN": ""})
    assert done.returncode == 1
    assert says in done.stderr


def test_without_control_there_is_no_port(tmp_path: Path) -> None:
    with serving(tmp_path, "--no-control") as (child, state):
        assert state["control_url"] is None
        assert "control" not in child.stdout


def test_in_a_container_probes_are_on_every_address(tmp_path: Path) -> None:
    with serving(tmp_path, "--from-env", "--control", "0.0.0.0:0") as (_, state):
        port = state["control_url"].rpartition(":")[2]
        url = f"http://{own_address()}:{port}"
        assert ask_control(url, "/metrics", Host="broker")[0] == 200
        assert ask_control(url, "/v1", Host="broker")[0] == 401
        assert ask_control(state["control_url"], "/v1")[0] == 200


def own_address() -> str:
    """An address of this computer that is not its loopback one, as other computers use it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        try:
            sock.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            pytest.skip("this computer has no other address")
        return sock.getsockname()[0]


def test_log_lines_can_be_json(tmp_path: Path) -> None:
    with serving(tmp_path, "--log-format", "json") as (child, _):
        assert child.stop() == 0
        records = [json.loads(line) for line in lines(child.stderr)]
    stopping = next(record for record in records if record["message"].startswith("stopping"))
    assert (stopping["level"], stopping["logger"]) == ("info", "kafkacompat")
    assert stopping["timestamp"].endswith("Z")


def test_localhost_answers_on_every_address(tmp_path: Path, has_ipv6: bool) -> None:
    with serving(tmp_path) as (_, state):
        port = state["brokers"][0]["port"]
        assert ask_api_versions(f"127.0.0.1:{port}")
        if has_ipv6:
            assert ask_api_versions(f"::1:{port}")


def test_without_a_verb_it_serves(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    with Child("--port", "0", "--state-file", str(state)) as child:
        assert "ready on localhost:" in child.wait_until_ready()
        assert child.stop() == 0


def test_a_data_directory_stays_and_keeps_the_cluster_id(tmp_path: Path) -> None:
    ids = set()
    for _ in range(2):
        with serving(tmp_path, "--data-dir", str(tmp_path / "data")) as (child, state):
            ids.add(state["cluster_id"])
            assert state["brokers"][0]["data_dir"] == str(tmp_path / "data")
            assert child.stop() == 0
    assert len(ids) == 1
    assert (tmp_path / "data" / "meta.properties").exists()


def test_several_directories_are_locked_and_named(tmp_path: Path) -> None:
    dirs = [str(tmp_path / name) for name in ("one", "two")]
    with Child("serve", "--port", "0", "--config", f"log.dirs={','.join(dirs)}") as child:
        assert f"data in {dirs[0]}, {dirs[1]}" in child.wait_until_ready()
        second = run("serve", "--port", "0", "--data-dir", dirs[1])
        assert second.returncode == 1
        assert "is locked by another broker" in second.stderr
        assert child.stop() == 0
    assert all((tmp_path / name / ".kafka_cleanshutdown").exists() for name in ("one", "two"))


def test_a_data_dir_with_log_directories_is_refused_with_their_names(tmp_path: Path) -> None:
    dirs = [str(tmp_path / name) for name in ("disk1", "disk2")]
    with Child("serve", "--port", "0", "--config", f"log.dirs={','.join(dirs)}") as child:
        child.wait_until_ready()
        assert child.stop() == 0
    refused = run("serve", "--port", "0", "--data-dir", str(tmp_path))
    assert refused.returncode == 1
    assert f"name them with --config log.dirs={','.join(dirs)} in place of --data-dir" in refused.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["disk1", "disk2"]


def test_a_clients_long_poll_does_not_hold_up_the_stop(tmp_path: Path) -> None:
    with serving(tmp_path) as (child, state):
        host, port = state["bootstrap_servers"].split(":")
        with socket.create_connection((host, int(port))) as idle:
            idle.sendall(b"\0\0\0\x50half a frame")
            begun = time.monotonic()
            assert child.stop() == 0
            assert time.monotonic() - begun < 5


@posix_only
def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    with serving(tmp_path) as (child, state):
        child.process.send_signal(signal.SIGSTOP)  # so that both signals are there before either is handled
        child.process.send_signal(signal.SIGINT)
        child.process.send_signal(signal.SIGTERM)
        child.process.send_signal(signal.SIGCONT)
        assert child.wait() in (128 + signal.SIGINT, 128 + signal.SIGTERM)
        assert not Path(state["brokers"][0]["data_dir"]).exists()
        assert not (tmp_path / "state.json").exists()


def assert_one_line(done: object, *words: str) -> None:
    assert done.returncode == 1, done.stderr
    assert done.stdout == ""
    (line,) = lines(done.stderr)
    for word in words:
        assert word in line


def test_a_taken_port(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run("serve", "--host", "127.0.0.1", "--port", str(port), environment={"TMPDIR": str(tmp_path)})
    assert_one_line(done, f"127.0.0.1:{port}", "taken", "--port")
    assert not list(tmp_path.iterdir())


def test_a_locked_data_directory(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    with serving(tmp_path, "--data-dir", data):
        assert_one_line(run("serve", "--port", "0", "--data-dir", data), data)


@posix_only
def test_an_unwritable_data_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    data = str(tmp_path / "file" / "data")
    assert_one_line(run("serve", "--port", "0", "--data-dir", data), data)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--config", "num.partitions=many"], "num.partitions"),
        (["--config", "nothing"], "KEY=VALUE"),
        (["--properties", "/no/such/file"], "/no/such/file"),
        (["--state-file", "/no/such/directory/state.json"], "state.json"),
        (["--config", "listeners=SSL://:9093"], "SSL"),
        (["--config", "super.users=User:me"], "super.users: there is no authorizer"),
        (["--config", "authorizer.class.name=kafka.security.Acls"], "authorizer.class.name: there is no authorizer"),
        (["--host", "192.0.2.1"], "192.0.2.1"),
        (["--advertised-host", "broker:9092"], "a host name or an address without a port"),
        (["--advertised-host", "my broker"], "a host name or an address without a port"),
        (["--advertised-host", "0.0.0.0"], "nobody can connect to it"),
        (["--brokers", "2", "--advertised-host", "broker:9092"], "a host name or an address without a port"),
        (["--brokers", "2", "--data-dir", "/proc/none"], "choose another (--data-dir, log.dirs)"),
    ],
)
def test_what_the_user_got_wrong_is_one_line(arguments: list[str], word: str, tmp_path: Path) -> None:
    port = [] if "listeners" in arguments[-1] else ["--port", "0"]
    assert_one_line(run("serve", *port, *arguments, environment={"TMPDIR": str(tmp_path)}), word)
    assert not list(tmp_path.iterdir())


EMPTY = ("--data-dir", "--host", "--advertised-host", "--cluster-id", "--rack", "--state-file", "--properties")


@pytest.mark.parametrize(("brokers", "flag"), [*(("1", flag) for flag in EMPTY), ("2", "--data-dir"), ("2", "--rack")])
def test_an_empty_value_is_refused_and_not_taken_for_another_place(flag: str, brokers: str, tmp_path: Path) -> None:
    done = run("serve", "--port", "0", "--brokers", brokers, flag, "", environment={"TMPDIR": str(tmp_path)})
    assert done.returncode == 2
    assert f"Invalid value for '{flag}': it is empty: give a value, or leave the flag out" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_node_without_a_controller_says_what_it_waits_for(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with kafkacompat.Cluster(brokers=3, data_dir=data):
        pass
    with Child("serve", "--port", "0", "--data-dir", str(data / "node-1")) as alone:
        waits_for = "not ready yet: no active controller: start a majority of the controllers 1, 2, 3"

        def has_said_it() -> bool:
            assert alone.process.poll() is None, alone.stderr
            return waits_for in alone.stderr

        wait_until(has_said_it, 60, what=lambda: alone.stderr)
        assert alone.stop() == 0


@pytest.mark.parametrize(
    "arguments",
    [["--port", "70000"], ["--no-such-flag"], ["--partitions", "0"], ["--brokers", "2", "--stop-timeout", "nan"]],
)
def test_bad_flags_are_explained(arguments: list[str]) -> None:
    done = run("serve", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("kafkacompat: ")
    assert done.stderr.endswith("; see kafkacompat serve --help\n")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_an_unknown_setting_warns_with_the_nearest_name(tmp_path: Path) -> None:
    properties = tmp_path / "server.properties"
    properties.write_text("log.retention.hour=1\n")
    with serving(tmp_path, "--config", "num.partition=3", "--properties", str(properties)) as (child, _):
        assert "num.partitions" in child.stderr
        assert "log.retention.hours" in child.stderr


def test_a_file_that_asks_for_protection_is_one_line_whatever_the_flags(tmp_path: Path) -> None:
    properties = tmp_path / "server.properties"
    for text, word in (
        ("listeners=SSL://:9093\n", "listener SSL wants SSL"),
        ("listener.name.plaintext.ssl.keystore.location=/keys\n", "no TLS"),
        ("security.inter.broker.protocol=SASL_PLAINTEXT\n", "security.inter.broker.protocol"),
    ):
        properties.write_text(text)
        done = run("serve", "--port", "0", "--properties", str(properties), environment={"TMPDIR": str(tmp_path)})
        assert_one_line(done, word)
    assert list(tmp_path.iterdir()) == [properties]


def test_kafkas_stock_map_and_bare_key_stores_are_a_warning(tmp_path: Path) -> None:
    properties = tmp_path / "server.properties"
    properties.write_text(
        "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL\n"
        "ssl.keystore.location=/keys\n"
    )
    with serving(tmp_path, "--properties", str(properties)) as (child, _):
        assert "ssl.keystore.location: without effect" in child.stderr
        assert "only PLAINTEXT works" in child.stderr


def test_variables_go_before_the_file_and_behind_flags_and_only_where_they_are_asked_for(tmp_path: Path) -> None:
    properties = tmp_path / "server.properties"
    properties.write_text("num.partitions=2\nnode.id=7\nlog.retention.hours=1\n")
    environment = {
        "KAFKA_NODE_ID": "8", "KAFKA_NUM_PARTITIONS": "3", "KAFKA_LOG_DIRS": str(tmp_path / "data"),
        "CLUSTER_ID": "5L6g3nShT-eMCtK--X86sw", "KAFKA_OPTS": "-Xmx1g",
    }  # fmt: skip
    arguments = ("--properties", str(properties), "--config", "num.partitions=4")
    with serving(tmp_path, *arguments, "--from-env", environment=environment) as (child, state):
        (broker,) = state["brokers"]
        assert (broker["id"], broker["data_dir"]) == (8, str(tmp_path / "data"))
        assert state["cluster_id"] == "5L6g3nShT-eMCtK--X86sw"
        assert "unknown configuration" not in child.stderr
    with serving(tmp_path, *arguments, environment=environment) as (_, state):
        (broker,) = state["brokers"]
        assert broker["id"] == 7
        assert state["cluster_id"] != "5L6g3nShT-eMCtK--X86sw"


def test_settings_reach_the_broker_and_flags_go_before_the_file(tmp_path: Path) -> None:
    properties = tmp_path / "server.properties"
    properties.write_text(f"listeners=PLAINTEXT://nowhere:1\nlog.dirs={tmp_path / 'data'}\nnode.id=7\n")
    with serving(tmp_path, "--properties", str(properties), "--advertised-host", "127.0.0.1") as (_, state):
        (broker,) = state["brokers"]
        assert broker["id"] == 7
        assert broker["host"] == "127.0.0.1"
        assert broker["data_dir"] == str(tmp_path / "data")


def test_the_temporary_directory_is_where_tmpdir_says(tmp_path: Path) -> None:
    with serving(tmp_path, environment={"TMPDIR": str(tmp_path)}) as (_, state):
        assert Path(state["brokers"][0]["data_dir"]).parent == tmp_path


def test_the_state_file_is_never_seen_half_written(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    with Child("serve", "--port", "0", "--state-file", str(state)) as child:
        while not state.exists():
            assert child.process.poll() is None, child.stderr
        assert json.loads(state.read_text())["brokers"]
        assert ask_api_versions(json.loads(state.read_text())["bootstrap_servers"])
        assert child.stop() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_idle_memory(tmp_path: Path) -> None:
    # pip compiles what it installs; here a first start does, because compiling takes memory and keeps it
    compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode")}
    for _ in range(2):
        with serving(tmp_path, environment=compiled) as (child, state):
            ask_api_versions(state["bootstrap_servers"])
            status = Path(f"/proc/{child.process.pid}/status").read_text()
    (rss_kb,) = (int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    assert rss_kb < 35 * 1024


LOOKS_WHEN_READY = """
import asyncio, gc
from kafkacompat.cli import options, serve
from kafkacompat.server.broker_server import BrokerServer

servers, waits = [], []
start = BrokerServer.start

async def noted(self):
    servers.append(self)
    await start(self)

async def look(self):
    waits.append(self)
    if len(waits) == 1:
        await asyncio.Future()  # while it starts
    kind = type(servers[0].connections.around_large).__name__
    print(gc.get_threshold(), gc.get_freeze_count() > 10_000, len(gc.callbacks), kind)

BrokerServer.start = noted
serve._Signals.wait = look
serve.run(options.ServeOptions(port=0))
"""


def test_a_broker_sets_aside_what_it_has_at_the_start_and_pauses_collections_for_large_requests() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOOKS_WHEN_READY], capture_output=True, text=True, timeout=TIMEOUT_S, check=True
    )
    ready, found = lines(done.stdout)
    assert " ready on " in ready
    assert found == f"{THRESHOLDS} True 1 Pause"
