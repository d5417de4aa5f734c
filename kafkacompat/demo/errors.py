"""The error that ends the demo with one line."""

from __future__ import annotations

from kafkacompat.errors import KafkaCompatError


class DemoError(KafkaCompatError):
    """The demo cannot continue. The message says why and what to do."""
