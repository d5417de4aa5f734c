"""TLS and credentials of a client, and the TLS handshake."""

from __future__ import annotations

from typing import NamedTuple

from kafkacompat.client.errors import ExpiredError, SecurityError, UnreachableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    import ssl


class Security(NamedTuple):
    """How a client protects connections and who it is. `mechanism` is PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512.

    `verify`: whether an authority must have signed the broker's certificate. `checks_host_name`: whether that must be
    for the host, too.
    """

    tls: bool = False
    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None
    key_password: str | None = None
    verify: bool = True
    checks_host_name: bool = True
    mechanism: str | None = None
    user: str = ""
    password: str = ""


def context_of(security: Security) -> ssl.SSLContext:
    """The settings of TLS. Raises SecurityError for files that cannot be read."""
    import ssl

    try:
        context = ssl.create_default_context(cafile=security.ca_file)
        context.check_hostname = security.verify and security.checks_host_name
        if not security.verify:
            context.verify_mode = ssl.CERT_NONE
        if security.cert_file:
            context.load_cert_chain(security.cert_file, security.key_file, security.key_password or "")
    except (OSError, ssl.SSLError) as error:
        files = ", ".join(filter(None, (security.ca_file, security.cert_file, security.key_file)))
        raise SecurityError(f"certificates in {files} cannot be used: {error}") from None
    return context


def wrap(sock: socket.socket, host: str, security: Security, address: str) -> ssl.SSLSocket:
    """Shake hands. Raises SecurityError, UnreachableError, ExpiredError."""
    import ssl

    try:
        return context_of(security).wrap_socket(sock, server_hostname=host)
    except ssl.SSLCertVerificationError as error:
        raise SecurityError(f"{address}: the certificate is not accepted: {error.verify_message}") from None
    except TimeoutError:
        raise ExpiredError(f"{address} does not answer the TLS handshake") from None
    except ssl.SSLError as error:
        reason = (error.reason or str(error)).replace("_", " ").lower()
        raise SecurityError(f"{address}: no TLS: {reason}; does the listener speak TLS?") from None
    except OSError as error:
        reason = error.strerror or "it closed the connection"
        raise UnreachableError(f"{address}: {reason} during the TLS handshake") from None
