"""What the control API answers instead of a result: problem details (RFC 9457)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

URN = "urn:kafkacompat:problem:"
MEDIA_TYPE = "application/problem+json"
DISTANCE = 0.6
"""How alike a name has to be to be suggested, from 0 to 1 (difflib's ratio)."""

_TITLES = {
    400: "Bad request",
    401: "A token is needed",
    403: "Refused",
    404: "Not found",
    405: "Method not allowed",
    408: "The wait ran out",
    409: "Not possible in this state",
    413: "The body is too large",
    415: "Not JSON",
    421: "Not addressed to this computer",
    422: "It can never take effect",
    429: "Too many at once",
    431: "The header is too large",
    500: "A bug",
    501: "Not implemented",
    503: "Not now",
    507: "No room",
}


class FieldError:
    """One mistake in a request.

    pointer: a JSON pointer into the body, or `query/NAME`. did_you_mean: what exists and looks like it, else None.
    """

    __slots__ = ("did_you_mean", "message", "pointer")

    def __init__(self, pointer: str, message: str, did_you_mean: str | None = None) -> None:
        self.pointer = pointer
        self.message = message
        self.did_you_mean = did_you_mean

    def as_dict(self) -> dict[str, str]:
        """As in `errors` of a problem."""
        found = {"pointer": self.pointer, "message": self.message}
        return found if self.did_you_mean is None else {**found, "did_you_mean": self.did_you_mean}


class ProblemError(Exception):
    """Ends a request with a problem.

    status: the HTTP status. name: the last part of the stable type URN. detail: a sentence that says what to do.
    headers: more headers of the response. members: more members of the problem.
    """

    def __init__(
        self,
        status: int,
        name: str,
        detail: str,
        *,
        errors: Iterable[FieldError] = (),
        headers: Iterable[tuple[str, str]] = (),
        members: dict[str, object] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.name = name
        self.detail = detail
        self.errors = list(errors)
        self.headers = list(headers)
        self.members = members or {}

    def as_dict(self) -> dict[str, object]:
        """The body of the response."""
        body: dict[str, object] = {
            "type": URN + self.name, "title": _TITLES.get(self.status, "Error"), "status": self.status,
            "detail": self.detail,
        }  # fmt: skip
        if self.errors:
            body["errors"] = [error.as_dict() for error in self.errors]
        return {**body, **self.members}


def alike(name: str, known: Iterable[str]) -> str | None:
    """The known name that looks most like this one; None if none does."""
    from difflib import get_close_matches

    found = get_close_matches(name[:100], list(known), n=1, cutoff=DISTANCE)
    return found[0] if found else None
