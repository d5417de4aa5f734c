"""What is wrong with a segment file: an error that says where, or a note of what was left out."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from kafkacompat.errors import KafkaCompatError

FAIL, SKIP = "fail", "skip"

_log = logging.getLogger(__name__)


class DamagedLogError(KafkaCompatError):
    """A segment file does not hold what Kafka writes. The message names the file, the position and the reason."""


class Damage(NamedTuple):
    """Bytes that cannot be read. `base_offset` is what the header says there, −1 if that cannot be trusted."""

    topic: str
    partition: int
    file: str
    position: int
    size_bytes: int
    base_offset: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}, position {self.position}: {self.reason}"


class DamageHandler:
    """Raises at the first damage, or counts each and goes on."""

    def __init__(self, on_damage: str) -> None:
        self._fails = on_damage == FAIL
        self.found: list[Damage] = []

    def __call__(self, damage: Damage) -> None:
        """Raises DamagedLogError unless damage is skipped."""
        if self._fails:
            raise DamagedLogError(
                f"{damage}. What to do: read another replica of {damage.topic}-{damage.partition}, or leave such "
                'batches out with option("onDamage", "skip")'
            )
        _log.warning("left out: %s", damage)
        self.found.append(damage)


@contextmanager
def reported(handler: DamageHandler, folder: str | None, name: str) -> Iterator[None]:
    """At the end write what was left out as JSON lines to a file of that name, which a second attempt replaces."""
    yield
    if folder and handler.found:
        target = Path(folder, f"{name}.json")
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = target.parent / f".{target.name}.tmp"
        scratch.write_text("".join(f"{json.dumps(damage._asdict())}\n" for damage in handler.found))
        scratch.replace(target)
