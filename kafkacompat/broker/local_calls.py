"""Requests of a node to the active controller in the same process."""

import logging

from kafkacompat.broker.answers import Encoded, Failed
from kafkacompat.broker.connection import CONTROLLER, CloseConnection, Connection, not_connected
from kafkacompat.broker.context import Context
from kafkacompat.broker.refusals import as_response
from kafkacompat.broker.registry import APIS
from kafkacompat.protocol.error_codes import UNKNOWN_SERVER_ERROR
from kafkacompat.protocol.headers import RequestHeader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.answers import Response
    from kafkacompat.broker.context import Services
    from kafkacompat.broker.registry import Api
    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message

    Done = Callable[[object | None, Now], None]

log = logging.getLogger(__name__)
HERE = "127.0.0.1"


class LocalCalls:
    """Calls handlers through the pipeline, without a connection. A response that its handler encoded in steps is
    decoded again; the others are never encoded.
    """

    def __init__(self, services: "Services") -> None:
        self._services = services
        self._client_id = str(services.node_id)

    def call(self, api_key: int, version: int, request: "Message", now: "Now", done: "Done") -> None:
        """Call the API's handler; `done(response, now)` is called once, during this call or later."""
        api = APIS[api_key]
        connection = Connection(0, HERE, "CONTROLLER", CONTROLLER)
        context = Context(self._services, connection, RequestHeader(api_key, version, 0, self._client_id), now)

        def drop(reason: str) -> None:
            log.error("a bug: %s from this node itself asks to close its connection: %s", api.stem, reason)
            _send(api, request, context, as_response(api, request, context, Failed(UNKNOWN_SERVER_ERROR)), done)

        connection.drop = drop
        try:
            self._services.pipeline.run(api, request, context, _send, done)
        except CloseConnection as reason:
            drop(str(reason))

    def call_apart(self, api_key: int, version: int, request: "Message", now: "Now", done: "Done") -> None:
        """As `call`, but an answer that comes later comes in a turn of its own. It may be ready in the middle of a
        follower's fetch, which moves a high watermark, and what `done` appends then would not be noticed by that fetch.
        """
        timers, is_here = self._services.timers, True

        def answered(response: object | None, at: "Now") -> None:
            if is_here:
                done(response, at)
            else:
                timers.set(answered, at.monotonic_ms, lambda later: done(response, later))

        self.call(api_key, version, request, now, answered)
        is_here = False


def _send(api: "Api", _request: "Message", context: "Context", response: "Response", done: "Done") -> None:
    context.connection.drop = not_connected  # breaks a reference cycle through the context
    if type(response) is Encoded:  # handlers encode large responses in steps
        data = b"".join(response.parts)  # type: ignore[arg-type] # bytes-like, all of them
        done(api.messages.decode_response(data, 0, context.version), context.now)
        return
    done(response, context.now)
