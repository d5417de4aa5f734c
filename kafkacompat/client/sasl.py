"""SASL with PLAIN and SCRAM (RFC 5802), over SaslHandshake and SaslAuthenticate."""

from __future__ import annotations

import time

from kafkacompat.client.errors import NoSaslError, SecurityError, UnsupportedApiError
from kafkacompat.protocol import error_codes
from kafkacompat.protocol.messages import sasl_authenticate, sasl_handshake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from kafkacompat.client.security import Security

    Call = Callable[[ModuleType, object, float], Any]

HASHES = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
MECHANISMS = ("PLAIN", *HASHES)
MAX_ITERATIONS = 1_000_000
"""Kafka has 4,096 to 16,384; a server must not keep a client computing."""


def authenticate(address: str, call: Call, security: Security, deadline_s: float) -> None:
    """Authenticate a new connection by `call(messages, request, timeout_s)`. Raises SecurityError."""
    mechanism = security.mechanism or ""
    if mechanism not in MECHANISMS:
        raise SecurityError(f"this client has no SASL mechanism {mechanism}: use one of {', '.join(MECHANISMS)}")
    try:
        answer = call(sasl_handshake, sasl_handshake.SaslHandshakeRequest(mechanism), _left_s(deadline_s))
    except UnsupportedApiError:
        raise NoSaslError(address) from None
    if answer.error_code == error_codes.ILLEGAL_SASL_STATE:
        raise NoSaslError(address)
    if answer.error_code != error_codes.NONE:
        offered = tuple(answer.mechanisms)
        if offered:
            reason = f"it offers {', '.join(offered)}, not {mechanism}"
        else:
            reason = f"it refuses SASL ({error_codes.name(answer.error_code)})"
        raise SecurityError(f"{address}: {reason}", offered)

    def exchange(message: bytes) -> bytes:
        request = sasl_authenticate.SaslAuthenticateRequest(message)
        reply = call(sasl_authenticate, request, _left_s(deadline_s))
        if reply.error_code != error_codes.NONE:
            reason = reply.error_message or error_codes.name(reply.error_code)
            raise SecurityError(f"{address} refuses user {security.user!r}: {reason}")
        return bytes(reply.auth_bytes)

    if mechanism == "PLAIN":
        exchange(f"\0{security.user}\0{security.password}".encode())
        return
    import base64
    import os

    scram = Scram(HASHES[mechanism], security.user, security.password, base64.b64encode(os.urandom(24)).decode())
    try:
        final = scram.final(exchange(scram.first().encode()).decode())
        scram.check(exchange(final.encode()).decode())
    except ValueError as error:
        raise SecurityError(f"{address}: SCRAM fails: {error}") from None


def _left_s(deadline_s: float) -> float:
    return max(deadline_s - time.monotonic(), 0.001)


class Scram:
    """A client's side of one SCRAM exchange. Methods raise ValueError for what a sound server does not say."""

    def __init__(self, hash_name: str, user: str, password: str, nonce: str) -> None:
        self._hash = hash_name
        self._password = password
        self._nonce = nonce
        self._bare = f"n={user.replace('=', '=3D').replace(',', '=2C')},r={nonce}"
        self._server_signature = b""

    def first(self) -> str:
        """The first message."""
        return f"n,,{self._bare}"

    def final(self, server_first: str) -> str:
        """The answer to the server's first message: the proof."""
        import base64
        import hashlib
        import hmac

        fields = _fields(server_first)
        nonce, iterations = fields["r"], int(fields["i"])
        if not nonce.startswith(self._nonce):
            raise ValueError("the server's nonce does not begin with ours")
        if not 1 <= iterations <= MAX_ITERATIONS:
            raise ValueError(f"{iterations} iterations")
        salted = hashlib.pbkdf2_hmac(self._hash, self._password.encode(), base64.b64decode(fields["s"]), iterations)

        def sign(key: bytes, message: bytes) -> bytes:
            return hmac.digest(key, message, self._hash)

        client_key = sign(salted, b"Client Key")
        without_proof = f"c=biws,r={nonce}"
        message = f"{self._bare},{server_first},{without_proof}".encode()
        signature = sign(hashlib.new(self._hash, client_key).digest(), message)
        self._server_signature = sign(sign(salted, b"Server Key"), message)
        proof = bytes(one ^ other for one, other in zip(client_key, signature, strict=True))
        return f"{without_proof},p={base64.b64encode(proof).decode()}"

    def check(self, server_final: str) -> None:
        """The server proves that it knows the password too."""
        import base64
        import hmac

        fields = _fields(server_final)
        if "e" in fields:
            raise ValueError(fields["e"])
        if not hmac.compare_digest(base64.b64decode(fields["v"]), self._server_signature):
            raise ValueError("the server does not know the password")


def _fields(message: str) -> dict[str, str]:
    fields = dict(part.partition("=")[::2] for part in message.split(","))
    if not fields.keys() & {"r", "v", "e"}:
        raise ValueError(f"the server says {message[:40]!r}")
    missing = {"s", "i"} - fields.keys() if "r" in fields else set()
    if missing:
        raise ValueError("the server's message lacks salt or iterations")
    return fields
