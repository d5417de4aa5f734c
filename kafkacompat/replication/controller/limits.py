"""Limits on one request to the controller (Kafka's QuorumController and ReplicationControlManager)."""

from kafkacompat.protocol.error_codes import POLICY_VIOLATION
from kafkacompat.replication.metadata.result import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sized

MAX_PARTITIONS_PER_REQUEST = 10_000
MAX_RECORDS_PER_REQUEST = 10_000
MAX_PARTITIONS_PER_STEP = 500
"""Partitions that a broker's coming or going changes in one loop iteration: some 10 ms of CPU."""


def check_record_count(records: "Sized") -> None:
    """Raises RefusedError with POLICY_VIOLATION for a change that is too large to be one atomic batch."""
    if len(records) > MAX_RECORDS_PER_REQUEST:
        raise RefusedError(POLICY_VIOLATION, "Unable to perform excessively large batch operation.")
