"""Who may use the control API."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafkacompat.control_api.http.access import Access
from kafkacompat.control_api.http.http import Request
from kafkacompat.control_api.http.problems import ProblemError
from tests.control_api.harness import Api, serving


@pytest.fixture(scope="module")
def api() -> Iterator[Api]:
    with serving() as (_, api):
        yield api


def request(peer: str = "127.0.0.1", method: str = "GET", body: bytes = b"", **headers: str) -> Request:
    given = {"host": "localhost:9644", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return Request(method, "/", given, body, peer, "127.0.0.1")


def refusal(access: Access, asked: Request, path: str = "/v1/cluster") -> int | None:
    try:
        access.check(asked, path)
    except ProblemError as problem:
        return problem.status
    return None


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:9644", "[::1]:9644", "127.9.9.9"])
def test_this_computer_needs_no_token(host: str) -> None:
    for peer in ("127.0.0.1", "::1", "::ffff:127.0.0.1"):
        assert refusal(Access(), request(peer, host=host)) is None


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:9644",
        "",
        "localhost.evil.example",
        "10.0.0.1",
        "[::2]",
        "127.evil.example",
        "127.0.0.1.evil.example",
        "127.0.0.1.evil.example:9644",
        "[::1].evil.example",
        "::ffff:127.evil.example",
        "localhost:x",
        "127.0.0.1@evil.example",
    ],
)
def test_a_name_that_points_here_is_refused(host: str) -> None:
    assert refusal(Access(), request(host=host)) == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:3000", "https://localhost:9644"])
def test_pages_of_other_origins_are_refused(origin: str) -> None:
    assert refusal(Access(), request(origin=origin)) == 403
    assert refusal(Access(), request(origin="http://localhost:9644")) is None


def test_a_browser_that_says_it_comes_from_elsewhere_is_refused() -> None:
    for site, expected in (("cross-site", 403), ("same-site", 403), ("same-origin", None), ("none", None)):
        assert refusal(Access(), request(sec_fetch_site=site)) == expected


def test_other_computers_need_the_token() -> None:
    there = "192.168.1.7"
    assert refusal(Access(), request(there)) == 401
    assert refusal(Access("secret"), request(there)) == 401
    assert refusal(Access("secret"), request(there, authorization="Bearer other")) == 401
    assert refusal(Access("secret"), request(there, authorization="Basic secret")) == 401
    assert refusal(Access("secret"), request(there, authorization="Bearer secret", host="broker:9644")) is None
    assert refusal(Access("secret"), request(authorization="Bearer other")) == 401  # also from here


def test_probes_are_open_only_where_that_is_wanted() -> None:
    for path in ("/healthz", "/readyz", "/metrics"):
        assert refusal(Access(), request("10.0.0.1", host="pod"), path) == 401
        assert refusal(Access(None, are_probes_open=True), request("10.0.0.1", host="pod"), path) is None
    assert refusal(Access(None, are_probes_open=True), request("10.0.0.1", host="pod")) == 401


def test_what_a_form_of_a_web_page_can_send_is_not_taken(api: Api) -> None:
    for media_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        answered = api.send("POST", "/v1/reset", headers={"content-type": media_type}, raw=b"{}")
        assert answered.status in (404, 415)
    with pytest.raises(ProblemError) as refused:
        Access().check_change(request(method="POST"), changes=True)
    assert refused.value.status == 415


def test_data_of_the_user_are_changed_only_with_consent() -> None:
    asked = request(method="POST", content_type="application/json; charset=utf-8")
    with pytest.raises(ProblemError, match="--allow-faults") as refused:
        Access(allows_changes=False).check_change(asked, changes=True)
    assert refused.value.status == 403
    Access(allows_changes=False).check_change(asked, changes=False)
    Access().check_change(asked, changes=True)


def test_a_foreign_page_gets_nothing_over_the_wire(api: Api) -> None:
    assert api.send("GET", "/v1/cluster", headers={"origin": "http://evil.example"}).status == 403
    assert api.send("OPTIONS", "/v1/cluster").status == 405
    assert "access-control-allow-origin" not in api.send("GET", "/v1/cluster").headers


CROSS = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "origin": "http://evil.example"}
FORM = "application/x-www-form-urlencoded"
BROWSER: dict[str, tuple[int, str, dict[str, str]]] = {
    "fetch of another site, no-cors": (403, "POST", {**CROSS, "content-type": "text/plain"}),
    "a form of another site": (403, "POST", {**CROSS, "content-type": FORM, "sec-fetch-mode": "navigate"}),
    "a form of an old browser": (403, "POST", {"origin": "http://evil.example", "content-type": FORM}),
    "a form without an origin": (415, "POST", {"content-type": FORM}),
    "sendBeacon": (403, "POST", {**CROSS, "content-type": "text/plain;charset=UTF-8"}),
    "a request after a preflight": (403, "POST", {**CROSS, "content-type": "application/json"}),
    "DELETE after a preflight": (403, "DELETE", {**CROSS, "sec-fetch-mode": "cors"}),
    "the preflight": (403, "OPTIONS", {**CROSS, "access-control-request-method": "POST"}),
    "the preflight for a private network": (
        403, "OPTIONS", {"origin": "https://evil.example", "access-control-request-private-network": "true"},
    ),
    "a picture": (403, "GET", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}),
    "a page of another port": (403, "GET", {"sec-fetch-site": "same-site", "origin": "http://localhost:3000"}),
    "a sandboxed frame": (403, "POST", {"origin": "null", "content-type": "application/json"}),
    "a page that resolves its name anew": (
        421, "POST", {
            "host": "evil.example:9644", "origin": "http://evil.example:9644", "sec-fetch-site": "same-origin",
            "content-type": "application/json",
        },
    ),
    "a WebSocket": (
        403, "GET", {
            "origin": "http://evil.example", "upgrade": "websocket", "connection": "upgrade",
            "sec-websocket-version": "13", "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
        },
    ),
    "a link on another site": (403, "GET", {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}),
    "the address typed": (200, "GET", {"sec-fetch-site": "none", "sec-fetch-mode": "navigate"}),
}  # fmt: skip
"""What browsers send for web pages, with the answer."""


@pytest.mark.parametrize("what", BROWSER)
def test_what_browsers_send_for_web_pages_changes_and_tells_nothing(api: Api, what: str) -> None:
    status, method, headers = BROWSER[what]
    target = "/v1/clock/freeze" if method == "POST" else "/v1/faults" if method == "DELETE" else "/v1/clock"
    answered = api.send(method, target, headers=headers, raw=b"{}" if method == "POST" else None)
    assert answered.status == status, answered
    assert not [name for name in answered.headers if name.startswith("access-control-")]
    assert api.get("/v1/clock")["is_frozen"] is False


def test_the_token_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []
    monkeypatch.setattr("hmac.compare_digest", lambda one, other: bool(compared.append((one, other))))
    assert refusal(Access("secret"), request(authorization="Bearer s")) == 401
    assert compared == [(b"s", b"secret")]
