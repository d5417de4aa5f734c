"""`kafkacompat traffic`."""

from __future__ import annotations

import re
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from kafkacompat.client.client import Client
from kafkacompat.cluster.cluster import Cluster
from kafkacompat.traffic.capture_file import CLOSE, OPEN, REQUEST, RESPONSE, Entry, encode_header, entry_pieces
from tests.cli.processes import command
from tests.cli.verbs import run


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("traffic") / "a.kct"
    with (
        Cluster(topics={"orders": 1}) as kafka,
        kafka.capture(path),
        Client(kafka.bootstrap_servers, timeout_s=30) as client,
    ):
        client.metadata(["orders"])
        client.metadata(["missing"])
    return path


def test_requests_are_shown_as_the_journal_does(captured: Path) -> None:
    done = run("traffic", "show", str(captured), servers="")
    assert (done.status, done.err) == (0, "complete\n")
    lines = done.text.splitlines()
    assert re.fullmatch(r"\d\d:\d\d:\d\d\.\d{3} 1 connection 1 \S+: ApiVersions v\d, \d+\.\d ms", lines[0])
    assert any("orders" in line for line in lines)


def test_json_has_the_fields_of_the_control_api(captured: Path) -> None:
    done = run("traffic", "show", "-f", "json", "--errors", str(captured), servers="")
    (line,) = done.json_lines
    assert (line["api"], line["names"], line["closed"]) == ("Metadata", ["missing"], None)
    assert [each["error"] for each in line["errors"]] == ["UNKNOWN_TOPIC_OR_PARTITION"]


def test_a_cut_file_is_shown_up_to_there_and_a_damaged_one_too(captured: Path, tmp_path: Path) -> None:
    data = captured.read_bytes()
    half = tmp_path / "half.kct"
    half.write_bytes(data[: len(data) // 2])
    done = run("traffic", "show", str(half), servers="")
    assert (done.status, done.out.count(b"\n") > 0) == (0, True)
    assert "the file is cut at byte" in done.err or "has no end" in done.err
    half.write_bytes(data[:-100] + b"\xff" * 100)
    done = run("traffic", "show", str(half), servers="")
    assert (done.status, done.err.count("\n")) == (1, 1)
    assert done.out.count(b"\n") > 0
    missing = run("traffic", "show", str(tmp_path / "none.kct"), servers="")
    assert missing == (1, b"", f"kafkacompat: {tmp_path / 'none.kct'}: No such file or directory\n")


def test_requests_without_an_answer_are_shown(tmp_path: Path) -> None:
    heartbeat = b"\0\x0c\0\0\0\0\0\7\0\1c\0\1g\0\0\0\1\0\1m"
    entries = [
        Entry(OPEN, 0, 0, 0, 0, 1, 0, 0, b'{"node": 3, "peer": "10.0.0.1"}'),
        Entry(REQUEST, 0, 12, 0, 7, 1, 10, 1_700_000_000_000, heartbeat),
        Entry(REQUEST, 0, 12, 0, 7, 1, 20, 1_700_000_000_000, heartbeat),
        Entry(RESPONSE, 0, 12, 0, 7, 1, 1510, 0, b"\0\0\0\7\0\x19"),
        Entry(CLOSE, 0, 0, 0, 0, 1, 2000, 0, b'{"reason": "gone"}'),
        Entry(REQUEST, 1, -1, 0, 0, 2, 10, 2**62, b""),
    ]
    path = tmp_path / "a.kct"
    path.write_bytes(encode_header({}) + b"".join(piece for entry in entries for piece in entry_pieces(entry)))
    done = run("traffic", "show", str(path), servers="")
    assert done.text.splitlines() == [
        "22:13:20.000 1 connection 1 c: Heartbeat v0 g, 1.5 ms: UNKNOWN_MEMBER_ID",
        "22:13:20.000 2 connection 1 c: Heartbeat v0 g, not answered: closed, gone",
        "4611686018427387904 3 connection 2 : unknown v0, not answered",
    ]
    assert done.err == "the capture has no end: it is still running, or its process was killed\n"


def test_a_replay_says_what_differs_and_how_much(captured: Path) -> None:
    with Cluster(topics={"orders": 1}) as kafka:
        equal = run("traffic", "replay", str(captured), "--to", kafka.bootstrap_servers, servers="")
    assert (equal.status, equal.err) == (0, "")
    assert re.fullmatch(r"(\d) of \1 answers are equal, in \d+\.\d s\n", equal.text)
    with Cluster(topics={"orders": 2}) as kafka:
        to = ("--to", kafka.bootstrap_servers)
        other = run("traffic", "replay", str(captured), *to, servers="")
        as_json = run("traffic", "replay", str(captured), *to, "-f", "json", servers="")
        ignored = run("traffic", "replay", str(captured), *to, "--ignore", "Metadata", servers="")
    assert other.status == 8
    assert "Metadata v13 orders\n  topics[orders].partitions[1] is MetadataResponsePartition(" in other.text
    assert as_json.status == 8
    (report,) = as_json.json_lines
    assert (report["is_equal"], report["difference_count"]) == (False, 1)
    assert report["differences"][0]["fields"][0]["path"] == "topics[orders].partitions[1]"
    assert report["differences"][0]["fields"][0]["was"] == "missing"
    assert ignored.status == 0
    nobody = run("traffic", "replay", str(captured), "--to", "nowhere", servers="")
    assert nobody.status != 0


def test_a_proxy_captures_until_it_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "proxied.kct"
    with Cluster(topics={"orders": 1}) as kafka:
        arguments = ["traffic", "capture", str(path), "--to", kafka.bootstrap_servers, "--listen", "127.0.0.1:0"]
        process = subprocess.Popen([*command(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            with Client(address, timeout_s=30) as client:
                assert client.metadata(["orders"]).topics[0].error_code == 0
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=30)
        finally:
            process.kill()
            process.communicate()
    assert process.returncode == 0, err
    assert f"use {address} as bootstrap server" in err
    assert re.search(r"\d+ requests and responses are in .*proxied.kct, \d+ bytes: it was stopped", err)
    assert "Metadata v13 orders" in run("traffic", "show", str(path), servers="").text


def test_a_proxy_whose_capture_cannot_be_written_passes_traffic_on_and_fails_at_its_end(tmp_path: Path) -> None:
    import resource  # not on Windows

    path = tmp_path / "proxied.kct"
    with Cluster(topics={"orders": 1}) as kafka:
        arguments = ["traffic", "capture", str(path), "--to", kafka.bootstrap_servers, "--listen", "127.0.0.1:0"]
        process = subprocess.Popen([*command(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = threading.Timer(60, process.kill)
        deadline.start()
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            address = process.stdout.readline().strip()
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (path.stat().st_size, resource.RLIM_INFINITY))
            with Client(address, timeout_s=30) as client:
                client.metadata(["orders"])
                assert any("the capture of traffic has ended" in line for line in process.stderr)
                assert client.metadata(["orders"]).topics[0].error_code == 0
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate()
        finally:
            deadline.cancel()
            process.kill()
            process.communicate()
    assert process.returncode == 1, err
    assert f"kafkacompat: traffic is missing in the capture: {path} cannot be written: File too large" in err


def test_a_proxy_that_cannot_start_says_why(tmp_path: Path) -> None:
    path = tmp_path / "a.kct"
    wrong = run("traffic", "capture", str(path), "--to", "localhost:1", "--listen", "nowhere", servers="")
    assert wrong == (2, b"", "kafkacompat: --listen nowhere: write HOST:PORT, with a port up to 65535\n")
    path.write_text("mine")
    exists = run("traffic", "capture", str(path), "--to", "localhost:1", servers="")
    assert (exists.status, "exists: name another file" in exists.err) == (1, True)
