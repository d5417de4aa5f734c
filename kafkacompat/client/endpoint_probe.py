"""Looks at one address: what the name stands for, who listens, and what it speaks."""

from __future__ import annotations

import socket
import time

from kafkacompat.client import errors
from kafkacompat.client.connection import Connection, address_of, describe_bytes
from kafkacompat.client.security import Security
from kafkacompat.protocol import error_codes as codes

CLIENT_ID = "kafkacompat-doctor"
MAX_ADDRESSES = 20
_NO_MECHANISM = "?"
NO_SASL = "the listener wants no SASL"


class Probe:
    """What was found at an address. `failure` is None if it speaks Kafka as asked, else one of: unresolved, refused,
    silent, mute, wants-tls, wants-plain, not-kafka, certificate, sasl, lost.

    `outcomes` says of each address behind the name whether it is open, refused or silent. `mechanisms` are set if the
    listener wants SASL.
    """

    def __init__(self, host: str, port: int, timeout_s: float) -> None:
        self.host = host
        self.port = port
        self.timeout_s = timeout_s
        self.address = address_of(host, port)
        self.addresses: list[str] = []
        self.outcomes: dict[str, str] = {}
        self.failure: str | None = None
        self.detail = ""
        self.is_tls = False
        self.versions: dict[int, tuple[int, int]] = {}
        self.mechanisms: tuple[str, ...] = ()
        self.certificate_names = self.valid_from = self.valid_to = ""


def probe(host: str, port: int, *, security: Security | None, timeout_s: float) -> Probe:
    """Look at an address as a client with this security would. Never raises ClientError."""
    found = Probe(host, port, timeout_s)
    _resolve(found)
    if found.failure is None:
        _connect(found)
    if found.failure is None:
        _speak(found, security)
    return found


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, by its name or address."""
    return host in ("localhost", "::1", "0.0.0.0", "::") or host.startswith("127.")  # noqa: S104 (advertised, not bound)


def _resolve(found: Probe) -> None:
    try:
        rows = socket.getaddrinfo(found.host, found.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        found.failure = "unresolved"
        return
    found.addresses = list(dict.fromkeys(str(row[4][0]) for row in rows))[:MAX_ADDRESSES]


def _connect(found: Probe) -> None:
    for address in found.addresses:
        try:
            socket.create_connection((address, found.port), timeout=found.timeout_s).close()
            found.outcomes[address] = "open"
        except ConnectionRefusedError:
            found.outcomes[address] = "refused"
        except OSError:  # no route, no answer
            found.outcomes[address] = "silent"
    if "open" not in found.outcomes.values():
        found.failure = "refused" if "refused" in found.outcomes.values() else "silent"


def _speak(found: Probe, security: Security | None) -> None:
    wants_tls = security is not None and security.tls
    try:
        with_all = Connection(found.host, found.port, security=security, client_id=CLIENT_ID, timeout_s=found.timeout_s)
    except errors.ClientError as error:
        _explain(found, error, security)
        return
    found.versions, found.is_tls = with_all.versions, wants_tls
    with_all.close()
    if wants_tls:
        _read_certificate(found)
    if security is None or security.mechanism is None:
        found.mechanisms = offered_mechanisms(found, security)


def _explain(found: Probe, error: errors.ClientError, security: Security | None) -> None:
    """Name the cause of a connection that failed, by asking in other ways."""
    found.detail = str(error).partition(": ")[2] or str(error)
    wants_tls = security is not None and security.tls
    if isinstance(error, errors.NoSaslError):
        found.failure, found.detail = "sasl", NO_SASL
    elif isinstance(error, errors.SecurityError) and (error.mechanisms or "user" in str(error) or "SASL" in str(error)):
        found.failure, found.mechanisms = "sasl", error.mechanisms
    elif isinstance(error, errors.SecurityError) and "certificate is not accepted" in str(error):
        found.failure = "certificate"
        found.detail = found.detail.removeprefix("the certificate is not accepted: ")
        _read_certificate(found)
    elif isinstance(error, errors.UnknownPeerError) and error.received[:1] not in (b"\x15", b"\x16"):
        found.failure, found.detail = "not-kafka", describe_bytes(error.received[:16])
    elif wants_tls:
        found.failure = "wants-plain" if _speaks(found, None) else _failure_of(error)
    elif _speaks(found, Security(tls=True, verify=False)) or isinstance(error, errors.UnknownPeerError):
        found.failure = "wants-tls"
    else:
        found.failure = _failure_of(error)


def _failure_of(error: errors.ClientError) -> str:
    return "mute" if isinstance(error, errors.ExpiredError) else "lost"


def _speaks(found: Probe, security: Security | None) -> bool:
    """Whether Kafka answers that way; with TLS a handshake is enough, as the rest may need a client's certificate."""
    if security is not None:
        from kafkacompat.client.security import wrap

        try:
            with socket.create_connection((found.host, found.port), timeout=found.timeout_s) as plain:
                wrap(plain, found.host, security, found.address).close()
        except (errors.ClientError, OSError):
            return False
        return True
    try:
        Connection(found.host, found.port, security=None, client_id=CLIENT_ID, timeout_s=found.timeout_s).close()
    except errors.ClientError:
        return False
    return True


def offered_mechanisms(found: Probe, security: Security | None) -> tuple[str, ...]:
    """The SASL mechanisms of a listener, () if it wants none: asked with a mechanism that does not exist."""
    from kafkacompat.protocol.messages import sasl_handshake as messages

    if messages.API_KEY not in found.versions:
        return ()
    try:
        connection = Connection(
            found.host, found.port, security=security, client_id=CLIENT_ID, timeout_s=found.timeout_s
        )
        try:
            answer = connection.call(messages, messages.SaslHandshakeRequest(_NO_MECHANISM), timeout_s=found.timeout_s)
        finally:
            connection.close()
    except errors.ClientError:
        return ()
    return tuple(answer.mechanisms) if answer.error_code == codes.UNSUPPORTED_SASL_MECHANISM else ()


def _read_certificate(found: Probe) -> None:
    """Names and dates of the certificate, whether it is accepted or not; nothing where Python cannot tell."""
    import ssl
    import tempfile

    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with (
            socket.create_connection((found.host, found.port), timeout=found.timeout_s) as plain,
            context.wrap_socket(plain, server_hostname=found.host) as wrapped,
        ):
            pem = ssl.DER_cert_to_PEM_cert(wrapped.getpeercert(binary_form=True) or b"")
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
            file.write(pem)
            file.flush()
            decoded = ssl._ssl._test_decode_cert(file.name)  # type: ignore[attr-defined]  # noqa: SLF001
    except (OSError, ValueError, AttributeError):
        return
    names = [value for _, value in decoded.get("subjectAltName", ())]
    found.certificate_names = ", ".join(names) or "no name"
    found.valid_from, found.valid_to = _day(decoded["notBefore"]), _day(decoded["notAfter"])


def _day(text: str) -> str:
    import ssl

    return time.strftime("%Y-%m-%d", time.gmtime(ssl.cert_time_to_seconds(text)))
