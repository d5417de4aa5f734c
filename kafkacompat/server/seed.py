"""What a broker has right after its start: the topics that it was given."""

from __future__ import annotations

from typing import NamedTuple

from kafkacompat.protocol.constants import BROKER_DEFAULT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NO_CONFIGS: Mapping[str, str] = {}


class NewTopic(NamedTuple):
    """A topic to be created; -1 is the broker's default."""

    partitions: int = BROKER_DEFAULT
    replicas: int = BROKER_DEFAULT
    configs: Mapping[str, str] = NO_CONFIGS
