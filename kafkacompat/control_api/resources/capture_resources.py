"""`/v1/captures`: the traffic of clients is captured into a file on the broker's machine, see docs/traffic.md."""

from __future__ import annotations

import asyncio
import os
import secrets
import tempfile

from kafkacompat.control_api import captures
from kafkacompat.control_api.http.problems import ProblemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.control_api.http.calls import Call

    Plain = dict[str, Any]


def start(call: Call) -> Plain:
    """POST /v1/captures: of all nodes here, into one new file in the directory for temporary files. It ends when one of
    them stops, too.
    """
    from kafkacompat.traffic.capture_writer import MAX_BYTES, CaptureWriter

    servers = call.all_nodes
    if running := list_all(call)["captures"]:
        raise ProblemError(409, "state", f"a capture into {running[0]['path']} is running: DELETE /v1/captures ends it")
    path = os.path.join(tempfile.gettempdir(), f"kafkacompat-{secrets.token_hex(8)}.kct")  # noqa: PTH118 (as elsewhere)
    source = f"brokers {', '.join(map(str, call.servers))}"
    writer = CaptureWriter(
        path, source=source, max_bytes=call.body.get("max_bytes", MAX_BYTES), redact=call.body.get("redact", ())
    )
    for server in servers:
        captures.start(server, writer, ends_with_node=True)
    return {"captures": [captures.describe(writer)]}


def list_all(call: Call) -> Plain:
    """GET /v1/captures: that of the nodes here, until it is ended."""
    found = {id(writer): writer for server in call.all_nodes if (writer := captures.writer_of(server)) is not None}
    return {"captures": [captures.describe(writer) for writer in found.values()]}


async def stop(call: Call) -> Plain:
    """DELETE /v1/captures: the file is whole when this answers; an empty list if none was running."""
    found = {id(writer): writer for server in call.all_nodes if (writer := captures.writer_of(server)) is not None}
    for server in call.all_nodes:
        captures.stop(server)
    for writer in found.values():
        await asyncio.to_thread(writer.close)
    return {"captures": [captures.describe(writer) for writer in found.values()]}
