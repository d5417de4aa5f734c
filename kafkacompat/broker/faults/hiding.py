"""`hide`: entities, or a broker, are left out of answers."""

from typing import ClassVar

from kafkacompat.broker.faults.joining import decoded
from kafkacompat.protocol.api_keys import DESCRIBE_CLUSTER, METADATA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.broker.answers import Response
    from kafkacompat.broker.faults.action import Match
    from kafkacompat.broker.faults.reading import Reader
    from kafkacompat.broker.faults.selectors import Selectors
    from kafkacompat.broker.faults.turn import Turn

NAME_OF_ID = {METADATA: "node_id", DESCRIBE_CLUSTER: "broker_id"}
"""The APIs that list brokers, and the field of a broker's id."""


class Hide:
    """broker: leave this broker out of the lists of brokers; None: leave out the matched entities. The work is done."""

    kind: ClassVar[str] = "hide"
    shorthand: ClassVar[str] = "broker"

    def __init__(self, broker_id: int | None) -> None:
        self._broker_id = broker_id

    @classmethod
    def read(cls, reader: "Reader") -> "Hide":
        """Its members."""
        return cls(reader.whole("broker"))

    def check(self, reader: "Reader", selectors: "Selectors") -> None:
        """Brokers are in few answers; entities are hidden only where the rule selects some."""
        if self._broker_id is None:
            if not selectors.of_entity and selectors.keys:
                reader.cannot("", "say what is hidden: select a topic, group or other entity, or give a broker")
        elif not selectors.keys & NAME_OF_ID.keys():
            reader.cannot("broker", "only the answers of metadata and describe_cluster list brokers")

    def is_of_entities(self, turn: "Turn", match: "Match") -> bool:
        """Whether entities are hidden."""
        return self._broker_id is None and (match.is_listing or (turn.shape.has_errors and bool(match.entities)))

    def act(self, turn: "Turn", match: "Match") -> None:  # noqa: ARG002 (as Action)
        """Leave the broker out of the answer."""

        def answered(response: "Response") -> None:
            name = NAME_OF_ID.get(turn.api.key)
            if name is None or self._broker_id is None:
                turn.answer(response)
                return
            message: Any = decoded(turn.shape, response)
            message.brokers = [each for each in message.brokers if getattr(each, name) != self._broker_id]
            turn.answer(message)

        turn.proceed(answered)

    def as_dict(self) -> "dict[str, Any]":
        """As written in a rule."""
        return {} if self._broker_id is None else {"broker": self._broker_id}
