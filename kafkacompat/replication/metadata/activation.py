"""The first records of a new active controller (Kafka's ActivationRecordsGenerator, and its registration)."""

from kafkacompat.protocol.constants import NO_BROKER_EPOCH, NO_NODE
from kafkacompat.protocol.internal.cluster_metadata import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    ControllerEndpoint,
    ControllerFeature,
    EndTransactionRecord,
    ProducerIdsRecord,
    RegisterControllerRecord,
)
from kafkacompat.replication.metadata.features import (
    METADATA_VERSION,
    SUPPORTED_FEATURES,
    bootstrap_configs,
    bootstrap_features,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.config import BrokerConfig
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.replication.metadata.image import Endpoint, MetadataImage

TRANSACTION_NAME = "Bootstrap records"


def activation_records(
    image: "MetadataImage",
    config: "BrokerConfig",
    node_id: int,
    incarnation_id: bytes,
    endpoints: "Sequence[Endpoint]",
    first_producer_id: int = 0,
) -> "list[Message]":
    """The end of an unfinished metadata transaction, the bootstrap records of an empty log, and the registration of
    this controller. Other controllers send ControllerRegistration.

    first_producer_id: after a reset, the first id that was not given to clients before it.
    """
    records: list[Message] = []
    if image.transaction is not None:
        records.append(AbortTransactionRecord(reason="Controller failover"))
    if METADATA_VERSION not in image.features:
        records.append(BeginTransactionRecord(TRANSACTION_NAME))
        records += bootstrap_features()
        records += bootstrap_configs(config)
    if first_producer_id > image.next_producer_id:
        records.append(ProducerIdsRecord(NO_NODE, NO_BROKER_EPOCH, first_producer_id))
    if METADATA_VERSION not in image.features:
        records.append(EndTransactionRecord())
    records.append(
        RegisterControllerRecord(
            controller_id=node_id,
            incarnation_id=incarnation_id,
            end_points=[
                ControllerEndpoint(each.name, each.host, each.port, each.security_protocol) for each in endpoints
            ],
            features=[ControllerFeature(name, low, high) for name, (low, high) in SUPPORTED_FEATURES.items()],
        )
    )
    return records
