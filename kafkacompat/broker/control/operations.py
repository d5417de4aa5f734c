"""Operations of the active controller, for handlers: the answer comes when what they write is committed and applied."""

from kafkacompat.broker.answers import Failed
from kafkacompat.broker.purgatory import METADATA_KEY, Pending
from kafkacompat.protocol import api_keys
from kafkacompat.protocol import error_codes as errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.answers import Answer, Settled
    from kafkacompat.broker.context import Context
    from kafkacompat.now import Now
    from kafkacompat.replication.controller.active import ActiveController
    from kafkacompat.replication.metadata.batch_accumulator import DeferredEvent

FOR_PARTITIONS = frozenset(
    (api_keys.CREATE_TOPICS, api_keys.CREATE_PARTITIONS, api_keys.ALTER_CONFIGS, api_keys.INCREMENTAL_ALTER_CONFIGS)
)
"""What clients ask for that partitions of this broker have to follow. A heartbeat must not wait for that."""


def ask_for_client(
    context: "Context", ask: "Callable[[ActiveController], DeferredEvent]", timeout_ms: int = 1
) -> "Answer":
    """The answer of the active controller to a client; KAFKA_STORAGE_ERROR where the metadata log has failed.

    `timeout_ms`: a request that had no time left when it came is not begun, as in Kafka; any other gets an answer.
    """
    if timeout_ms <= 0:
        return Failed(errors.REQUEST_TIMED_OUT)
    if context.services.quorum.failure is not None:
        return Failed(errors.KAFKA_STORAGE_ERROR)
    return ask_controller(context, ask)


def ask_controller(context: "Context", ask: "Callable[[ActiveController], DeferredEvent]") -> "Answer":
    """The answer of the active controller; NOT_CONTROLLER where there is none."""
    controller = context.services.controller_server.active
    return Failed(errors.NOT_CONTROLLER) if controller is None else _answer(ask(controller), context)


def _answer(event: "DeferredEvent", context: "Context") -> "Answer":
    """To clients of a broker that is alone, new partitions are open and new configs are obeyed by then."""
    services = context.services
    is_for_partitions = context.header.api_key in FOR_PARTITIONS and services.network is None
    if event.committed and not (is_for_partitions and services.partitions.is_behind):
        return event.response  # type: ignore[return-value] # of the operation, which a handler has chosen

    def finish(_now: "Now", expired: bool) -> "Settled | None":
        if event.committed and (expired or not (is_for_partitions and services.partitions.is_behind)):
            return event.response  # type: ignore[return-value]
        if event.failed is not None:
            return Failed(event.failed)
        return Failed(errors.REQUEST_TIMED_OUT) if expired else None

    event.when_done(lambda now: services.purgatory.touch(METADATA_KEY, now))
    deadline_ms = context.now.monotonic_ms + services.request_timeout_ms
    return Pending([METADATA_KEY], deadline_ms, finish, on_end=event.give_up)
