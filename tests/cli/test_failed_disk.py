"""`serve` on a data directory whose disk fails: it ends, with exit status 1 and one line."""

from __future__ import annotations

import errno
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from kafkacompat.protocol import error_codes as errors
from tests.cli import processes
from tests.cli.processes import serving
from tests.robustness.client import Client, batch_of

FAILING = """
import os, sys
from kafkacompat.storage.fs import RealFile, RealFs

flag, number, what = sys.argv[1], int(sys.argv[2]), sys.argv[3]
del sys.argv[1:4]

def failing(name, original):
    def call(self, *arguments, **options):
        if name == what and os.path.exists(flag):
            raise OSError(number, os.strerror(number))
        return original(self, *arguments, **options)
    return call

for owner, name in ((RealFile, "write"), (RealFile, "fsync"), (RealFile, "pread"), (RealFs, "write_atomic")):
    setattr(owner, name, failing(name, getattr(owner, name)))

from kafkacompat.cli import main
main()
"""


@pytest.mark.parametrize(
    ("what", "number"),
    [("write", errno.EIO), ("write", errno.EROFS), ("write_atomic", errno.EIO), ("fsync", errno.EIO),
     ("fsync", errno.ENOSPC)],
)  # fmt: skip
def test_it_ends_with_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, number: int) -> None:
    flag = tmp_path / "fails"
    command = [sys.executable, "-c", FAILING, str(flag), str(number), what]
    monkeypatch.setattr(processes, "command", lambda: command)
    data_dir = tmp_path / "data"
    setting = {"fsync": "log.flush.interval.messages=1"}.get(what, "replica.high.watermark.checkpoint.interval.ms=100")
    with serving(tmp_path, "--data-dir", str(data_dir), "--config", setting) as (child, state):
        port = int(state["bootstrap_servers"].rpartition(":")[2])
        with Client(port) as client:
            client.create_topic("t")
            assert client.produce("t", batch_of(b"x")).error_code == errors.NONE
            flag.touch()
            if what != "write_atomic":  # which the next checkpoint meets
                with suppress(ConnectionError):  # it may be faster
                    assert client.produce("t", batch_of(b"y")).error_code == errors.KAFKA_STORAGE_ERROR
        assert child.wait() == 1
        assert f"node 1 stops: data directory {data_dir} has failed: " in child.stderr.splitlines()[-1]
        assert "Traceback" not in child.stderr
