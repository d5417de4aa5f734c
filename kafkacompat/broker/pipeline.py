"""What every request passes on its way to a handler, whichever door it came in by.

There are four doors: a frame that is decoded (`dispatch.py`), or recognised by its shape before that
(`produce_shape.py`); a request of this node to itself (`local_calls.py`); one that is taken out of an Envelope
(`handlers/envelope.py`). Behind them stand the steps, none by default, and behind those the handler, or the way to the
active controller. A door that would pass a step by is closed as long as that step wants the request.

A door says how its answers leave: `send(api, request, context, response, reply)` is called once, now or later, unless
the client goes before.
"""

import logging
from functools import partial
from types import GeneratorType

from kafkacompat.broker.answers import Deferred, Failed
from kafkacompat.broker.connection import BROKER, CloseConnection
from kafkacompat.broker.purgatory import Pending
from kafkacompat.broker.refusals import bug, worded
from kafkacompat.broker.registry import APIS
from kafkacompat.steps import Stepped
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    from kafkacompat.broker import services
    from kafkacompat.broker.answers import Late, Response, Settled
    from kafkacompat.broker.context import Context
    from kafkacompat.broker.long_answers import LongAnswers
    from kafkacompat.broker.registry import Api
    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message

    Done = Callable[[Settled], None]
    Respond = Callable[[Response], None]
    Send = Callable[[Api, Message, Context, Response, Any], None]

    class Step(Protocol):
        """Something that stands in front of the handlers, see `Pipeline.add`."""

        def sees(self, api: Api) -> bool:
            """Whether it wants the requests of this API. Asked once, when it is added."""

        def take(self, passage: "Passage") -> None:
            """A request has come to it: let it go on or answer it, now or in a later event."""

    class Node(services.Quorum, services.Waiting, Protocol):
        """What this takes of its node."""

        @property
        def long_answers(self) -> LongAnswers: ...


log = logging.getLogger(__name__)


class Pipeline:
    """One for each node. `steps_of` has those that see an API, by its key, in their order; keys that none sees have no
    entry.
    """

    __slots__ = ("_node", "_steps", "steps_of")

    def __init__(self, node: "Node") -> None:
        self._node = node
        self._steps: list[Step] = []
        self.steps_of: dict[int, list[Step]] = {}

    def add(self, step: "Step") -> None:
        """From now on requests pass this step, behind those that are there; what is under way does not."""
        self._steps.append(step)
        for api in APIS.values():
            if step.sees(api):
                self.steps_of[api.key] = [*self.steps_of.get(api.key, ()), step]

    def remove(self, step: "Step") -> None:
        """It sees no more requests. What it holds it may still let go on."""
        self._steps.remove(step)
        left = {key: [each for each in steps if each is not step] for key, steps in self.steps_of.items()}
        self.steps_of = {key: steps for key, steps in left.items() if steps}

    def run(self, api: "Api", request: "Message", context: "Context", send: "Send", reply: "Any") -> None:
        """Answer one request. Raises CloseConnection when the peer must be dropped."""
        if api.key in self.steps_of:
            self.pass_on(self.steps_of[api.key], api, request, context, _to(send, api, request, context, reply))
        else:
            self.carry_out(api, request, context, send, reply)

    def pass_on(
        self, steps: "Sequence[Step]", api: "Api", request: "Message", context: "Context", respond: "Respond"
    ) -> None:
        """Through these steps to the handler."""
        if steps:
            Passage(self, steps, api, request, context, respond).begin()
        else:
            self.carry_out(api, request, context, _respond, respond)

    def carry_out(self, api: "Api", request: "Message", context: "Context", send: "Send", reply: "Any") -> None:
        """Behind all steps: have the handler answer, or the active controller."""
        try:
            if api.forwards and self._is_for_another(context):
                self._forward(api, request, context, send, reply)
                return
            answer: Any = api.handler.handle(request, context)
            if type(answer) is GeneratorType:
                stepped = Stepped(answer)
                if not stepped.go_on():
                    self._answer_in_steps(stepped, api, request, context, send, reply)
                    return
                answer = stepped.result
        except CloseConnection:
            raise
        except LogError as refused:  # no partition's fault: the metadata log could not take it
            log.error("%s of client %.300r failed: %s", api.stem, context.header.client_id, refused)
            answer = Failed(refused.error_code)
        except Exception:  # noqa: BLE001 (whatever it is, it is one request's)
            answer = bug(api, request, context)
        self._take(answer, api, request, context, send, reply)

    def _is_for_another(self, context: "Context") -> bool:
        connection = context.connection
        return connection.kind == BROKER and not connection.is_forwarded and not self._node.quorum.is_active

    def _forward(self, api: "Api", request: "Message", context: "Context", send: "Send", reply: "Any") -> None:
        from kafkacompat.broker.control.forwarding import forward

        done = _to(send, api, request, context, reply)
        refused = api.local_validator.validate_locally(request, context) if api.validates_locally else None
        if refused:
            from kafkacompat.broker.control.partial_forwarding import forward_rest

            forward_rest(api, request, refused, context, done)
        else:
            forward(api, context.frame, context, done)

    def _take(
        self, answer: "Late", api: "Api", request: "Message", context: "Context", send: "Send", reply: "Any"
    ) -> None:
        """Send an answer, now or when it is there. One that waited may still have to be made in steps."""
        if type(answer) is Failed:
            send(api, request, context, worded(api, request, context, answer), reply)
        elif type(answer) is Pending:
            self._wait(answer, api, request, context, send, reply)
        elif type(answer) is Deferred:
            answer.then(_to(send, api, request, context, reply))
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
                self._take(late, api, request, context, send, reply)

        self._node.purgatory.add(pending, answer_late, lambda: bug(api, request, context))

    def _answer_in_steps(
        self, stepped: Stepped, api: "Api", request: "Message", context: "Context", send: "Send", reply: "Any"
    ) -> None:
        """Other events come first, again and again."""
        answers, connection = self._node.long_answers, context.connection

        def done(answer: "Late", now: "Now") -> None:
            connection.on_close = None
            context.now = now
            self._take(answer, api, request, context, send, reply)

        def failed(error: Exception, now: "Now") -> None:
            done(Failed(error.error_code) if isinstance(error, LogError) else bug(api, request, context), now)

        connection.on_close = partial(answers.drop, stepped)
        answers.add(stepped, done, failed, context.now)


class Passage:
    """One request at one step, which calls `go_on` or `answer` once: in `take`, or in a later event of the loop, with
    the time that it is then. A request whose client has gone meanwhile goes nowhere.
    """

    __slots__ = (
        "_answered", "_has_gone_on", "_is_answered", "_is_held", "_pipeline", "_respond", "_steps", "api", "context",
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
        self._has_gone_on = self._is_answered = self._is_held = False

    def begin(self) -> None:
        """Show the request to the step."""
        try:
            self._steps[0].take(self)
        except CloseConnection:
            raise
        except Exception:  # noqa: BLE001 (whatever it is, it is one request's)
            self._recover()
        if not (self._has_gone_on or self._is_answered):
            self._is_held = True
            self.context.connection.held_count += 1

    def go_on(self, answered: "Respond | None" = None, *, now: "Now | None" = None) -> None:
        """To the next step, or to the handler. With `answered` the response is given to that instead of to the client;
        it calls `answer` with it, or with another one, then or later.
        """
        assert not self._has_gone_on, "a request went on twice"
        self._has_gone_on = True
        was_held = self._is_held
        if not self._let_go(now):
            return
        respond = self._respond
        if answered is not None:
            self._answered, respond = answered, self._show
        try:
            self._pipeline.pass_on(self._steps[1:], self.api, self.request, self.context, respond)
        except CloseConnection as reason:
            if not was_held:
                raise
            self.context.connection.drop(str(reason))

    def answer(self, response: "Settled", *, now: "Now | None" = None) -> None:
        """Send this response: in place of the handler's, or once that has come to `answered`."""
        assert not self._is_answered, "a request was answered twice"
        self._is_answered = True
        if self._let_go(now):
            self._respond(worded(self.api, self.request, self.context, response))

    def _let_go(self, now: "Now | None") -> bool:
        """Whether anybody still waits for an answer."""
        connection = self.context.connection
        if self._is_held:
            self._is_held = False
            connection.held_count -= 1
        if now is not None:
            self.context.now = now
        return not connection.is_closed

    def _show(self, response: "Response") -> None:
        try:
            self._answered(response)
        except Exception:  # noqa: BLE001 (whatever it is, it is one request's)
            self._recover()

    def _recover(self) -> None:
        """The step has failed; whatever comes later of what it began has no one to go to."""
        response = bug(self.api, self.request, self.context)
        if not self._is_answered:
            self.answer(response)


def _to(send: "Send", api: "Api", request: "Message", context: "Context", reply: "Any") -> "Done":
    """For who brings an answer later. A closure in the way of every request would cost each of them its cells."""
    return lambda answer: send(api, request, context, worded(api, request, context, answer), reply)


def _respond(_api: "Api", _request: "Message", _context: "Context", response: "Response", respond: "Respond") -> None:
    respond(response)
