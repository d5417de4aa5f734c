"""Who may use the control API, and for what.

From this computer no token is needed, so each page that the developer's browser shows could send requests: what a
browser says of their origin is checked. From elsewhere a token is needed.
"""

from __future__ import annotations

from typing import NamedTuple

from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.server.control_listener import TOKEN_VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.control_api.http.http import Request

PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
JSON_TYPE = "application/json"
_THIS_COMPUTER = frozenset({"localhost", "127.0.0.1", "::1"})


class Access(NamedTuple):
    """The rules of one port.

    token: what others than this computer have to send; None refuses them. are_probes_open: PROBES need no token.
    allows_changes: False for a broker with the user's data, unless it was started with --allow-faults.
    """

    token: str | None = None
    are_probes_open: bool = False
    allows_changes: bool = True

    def check(self, request: Request, path: str) -> None:
        """Refuse a request that may not be made. Raises ProblemError."""
        if self.token is not None and _bearer(request) is not None:
            if not _is_same(_bearer(request) or "", self.token):
                raise _needs_token("the token is another one")
            return
        if path in PROBES and self.are_probes_open:
            return
        if not _is_loopback(request.peer):
            raise _needs_token("requests from other computers need a token")
        _check_host(request)
        _check_origin(request)

    def check_change(self, request: Request, *, changes: bool, takes_json: bool = True) -> None:
        """Refuse what changes something where that is not allowed, or what is not JSON. Raises ProblemError."""
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if takes_json and (request.method in ("POST", "PUT") or request.body) and media_type != JSON_TYPE:
            raise ProblemError(
                415, "not-json", "send the header content-type: application/json (curl --json does), and JSON"
            )
        if changes and not self.allows_changes:
            raise ProblemError(
                403, "data-of-the-user",
                "this broker has a data directory of yours, so the control API changes nothing: start it with "
                "--allow-faults to permit that",
            )  # fmt: skip


def _bearer(request: Request) -> str | None:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def _is_same(one: str, other: str) -> bool:
    import hmac

    return hmac.compare_digest(one.encode(), other.encode())


def _needs_token(why: str) -> ProblemError:
    return ProblemError(
        401, "token", f"{why}: start the broker with {TOKEN_VARIABLE} set, and send authorization: Bearer TOKEN",
        headers=[("www-authenticate", "Bearer")],
    )  # fmt: skip


def _is_loopback(address: str) -> bool:
    """Whether it is an address of this computer. A name is none, even one like 127.example."""
    parts = address.removeprefix("::ffff:").split(".")
    is_ipv4 = len(parts) == 4 and all(part.isascii() and part.isdigit() for part in parts)
    return address == "::1" or (is_ipv4 and parts[0] == "127")


def _check_host(request: Request) -> None:
    """A web page reaches us under a name of its own, whose owner lets it point here (DNS rebinding)."""
    host = _host_of(request.headers.get("host", ""))
    if host not in _THIS_COMPUTER and not _is_loopback(host):
        raise ProblemError(
            421, "host", f"the header Host names {host!r:.100}: call this computer localhost, 127.0.0.1 or [::1]"
        )


def _check_origin(request: Request) -> None:
    origin = request.headers.get("origin")
    is_own = origin is None or origin.lower() == f"http://{request.headers.get('host', '').lower()}"
    if not is_own or request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        raise ProblemError(403, "origin", "requests of web pages from elsewhere are refused")


def _host_of(authority: str) -> str:
    """The host in a Host header, without port and brackets; all of it if it is not of that form."""
    authority = authority.strip().lower()
    host, colon, port = authority.rpartition(":")
    if not colon or not port.isdigit():
        host = authority
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host
