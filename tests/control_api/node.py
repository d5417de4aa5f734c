"""A node without sockets whose views can be asked for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kafkacompat.steps import at_once
from tests.broker.harness import BrokerHarness

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.now import Now


class Node:
    """What views take of a `BrokerServer`: the broker, its connections, and the time."""

    def __init__(self, kafka: BrokerHarness | None = None) -> None:
        self.kafka = kafka or BrokerHarness()
        self.broker = self.kafka.broker
        self.connections: list[Any] = []

    def now(self) -> Now:
        return self.kafka.now

    def look(self, view: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """The result of a view, on its way through JSON."""
        return json.loads(json.dumps(at_once(view(self, *args, **kwargs)), allow_nan=False))
