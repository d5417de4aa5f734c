"""The turns of the event loop that a request of the control API takes.

Each is measured by itself, so that a request that waits does not count as one that holds the loop; and the JSON of a
large answer is made in several.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator
    from typing import Any

    from kafkacompat.steps import Steps

PIECES_PER_YIELD = 25
WALKED_DEPTH = 4
"""Members are encoded one by one down to this depth, that of a partition in `/v1/topics`; what is below, as a whole."""


class Turns:
    """An awaitable that runs a coroutine and reports how long each of its turns took.

    clock_ms: a monotonic clock. took: gets the duration and the end of each turn, in ms of that clock.
    """

    def __init__(
        self, coroutine: Coroutine[Any, Any, object], clock_ms: Callable[[], int], took: Callable[[int, int], None]
    ) -> None:
        self._coroutine = coroutine
        self._clock_ms = clock_ms
        self._took = took

    def __await__(self) -> Generator[Any, Any, Any]:
        step: Callable[[], object] = lambda: self._coroutine.send(None)  # noqa: E731 (it is bound again below)
        while True:
            began_ms = self._clock_ms()
            try:
                awaited = step()
            except StopIteration as end:
                return end.value
            finally:
                ended_ms = self._clock_ms()
                self._took(ended_ms - began_ms, ended_ms)
            try:
                sent = yield awaited
                step = _sender(self._coroutine, sent)
            except GeneratorExit:
                self._coroutine.close()
                raise
            except BaseException as error:  # noqa: BLE001 (a cancellation, for one, goes on to the coroutine)
                step = _thrower(self._coroutine, error)


def _sender(coroutine: Coroutine[Any, Any, object], value: object) -> Callable[[], object]:
    return lambda: coroutine.send(value)


def _thrower(coroutine: Coroutine[Any, Any, object], error: BaseException) -> Callable[[], object]:
    return lambda: coroutine.throw(error)


def as_json(value: object) -> Steps[bytes]:
    """JSON with a line end. NamedTuples become objects; bytes, as everything of Kafka's that is not text, base64."""
    found: list[str] = []
    for piece in _pieces(value, WALKED_DEPTH):
        found.append(piece)
        if len(found) % PIECES_PER_YIELD == 0:
            yield PIECES_PER_YIELD
    found.append("\n")
    return "".join(found).encode()


def _pieces(value: object, depth: int) -> Iterator[str]:
    """The text of a value, in pieces of about a partition."""
    if depth and isinstance(value, dict) and value:
        between = "{"
        for name, member in value.items():
            yield f"{between}{json.dumps(str(name))}: "
            yield from _pieces(member, depth - 1)
            between = ", "
        yield "}"
    elif depth and isinstance(value, list) and value:
        between = "["
        for member in value:
            yield between
            yield from _pieces(member, depth - 1)
            between = ", "
        yield "]"
    else:
        yield json.dumps(plain(value))


def plain(value: object) -> object:
    """The value in types that JSON has."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(member) for name, member in value._asdict().items()}
    if isinstance(value, dict):
        return {str(name): plain(member) for name, member in value.items()}
    if isinstance(value, (bytes, bytearray, memoryview)):
        from base64 import b64encode

        return b64encode(value).decode()
    if isinstance(value, (list, tuple, set, frozenset, Iterator)):
        return [plain(member) for member in value]
    return value
