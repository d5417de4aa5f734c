"""From a frame to an answer: header, version, decode, handler, encode. Nothing here knows a single API."""

import logging
from functools import partial
from types import GeneratorType

from kafkacompat.broker.context import CloseConnection, Connection, Context, Encoded, Failed, Later
from kafkacompat.broker.purgatory import Pending
from kafkacompat.broker.registry import APIS_OF, BROKER, Api
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.headers import decode_request_header, encode_response_header
from kafkacompat.protocol.primitives import MalformedMessageError
from kafkacompat.steps import Stepped
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from kafkacompat.broker.broker import Broker
    from kafkacompat.now import Now
    from kafkacompat.protocol.headers import RequestHeader
    from kafkacompat.protocol.primitives import Message

    Reply = Callable[[list[object] | None], None]

log = logging.getLogger(__name__)
API_VERSIONS = 18
PRODUCE_KEY, FETCH_KEY = b"\0\0", b"\0\1"  # as a frame begins
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
        api = APIS_OF[connection.kind].get(header.api_key)
        if api is None:
            raise CloseConnection(f"API key {header.api_key} is not served by a {connection.kind}'s listener")
        if not api.min_version <= header.api_version <= api.max_version:
            if api.key != API_VERSIONS:
                raise CloseConnection(f"{api.stem} version {header.api_version} is not supported")
            reply(self._encode(api, header, api.handler.unsupported_version(self._broker), 0))
            return
        try:
            request = api.messages.decode_request(frame, position, header.api_version)
        except MalformedMessageError as error:
            raise CloseConnection(f"malformed {api.stem} v{header.api_version}: {error}") from None
        context = Context(self._broker, connection, header, now, frame)
        if api.forwards and connection.kind == BROKER and not self._broker.quorum.is_active:
            self._forward(api, request, context, reply)
        else:
            self.handle(api, header, request, context, reply)

    def make_way(self, frame: bytes | bytearray, connection: Connection, now: "Now") -> bool:
        """A next request waits behind the one in flight. If that is a consumer's long poll, answer it with what there
        is; not for another poll, or a client that sends two at a time would never wait.

        Whether the next one may be carried out before that is answered: of what a producer has on its way all is
        appended in order, and followers fetch it together.
        """
        if not connection.waiting:
            return False
        pending = connection.waiting[-1]
        if pending.makes_way and not frame.startswith(FETCH_KEY):
            self._broker.purgatory.expire(pending, now)
        return pending.is_written and frame.startswith(PRODUCE_KEY)

    def _forward(self, api: Api, request: object, context: Context, reply: "Reply") -> None:
        """Only the active controller can answer: it does, through us."""
        from kafkacompat.broker.control.forwarding import forward

        if hasattr(api.handler, "refused_here"):
            try:
                refused = api.handler.refused_here(request, context)
            except Exception:  # noqa: BLE001 (whatever it is, it is one request's)
                response = self._bug(api, request, context.header)
                self._answer(api, context.header, request, response, reply)
                return
            if refused:
                self._forward_rest(api, request, refused, context, reply)
                return

        def done(answer: bytes | None, error_code: int) -> None:
            if answer is not None:
                reply([answer])
            else:
                self._answer(api, context.header, request, Failed(error_code), reply)

        forward(context.frame, context, done)

    def _forward_rest(
        self, api: Api, request: object, refused: "Mapping[int, Message]", context: Context, reply: "Reply"
    ) -> None:
        from kafkacompat.broker.control.forwarded_rest import forward_rest

        forward_rest(
            api, request, refused, context,
            lambda response: self._answer(api, context.header, request, response, reply),
        )  # fmt: skip

    def handle(self, api: Api, header: "RequestHeader", request: object, context: Context, reply: "Reply") -> None:
        """Answer a request that is decoded; the rest is as in `dispatch`."""
        try:
            response = api.handle(request, context)
            if type(response) is GeneratorType:
                stepped = Stepped(response)
                if not stepped.go_on():
                    self._answer_in_steps(stepped, api, header, request, context, reply)
                    return
                response = stepped.result
        except CloseConnection:
            raise
        except LogError as refused:  # no partition's fault: the metadata log could not take it
            log.error("%s of client %.300r failed: %s", api.stem, header.client_id, refused)
            response = Failed(refused.error_code)
        except Exception:  # noqa: BLE001 (whatever it is, it is one request's)
            response = self._bug(api, request, header)
        self._take(api, header, request, response, context, reply)

    def _take(
        self, api: Api, header: "RequestHeader", request: object, response: object, context: Context, reply: "Reply"
    ) -> None:
        """Send a handler's response, now or when it is there. One that waited may still have to be made in steps."""
        if type(response) is Pending:
            pending, connection = response, context.connection
            connection.waiting.append(pending)

            def answer_late(late: object) -> None:
                connection.waiting.remove(pending)
                if type(late) is GeneratorType:
                    self._answer_in_steps(Stepped(late), api, header, request, context, reply)
                else:
                    self._answer(api, header, request, late, reply)

            self._broker.purgatory.add(pending, answer_late, lambda: self._bug(api, request, header))
        elif type(response) is Later:
            response.then(lambda late: self._answer(api, header, request, late, reply))
        else:
            self._answer(api, header, request, response, reply)

    def _answer_in_steps(
        self, stepped: Stepped, api: Api, header: "RequestHeader", request: object, context: Context, reply: "Reply"
    ) -> None:
        """Other events come first, again and again."""
        answers, connection = self._broker.long_answers, context.connection

        def done(response: object) -> None:
            connection.let_go = None
            self._take(api, header, request, response, context, reply)

        def failed(error: Exception) -> None:
            done(Failed(error.error_code) if isinstance(error, LogError) else self._bug(api, request, header))

        connection.let_go = partial(answers.drop, stepped)
        answers.add(stepped, done, failed, context.now)

    def _answer(
        self,
        api: Api,
        header: "RequestHeader",
        request: object,
        response: object,
        reply: "Reply",
    ) -> None:
        if response is NO_RESPONSE:
            reply(None)
            return
        if type(response) is Failed:
            response = failed_response(api, request, response.error_code, header.api_version)
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
            "a bug: %s v%d from client %.300r failed: %.2000r", api.stem, header.api_version, header.client_id, request
        )
        return failed_response(api, request, errors.UNKNOWN_SERVER_ERROR, header.api_version)


def failed_response(api: Api, request: object, error_code: int, version: int) -> object:
    """A response that refuses the whole request: the handler's own, or one with a top-level error."""
    failed = getattr(api.handler, "failed", None)
    if failed is not None:
        refusal: Any = failed(request, error_code)
        if version < getattr(api.handler, "TOP_LEVEL_ERROR_SINCE", 0):
            refusal.error_code = errors.NONE  # it is said of each item
        answer: object = refusal
        return answer
    response = getattr(api.messages, type(request).__name__.removesuffix("Request") + "Response")()
    if not hasattr(response, "error_code"):
        raise CloseConnection(f"{api.stem} failed and its response has no place to say so")
    response.error_code = error_code
    return response
