"""Checks of a broker's registration (Kafka's ClusterControlManager)."""

from collections import Counter

from kafkacompat.protocol import error_codes as errors
from kafkacompat.replication.metadata.features import KEPT_LEVELS, KRAFT_VERSION, METADATA_VERSION
from kafkacompat.replication.metadata.result import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.messages.broker_registration import BrokerRegistrationRequest
    from kafkacompat.replication.metadata.image import MetadataImage

RESERVED_DIRECTORY_IDS = 100
"""Directory ids below this number are reserved and identify no directory (Kafka's DirectoryId.reserved)."""


def check_registration(request: "BrokerRegistrationRequest", image: "MetadataImage") -> None:
    """Check that the broker is compatible with the cluster. Raises RefusedError with Kafka's error code, and a message
    for our log.

    A broker that says nothing of a feature may come if this controller keeps its level without the APIs, as it may be
    one of ours; earlier versions, which cannot keep it, refuse the metadata themselves.
    """
    if request.is_migrating_zk_broker:
        raise RefusedError(errors.BROKER_ID_NOT_REGISTERED, "brokers that migrate from ZooKeeper cannot register")
    if request.broker_id < 0:
        raise RefusedError(errors.INVALID_REGISTRATION, "the broker id is negative")
    _check_directories(request, image)
    ranges = {each.name: (each.min_supported_version, each.max_supported_version) for each in request.features}
    if METADATA_VERSION not in ranges:
        raise RefusedError(
            errors.INVALID_REGISTRATION, f"the broker's registration has no supported range of {METADATA_VERSION}"
        )
    for name in sorted({*ranges, *image.features} - {KRAFT_VERSION}):  # its level is not in the image
        level = image.features.get(name, 0)
        low, high = ranges.get(name) or (0, KEPT_LEVELS.get(name, 0))
        if not low <= level <= high:
            message = f"the cluster has {name[:100]!r} at {level}, and the broker supports {low} to {high}"
            raise RefusedError(errors.UNSUPPORTED_VERSION, message)


def _check_directories(request: "BrokerRegistrationRequest", image: "MetadataImage") -> None:
    """Each directory belongs to one broker (KIP-858)."""
    directories = [bytes(directory) for directory in request.log_dirs]
    if not directories:
        raise RefusedError(errors.INVALID_REGISTRATION, "the registration has no log directory")
    if any(int.from_bytes(directory, "big") < RESERVED_DIRECTORY_IDS for directory in directories):
        raise RefusedError(errors.INVALID_REGISTRATION, "the registration has a reserved directory id")
    if max(Counter(directories).values()) > 1:
        raise RefusedError(errors.INVALID_REGISTRATION, "the registration has a directory twice")
    for broker_id, broker in image.brokers.items():
        taken = set(directories) & set(broker.log_dirs)
        if broker_id != request.broker_id and taken:
            message = f"broker {broker_id} is registered with directory {min(taken).hex()}"
            raise RefusedError(errors.INVALID_REGISTRATION, message)
