"""Random ids of topics and of processes."""

from kafkacompat.replication.metadata.image import DIRECTORY_LOST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container
    from random import Random


def new_uuid(rng: "Random", taken: "Container[bytes]" = ()) -> bytes:
    """A random (version 4) uuid that is not taken, not one of the reserved ones, and whose text has no leading dash."""
    while True:
        raw = bytearray(rng.randbytes(16))
        raw[6] = raw[6] & 0x0F | 0x40
        raw[8] = raw[8] & 0x3F | 0x80
        # 0xf8 to 0xfb begin with "-" in base64, which command lines take for a flag
        if bytes(raw) not in taken and bytes(raw) > DIRECTORY_LOST and raw[0] >> 2 != 0x3E:
            return bytes(raw)
