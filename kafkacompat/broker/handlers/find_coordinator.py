"""FindCoordinator (10), versions 0-6: the broker that coordinates a group or a transactional id.

v1 adds the key type and an error message, v3 is flexible, v4 asks for several keys at once (KIP-699), v5 allows
TRANSACTION_ABORTABLE in responses (KIP-890), v6 adds the key type of share groups (KIP-932).

Behavior:
- The first request creates __consumer_offsets or __transaction_state and waits for it. Apache Kafka answers
  COORDINATOR_NOT_AVAILABLE, which the client retries after 100 ms or more.
- The coordinator is the leader of the partition that keeps the group or the id. Without a live leader that the client's
  listener reaches: COORDINATOR_NOT_AVAILABLE.

Not implemented: coordinators of share groups (INVALID_REQUEST, with a message that says so).
"""

from kafkacompat.broker.coordinator.coordinators import BY_KEY_TYPE
from kafkacompat.broker.purgatory import Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import NO_NODE
from kafkacompat.protocol.messages.find_coordinator import Coordinator, FindCoordinatorRequest, FindCoordinatorResponse
from kafkacompat.steps import UNITS_PER_STEP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kafkacompat.broker.answers import Answer
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.coordinator.coordinators import CoordinatorType
    from kafkacompat.now import Now
    from kafkacompat.steps import Steps

FIRST_VERSION_WITH_KEYS = 4
NO_PORT = -1
NOBODY = (NO_NODE, "", NO_PORT)


def handle(request: FindCoordinatorRequest, context: "Context") -> "Answer":
    """Find the coordinators in the metadata image; create their topic first if necessary."""
    row = BY_KEY_TYPE.get(request.key_type)
    if row is None or row.implementation is None:
        message = f"Key type {request.key_type} is not known." if row is None else row.missing
        return _respond(request, lambda key: Coordinator(key, *NOBODY, errors.INVALID_REQUEST, message), context)
    services, topic = context.services, row.topic
    find = lambda key: _coordinator(row, key, context)  # noqa: E731
    failures, wait_for = services.internal_topics.auto_create([topic], context.now)
    if not wait_for:
        return _respond(request, find, context)

    def finish(_now: "Now", expired: bool) -> "Answer | None":
        if topic in services.image.topics or topic in failures or expired:
            return _respond(request, find, context)
        return None

    return Pending(wait_for, context.now.monotonic_ms + services.request_timeout_ms, finish)


def failed(request: FindCoordinatorRequest, error_code: int) -> FindCoordinatorResponse:
    """The response that answers every key with one error."""
    if request.coordinator_keys:
        return FindCoordinatorResponse(
            coordinators=[Coordinator(key, *NOBODY, error_code, "") for key in request.coordinator_keys]
        )
    return FindCoordinatorResponse(0, error_code, None, *NOBODY)


def _respond(
    request: FindCoordinatorRequest, find: "Callable[[str], Coordinator]", context: "Context"
) -> "FindCoordinatorResponse | Steps[FindCoordinatorResponse]":
    if context.version >= FIRST_VERSION_WITH_KEYS:
        keys = request.coordinator_keys
        if len(keys) > UNITS_PER_STEP:
            return _in_steps(keys, find)
        return FindCoordinatorResponse(coordinators=[find(key) for key in keys])
    found = find(request.key)
    return FindCoordinatorResponse(
        error_code=found.error_code,
        error_message=found.error_message or errors.name(found.error_code),  # "NONE" if all is well, as Kafka says it
        node_id=found.node_id,
        host=found.host,
        port=found.port,
    )


def _in_steps(keys: "Sequence[str]", find: "Callable[[str], Coordinator]") -> "Steps[FindCoordinatorResponse]":
    found = []
    for key in keys:
        found.append(find(key))
        yield 1
    return FindCoordinatorResponse(coordinators=found)


def _coordinator(row: "CoordinatorType", key: str, context: "Context") -> Coordinator:
    services = context.services
    partition = services.image.partition(row.topic, services.coordinators.partition_for(row, key))
    if partition is not None:
        connection = context.connection
        for node_id, host, port, _rack in services.nodes(connection.listener, connection.reached_at):
            if node_id == partition.leader:
                return Coordinator(key, node_id, host, port, errors.NONE, "")
    return Coordinator(key, *NOBODY, errors.COORDINATOR_NOT_AVAILABLE, "")
