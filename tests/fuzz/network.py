"""Other nodes that answer nonsense: the network of a session in which requests come from nodes."""

from random import Random
from typing import TYPE_CHECKING

from kafkacompat.broker.network import OPEN, REFUSED, UNKNOWN, Address
from kafkacompat.protocol import api_keys
from tests.fuzz.messages import Sender
from tests.protocol.random_messages import api_kinds

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.broker import Broker
    from kafkacompat.now import Now

DELAY_MS = 3
ANSWERS_MAX = 2_000
"""In one session; behind that nobody answers, so that two who agree on nonsense come to an end."""


class NonsenseNetwork:
    """As `Network`; `asked` counts what was. Half of what is asked is answered, with a message of the right kind and
    nothing true in it.

    Snapshots are not sent: who leads the quorum is believed what the metadata is.
    """

    def __init__(self, broker: "Broker", sender: Sender, rng: Random, clock: "Callable[[], Now]") -> None:
        self._broker = broker
        self._clock = clock
        self._sender = sender
        self._rng = rng
        self._kinds = {kind.module.API_KEY: kind for kind in api_kinds() if kind.suffix == "response"}
        self.asked = 0

    def begin(self) -> None:
        """Become the network of a node that had none."""
        broker = self._broker
        broker.network = broker.channel.network = broker.controller_server.network = broker.fetchers.network = self
        broker._start_quorum_channel(self, self._clock())

    def send(
        self, _to: Address, _lane: str, _client_id: str, key: int, version: int, _request: object, timeout_ms: int,
        done: "Callable[[object | None, Now], None]",
    ) -> None:  # fmt: skip
        kind, answer = self._kinds[key], None
        if key != api_keys.FETCH_SNAPSHOT and self.asked < ANSWERS_MAX and self._rng.random() < 0.5:
            answer = kind.decode(kind.encode(self._sender.request(kind, version), version), version)
        self._later(lambda now: done(answer, now), DELAY_MS if answer is not None else timeout_ms)

    def close_channel(self, to: Address, channel: str) -> None:
        """There is none."""

    def dial(self, _to: Address, done: "Callable[[str, Now], None]") -> None:
        outcome = self._rng.choice((OPEN, REFUSED, UNKNOWN))
        self._later(lambda now: done(outcome, now), DELAY_MS)

    def _later(self, action: "Callable[[Now], None]", delay_ms: int) -> None:
        self.asked += 1
        self._broker.timers.set((self, self.asked), self._clock().monotonic_ms + delay_ms, action)
