"""The flags in the rows of the config tables."""

from __future__ import annotations

from kafkacompat.config.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeAlias

    from kafkacompat.config.values import Check

    # name, type, default text, check, flags
    Row: TypeAlias = tuple[str, int, str | None, Check | None, int]
    # the same, and the broker configs it falls back to, separated by spaces
    FallbackRow: TypeAlias = tuple[str, int, str | None, Check | None, int, str]

READ_ONLY = 0  # a broker config that is only read at the start
KEPT = 0  # a topic or group config that is accepted and described, but has no effect yet
CLUSTER_WIDE = 1  # dynamic, for one broker or for all
PER_BROKER = 2  # dynamic, for one broker only
DYNAMIC = CLUSTER_WIDE | PER_BROKER
INTERNAL = 4  # not described unless it is set
OBEYED = 8  # has an effect here

LONG_MAX = "9223372036854775807"  # means no limit, in most configs
