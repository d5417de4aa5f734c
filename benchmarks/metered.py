"""`kafkacompat serve` with a meter around every turn of asyncio's loop, and how another process reads the meter.

Each connection to the Unix socket that is named by the first argument answers what was measured since the last one.
What comes before `begin` is the start, when nobody is served, and does not count.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

from benchmarks.bars import Bar
from benchmarks.turns_child import Meter

TURN_CPU_MS, TURN_WALL_MS = "turn_cpu_ms", "turn_wall_ms"
LONGEST_TURN_MS = 20.0
"""The bar, in CPU time of the loop's thread: other processes of the machine do not lengthen that."""
TURNS = {TURN_CPU_MS: "longest turn of the loop, CPU ms", TURN_WALL_MS: "… wall, ms"}
TIMEOUT_S = 60
SETTLE_S = 0.3
"""What follows on an answer belongs to it."""


def longest_turn_bar(row: str, columns: tuple[str, ...] = ("kafkacompat",)) -> Bar:
    return Bar(row, TURN_CPU_MS, at_least=False, constant=LONGEST_TURN_MS, columns=columns)


def command(meter: Path) -> list[str]:
    """What runs such a broker, without Python and the arguments of `kafkacompat`."""
    return [__name__, str(meter)]


def begin(meter: Path) -> None:
    """Forget the turns until now. Raises OSError if nobody listens."""
    _ask(meter)


def read(meter: Path) -> dict[str, float]:
    """The longest turns since `begin` or the last call, by either clock. Raises OSError if nobody listens."""
    time.sleep(SETTLE_S)
    facts = _ask(meter)
    if facts[TURN_CPU_MS] > LONGEST_TURN_MS:
        print(f"a long turn: {facts}", file=sys.stderr, flush=True)
    return {metric: facts[metric] for metric in TURNS}


def _ask(meter: Path) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(TIMEOUT_S)
        peer.connect(str(meter))
        facts: dict[str, Any] = json.loads(peer.makefile("rb").read())
    return facts


def _answer(listener: socket.socket, meter: Meter) -> None:
    while True:
        peer, _ = listener.accept()
        with peer:
            facts = {TURN_CPU_MS: meter.cpu_ms, TURN_WALL_MS: meter.wall_ms, **meter.facts()}
            meter.reset()
            peer.sendall(json.dumps(facts).encode())


def main() -> None:
    """Serve with the arguments of this process behind the first."""
    os.environ["KAFKACOMPAT_LOOP"] = "asyncio"
    from kafkacompat.cli import main as serve

    path = Path(sys.argv[1])
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()
    meter = Meter()
    meter.install()
    threading.Thread(target=_answer, args=(listener, meter), daemon=True).start()
    serve(sys.argv[2:])


if __name__ == "__main__":
    main()
