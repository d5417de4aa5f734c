"""What EndTxn does to a transaction, under TV1 (EndTxn 0-4) and TV2 (5). Pure: a row in, an error or the next row out.

With TV2 the epoch rises at every end, so a request with the epoch before is a retry:

|                | commit, retry  | commit, current | abort, retry | abort, current |
|----------------|----------------|-----------------|--------------|----------------|
| CompleteCommit | NONE           | ITS             | ITS          | → PrepareAbort |
| CompleteAbort  | ITS            | ITS             | NONE         | → PrepareAbort |
| Empty          | PF             | ITS             | PF           | → PrepareAbort |

ITS is INVALID_TXN_STATE, PF PRODUCER_FENCED.
"""

from kafkacompat.broker.coordinator.txn.state import (
    COMPLETE_ABORT,
    COMPLETE_COMMIT,
    EMPTY,
    FIRST_EPOCH_BUMPING_VERSION,
    LAST_CLIENT_EPOCH,
    ONGOING,
    PREPARE_ABORT,
    PREPARE_COMMIT,
    Transaction,
)
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import NO_PRODUCER_ID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    #: An error code (NONE: it was done before), or the next row.
    Decision = int | Transaction


def end_v1(row: Transaction, *, is_commit: bool, now_ms: int) -> "Decision":
    """TV1, after the checks of producer id and epoch; `row` is not pending."""
    if row.state == ONGOING:
        return row.prepared(PREPARE_COMMIT if is_commit else PREPARE_ABORT, 0, NO_PRODUCER_ID, now_ms)
    is_done = row.state == (COMPLETE_COMMIT if is_commit else COMPLETE_ABORT)
    return errors.NONE if is_done else errors.INVALID_TXN_STATE


def end_v2(
    row: Transaction,
    producer_id: int,
    epoch: int,
    *,
    is_commit: bool,
    take_producer_id: "Callable[[], int | None]",
    now_ms: int,
) -> "Decision":
    """TV2; `row` is not pending. take_producer_id: a fresh id if there is one, for when the epochs are used up."""
    is_rotated = (producer_id, epoch) == (row.previous_producer_id, LAST_CLIENT_EPOCH) and row.epoch == 0
    if row.producer_id != producer_id and not is_rotated:
        return errors.INVALID_PRODUCER_ID_MAPPING
    is_retry = row.state not in (ONGOING, EMPTY) and (is_rotated or row.epoch == epoch + 1)
    if not is_retry and epoch != row.epoch:
        return errors.PRODUCER_FENCED
    if is_retry:
        is_done = row.state == (COMPLETE_COMMIT if is_commit else COMPLETE_ABORT)
        return errors.NONE if is_done else errors.INVALID_TXN_STATE
    if is_commit and row.state != ONGOING:
        return errors.INVALID_TXN_STATE
    return prepare_v2(row, PREPARE_COMMIT if is_commit else PREPARE_ABORT, take_producer_id, now_ms)


def prepare_v2(row: Transaction, state: int, take_producer_id: "Callable[[], int | None]", now_ms: int) -> "Decision":
    """End a transaction under TV2, with a fresh producer id for the time after it if the epochs are used up."""
    next_producer_id = take_producer_id() if row.is_exhausted else NO_PRODUCER_ID
    if next_producer_id is None:
        return errors.COORDINATOR_LOAD_IN_PROGRESS
    return row.prepared(state, FIRST_EPOCH_BUMPING_VERSION, next_producer_id, now_ms)


def fence(
    row: Transaction, server_version: int, take_producer_id: "Callable[[], int | None]", now_ms: int
) -> "Decision":
    """The coordinator itself aborts an open transaction and shuts its producer out: it timed out, or another instance
    has come. `server_version`: the finalized transaction.version.
    """
    if server_version >= FIRST_EPOCH_BUMPING_VERSION:
        return prepare_v2(row, PREPARE_ABORT, take_producer_id, now_ms)
    return row.fenced(now_ms)
