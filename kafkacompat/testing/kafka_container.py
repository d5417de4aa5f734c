"""`KafkaContainer` of testcontainers-python with this project's image. Needs testcontainers, and an engine to start."""

from __future__ import annotations

from kafkacompat.errors import KafkaCompatError
from kafkacompat.testing.local_kafka import VERSION, version_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

IMAGE = "kafkacompat/apache-kafka:4.3.1"


class MissingExtraError(KafkaCompatError, ImportError):
    """The package testcontainers is not installed."""


def _base() -> Any:
    try:
        from testcontainers.community.kafka import KafkaContainer as Base
    except ImportError:  # older than 4.15
        try:
            from testcontainers.kafka import KafkaContainer as Base
        except ImportError:
            raise MissingExtraError(
                "KafkaContainer needs testcontainers: pip install 'kafkacompat[testcontainers]'. Without an engine use "
                "kafkacompat.testing.LocalKafka, which has the same methods"
            ) from None
    return Base


class KafkaContainer(_base()):  # type: ignore[misc]
    """`testcontainers.kafka.KafkaContainer` with the image of this project, always with KRaft.

    The tag of `image` says for which release the broker stands; so one image can have many tags.
    """

    def __init__(self, image: str = IMAGE, **kwargs: Any) -> None:
        super().__init__(image, **kwargs)
        self.kraft_enabled = True
        version = version_of(image)
        if version is not None:
            self.with_env(VERSION, version)

    def _verify_min_kraft_version(self) -> None:
        """Each tag has KRaft: tags are releases of Apache Kafka or of Confluent."""
