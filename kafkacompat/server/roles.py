"""The roles of a node, and the quorum settings that they require."""

from __future__ import annotations

from kafkacompat.broker.connection import BROKER, CONTROLLER
from kafkacompat.broker.registry import BOTH
from kafkacompat.errors import StartupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.config import BrokerConfig


def node_roles(config: BrokerConfig) -> frozenset[str]:
    """BROKER, CONTROLLER or both, which is the default.

    Raises StartupError if the roles contradict the settings of the quorum (Kafka's KafkaConfig).
    """
    if "process.roles" not in config.static:
        return BOTH
    roles = frozenset(config.get_list("process.roles"))
    voters = [int(voter.partition("@")[0]) for voter in config.get_list("controller.quorum.voters")]
    node_id = config.get_int("node.id")
    if roles == {BROKER}:
        if not voters and not config.get_list("controller.quorum.bootstrap.servers"):
            raise StartupError(
                "process.roles=broker, but where are the controllers? Set controller.quorum.bootstrap.servers=host:9093"
            )
        if node_id in voters:
            raise StartupError(
                f"process.roles=broker, but controller.quorum.voters has this node, {node_id}: take it out there"
            )
    elif CONTROLLER in roles and voters and node_id not in voters:
        raise StartupError(
            f"process.roles has controller, but controller.quorum.voters lacks this node, {node_id}: add it there"
        )
    return roles
