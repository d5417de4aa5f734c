"""Registering a controller, and unregistering a broker (Kafka's ClusterControlManager)."""

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.internal.cluster_metadata import (
    ControllerEndpoint,
    ControllerFeature,
    RegisterControllerRecord,
    UnregisterBrokerRecord,
)
from kafkacompat.protocol.messages.controller_registration import ControllerRegistrationResponse
from kafkacompat.protocol.messages.unregister_broker import UnregisterBrokerResponse
from kafkacompat.replication.controller.brokers import leader_and_isr_updates
from kafkacompat.replication.metadata.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.messages.controller_registration import ControllerRegistrationRequest
    from kafkacompat.protocol.messages.unregister_broker import UnregisterBrokerRequest
    from kafkacompat.replication.metadata.image import MetadataImage
    from kafkacompat.replication.metadata.settings import Settings


def register_controller(request: "ControllerRegistrationRequest") -> Result:
    """Record a controller's endpoints and supported feature levels (70, KIP-919)."""
    record = RegisterControllerRecord(
        controller_id=request.controller_id,
        incarnation_id=bytes(request.incarnation_id),
        zk_migration_ready=request.zk_migration_ready,
        end_points=[
            ControllerEndpoint(each.name, each.host, each.port, each.security_protocol) for each in request.listeners
        ],
        features=[
            ControllerFeature(each.name, each.min_supported_version, each.max_supported_version)
            for each in request.features
        ],
    )
    return Result([record], ControllerRegistrationResponse(error_message=""))


def unregister(request: "UnregisterBrokerRequest", image: "MetadataImage", settings: "Settings") -> Result:
    """Unregister a broker (64, KIP-500). It stays a replica of its partitions, and may register again."""
    broker = image.brokers.get(request.broker_id)
    if broker is None:
        message = f"Broker ID {request.broker_id} is not currently registered"
        return Result([], UnregisterBrokerResponse(0, errors.BROKER_ID_NOT_REGISTERED, message))
    records = [*leader_and_isr_updates(broker.id, image, settings), UnregisterBrokerRecord(broker.id, broker.epoch)]
    return Result(records, UnregisterBrokerResponse(error_message=""), is_atomic=False)
