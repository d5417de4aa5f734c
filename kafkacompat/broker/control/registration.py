"""What a broker says of itself when it registers."""

from kafkacompat.protocol.messages.broker_registration import BrokerRegistrationRequest, Feature, Listener
from kafkacompat.replication.controller.features import SUPPORTED_FEATURES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.broker.broker import Broker
    from kafkacompat.replication.metadata.image import Endpoint


def registration_of(broker: "Broker", endpoints: "Sequence[Endpoint]") -> BrokerRegistrationRequest:
    """The request; its previous_broker_epoch is settled when all logs are open."""
    rack = broker.config.get("broker.rack")
    assert rack is None or isinstance(rack, str)
    return BrokerRegistrationRequest(
        broker.node_id,
        broker.cluster_id,
        broker.incarnation_id,
        [Listener(each.name, each.host, each.port, each.security_protocol) for each in endpoints],
        [Feature(name, low, high) for name, (low, high) in SUPPORTED_FEATURES.items()],
        rack,
        log_dirs=[broker.logs.directory_id],
    )
