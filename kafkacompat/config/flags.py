"""What the rows of the config tables say about a config beyond its name, type, default and limits."""

from __future__ import annotations

from kafkacompat.config.values import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeAlias

    from kafkacompat.config.values import Check

    # name, type, default text, check, flags
    Row: TypeAlias = tuple[str, int, str | None, Check | None, int]
    # the same, and the broker configs it falls back to, separated by spaces
    FallbackRow: TypeAlias = tuple[str, int, str | None, Check | None, int, str]

READ_ONLY = 0  # a broker config that takes a restart
KEPT = 0  # a topic's or group's config that is accepted and described, and nothing more yet
CLUSTER_WIDE = 1  # can be altered while running, for one broker or for all
PER_BROKER = 2  # can be altered while running, for one broker only
DYNAMIC = CLUSTER_WIDE | PER_BROKER
INTERNAL = 4  # not described unless it is set
OBEYED = 8  # this broker acts on it

LONG_MAX = "9223372036854775807"  # without a limit, in most configs that have one
