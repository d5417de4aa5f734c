"""Which files are written how: nodes in processes of their own are killed, and start again with what they have left."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kafkacompat import Cluster
from kafkacompat.server.broker_server import BrokerServer
from kafkacompat.server.settings import broker_config
from kafkacompat.storage.fs import RealFs
from tests.server.harness import binding

KILLED_WHILE_IT_WRITES = """
import builtins, os, signal, sys
import kafkacompat.cli

name, directory = sys.argv[1:]
system_open, python_open = os.open, builtins.open

def is_it(path):
    return os.path.basename(str(path)).removesuffix(".tmp") == name

def open_new(path, flags, *mode):
    fd = system_open(path, flags, *mode)
    if flags & os.O_CREAT and is_it(path):
        os.kill(os.getpid(), signal.SIGKILL)
    return fd

def open_file(path, mode="r", *more, **options):
    file = python_open(path, mode, *more, **options)
    if "w" in mode and is_it(path):
        os.kill(os.getpid(), signal.SIGKILL)
    return file

os.open, builtins.open = open_new, open_file
kafkacompat.cli.main(["serve", "--port", "0", "--no-control", "--never-sync", "--data-dir", directory])
"""
OF_A_START = (
    "meta.properties",
    "bootstrap.checkpoint",
    "partition.metadata",
    "quorum-state",
    "leader-epoch-checkpoint",
)


@pytest.mark.parametrize("name", OF_A_START)
def test_a_node_that_is_killed_before_it_writes_a_file_starts_again(tmp_path: Path, name: str) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED_WHILE_IT_WRITES, name, str(tmp_path)], capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not list(tmp_path.rglob(name))
    asyncio.run(start_and_stop(tmp_path))
    assert list(tmp_path.rglob(name))


async def start_and_stop(directory: Path) -> None:
    config, _ = broker_config({})
    server = BrokerServer(config, [binding("PLAINTEXT")], str(directory), is_temporary=True, keeps_data=True)
    await server.start()
    await server.stop()


def test_only_nodes_inside_a_python_program_write_temporary_files_in_place() -> None:
    config, _ = broker_config({})
    alone = BrokerServer(config, [binding("PLAINTEXT")]).platform.files(temporary=True)
    with Cluster() as kafka:
        inside = kafka._call(1, lambda server: server.files)
    assert isinstance(alone, RealFs)
    assert isinstance(inside, RealFs)
    assert (alone._writes_in_place, inside._writes_in_place) == (False, True)
