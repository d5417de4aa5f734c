"""Captures of the traffic between clients and nodes (`kafkacompat/traffic/`), started and stopped on running nodes."""

from __future__ import annotations

from kafkacompat.errors import KafkaCompatError
from kafkacompat.traffic.tap import Tap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.traffic.capture_writer import CaptureWriter

    Plain = dict[str, Any]


def start(server: BrokerServer, writer: CaptureWriter, *, ends_with_node: bool = False) -> None:
    """Let a capture see what the clients of this node send and get. Raises KafkaCompatError while another one does.

    ends_with_node: the capture ends when this node stops, because nobody else would end it.
    """
    if writer_of(server) is not None:
        raise KafkaCompatError("another capture is running: stop it first")
    server.tap = Tap(writer, server.broker.node_id, ends_with_node=ends_with_node)
    if server.is_listening:
        server.connections.set_tap(server.tap)


def stop(server: BrokerServer) -> None:
    """End the capture of this node, if there is one. Its file is closed by whoever opened it."""
    if server.tap is not None:
        server.tap = None
        server.connections.set_tap(None)


def writer_of(server: BrokerServer) -> CaptureWriter | None:
    """What the capture of this node writes to; None without one."""
    return server.tap.writer if isinstance(server.tap, Tap) else None


def describe(writer: CaptureWriter) -> Plain:
    """A capture: its `path`, `size_bytes`, `frame_count`, and `ended`: why it has ended, null while it runs."""
    return {
        "path": writer.path, "size_bytes": writer.size_bytes, "frame_count": writer.frame_count, "ended": writer.ended,
    }  # fmt: skip
