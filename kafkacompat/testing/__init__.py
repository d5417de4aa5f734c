"""Kafka for tests: the pytest plugin, `KafkaTestCase` for unittest, and `LocalKafka` in place of a container."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.testing.kafka_test_case import KafkaTestCase as KafkaTestCase
    from kafkacompat.testing.local_kafka import LocalKafka as LocalKafka

    KafkaContainer = LocalKafka

_PUBLIC = {
    "KafkaContainer": ("kafkacompat.testing.local_kafka", "LocalKafka"),
    "KafkaTestCase": ("kafkacompat.testing.kafka_test_case", "KafkaTestCase"),
    "LocalKafka": ("kafkacompat.testing.local_kafka", "LocalKafka"),
}


def __getattr__(name: str) -> object:
    """The public names, each imported on first use: pytest imports this package in every run."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _PUBLIC[name]
    value: object = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
