"""`/healthz` and `/readyz`: whether a node lives, and whether it serves clients."""

from __future__ import annotations

from kafkacompat.broker.control.lifecycle import RUNNING
from kafkacompat.control_api.http.calls import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.control_api.http.calls import Call
    from kafkacompat.server.broker_server import BrokerServer

LOOP_TIMEOUT_MS = 1_000
"""A node is not well if its loop was held for so long by one event in the last minute before this request, or now."""


def healthz(call: Call) -> Answer:
    """GET /healthz: 200, or 503 with what is wrong. That it answers shows that the loop turns."""
    return answer_of({node_id: ailments(server) for node_id, server in call.servers.items()}, "healthy")


def readyz(call: Call) -> Answer:
    """GET /readyz: 200, or 503 with what is missing."""
    found = {node_id: missing(server) for node_id, server in call.servers.items()}
    return answer_of(found or {0: ["no node runs in this process"]}, "ready")


def ailments(server: BrokerServer) -> list[str]:
    """What is wrong with a node, in words; empty if nothing is."""
    broker = server.broker
    offline = {} if broker.logs.failure is None else server.view.offline_directories  # one of several is no reason
    found = [f"the log directory {path} is offline: {why}" for path, why in offline.items()]
    if server.failure is not None:
        found.append(server.failure)
    elif broker.quorum.failure is not None:
        found.append(f"the metadata log has failed: {broker.quorum.failure}")
    late_ms = server.late_ms()
    if late_ms >= LOOP_TIMEOUT_MS:
        found.append(f"the event loop was {late_ms} ms late")
    return found


def missing(server: BrokerServer) -> list[str]:
    """What a node lacks to serve clients, in words; empty if it is ready."""
    broker, found = server.broker, []
    if not server.is_listening:
        found.append("it does not listen")
    if server.runs_hooks:
        found.append("the hooks of its start still run")
    if server.is_handing_over:
        found.append("it hands over its partitions")
    if not broker.is_ready:
        found.append(server.waits_for())
    if broker.lifecycle is not None:
        image = broker.image.brokers.get(broker.node_id)
        if broker.lifecycle.state != RUNNING and broker.is_ready and not server.is_handing_over:
            found.append(f"its registration is in state {broker.lifecycle.state}")
        if image is None or image.fenced:
            found.append("it is fenced")
    if broker.quorum.raft.leader_id < 0:
        found.append("it knows no active controller")
    if broker.lifecycle is not None and broker.partitions.is_behind:
        found.append("its partitions have not taken all roles of the newest metadata")
    if broker.quorum.raft.high_watermark > broker.image.offset + 1:
        behind = broker.quorum.raft.high_watermark - broker.image.offset - 1
        found.append(f"{behind} committed metadata records are not applied yet")
    return found + ailments(server)


def answer_of(found: dict[int, list[str]], word: str) -> Answer:
    """200, or 503 with the lines of each node. word: what it is if there are none."""
    is_good = not any(found.values())
    body: dict[str, object] = {word: is_good, "nodes": {str(node_id): lines for node_id, lines in found.items()}}
    if not is_good:
        body["missing"] = [
            f"node {node_id}: {line}" if len(found) > 1 else line for node_id, lines in found.items() for line in lines
        ]
    return Answer(200 if is_good else 503, body)
