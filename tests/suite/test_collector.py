"""A test that proves nothing fails: seen by running the suite's own plugin on tests made for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tidy.tree import ROOT

CONFTEST = "from compat_tests.conftest import *\nfrom compat_tests.conftest import _shared_brokers\n"
TESTS = """
import pytest
from compat_tests.api.raw import RawClient
from kafkacompat.protocol.messages import metadata

def ask(broker):
    with RawClient(broker.bootstrap_servers) as client:
        client.call(metadata.API_KEY, 9, metadata.MetadataRequest(topics=[]))

@pytest.mark.api("Metadata")
def test_asks(broker):
    ask(broker)

@pytest.mark.api("Metadata", "Fetch")
def test_names_what_it_does_not_ask(broker):
    ask(broker)

@pytest.mark.unanswered("Produce")
@pytest.mark.api("Metadata", "Produce")
def test_names_what_has_no_answer(broker):
    ask(broker)

@pytest.mark.unanswered("Metadata")
@pytest.mark.api("Metadata")
def test_names_only_what_has_no_answer(broker):
    ask(broker)

def test_names_nothing(broker):
    ask(broker)

def test_needs_no_broker():
    pass

@pytest.mark.api("Metadata")
def test_is_wrong(broker):
    ask(broker)
    assert False, "wrong"

@pytest.mark.full
@pytest.mark.api("Metadata")
def test_takes_long(broker):
    ask(broker)

@pytest.mark.full("kafkacompat")
@pytest.mark.api("Metadata")
def test_takes_long_with_this_broker(broker):
    ask(broker)

@pytest.mark.full("kafka")
@pytest.mark.api("Metadata")
def test_takes_long_with_the_other_broker(broker):
    ask(broker)
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suite")
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_it.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--broker", "kafkacompat", "--report", "out"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "left out, 2 tests: takes long, runs with --full" in done.stdout
    return folder / "out"


def test_what_proves_nothing_fails(report: Path) -> None:
    found = json.loads((report / "results.json").read_text())
    ends = {test["test"].partition("::")[2].partition("[")[0]: test for test in found["tests"]}
    assert {name: test["result"] for name, test in ends.items()} == {
        "test_asks": "PASS",
        "test_takes_long_with_the_other_broker": "PASS",
        "test_names_what_it_does_not_ask": "VACUOUS",
        "test_names_what_has_no_answer": "PASS",
        "test_names_only_what_has_no_answer": "VACUOUS",
        "test_names_nothing": "VACUOUS",
        "test_needs_no_broker": "PASS",
        "test_is_wrong": "FAIL",
    }
    assert ends["test_asks"]["answered"] == {"Metadata": {"9": 1}}
    assert "no request of Fetch was answered" in ends["test_names_what_it_does_not_ask"]["why"]
    assert "wrong" in ends["test_is_wrong"]["why"]
    assert (found["form"], found["subject"]) == ("everyday", "kafkacompat")


def test_the_report_has_a_file_for_each_reader(report: Path) -> None:
    lines = (report / "results.csv").read_text().splitlines()
    assert lines[0] == "suite,test,broker,result,seconds,pairs,why"
    assert len(lines) == 9
    assert "test_names_nothing" in (report / "junit.xml").read_text()
    page = (report / "report.html").read_text()
    assert "VACUOUS · test_it.py::test_names_nothing[kafkacompat]" in page
    assert "src=" not in page  # nothing from elsewhere


ONCE = """
import pytest

def test_twice(broker_kind): pass

@pytest.mark.once
def test_once(broker_kind): pass
"""


def test_what_is_marked_once_runs_on_one_of_both_brokers(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(ONCE)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", "-q", "--broker", "both"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    found = {line.partition("::")[2] for line in done.stdout.splitlines() if "::test_" in line}
    assert found == {"test_twice[kafkacompat]", "test_twice[kafka]", "test_once[kafkacompat]"}, done.stderr
