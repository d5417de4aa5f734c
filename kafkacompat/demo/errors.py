"""What ends the demo with one clear line."""

from __future__ import annotations

from kafkacompat.errors import KafkaCompatError


class DemoError(KafkaCompatError):
    """The demo cannot go on; the message says why and what to do."""
