"""A capture on a node without sockets: what it sees, and that it ends."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kafkacompat.control_api import captures
from kafkacompat.errors import KafkaCompatError
from kafkacompat.traffic.capture_writer import CaptureWriter


def node() -> Any:
    taps: list[Any] = []
    return SimpleNamespace(
        tap=None, is_listening=True, broker=SimpleNamespace(node_id=1), taps=taps,
        connections=SimpleNamespace(set_tap=taps.append),
    )  # fmt: skip


def test_one_capture_at_a_time(tmp_path: Path) -> None:
    server = node()
    writer = CaptureWriter(tmp_path / "a.kct", source="a test")
    captures.start(server, writer)
    assert server.taps == [server.tap]
    assert captures.writer_of(server) is writer
    with pytest.raises(KafkaCompatError, match="another capture is running"):
        captures.start(server, writer)
    captures.stop(server)
    captures.stop(server)
    assert (server.taps[1:], captures.writer_of(server)) == ([None], None)
    writer.close()
    assert captures.describe(writer) == {
        "path": str(tmp_path / "a.kct"), "size_bytes": writer.size_bytes, "frame_count": 0, "ended": "it was stopped"
    }  # fmt: skip


def test_a_node_that_starts_is_captured_from_its_first_connection_on(tmp_path: Path) -> None:
    server = node()
    server.is_listening = False
    writer = CaptureWriter(tmp_path / "a.kct", source="a test")
    captures.start(server, writer)
    assert server.tap is not None
    assert server.taps == []
    writer.close()
