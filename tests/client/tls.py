"""A TLS listener in front of a plain one, with one of the certificates in `certificates/`.

`ca.pem` has signed `localhost.pem`, `elsewhere.pem` (for kafka.example) and `expired.pem` (until 2021).
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CERTIFICATES = Path(__file__).with_name("certificates")
CA = str(CERTIFICATES / "ca.pem")


@contextmanager
def tls_in_front_of(address: str, certificate: str = "localhost") -> Iterator[int]:
    """The port of a TLS listener that passes everything on to `address`."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(CERTIFICATES / f"{certificate}.pem")
    host, _, port = address.rpartition(":")
    sockets: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def start(target: object, *arguments: object) -> None:
        threads.append(threading.Thread(target=target, args=arguments))  # type: ignore[arg-type]
        threads[-1].start()

    def serve(plain: socket.socket) -> None:
        with contextlib.suppress(OSError):
            inner = context.wrap_socket(plain, server_side=True)
            outer = socket.create_connection((host, int(port)))
            sockets.extend((inner, outer))
            start(pass_on, outer, inner)
            pass_on(inner, outer)

    def pass_on(source: socket.socket, to: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                to.sendall(data)
        with contextlib.suppress(OSError):
            to.shutdown(socket.SHUT_RDWR)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                plain, _ = server.accept()
                sockets.append(plain)
                start(serve, plain)

    with socket.create_server(("127.0.0.1", 0)) as server:
        start(accept)
        try:
            yield server.getsockname()[1]
        finally:
            with contextlib.suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
    for opened in sockets:
        with contextlib.suppress(OSError):
            opened.shutdown(socket.SHUT_RDWR)
        opened.close()
    for thread in threads:
        thread.join(10)
    for opened in sockets:
        opened.close()
