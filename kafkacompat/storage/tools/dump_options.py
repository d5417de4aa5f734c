"""What a dump of a log's files is told: the options of Apache Kafka's DumpLogSegments."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.storage.record_decoders import Decoder

MAX_MESSAGE_BYTES = 5 * 1024 * 1024
"""How much is read at an index entry's position to find its batch, as in Kafka."""
EVERYTHING = 2**31 - 1
"""The greatest `max_bytes`, which is none."""


class DumpOptions:
    """What DumpLogSegments is told. `decoder`: of the keys and values that are printed, None: they are not."""

    __slots__ = (
        "decoder",
        "is_deep",
        "max_bytes",
        "max_message_bytes",
        "sanity_only",
        "skips_record_metadata",
        "verify_only",
    )

    def __init__(
        self,
        *,
        decoder: "Decoder | None" = None,
        is_deep: bool = False,
        skips_record_metadata: bool = False,
        max_bytes: int = EVERYTHING,
        max_message_bytes: int = MAX_MESSAGE_BYTES,
        sanity_only: bool = False,
        verify_only: bool = False,
    ) -> None:
        self.decoder = decoder
        self.is_deep = is_deep or decoder is not None
        self.skips_record_metadata = skips_record_metadata
        self.max_bytes = max_bytes
        self.max_message_bytes = max_message_bytes
        self.sanity_only = sanity_only
        self.verify_only = verify_only
