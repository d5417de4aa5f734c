"""A Kafka-compatible broker in Python: `from kafkacompat import Cluster`."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.cluster import Cluster as Cluster
    from kafkacompat.errors import KafkaCompatError as KafkaCompatError
    from kafkacompat.errors import StartupError as StartupError

__version__ = "0.6.0"

_PUBLIC = {
    "Cluster": "kafkacompat.cluster",
    "KafkaCompatError": "kafkacompat.errors",
    "StartupError": "kafkacompat.errors",
}


def __getattr__(name: str) -> object:
    """The public names, each imported on first use."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
