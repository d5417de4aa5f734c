"""Responses and parts of responses that are not sent: the files behind them are released."""

from kafkacompat.broker.answers import Encoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from kafkacompat.broker.answers import Response


def release(response: "Response") -> None:
    """Release the files behind a response."""
    if isinstance(response, Encoded):
        _release(response.parts)
        return
    for topic in getattr(response, "responses", None) or ():
        release_records(getattr(topic, "partitions", ()))


def release_records(answers: "Iterable[Any]") -> None:
    """Release the records of these partitions of a fetch; other answers have none."""
    _release(answer.records for answer in answers if hasattr(answer, "records"))


def _release(parts: "Iterable[Any]") -> None:
    for each in parts:
        if hasattr(each, "release") and not isinstance(each, memoryview):
            each.release()
