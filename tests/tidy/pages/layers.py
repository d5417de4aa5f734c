"""The pictures of ARCHITECTURE.md: the layers, whose order is that of the import contract, and the way of two requests.

What a room or a step is called is the path of a file or folder below `kafkacompat/`; a test looks whether it is there.
"""

from __future__ import annotations

import itertools
import tomllib

from tests.tidy.pages.svg import SOFT, Drawing, height
from tests.tidy.tree import text

ROOMS = {
    "cli": "the command line: serve",
    "testing": "the pytest plugin and its fixtures",
    "demo": "the main job, on real flights",
    "spark": "Spark on segment files",
    "cluster": "what a Python program holds: brokers on a thread, or in processes of their own",
    "control_api": "what a running node can be told and asked: from Python, and over HTTP",
    "client": "a small Kafka client for the command line",
    "server": "the shell: sockets, event loop, clock, threads. Feeds events to a broker, carries out what it asks for",
    "traffic": "captured requests and responses of clients",
    "broker": "one broker: dispatch, a handler for each API, purgatory, fetch sessions, group coordinator",
    "replication": "the rules between brokers: partition, high watermark, election, controller, metadata log",
    "storage": "one partition's log on disk: segments, indexes, recovery. All disk access is in fs.py",
    "protocol": "bytes only: the messages of Kafka in every version, record batches, compression",
    "config": "Kafka's settings: names, types, defaults, limits",
    "errors.py": "what users are told",
    "now.py": "the two clocks of an event",
    "steps.py": "long work in steps",
}
FOR_USERS, SHELL, CORE, LEAF = "#e6f0fa", "#fdeccf", "#e4f3e4", "#efeff4"
FILLS = {"server": SHELL, "broker": CORE, "replication": CORE, "storage": CORE, "protocol": CORE} | dict.fromkeys(
    ("config", "errors.py", "now.py", "steps.py"), LEAF
)

SERVER, BROKER, REPLICATION, STORAGE = "server", "broker", "replication", "storage"
STEP_PX, STEP_GAP_PX, BAND_PAD_PX, BANDS_FROM_PX = 78, 22, 9, 62
BANDS = ((SERVER, 1, SHELL), (BROKER, 2, CORE), (REPLICATION, 1, CORE), (STORAGE, 2, CORE))
"""Layer, how many steps stand above each other in it, colour."""

# title, ways down and up: (layer, place in its band, path, what happens)
PRODUCE_DOWN = (
    (SERVER, 0, "server/connection.py", "Cuts frames out of the stream; one request in flight on each connection."),
    (BROKER, 0, "broker/dispatch.py", "Reads the header, looks the API up in registry.py, decodes the request."),
    (BROKER, 1, "broker/handlers/produce.py", "Translates: each partition is asked to append an opaque batch."),
    (REPLICATION, 0, "replication/partition.py", "Am I the leader? Are enough replicas in sync for acks=all?"),
    (STORAGE, 0, "storage/log.py", "Checks header, CRC and the producer's sequence; stamps offset and epoch."),
    (STORAGE, 1, "storage/segment.py", "Writes at the end of the file, indexes every 4096 bytes."),
)
PRODUCE_UP = (
    (REPLICATION, 0, "replication/high_watermark.py", "What is on all replicas in sync is committed: may it move?"),
    (BROKER, 1, "broker/purgatory.py", "acks=all waits here until the high watermark has passed the batch."),
    (SERVER, 0, "server/sender.py", "Size, header and body in one write, in the order of the requests."),
)
FETCH_DOWN = (
    (SERVER, 0, "server/connection.py", "The same door for every request."),
    (
        BROKER,
        0,
        "broker/handlers/fetch.py",
        "By way of dispatch.py. Reads each partition until the limits are reached.",
    ),
    (BROKER, 1, "broker/fetch_session.py", "Which partitions: those named now, and those named before."),
    (REPLICATION, 0, "replication/partition.py", "Up to the high watermark, or the last stable offset."),
    (STORAGE, 0, "storage/log.py", "Which segment holds the offset."),
    (STORAGE, 1, "storage/index.py", "Where in the segment's file to start looking for it."),
)
FETCH_UP = (
    (STORAGE, 0, "storage/slices.py", "A file, a position, a size: no byte has been read yet."),
    (BROKER, 1, "broker/purgatory.py", "Less than min_bytes: waits for an append or for max_wait_ms."),
    (
        SERVER,
        0,
        "server/sender.py",
        "From the file to the socket, as the peer takes it; a slow reader stops itself only.",
    ),
)
WAYS = {"A produce": (PRODUCE_DOWN, PRODUCE_UP), "A fetch": (FETCH_DOWN, FETCH_UP)}

Step = tuple[str, int, str, str]


def contract() -> list[list[str]]:
    """The layers of the import contract, top first, each with its rooms."""
    contracts = tomllib.loads(text("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    layers = next(contract for contract in contracts if contract["type"] == "layers")["layers"]
    return [[_room(name.strip(" ()")) for name in layer.split("|")] for layer in layers]


def _room(module: str) -> str:
    name = module.removeprefix("kafkacompat.")
    return name if name in ROOMS else f"{name}.py"


def layers() -> str:
    """docs/layers.svg"""
    rows = contract()
    heights = [max(height(ROOMS[room], _width(row)) for room in row) for row in rows]
    drawing = Drawing(980, sum(heights) + 14 * len(rows) + 60, "The layers of kafkacompat")
    drawing.text(60, 26, "Imports point down only", bold=True, size=15)
    tops: dict[str, tuple[int, int]] = {}
    y = 44
    for row, row_height in zip(rows, heights, strict=True):
        for number, room in enumerate(row):
            width = _width(row)
            drawing.box(
                60 + number * (width + 10), y, width, row_height, room, ROOMS[room], fill=FILLS.get(room, FOR_USERS)
            )
            tops[room] = (y, y + row_height)
        y += row_height + 14
    drawing.arrow((32, 50), (32, y - 18))
    for label, first, last in (
        ("for users", rows[0][0], "cluster"), ("the shell", "server", "server"),
        ("cores: handed time, chance, disk", "broker", "protocol"), ("leaves", rows[-1][0], rows[-1][0]),
    ):  # fmt: skip
        drawing.bracket(708, tops[first][0], tops[last][1])
        drawing.text(728, (tops[first][0] + tops[last][1]) // 2 + 4, label, size=12.5)
    return drawing.done()


def _width(row: list[str]) -> int:
    return (640 - 10 * (len(row) - 1)) // len(row)


LANE_PX, BOX_PX, LEFT_PX = 250, 228, 60


def ways() -> str:
    """docs/produce-and-fetch.svg"""
    bands = _bands()
    bottom = max(top + high for top, high, _ in bands.values())
    drawing = Drawing(LEFT_PX + 4 * LANE_PX + 6, bottom + 12, "The way of a produce and of a fetch through the files")
    for band, (top, high, fill) in bands.items():
        drawing.area(LEFT_PX - 12, top, 4 * LANE_PX + 2, high, fill)
        drawing.text(LEFT_PX - 24, top + high // 2, band, turned=True, fill=SOFT)
    channel = 0
    for title, (down, up) in WAYS.items():
        drawing.text(LEFT_PX + channel * LANE_PX, 26, title, bold=True, size=17)
        drawing.text(LEFT_PX + channel * LANE_PX, 50, "the request, down", size=12.5)
        drawing.text(LEFT_PX + (channel + 1) * LANE_PX, 50, "the answer, up", size=12.5)
        _lane(drawing, channel, down, first=1)
        _lane(drawing, channel + 1, up, first=len(down) + 1)
        _turn(drawing, channel, down[-1], up[0])
        channel += 2
    return drawing.done()


def _bands() -> dict[str, tuple[int, int, str]]:
    """Top, height and colour of each layer's band."""
    bands, top = {}, BANDS_FROM_PX
    for layer, steps, fill in BANDS:
        high = steps * STEP_PX + (steps - 1) * STEP_GAP_PX + 2 * BAND_PAD_PX
        bands[layer] = (top, high, fill)
        top += high + 8
    return bands


def _top(step: Step) -> int:
    return _bands()[step[0]][0] + BAND_PAD_PX + step[1] * (STEP_PX + STEP_GAP_PX)


def _lane(drawing: Drawing, channel: int, steps: tuple[Step, ...], first: int) -> None:
    x = LEFT_PX + channel * LANE_PX
    for number, step in enumerate(steps):
        drawing.box(x, _top(step), BOX_PX, STEP_PX, f"{first + number}  {step[2].partition('/')[2]}", step[3])
    middle = x + BOX_PX // 2
    for here, there in itertools.pairwise(steps):
        if _top(here) < _top(there):
            drawing.arrow((middle, _top(here) + STEP_PX), (middle, _top(there)))
        else:
            drawing.arrow((middle, _top(here)), (middle, _top(there) + STEP_PX))


def _turn(drawing: Drawing, channel: int, last: Step, first: Step) -> None:
    """From the deepest step over to the channel of the answer."""
    x = LEFT_PX + channel * LANE_PX + BOX_PX
    y = _top(last) + STEP_PX // 2
    middle = LEFT_PX + (channel + 1) * LANE_PX + BOX_PX // 2
    drawing.arrow((x, y), (middle, y), (middle, _top(first) + STEP_PX))
