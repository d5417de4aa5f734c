"""FindCoordinator (10), versions 0-6: which broker coordinates a group.

v1 adds the key type and an error message, v3 is flexible, v4 asks for several keys at once (KIP-699), v5 allows
TRANSACTION_ABORTABLE in answers (KIP-890), v6 brings the key type of share groups (KIP-932).

The first question creates __consumer_offsets and waits until it is there, where Apache Kafka answers
COORDINATOR_NOT_AVAILABLE and lets the client come again 100 ms or more later.

Not implemented: coordinators of transactions and of share groups (INVALID_REQUEST, with a message that says so).
"""

from kafkacompat.broker.internal_topics import GROUP_TOPIC
from kafkacompat.broker.purgatory import Pending
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.find_coordinator import Coordinator, FindCoordinatorRequest, FindCoordinatorResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.broker.context import Context
    from kafkacompat.now import Now

FIRST_VERSION_WITH_KEYS = 4
GROUP, TRANSACTION, SHARE = 0, 1, 2
NO_NODE = (-1, "", -1)
NOT_IMPLEMENTED = {
    TRANSACTION: "This broker has no transaction coordinator: transactions are not implemented.",
    SHARE: "This broker has no share coordinator: share groups are not implemented.",
}


def handle(request: FindCoordinatorRequest, context: "Context") -> FindCoordinatorResponse | Pending:
    """Answer from the metadata image, after the groups' topic has been created."""
    if request.key_type != GROUP:
        message = NOT_IMPLEMENTED.get(request.key_type, f"Key type {request.key_type} is not known.")
        return _respond(request, context, errors.INVALID_REQUEST, message)
    broker = context.broker
    failures, wait_for = broker.internal_topics.auto_create([GROUP_TOPIC], context.now)
    if not wait_for:
        return _respond(request, context)

    def finish(_now: "Now", expired: bool) -> FindCoordinatorResponse | None:
        if GROUP_TOPIC in broker.image.topics or GROUP_TOPIC in failures or expired:
            return _respond(request, context)
        return None

    return Pending(wait_for, context.now.monotonic_ms + broker.request_timeout_ms, finish)


def failed(request: FindCoordinatorRequest, error_code: int) -> FindCoordinatorResponse:
    """The response that answers every key with one error."""
    if request.coordinator_keys:
        return FindCoordinatorResponse(
            coordinators=[Coordinator(key, *NO_NODE, error_code, "") for key in request.coordinator_keys]
        )
    return FindCoordinatorResponse(0, error_code, None, *NO_NODE)


def _respond(
    request: FindCoordinatorRequest, context: "Context", error_code: int = errors.NONE, message: str = ""
) -> FindCoordinatorResponse:
    if context.version >= FIRST_VERSION_WITH_KEYS:
        return FindCoordinatorResponse(
            coordinators=[_coordinator(key, context, error_code, message) for key in request.coordinator_keys]
        )
    found = _coordinator(request.key, context, error_code, message)
    return FindCoordinatorResponse(
        error_code=found.error_code,
        error_message=message or errors.name(found.error_code),  # "NONE" if all is well, as Kafka says it
        node_id=found.node_id,
        host=found.host,
        port=found.port,
    )


def _coordinator(key: str, context: "Context", error_code: int, message: str) -> Coordinator:
    if error_code != errors.NONE:
        return Coordinator(key, *NO_NODE, error_code, message)
    broker = context.broker
    partition = broker.image.partition(GROUP_TOPIC, broker.groups.partition_for(key))
    if partition is not None:
        for node_id, host, port, _rack in broker.nodes(context.connection.listener):
            if node_id == partition.leader:
                return Coordinator(key, node_id, host, port, errors.NONE, "")
    return Coordinator(key, *NO_NODE, errors.COORDINATOR_NOT_AVAILABLE, "")
