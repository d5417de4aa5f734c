"""forward PID ADDRESS DESCRIPTOR:CONTAINER_PORT ...: what an engine does for mapped ports. Descriptors are sockets that
listen already.

Those inside see a peer that is not on their loopback. Sockets that were bound before the change of the network
namespace are outside, later ones are inside.
"""

import contextlib
import ctypes
import os
import socket
import sys
import threading
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)


def enter(pid: str, kind: str) -> None:
    theirs, own = Path(f"/proc/{pid}/ns/{kind}"), Path(f"/proc/self/ns/{kind}")
    if theirs.readlink() != own.readlink() and LIBC.setns(os.open(theirs, os.O_RDONLY), 0):
        sys.exit(f"setns {kind}: {os.strerror(ctypes.get_errno())}")


def pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := source.recv(65536):
            target.sendall(piece)
    for sock in (source, target):
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)


def serve(listener: socket.socket, address: str, port: int) -> None:
    while True:
        outer, _ = listener.accept()
        try:
            inner = socket.create_connection((address, port))
        except OSError:
            outer.close()
            continue
        for ends in ((outer, inner), (inner, outer)):
            threading.Thread(target=pump, args=ends, daemon=True).start()


def main() -> None:
    pid, address, *pairs = sys.argv[1:]
    listeners = [(socket.socket(fileno=int(pair.split(":")[0])), int(pair.split(":")[1])) for pair in pairs]
    enter(pid, "user")
    enter(pid, "net")
    for listener, port in listeners:
        threading.Thread(target=serve, args=(listener, address, port), daemon=True).start()
    sys.stdout.write("forwarding\n")
    sys.stdout.flush()
    sys.stdin.read()


main()
