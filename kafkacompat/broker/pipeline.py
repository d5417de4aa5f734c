"""The pipeline that every request passes on its way to a handler.

Requests enter in four ways: as a decoded frame (`dispatch.py`), by the produce fast path, which skips decoding
(`produce_shape.py`), from this node to itself (`local_calls.py`), and out of an Envelope (`handlers/envelope.py`). They
pass the steps (none by default), then reach the handler or are forwarded to the active controller. The fast path is off
while a step wants to see its requests.

The caller says how a response leaves: `send(api, request, context, response, reply)` is called once, now or later,
unless the client disconnects first.
"""

import logging
from functools import partial
from types import GeneratorType

from kafkacompat.broker.answers import Deferred, Failed
from kafkacompat.broker.connection import BROKER, CloseConnection
from kafkacompat.broker.purgatory import Pending
from kafkacompat.broker.refusals import as_response, bug_response
from kafkacompat.broker.registry import APIS
from kafkacompat.protocol.api_keys import FETCH
from kafkacompat.steps import UNITS_PER_ITERATION, Stepped
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    from kafkacompat.broker import services
    from kafkacompat.broker.answers import Late, Response, Settled
    from kafkacompat.broker.connection import Connection
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.registry import Api
    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message
    from kafkacompat.steps import Steps

    Done = Callable[[Settled], None]
    Respond = Callable[[Response], None]
    Send = Callable[[Api, Message, Context, Response, Any], None]

    class Step(Protocol):
        """A step in front of the handlers, see `Pipeline.add`."""

        def sees(self, api: Api) -> bool:
            """Whether the step wants the requests of this API. Called for each API when the step is added."""

        def on_request(self, passage: "Passage") -> None:
            """Handle a request: call `proceed` or `answer` on the passage, now or in a later event."""

    class Gate(Protocol):
        """The attribute `gate` of a step that wants few requests: `passes` says which ones it need not see."""

        def passes(self, request: Any, context: Context) -> bool: ...
        def passes_shape(
            self, version: int, client_id: str | None, topic: str, api_key: int, connection: Connection
        ) -> bool:
            """The same for a shape of produce requests (`produce_shape.py`), for as long as the gate lives."""

    class Node(services.Quorum, services.Waiting, Protocol):
        """The services that the pipeline uses."""


log = logging.getLogger(__name__)

APART_FRAME_BYTES = 64 * 1024
"""A request of that size takes some milliseconds to decode, if it names thousands of partitions. What is done in steps
is begun in a turn of its own then.
"""


class Pipeline:
    """The pipeline of one node. `steps_of` maps an API key to the steps that see it, in order; an API that no step sees
    has no entry. `gates`: lets requests pass an API's only step.
    """

    __slots__ = ("_node", "_steps", "gates", "steps_of")

    def __init__(self, node: "Node") -> None:
        self._node = node
        self._steps: list[Step] = []
        self.steps_of: dict[int, list[Step]] = {}
        self.gates: dict[int, Gate] = {}

    def add(self, step: "Step") -> None:
        """Append a step. Requests that arrive from now on pass it; requests in progress do not."""
        self._steps.append(step)
        for api in APIS.values():
            if step.sees(api):
                self.steps_of[api.key] = [*self.steps_of.get(api.key, ()), step]
        self._set_gates()

    def remove(self, step: "Step") -> None:
        """Remove a step. It sees no new requests; those that it holds may still proceed."""
        self._steps.remove(step)
        left = {key: [each for each in steps if each is not step] for key, steps in self.steps_of.items()}
        self.steps_of = {key: steps for key, steps in left.items() if steps}
        self._set_gates()

    def _set_gates(self) -> None:
        """An API that one step sees, which has a gate, has this gate."""
        found = ((key, getattr(steps[0], "gate", None)) for key, steps in self.steps_of.items() if len(steps) == 1)
        self.gates = {key: gate for key, gate in found if gate is not None}

    def run(self, api: "Api", request: "Message", context: "Context", send: "Send", reply: "Any") -> None:
        """Answer one request. Raises CloseConnection when the connection must be closed."""
        if api.key in self.steps_of and not (api.key in self.gates and self.gates[api.key].passes(request, context)):
            self.run_steps(self.steps_of[api.key], api, request, context, _sender(send, api, request, context, reply))
        else:
            self.execute(api, request, context, send, reply)

    def run_steps(
        self, steps: "Sequence[Step]", api: "Api", request: "Message", context: "Context", respond: "Respond"
    ) -> None:
        """Run the remaining steps, then the handler."""
        if steps:
            Passage(self, steps, api, request, context, respond).begin()
        else:
            self.execute(api, request, context, _respond, respond)

    def execute(self, api: "Api", request: "Message", context: "Context", send: "Send", reply: "Any") -> None:
        """Answer the request after all steps: call its handler, or forward it to the active controller."""
        try:
            if api.forwards and self._must_forward(context):
                self._forward(api, request, context, send, reply)
                return
            answer: Any = api.handler.handle(request, context)
            if type(answer) is GeneratorType:
                # A fetch divides its turns itself.
                is_apart = len(context.frame) >= APART_FRAME_BYTES and api.key != FETCH
                stepped = Stepped(_apart(answer) if is_apart else answer)
                if not stepped.resume():
                    self._answer_in_steps(stepped, api, request, context, send, reply)
                    return
                answer = stepped.result
        except CloseConnection:
            raise
        except LogError as refused:  # handlers catch a partition's errors: this one is of the metadata log
            log.error("%s of client %.300r failed: %s", api.stem, context.header.client_id, refused)
            answer = Failed(refused.error_code)
        except Exception:  # noqa: BLE001 (whatever it is, it is one request's)
            answer = bug_response(api, request, context)
        self._answer(answer, api, request, context, send, reply)

    def _must_forward(self, context: "Context") -> bool:
        connection = context.connection
        return connection.kind == BROKER and not connection.is_forwarded and not self._node.quorum.is_active

    def _forward(self, api: "Api", request: "Message", context: "Context", send: "Send", reply: "Any") -> None:
        from kafkacompat.broker.control.forwarding import forward

        done = _sender(send, api, request, context, reply)
        refused = api.local_validator.validate_locally(request, context) if api.validates_locally else None
        if refused:
            from kafkacompat.broker.control.partial_forwarding import forward_rest

            forward_rest(api, request, refused, context, done)
        else:
            forward(api, context.frame, context, done)

    def _answer(
        self, answer: "Late", api: "Api", request: "Message", context: "Context", send: "Send", reply: "Any"
    ) -> None:
        """Send an answer, now or when it becomes available. A deferred answer may still take several steps to build."""
        if type(answer) is Failed:
            send(api, request, context, as_response(api, request, context, answer), reply)
        elif type(answer) is Pending:
            self._wait(answer, api, request, context, send, reply)
        elif type(answer) is Deferred:
            answer.then(_sender(send, api, request, context, reply))
        else:
            response: Response = answer  # type: ignore[assignment] # nothing else is left
            send(api, request, context, response, reply)

    def _wait(
        self, pending: Pending, api: "Api", request: "Message", context: "Context", send: "Send", reply: "Any"
    ) -> None:
        waiting = context.connection.waiting
        waiting.append(pending)

        def answer_late(late: "Any", now: "Now") -> None:
            waiting.remove(pending)
            context.now = now
            if type(late) is GeneratorType:
                self._answer_in_steps(Stepped(late), api, request, context, send, reply)
            else:
                self._answer(late, api, request, context, send, reply)

        self._node.purgatory.add(pending, answer_late, lambda: bug_response(api, request, context))

    def _answer_in_steps(
        self, stepped: Stepped, api: "Api", request: "Message", context: "Context", send: "Send", reply: "Any"
    ) -> None:
        """Build the answer in steps, so that the event loop serves other events in between. Later requests of the
        connection wait until then. If the client disconnects, the work is abandoned, unless it writes.
        """
        answers, connection = self._node.long_answers, context.connection

        def begin(now: "Now") -> None:
            context.now = now

        def done(answer: "Late", now: "Now") -> None:
            connection.held_count -= 1
            connection.on_close.pop(stepped, None)
            context.now = now
            if connection.is_closed:
                if type(answer) is Pending:
                    self._node.purgatory.discard(answer)
                return
            self._answer(answer, api, request, context, send, reply)
            if connection.waiting:
                connection.resumed()

        def failed(error: Exception, now: "Now") -> None:
            if isinstance(error, CloseConnection):
                connection.held_count -= 1
                connection.on_close.pop(stepped, None)
                connection.drop(str(error))
                return
            done(Failed(error.error_code) if isinstance(error, LogError) else bug_response(api, request, context), now)

        connection.held_count += 1
        connection.on_close[stepped] = partial(answers.leave, stepped)
        answers.add(stepped, done, failed, context.now, begin, len(context.frame) if api.writes else 0)


class Passage:
    """One request at one step. The step calls `proceed` or `answer` once: in `on_request`, or in a later event of the
    loop, with the current time in `now`. If the client has disconnected by then, the call has no effect.
    """

    __slots__ = (
        "_answered", "_has_proceeded", "_is_answered", "_is_held", "_pipeline", "_respond", "_steps", "api", "context",
        "request",
    )  # fmt: skip

    def __init__(
        self, pipeline: Pipeline, steps: "Sequence[Step]", api: "Api", request: "Message", context: "Context",
        respond: "Respond",
    ) -> None:  # fmt: skip
        self.api = api
        self.request = request
        self.context = context
        self._pipeline = pipeline
        self._steps = steps
        self._respond = respond
        self._answered: Respond = respond
        self._has_proceeded = self._is_answered = self._is_held = False

    def begin(self) -> None:
        """Give the request to the step."""
        try:
            self._steps[0].on_request(self)
        except CloseConnection:
            raise
        except Exception:  # noqa: BLE001 (whatever it is, it is one request's)
            self._recover()
        if not (self._has_proceeded or self._is_answered):
            self._is_held = True
            self.context.connection.held_count += 1

    def proceed(self, answered: "Respond | None" = None, *, now: "Now | None" = None) -> None:
        """Pass the request on to the next step or the handler. With `answered`, the response goes to that callback
        instead of the client; the callback calls `answer` with it or with another response, now or later.
        """
        assert not self._has_proceeded, "a request proceeded twice"
        self._has_proceeded = True
        was_held = self._is_held
        if not self._release(now):
            return
        respond = self._respond
        if answered is not None:
            self._answered, respond = answered, self._on_response
        try:
            self._pipeline.run_steps(self._steps[1:], self.api, self.request, self.context, respond)
        except CloseConnection as reason:
            if not was_held:
                raise
            self.context.connection.drop(str(reason))
        if was_held and self.context.connection.waiting:
            self.context.connection.resumed()

    def answer(self, response: "Settled", *, now: "Now | None" = None) -> None:
        """Send this response to the client, in place of the handler's or after `answered` received it."""
        assert not self._is_answered, "a request was answered twice"
        self._is_answered = True
        if self._release(now):
            self._respond(as_response(self.api, self.request, self.context, response))

    def _release(self, now: "Now | None") -> bool:
        """Stop holding the request. Returns whether the client still waits for an answer."""
        connection = self.context.connection
        if self._is_held:
            self._is_held = False
            connection.held_count -= 1
        if now is not None:
            self.context.now = now
        return not connection.is_closed

    def _on_response(self, response: "Response") -> None:
        try:
            self._answered(response)
        except Exception:  # noqa: BLE001 (whatever it is, it is one request's)
            self._recover()

    def _recover(self) -> None:
        """The step raised an exception: answer with UNKNOWN_SERVER_ERROR and ignore what the step does later."""
        response = bug_response(self.api, self.request, self.context)
        if not self._is_answered:
            self.answer(response)


def _apart(steps: "Steps[Late]") -> "Steps[Late]":
    """The steps of a large request: it was decoded in this turn, and its answer is encoded in one of its own, too. An
    answer that waits has looked at the state of this turn, and must begin to wait in it.
    """
    yield UNITS_PER_ITERATION
    answer = yield from steps
    if type(answer) is not Pending:
        yield UNITS_PER_ITERATION
    return answer


def _sender(send: "Send", api: "Api", request: "Message", context: "Context", reply: "Any") -> "Done":
    """A callback that sends the answer later. Made only when needed, because a closure costs time on every request."""
    return lambda answer: send(api, request, context, as_response(api, request, context, answer), reply)


def _respond(_api: "Api", _request: "Message", _context: "Context", response: "Response", respond: "Respond") -> None:
    respond(response)
