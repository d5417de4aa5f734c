"""What a log has to open a client's batch for: another compression type, and keys where it is compacted."""

from kafkacompat.protocol.records.batch import RecordBatchError, read_header
from kafkacompat.protocol.records.builder import build_batch
from kafkacompat.protocol.records.compression import GZIP, LZ4, NONE, SNAPPY, ZSTD
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.storage.errors import INVALID_RECORD, LogError, RecordsRefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.config.topic import TopicConfig

CODECS = {"uncompressed": NONE, "gzip": GZIP, "snappy": SNAPPY, "lz4": LZ4, "zstd": ZSTD}


def reshape(records: memoryview, config: "TopicConfig") -> memoryview:
    """The one batch in ``records``, which was checked, as the topic's config wants it stored. Raises LogError.

    INVALID_RECORD for a record without a key on a compacted topic; a wrong content gets the code of what is wrong.
    """
    header = read_header(records)
    codec = CODECS.get(config.compression_type, header.compression)
    is_compacted = "compact" in config.cleanup_policy
    if codec == header.compression and not is_compacted:
        return records
    try:
        content = list(read_records(records, 0, header))
    except RecordBatchError as error:
        raise LogError(error.error_code, str(error)) from None
    keyless = [n for n, record in enumerate(content) if record.key is None] if is_compacted else []
    if keyless:
        raise RecordsRefusedError(INVALID_RECORD, "a compacted topic takes no record without a key", keyless)
    if codec == header.compression:
        return records
    batch = build_batch(
        content,
        compression=codec,
        producer_id=header.producer_id,
        producer_epoch=header.producer_epoch,
        base_sequence=header.base_sequence,
        is_transactional=header.is_transactional,
    )
    return memoryview(batch)
