"""From a frame to an answer: header, version, decode, handler, encode. Nothing here knows a single API."""

import logging

from kafkacompat.broker.context import CloseConnection, Connection, Context, Encoded, Failed
from kafkacompat.broker.purgatory import Pending
from kafkacompat.broker.registry import APIS, Api
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.headers import decode_request_header, encode_response_header
from kafkacompat.protocol.primitives import MalformedMessageError
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.broker import Broker
    from kafkacompat.now import Now
    from kafkacompat.protocol.headers import RequestHeader

    Reply = Callable[[list[object] | None], None]

log = logging.getLogger(__name__)
API_VERSIONS = 18
NO_RESPONSE = Encoded([])
"""What a handler returns when the client asked for no answer (produce with acks=0)."""


class Dispatcher:
    """Answers frames for one broker."""

    def __init__(self, broker: "Broker") -> None:
        self._broker = broker

    def dispatch(self, frame: bytes | bytearray, connection: Connection, now: "Now", reply: "Reply") -> None:
        """Answer one request. `reply(parts)` is called exactly once, now or later: header first, without the size; None
        means that there is nothing to send. Raises CloseConnection when the peer must be dropped.
        """
        if connection.produce_shapes is not None:
            answer = connection.produce_shapes.answer(frame, now)
            if answer is not None:
                reply([answer])
                return
        try:
            header, position = decode_request_header(frame)
        except MalformedMessageError as error:
            raise CloseConnection(f"request header: {error}") from None
        api = APIS.get(header.api_key)
        if api is None:
            raise CloseConnection(f"API key {header.api_key} is not supported")
        if not api.min_version <= header.api_version <= api.max_version:
            if api.key != API_VERSIONS:
                raise CloseConnection(f"{api.stem} version {header.api_version} is not supported")
            reply(self._encode(api, header, api.handler.unsupported_version(self._broker), 0))
            return
        try:
            request = api.messages.decode_request(frame, position, header.api_version)
        except MalformedMessageError as error:
            raise CloseConnection(f"malformed {api.stem} v{header.api_version}: {error}") from None
        self._handle(api, header, request, Context(self._broker, connection, header, now, frame), reply)

    def _handle(self, api: Api, header: "RequestHeader", request: object, context: Context, reply: "Reply") -> None:
        try:
            response = api.handle(request, context)
            if type(response) is Pending:
                context.connection.pending = response
                self._broker.purgatory.add(
                    response,
                    lambda late: self._answer(api, header, request, late, context.connection, reply),
                    lambda: self._bug(api, request, header),
                )
                return
        except CloseConnection:
            raise
        except LogError as refused:  # no partition's fault: the metadata log could not take it
            log.error("%s of client %r failed: %s", api.stem, header.client_id, refused)
            response = Failed(refused.error_code)
        except Exception:  # noqa: BLE001 (whatever it is, it is one request's)
            response = self._bug(api, request, header)
        self._answer(api, header, request, response, context.connection, reply)

    def _answer(
        self,
        api: Api,
        header: "RequestHeader",
        request: object,
        response: object,
        connection: Connection,
        reply: "Reply",
    ) -> None:
        connection.pending = None
        if response is NO_RESPONSE:
            reply(None)
            return
        if type(response) is Failed:
            response = _failed(api, request, response.error_code)
        try:
            parts = self._encode(api, header, response, header.api_version)
        except Exception:  # noqa: BLE001 (whatever it is, it is one request's)
            parts = self._encode(api, header, self._bug(api, request, header), header.api_version)
        reply(parts)

    def _encode(self, api: Api, header: "RequestHeader", response: object, version: int) -> list[object]:
        flexible = api.key != API_VERSIONS and version >= api.messages.FLEXIBLE_VERSION
        parts: list[object] = [encode_response_header(header.correlation_id, flexible)]
        if type(response) is Encoded:
            parts += response.parts
        else:
            api.messages.encode_response(response, version, parts)
        return parts

    def _bug(self, api: Api, request: object, header: "RequestHeader") -> object:
        """Our own mistake harms one request: it is logged, answered, and the broker goes on."""
        log.exception(
            "a bug: %s v%d from client %r failed: %.2000r", api.stem, header.api_version, header.client_id, request
        )
        return _failed(api, request, errors.UNKNOWN_SERVER_ERROR)


def _failed(api: Api, request: object, error_code: int) -> object:
    """A response that refuses the whole request: the handler's own, or one with a top-level error."""
    failed = getattr(api.handler, "failed", None)
    if failed is not None:
        response: object = failed(request, error_code)
        return response
    response = getattr(api.messages, type(request).__name__.removesuffix("Request") + "Response")()
    if not hasattr(response, "error_code"):
        raise CloseConnection(f"{api.stem} failed and its response has no place to say so")
    response.error_code = error_code
    return response
