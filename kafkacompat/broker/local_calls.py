"""Handlers called by this very node: a request to the active controller that runs in the same process."""

import logging
from types import GeneratorType

from kafkacompat.broker.context import Connection, Context, Failed, Later
from kafkacompat.broker.dispatch import failed_response
from kafkacompat.broker.purgatory import Pending
from kafkacompat.broker.registry import APIS, CONTROLLER, Api
from kafkacompat.protocol.error_codes import UNKNOWN_SERVER_ERROR
from kafkacompat.protocol.headers import RequestHeader
from kafkacompat.steps import at_once
from kafkacompat.storage.errors import LogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkacompat.broker.broker import Broker
    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message

    Done = Callable[[object | None, Now], None]

log = logging.getLogger(__name__)
HERE = "127.0.0.1"


class LocalCalls:
    """Requests that come over no connection, and answers that are never encoded."""

    def __init__(self, broker: "Broker") -> None:
        self._broker = broker
        self._client_id = str(broker.node_id)

    def call(self, api_key: int, version: int, request: "Message", now: "Now", done: "Done") -> None:
        """Have the API's handler answer; `done(response, now)` is called once, in here or later."""
        api = APIS[api_key]
        connection = Connection(0, HERE, "CONTROLLER", CONTROLLER)
        header = RequestHeader(api_key, version, 0, self._client_id)
        try:
            response = api.handle(request, Context(self._broker, connection, header, now))
            if type(response) is GeneratorType:
                response = at_once(response)
        except LogError as refused:
            response = Failed(refused.error_code)
        except Exception:  # noqa: BLE001 (whatever it is, it is one request's)
            response = self._bug(api)
        if type(response) is Pending:
            self._wait(api, version, request, response, done)
        elif type(response) is Later:  # of an envelope that came home: this node leads now
            response.then(lambda late: done(_settled(api, version, request, late), now))
        else:
            done(_settled(api, version, request, response), now)

    def _wait(self, api: Api, version: int, request: "Message", pending: Pending, done: "Done") -> None:
        asked_at: list[Now] = []
        finish = pending.finish

        def finish_and_note(now: "Now", expired: bool) -> object | None:
            asked_at[:] = [now]
            return finish(now, expired)

        pending.finish = finish_and_note
        self._broker.purgatory.add(
            pending, lambda late: done(_settled(api, version, request, late), asked_at[0]), lambda: self._bug(api)
        )

    @staticmethod
    def _bug(api: Api) -> Failed:
        log.exception("a bug: %s from this node failed", api.stem)
        return Failed(UNKNOWN_SERVER_ERROR)


def _settled(api: Api, version: int, request: "Message", response: object) -> object:
    return failed_response(api, request, response.error_code, version) if type(response) is Failed else response
