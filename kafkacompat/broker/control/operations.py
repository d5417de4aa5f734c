"""Runs operations of the active controller for handlers: the response is sent once its records are committed."""

from kafkacompat.broker.answers import Failed
from kafkacompat.broker.purgatory import METADATA_KEY, Pending
from kafkacompat.protocol import api_keys
from kafkacompat.protocol import error_codes as errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from kafkacompat.broker.answers import Answer, Encoded, Settled
    from kafkacompat.broker.context import Context
    from kafkacompat.now import Now
    from kafkacompat.replication.controller.active import ActiveController
    from kafkacompat.replication.metadata.batch_accumulator import DeferredEvent
    from kafkacompat.steps import Steps

    Respond = Callable[[Any, Context], Settled | Steps[Encoded]]

FOR_PARTITIONS = frozenset(
    (api_keys.CREATE_TOPICS, api_keys.CREATE_PARTITIONS, api_keys.ALTER_CONFIGS, api_keys.INCREMENTAL_ALTER_CONFIGS)
)
"""Client requests whose response waits until local partitions have applied the change; a heartbeat must not wait."""


def ask_for_client(
    context: "Context",
    ask: "Callable[[ActiveController], DeferredEvent]",
    timeout_ms: int = 1,
    *,
    respond: "Respond | None" = None,
) -> "Answer":
    """The active controller's answer to a client; KAFKA_STORAGE_ERROR if the metadata log has failed.

    A request with `timeout_ms` <= 0 answers REQUEST_TIMED_OUT without being executed, as in Kafka. `respond`: makes the
    answer of the operation's response, for an API whose responses take long to encode.
    """
    if timeout_ms <= 0:
        return Failed(errors.REQUEST_TIMED_OUT)
    if context.services.quorum.failure is not None:
        return Failed(errors.KAFKA_STORAGE_ERROR)
    return ask_controller(context, ask, respond)


def ask_controller(
    context: "Context", ask: "Callable[[ActiveController], DeferredEvent]", respond: "Respond | None" = None
) -> "Answer":
    """The active controller's answer; NOT_CONTROLLER if this node is not active."""
    controller = context.services.controller_server.active
    return Failed(errors.NOT_CONTROLLER) if controller is None else _answer(ask(controller), context, respond)


def _answer(event: "DeferredEvent", context: "Context", respond: "Respond | None") -> "Answer":
    """The response when the event is done. A single-node cluster also waits until its partitions have applied it, so
    that new partitions are open and new configs are in effect.
    """
    services = context.services
    is_for_partitions = context.header.api_key in FOR_PARTITIONS and services.network is None
    if event.committed and not (is_for_partitions and services.partitions.is_behind):
        return _response(event, context, respond)

    def finish(_now: "Now", expired: bool) -> "Settled | Steps[Encoded] | None":
        if event.committed and (expired or not (is_for_partitions and services.partitions.is_behind)):
            return _response(event, context, respond)
        if event.failed is not None:
            return Failed(event.failed)
        return Failed(errors.REQUEST_TIMED_OUT) if expired else None

    event.when_done(lambda now: services.purgatory.touch(METADATA_KEY, now))
    deadline_ms = context.now.monotonic_ms + services.request_timeout_ms
    return Pending([METADATA_KEY], deadline_ms, finish, on_end=event.cancel)


def _response(event: "DeferredEvent", context: "Context", respond: "Respond | None") -> "Settled | Steps[Encoded]":
    response: Settled = event.response  # type: ignore[assignment] # the handler knows the operation's type
    return response if respond is None else respond(response, context)
