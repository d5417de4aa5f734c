"""What the package needs beyond the broker: `pip install 'kafkacompat[spark]'`."""

from __future__ import annotations

from importlib.util import find_spec

from kafkacompat.errors import KafkaCompatError

PACKAGES = ("pyspark", "numpy", "pyarrow")


class MissingExtraError(KafkaCompatError):
    """A package of the extra `spark` is not installed."""


def check_installed() -> None:
    """Raises MissingExtraError, which names what is missing and the extra that brings it."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise MissingExtraError(f"{' and '.join(missing)} not installed: pip install 'kafkacompat[spark]'")
