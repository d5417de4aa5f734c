"""Blocks of producer ids for brokers (AllocateProducerIds, KIP-730)."""

from kafkacompat.protocol.constants import LONG_MAX
from kafkacompat.protocol.error_codes import NONE, STALE_BROKER_EPOCH, UNKNOWN_SERVER_ERROR
from kafkacompat.protocol.internal.cluster_metadata import ProducerIdsRecord
from kafkacompat.protocol.messages.allocate_producer_ids import AllocateProducerIdsResponse
from kafkacompat.replication.metadata.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.protocol.messages.allocate_producer_ids import AllocateProducerIdsRequest
    from kafkacompat.replication.metadata.image import MetadataImage

BLOCK_SIZE = 1000


def allocate_producer_ids(request: "AllocateProducerIdsRequest", image: "MetadataImage") -> Result:
    """Allocate the next block to a registered broker (key 67). A block is used up once its record is in the log."""
    broker = image.brokers.get(request.broker_id)
    if broker is None or broker.epoch != request.broker_epoch:
        return Result([], AllocateProducerIdsResponse(error_code=STALE_BROKER_EPOCH))
    first = image.next_producer_id
    if first > LONG_MAX - BLOCK_SIZE:
        return Result([], AllocateProducerIdsResponse(error_code=UNKNOWN_SERVER_ERROR))
    record = ProducerIdsRecord(request.broker_id, request.broker_epoch, first + BLOCK_SIZE)
    response = AllocateProducerIdsResponse(error_code=NONE, producer_id_start=first, producer_id_len=BLOCK_SIZE)
    return Result([record], response)
