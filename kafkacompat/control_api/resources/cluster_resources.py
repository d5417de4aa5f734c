"""`/v1`, `/v1/cluster` and `/v1/brokers`: what the cluster looks like in the metadata of a node."""

from __future__ import annotations

from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.control_api.http.routes import ROUTES, capabilities
from kafkacompat.control_api.resources.health import missing
from kafkacompat.control_api.resources.node_verbs import CAPABILITY
from kafkacompat.replication.metadata.features import METADATA_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.control_api.http.calls import Call
    from kafkacompat.replication.metadata.image import BrokerImage, Endpoint
    from kafkacompat.server.broker_server import BrokerServer


def index(call: Call) -> dict[str, object]:
    """GET /v1."""
    return describe(call.version, sorted(call.servers), has_verbs=call.verbs is not None)


def describe(version: str, node_ids: list[int], *, has_verbs: bool) -> dict[str, object]:
    """What is there. has_verbs: whether nodes can be stopped and started here."""
    found = {**capabilities(), CAPABILITY: has_verbs}
    return {
        "version": version,
        "node_ids": node_ids,
        "capabilities": sorted(name for name, is_there in found.items() if is_there),
        "missing": sorted(name for name, is_there in found.items() if not is_there),
        "resources": sorted({route.path for route in ROUTES}),
    }


def cluster(call: Call) -> dict[str, object]:
    """GET /v1/cluster."""
    server = call.server
    view, raft = server.view, server.broker.quorum.raft
    lacks = [line for one in call.servers.values() for line in missing(one)]
    return {
        "cluster_id": view.cluster_id,
        "controller_id": view.quorum.leader_id,
        "controller_epoch": view.quorum.leader_epoch,
        "voters": sorted(raft.client.voters),
        "metadata_offset": view.metadata_offset,
        "metadata_log_end_offset": view.quorum.log_end_offset,
        "metadata_version": server.broker.image.features.get(METADATA_VERSION),
        "broker_ids": sorted(server.broker.image.brokers),
        "topic_count": len(server.broker.image.topics),
        "ready": not lacks,
        "missing": lacks,
    }


def brokers(call: Call) -> dict[str, object]:
    """GET /v1/brokers."""
    server = call.server
    return {"brokers": [_broker(server, image) for _, image in sorted(server.broker.image.brokers.items())]}


def broker(call: Call) -> dict[str, object]:
    """GET /v1/brokers/{broker_id}."""
    server, broker_id = call.server, call.path["broker_id"]
    image = server.broker.image.brokers.get(broker_id)
    if image is None:
        known = ", ".join(map(str, sorted(server.broker.image.brokers)))
        raise ProblemError(404, "no-broker", f"there is no broker {broker_id}: the cluster has {known}")
    return _broker(server, image)


def _broker(server: BrokerServer, image: BrokerImage) -> dict[str, object]:
    return {
        "broker_id": image.id,
        "epoch": image.epoch,
        "rack": image.rack,
        "is_fenced": image.fenced,
        "is_stopping": image.in_controlled_shutdown,
        "is_controller": image.id == server.view.quorum.leader_id,
        "endpoints": {endpoint.name: _address(endpoint) for endpoint in image.endpoints},
    }


def _address(endpoint: Endpoint) -> str:
    return endpoint.address
