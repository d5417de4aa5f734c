"""Clusters of three nodes that earlier versions have left are opened, and hold what they held."""

from __future__ import annotations

import json
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

import pytest

from kafkacompat import Cluster
from kafkacompat.errors import StartupError
from tests.golden.directories import making, three_nodes
from tests.golden.directories.test_directories import FOREVER, VERSIONS, as_json, expected
from tests.waiting import pause, wait_until


def started(data: Path) -> Cluster:
    """In this process. The controllers' ports are in the archive: another run of these tests may have them."""
    deadline = time.monotonic() + three_nodes.DEADLINE_S
    while True:
        try:
            return Cluster(data_dir=data, brokers=three_nodes.NODES, host="localhost", config=FOREVER).start()
        except StartupError as error:
            if "is taken" not in str(error) or time.monotonic() > deadline:
                raise
            pause()


def without_producers(was: dict[str, Any]) -> dict[str, Any]:
    for topic in was["topics"].values():
        for partition in topic["partitions"].values():
            partition.pop("producers")
    return was


@pytest.mark.parametrize("version", VERSIONS)
def test_the_nodes_become_one_cluster_again_with_all_it_held(version: str, tmp_path: Path) -> None:
    was, _ = expected(version, three_nodes.CLUSTER)
    with tarfile.open(making.DIRECTORIES / version / f"{three_nodes.CLUSTER}.tar.xz") as tar:
        tar.extractall(tmp_path, filter="data")
    kafka = started(tmp_path)
    try:
        with three_nodes.clients(kafka.bootstrap_servers) as found:
            wait_until(lambda: three_nodes.all_in_sync(found))
            assert without_producers(as_json(three_nodes.seen(found))) == without_producers(was)
            latest = was["topics"][three_nodes.TOPIC]["partitions"]["0"]["latest"]
            assert three_nodes.produce_one(found, three_nodes.TOPIC) == latest
            wait_until(lambda: three_nodes.all_in_sync(found))
    finally:
        kafka.stop()


def test_the_version_in_this_checkout_makes_one(tmp_path: Path) -> None:
    (tmp_path / making.EXPECTED).write_text("{}")
    three_nodes.add(tmp_path, Path(__file__).resolve().parents[3], sys.executable)
    kept = json.loads((tmp_path / making.EXPECTED).read_text())[three_nodes.CLUSTER]
    assert sorted(kept["groups"]) == ["plain", "static"]
    assert [kept["topics"][three_nodes.TOPIC]["partitions"][index]["latest"] for index in "012"] == [8, 8, 8]
