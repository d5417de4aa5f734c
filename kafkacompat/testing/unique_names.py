"""Names that no other test uses, on a broker that many share."""

from __future__ import annotations

import re
import secrets

TEST_NAME_CHARACTERS_MAX = 80
"""So that a topic name stays far below Kafka's limit of 249."""
_NOT_IN_TOPICS = re.compile(r"[^a-zA-Z0-9-]+")


def topic_name(test: str, worker: str) -> str:
    """A new topic name out of the name of a test, that of the xdist worker, and randomness."""
    return f"{readable(test)}-{worker}-{secrets.token_hex(4)}"


def readable(test: str) -> str:
    """The name of a test with the characters that Kafka allows in names. Dots and underscores collide in the names of
    metrics, so they become dashes.
    """
    return _NOT_IN_TOPICS.sub("-", test)[:TEST_NAME_CHARACTERS_MAX].strip("-") or "test"
