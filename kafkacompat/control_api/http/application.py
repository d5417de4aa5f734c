"""Answers the requests of the control API: finds the route, checks access, parameters and body, calls the operation.

Operations are plain functions that get a `Call` and return what becomes JSON; one that waits is a coroutine. They run
on the loop of the nodes, so that a view is one synchronous turn.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from importlib import import_module
from urllib.parse import parse_qsl, unquote, urlsplit

from kafkacompat.control_api.faults.moves import NotInTimeError
from kafkacompat.control_api.http.calls import Answer, Call, FileAt, HalfReset
from kafkacompat.control_api.http.http import HttpServer, Request, Response
from kafkacompat.control_api.http.problems import MEDIA_TYPE, FieldError, ProblemError, alike
from kafkacompat.control_api.http.routes import HERE, ROUTES, Match, Route, find, is_available, schema_of
from kafkacompat.control_api.http.schemas import check, from_text, read_json
from kafkacompat.control_api.http.turns import Turns, as_json
from kafkacompat.control_api.snapshots.disk_room import NoRoomError
from kafkacompat.control_api.views.views import in_turns
from kafkacompat.errors import KafkaCompatError
from kafkacompat.steps import at_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Mapping
    from typing import Any

    from kafkacompat.control_api.http.access import Access
    from kafkacompat.control_api.http.calls import NodeVerbs
    from kafkacompat.server.broker_server import BrokerServer

log = logging.getLogger(__name__)

QUERY_FIELDS_MAX = 32
PARSED_HERE_BYTES_MAX = 64 * 1024
"""A larger body is parsed and checked beside the event loop: 4 MB take 0.2 s."""
_STATUS_NAMES = {400: "not-http", 404: "gone", 413: "too-large", 431: "too-large"}


class Application:
    """The control API of the nodes in a process.

    servers: returns those that run, by id. version: of kafkacompat. verbs: of whoever can stop and start them.
    """

    def __init__(
        self,
        servers: Callable[[], Mapping[int, BrokerServer]],
        access: Access,
        version: str,
        verbs: NodeVerbs | None = None,
    ) -> None:
        self._servers = servers
        self._access = access
        self.version = version
        self._changes: set[asyncio.Future[object]] = set()
        self._verbs = verbs
        self._half_reset: dict[int, HalfReset] = {}

    async def handle(self, request: Request) -> Response:
        """Answer a request. Raises nothing but a cancellation."""
        servers = self._servers()
        response: Response = await _measured(self._handle(request, servers), request, servers)
        return response

    async def ask(
        self, operation: str, path: Mapping[str, object], query: Mapping[str, object], body: object
    ) -> object:
        """The result of a route, by the name of its operation, for a Python program. Raises KafkaCompatError."""
        (route,) = (each for each in ROUTES if each.operation == operation)
        servers = self._servers()
        try:
            result = self._perform(route, servers, path, query, body)
            return await result if inspect.isawaitable(result) else result
        except ProblemError as problem:
            raise error_of(problem) from None
        finally:
            _after_event(servers)

    def close(self) -> None:
        """Cancel what is still done for clients that have gone away."""
        for task in self._changes:
            task.cancel()

    async def _handle(self, request: Request, servers: Mapping[int, BrokerServer]) -> Response:
        try:
            return await self._answer(request, servers)
        except ProblemError as problem:
            return _problem(problem)
        except NotInTimeError as error:
            return _problem(ProblemError(408, "time-out", str(error)))
        except NoRoomError as error:
            return _problem(ProblemError(507, "no-room", str(error)))
        except KafkaCompatError as error:
            return _problem(ProblemError(409, "state", str(error)))
        except Exception:
            log.exception("a bug: %s %.100s failed", request.method, request.target)
            return _problem(ProblemError(500, "bug", "this is a bug of kafkacompat; its log has the traceback"))
        finally:
            _after_event(servers)

    async def _answer(self, request: Request, servers: Mapping[int, BrokerServer]) -> Response:
        path, segments, query = _target(request.target)
        self._access.check(request, path)
        match = find(segments)
        if match is None:
            raise _no_resource(path)
        route = _route_of(match, request.method)
        self._access.check_change(request, changes=route.changes, takes_json=not route.takes)
        if not is_available(route):
            raise ProblemError(
                501, "not-implemented", f"this version cannot do that yet: {route.capability} is missing",
                members={"capability": route.capability},
            )  # fmt: skip
        path_values, query_values = _parameters(route, "path", match.path), _parameters(route, "query", query)
        if len(request.body) > PARSED_HERE_BYTES_MAX:
            body = await asyncio.to_thread(_body, route, request)
        else:
            body = _body(route, request)
        result = self._perform(route, servers, path_values, query_values, body)
        if inspect.iscoroutine(result):
            result = await (self._whole(_measured(result, request, servers)) if route.changes else result)
        return await _response(route, result)

    def _perform(
        self,
        route: Route,
        servers: Mapping[int, BrokerServer],
        path: Mapping[str, object],
        query: Mapping[str, object],
        body: object,
    ) -> object:
        """Call the operation of a route, and return its result, which may be a coroutine."""
        half_reset = self._half_reset
        return operation_of(route)(
            Call(servers, path, query, body, self.version, self._servers, self._verbs, half_reset)
        )

    def _whole(self, change: Coroutine[Any, Any, object]) -> Awaitable[object]:
        """A change that goes on to its end when its client goes away: half of a reset is a broken broker."""
        task = asyncio.ensure_future(change)
        self._changes.add(task)
        task.add_done_callback(self._changes.discard)
        task.add_done_callback(lambda _task: _after_event(self._servers()))
        return asyncio.shield(task)


def _after_event(servers: Mapping[int, BrokerServer]) -> None:
    for server in list(servers.values()):
        server.after_event()


async def _measured(
    coroutine: Coroutine[Any, Any, object], request: Request, servers: Mapping[int, BrokerServer]
) -> Any:
    """The result of a coroutine. Its turns of the loop are reported to the node, if there is but one."""
    if len(servers) != 1:
        return await coroutine
    (server,) = servers.values()

    def took(duration_ms: int, at_ms: int) -> None:
        if duration_ms:
            server.broker.loop_lag.took(duration_ms, at_ms, f"{request.method} {request.target}")

    return await Turns(coroutine, lambda: server.now().monotonic_ms, took)


def operation_of(route: Route) -> Callable[[Call], Any]:
    """The function of a route, imported on first use."""
    module, _, name = route.operation.partition(":")
    found: Callable[[Call], Any] = getattr(import_module(HERE + module), name)
    return found


def open_api(
    servers: Callable[[], Mapping[int, BrokerServer]], access: Access, version: str, verbs: NodeVerbs | None = None
) -> tuple[Callable[[], asyncio.Protocol | None], Callable[[], None]]:
    """What `ControlListener` needs at the first connection."""
    return serve(Application(servers, access, version, verbs))


def serve(application: Application) -> tuple[Callable[[], asyncio.Protocol | None], Callable[[], None]]:
    """As `open_api`."""
    http = HttpServer(application.handle, _refusal, application.version, is_streamed)

    def close() -> None:
        http.close()
        application.close()

    return http.connection, close


# Requests


def _target(target: str) -> tuple[str, list[str], dict[str, str]]:
    """Path, its decoded parts, and the query of a request's target. Raises ProblemError."""
    try:
        parts = urlsplit(target)
        pairs = parse_qsl(parts.query, keep_blank_values=True, max_num_fields=QUERY_FIELDS_MAX, errors="strict")
        segments = [unquote(part, errors="strict") for part in parts.path.split("/")[1:]]
    except ValueError as error:
        raise ProblemError(400, "target", f"the target of the request cannot be read: {error}") from None
    query = dict(pairs)
    if len(query) < len(pairs):
        raise ProblemError(400, "parameters", "a parameter is given twice: give each once")
    if segments and segments[-1] == "" and len(segments) > 1:
        segments.pop()
    return parts.path, segments, query


def _no_resource(path: str) -> ProblemError:
    paths = {route.path for route in ROUTES}
    guess = alike(path, paths)
    hint = f"; did you mean {guess}?" if guess else ""
    return ProblemError(404, "no-resource", f"there is no {path!r:.200}: GET /v1 lists the resources{hint}")


def _route_of(match: Match, method: str) -> Route:
    wanted = "GET" if method == "HEAD" else method
    if wanted in match.routes:
        return match.routes[wanted]
    allowed = sorted({*match.routes, *(["HEAD"] if "GET" in match.routes else [])})
    text = ", ".join(allowed)
    raise ProblemError(405, "method", f"{method:.20} is not possible here: use {text}", headers=[("allow", text)])


def _parameters(route: Route, place: str, texts: Mapping[str, str]) -> dict[str, object]:
    schema = schema_of(route.parameters, place)
    known = schema["properties"]
    values = {name: from_text(text, known[name]) if name in known else text for name, text in texts.items()}
    errors = check(values, schema, place)
    if errors:
        raise ProblemError(
            400, "parameters", f"{errors[0].pointer}: {errors[0].message}", errors=errors
        )  # fmt: skip
    return values


def is_streamed(method: str, target: str) -> bool:
    """Whether the body of such a request is read while it arrives."""
    try:
        match = find(_target(target)[1])
    except ProblemError:
        return False
    return match is not None and method in match.routes and bool(match.routes[method].takes)


def _body(route: Route, request: Request) -> object:
    if route.takes:
        return request.incoming
    if route.body is None:
        if request.body.strip() not in (b"", b"{}"):
            raise ProblemError(400, "body", f"{route.method} {route.path} takes no body: leave it out")
        return None
    value = read_json(request.body or b"{}")
    errors = check(value, route.body)
    if errors:
        raise ProblemError(400, "body", f"{errors[0].pointer or 'the body'}: {errors[0].message}", errors=errors)
    return value


# Responses


async def _response(route: Route, result: object) -> Response:
    answer = result if isinstance(result, Answer) else Answer(route.status, result)
    if isinstance(answer.body, FileAt):
        return Response(answer.status, route.media_type, b"", answer.headers, file=answer.body.path)
    if isinstance(answer.body, bytes):
        return Response(answer.status, route.media_type, answer.body, answer.headers)
    return Response(answer.status, "application/json", await in_turns(as_json(answer.body)), answer.headers)


def error_of(problem: ProblemError) -> KafkaCompatError:
    """What a Python program gets in place of a problem."""
    return NotInTimeError(problem.detail) if problem.status == 408 else KafkaCompatError(problem.detail)


def _problem(problem: ProblemError) -> Response:
    return Response(problem.status, MEDIA_TYPE, at_once(as_json(problem.as_dict())), tuple(problem.headers))


def _refusal(status: int, said: str) -> Response:
    return _problem(ProblemError(status, _STATUS_NAMES.get(status, "not-http"), said, errors=[FieldError("", said)]))
