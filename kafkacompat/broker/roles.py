"""The roles of a node and its inter-broker listener, by its configuration."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.config import BrokerConfig

BROKER_ROLE = "broker"


def has_role(config: "BrokerConfig", role: str) -> bool:
    """Whether the node has this role; without process.roles it has both."""
    roles = config.get_list("process.roles")
    return not roles or role in roles


def inter_broker_listener(config: "BrokerConfig") -> str:
    """The name of the inter-broker listener."""
    name = config.text("inter.broker.listener.name") or config.get_str("security.inter.broker.protocol")
    return name.upper()
