"""Decodes a frame, runs it through the pipeline and encodes the response. Knows no API in particular."""

from kafkacompat.broker.answers import NO_RESPONSE, Encoded
from kafkacompat.broker.connection import CloseConnection, Connection
from kafkacompat.broker.context import Context
from kafkacompat.broker.refusals import bug_response
from kafkacompat.broker.registry import APIS_OF, Api
from kafkacompat.protocol.api_keys import API_VERSIONS, PRODUCE
from kafkacompat.protocol.headers import decode_request_header, encode_response_header
from kafkacompat.protocol.primitives import MalformedMessageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.answers import Response
    from kafkacompat.broker.context import Services
    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message

    Reply = Callable[[list[object] | None], None]

PRODUCE_KEY, FETCH_KEY = b"\0\0", b"\0\1"  # a frame begins with its API key


class Dispatcher:
    """Answers frames for one broker."""

    def __init__(self, services: "Services") -> None:
        self._services = services
        self._pipeline = services.pipeline

    def dispatch(self, frame: bytes | bytearray, connection: Connection, now: "Now", reply: "Reply") -> None:
        """Answer one request. `reply(parts)` is called exactly once, now or later: the response header and body without
        the size, or None when nothing is to be sent. Raises CloseConnection when the connection must be closed.
        """
        shapes, pipeline = connection.produce_shapes, self._pipeline
        if shapes is not None:
            if PRODUCE not in pipeline.steps_of:
                answer = shapes.answer(frame, now)
            else:
                gate = pipeline.gates.get(PRODUCE)
                answer = None if gate is None else shapes.answer_past(gate, frame, connection, now)
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
        context = Context(self._services, connection, header, now, frame)
        if not api.min_version <= header.api_version <= api.max_version:
            if api.key != API_VERSIONS:
                raise CloseConnection(f"{api.stem} version {header.api_version} is not supported")
            context.version = 0  # the handler answers UNSUPPORTED_VERSION with the supported versions (KIP-511)
            frame, position = b"", 0
        try:
            request = api.messages.decode_request(frame, position, context.version)
        except MalformedMessageError as error:
            raise CloseConnection(f"malformed {api.stem} v{header.api_version}: {error}") from None
        self._pipeline.run(api, request, context, send_encoded, reply)

    def complete_early(self, frame: bytes | bytearray, connection: Connection, now: "Now") -> bool:
        """Called when another request, `frame`, waits behind the one in flight. A consumer's long poll is then answered
        early with the records there are, except for another fetch: a client that pipelines fetches would never wait.

        Returns whether `frame` may be executed before the one in flight is answered. That holds for a produce request
        behind another whose records are appended: one round trip of the followers then replicates both.
        """
        if not connection.waiting or connection.held_count:
            return False
        pending = connection.waiting[-1]
        if pending.completes_early and not frame.startswith(FETCH_KEY):
            self._services.purgatory.expire(pending, now)
        return pending.is_written and frame.startswith(PRODUCE_KEY)


def send_encoded(api: Api, request: "Message", context: Context, response: "Response", reply: "Reply") -> None:
    """Encode the response and give it to the connection."""
    if response is NO_RESPONSE:
        reply(None)
        return
    try:
        parts = _encode(api, context, response)
    except Exception:  # noqa: BLE001 (whatever it is, it is one request's)
        parts = _encode(api, context, bug_response(api, request, context))
    reply(parts)


def _encode(api: Api, context: Context, response: "Response") -> list[object]:
    version = context.version
    flexible = api.key != API_VERSIONS and version >= api.messages.FLEXIBLE_VERSION
    parts: list[object] = [encode_response_header(context.header.correlation_id, flexible)]
    if type(response) is Encoded:
        parts += response.parts
    else:
        api.messages.encode_response(response, version, parts)
    return parts
