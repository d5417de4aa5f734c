"""Limits on one request to the controller (Kafka's QuorumController and ReplicationControlManager)."""

from kafkacompat.protocol.error_codes import POLICY_VIOLATION
from kafkacompat.replication.metadata.result import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sized

MAX_PARTITIONS_PER_REQUEST = 10_000
MAX_RECORDS_PER_REQUEST = 10_000
MAX_PARTITIONS_PER_STEP = 500
"""Most partitions changed by one step of fencing, unfencing or registering a broker: about 10 ms of CPU."""


def check_record_count(records: "Sized") -> None:
    """Raises RefusedError with POLICY_VIOLATION if a change is too large for one atomic batch."""
    if len(records) > MAX_RECORDS_PER_REQUEST:
        raise RefusedError(POLICY_VIOLATION, "Unable to perform excessively large batch operation.")
