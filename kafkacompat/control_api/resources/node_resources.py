"""`GET /v1/nodes`: what each node that answers here knows and does, brokers and controllers."""

from __future__ import annotations

from kafkacompat.control_api.faults import disks, leaders
from kafkacompat.control_api.resources.health import ailments, missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.control_api.http.calls import Call
    from kafkacompat.server.broker_server import BrokerServer

    Plain = dict[str, Any]


def nodes(call: Call) -> Plain:
    """GET /v1/nodes."""
    return {"nodes": [node(server) for _, server in sorted(call.servers.items())]}


def node(server: BrokerServer) -> Plain:
    """One node.

    metadata_offset: of the last metadata record that it has applied; is_applied: its replicas and coordinators follow
    that. missing: what it lacks to serve clients; ailments: those of them that are no matter of time.
    """
    controller_id, controller_epoch = leaders.controller(server)
    return {
        "node_id": server.broker.node_id,
        "is_broker": server.broker.lifecycle is not None,
        "is_active_controller": leaders.is_controller_active(server),
        "controller_id": controller_id,
        "controller_epoch": controller_epoch,
        "metadata_offset": server.broker.image.offset,
        "is_applied": leaders.is_applied(server),
        "is_disk_full": disks.is_full(server),
        "missing": missing(server),
        "ailments": ailments(server),
    }
