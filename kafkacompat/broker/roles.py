"""What a node is, by its configuration: its roles, and the listener on which brokers speak to each other."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.config import BrokerConfig

BROKER_ROLE = "broker"


def has_role(config: "BrokerConfig", role: str) -> bool:
    """Whether process.roles names this role; a node that names none has both."""
    roles = config.get_list("process.roles")
    return not roles or role in roles


def inter_broker_listener(config: "BrokerConfig") -> str:
    """The name of the listener that other brokers use."""
    name = config.text("inter.broker.listener.name") or config.get_str("security.inter.broker.protocol")
    return name.upper()
