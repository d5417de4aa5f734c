"""Frames that cannot be understood, on many connections to every listener at once."""

from __future__ import annotations

import random
import socket
import struct
import time
from collections.abc import Iterator
from typing import Any

from kafkacompat.broker.registry import APIS_OF
from kafkacompat.protocol.headers import RequestHeader, decode_request_header, encode_request_header
from kafkacompat.protocol.messages import produce
from kafkacompat.protocol.messages.api_versions import ApiVersionsRequest
from kafkacompat.protocol.primitives import MalformedMessageError
from tests.fuzz.messages import Pools, Sender
from tests.fuzz.mutations import mutate
from tests.fuzz.session import request_kinds
from tests.robustness.client import frame_of
from tests.robustness.live import Server, Three, watched

CONNECTIONS = 50
NONSENSE_SHARE = 0.1
RST = struct.pack("ii", 1, 0)
CLOSED_WITHIN_S = 20.0
CANARY_P99_MAX_S = 1.0
GROWTH_MAX_MB = 64.0
WARM_UP = 500


def nonsense(rng: random.Random) -> bytes:
    """What a peer may send that is no client."""
    good = frame_of(ApiVersionsRequest("kafkacompat", "1"), 3)
    return rng.choice(
        (
            b"GET / HTTP/1.1\r\nHost: kafka\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + rng.randbytes(300),  # TLS
            struct.pack(">i", -1),
            struct.pack(">i", 2**31 - 1) + rng.randbytes(1000),
            struct.pack(">i", 100 * 1024 * 1024) + rng.randbytes(1000),
            struct.pack(">i", 20) + rng.randbytes(20),
            struct.pack(">i", 0) * 50,
            good[: rng.randrange(1, len(good))],
            good + good[:7],
            rng.randbytes(rng.randrange(1, 5000)),
        )
    )


def is_malformed(frame: bytes, listener: str) -> bool:
    """Whether the connection has to be closed: a frame that was changed may still be a request."""
    try:
        header, position = decode_request_header(frame)
        api = APIS_OF[listener].get(header.api_key)
        if api is not None and api.min_version <= header.api_version <= api.max_version:
            api.messages.decode_request(frame, position, header.api_version)
            return False
    except MalformedMessageError:
        return True
    return api is None or api.stem != "api_versions"  # which is answered in whatever version


def malformed_frames(listener: str, rng: random.Random) -> Iterator[bytes]:
    """Without end, without their sizes."""
    sender = Sender(rng, Pools(("orders", "canary")))
    kinds = request_kinds(listener)
    while True:
        api, kind = rng.choice(kinds)
        lowest = 3 if api.key == produce.API_KEY else api.min_version  # older ones are told of, and not served
        version = rng.randint(lowest, api.max_version)
        out: list[Any] = []
        api.messages.encode_request(sender.request(kind, version), version, out)
        header = encode_request_header(RequestHeader(api.key, version, rng.randrange(1 << 31), "garbage"))
        frame = mutate(header + b"".join(map(bytes, out)), rng)
        if is_malformed(frame, listener):
            yield frame


class Slot:
    """One connection after another to one listener; each gets one frame that closes it, or something worse."""

    def __init__(self, port: int, frames: Iterator[bytes], rng: random.Random) -> None:
        self._port, self._frames, self._rng = port, frames, rng
        self._sock: socket.socket | None = None
        self._must_close = False

    def turn(self) -> None:
        """See that the last one was closed, and send the next."""
        self.drop()
        sock = self._sock = socket.create_connection(("127.0.0.1", self._port), CLOSED_WITHIN_S)
        self._must_close = self._rng.random() >= NONSENSE_SHARE
        if self._must_close:
            frame = next(self._frames)
            data = struct.pack(">i", len(frame)) + frame
        else:
            data = nonsense(self._rng)
        try:
            sock.sendall(data)
        except ConnectionError:
            return  # closed already, as it should be

    def forget(self) -> None:
        """Close what is open, whatever it is."""
        if self._sock is not None:
            self._sock.close()

    def drop(self) -> None:
        """Forget the connection. Fails when it should have been closed and was not."""
        sock, self._sock = self._sock, None
        if sock is None:
            return
        with sock:
            if self._must_close and self._rng.random() < 0.7:
                try:
                    while sock.recv(65536):
                        pass
                except ConnectionError:
                    pass
            else:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RST)


def send_garbage(targets: list[tuple[int, str]], count: int, seed: int) -> None:
    """`count` frames to these listeners in turns, on CONNECTIONS connections at a time."""
    rng = random.Random(seed)
    frames = {kind: malformed_frames(kind, random.Random(f"{seed} {kind}")) for _, kind in targets}
    slots = []
    for number in range(CONNECTIONS):
        port, kind = targets[number % len(targets)]
        slots.append(Slot(port, frames[kind], rng))
    try:
        for number in range(count):
            slots[number % CONNECTIONS].turn()
        for slot in slots:
            slot.drop()
    finally:
        for slot in slots:
            slot.forget()


def run(server: Server | Three, count: int, seed: int) -> tuple[list[str], str]:
    """What is wrong, and what was seen."""
    with watched(server, warm_up=lambda: send_garbage(server.targets, WARM_UP, seed)) as (canary, growth):
        began = time.monotonic()
        send_garbage(server.targets, count, seed + 1)
        took_s = time.monotonic() - began
    found = []
    if canary.p99_s >= CANARY_P99_MAX_S:
        found.append(f"one in a hundred rounds of the canary took {canary.p99_s:.2f} s")
    if growth.most_mb > GROWTH_MAX_MB:
        found.append(f"a broker grew by {growth.most_mb:.0f} MB")
    return found, (
        f"{count} malformed frames to {len(server.targets)} listeners in {took_s:.0f} s; canary: {len(canary.took_s)} "
        f"rounds, p99 {canary.p99_s * 1000:.0f} ms, slowest {max(canary.took_s) * 1000:.0f} ms; "
        f"memory +{growth.most_mb:.1f} MB at most"
    )
