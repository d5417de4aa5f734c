"""`stale`: Metadata is answered from the image of the moment at which the rule was added."""

from typing import ClassVar

from kafkacompat.broker.control.metadata_cache import MetadataCache
from kafkacompat.broker.metadata_answers import MetadataAnswers
from kafkacompat.protocol.api_keys import METADATA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.broker.faults.action import Match
    from kafkacompat.broker.faults.reading import Reader
    from kafkacompat.broker.faults.selectors import Selectors
    from kafkacompat.broker.faults.turn import Turn


class Stale:
    """Answers with the topics, leaders and brokers of then, and creates no topics. Each node has its own image."""

    kind: ClassVar[str] = "stale"
    shorthand: ClassVar[str] = ""

    def __init__(self) -> None:
        self._nodes: dict[int, _StaleNode] = {}

    @classmethod
    def read(cls, reader: "Reader") -> "Stale":  # noqa: ARG003 (as Action)
        """It has no members."""
        return cls()

    def check(self, reader: "Reader", selectors: "Selectors") -> None:
        """Metadata only."""
        if METADATA not in selectors.keys:
            reader.cannot("", "only metadata is answered from an image: use it with api metadata")

    def added_to(self, node: "Any") -> None:
        """Keep the image of a node. One that starts again keeps the first."""
        if node.node_id not in self._nodes:
            self._nodes[node.node_id] = _StaleNode(node.image, node.static_config, node.rng)

    def is_of_entities(self, turn: "Turn", match: "Match") -> bool:  # noqa: ARG002 (as Action)
        """It is for whole answers."""
        return False

    def act(self, turn: "Turn", match: "Match") -> None:  # noqa: ARG002 (as Action)
        """Have the handler look at the old image."""
        stale = self._nodes.get(turn.node_id)
        if stale is not None and turn.api.key == METADATA:
            turn.context.services = _Services(turn.context.services, stale)
        turn.proceed()

    def as_dict(self) -> "dict[str, Any]":
        """As written in a rule."""
        return {}


class _StaleNode:
    """What a node knew of the cluster. It has a cache of its own for encoded answers."""

    def __init__(self, image: "Any", config: "Any", rng: "Any") -> None:
        cache = MetadataCache(config, rng)
        cache.set_image(image)
        self.image = image
        self.nodes, self.alive_nodes = cache.nodes, cache.alive_nodes
        self.random_alive_broker_id = cache.random_alive_broker_id
        self.metadata_answers = MetadataAnswers()
        self.auto_create_enabled = False


class _Services:
    """The services of a node, some of them as they were."""

    def __init__(self, services: "Any", stale: _StaleNode) -> None:
        self._services = services
        self._stale = stale

    def __getattr__(self, name: str) -> "Any":
        return getattr(self._stale, name) if name in vars(self._stale) else getattr(self._services, name)
