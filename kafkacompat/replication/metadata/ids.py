"""Random ids of topics and of processes."""

from kafkacompat.storage.data_dir import random_uuid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container
    from random import Random


def new_uuid(rng: "Random", taken: "Container[bytes]" = ()) -> bytes:
    """A random (version 4) uuid that is not in use. The version keeps it distinct from Kafka's reserved ids."""
    while (found := random_uuid(rng)) in taken:
        pass
    return found
