"""The picture of ARCHITECTURE.md that shows what every request passes on its way to a handler, and its answer back.

What a box is called is the path of a file below `kafkacompat/`; a test looks whether it is there.
"""

from __future__ import annotations

from tests.tidy.pages.svg import PAD_PX, Drawing, height

HANDLER = "broker/handlers/<stem>.py"

SHORT_WAY = "broker/produce_shape.py"

DOORS = (
    ("broker/dispatch.py",
     "A frame of a connection (server/connection.py): its header is read, its API found in the registry, its request "
     "decoded."),
    (SHORT_WAY,
     "Only while no step wants Produce: a frame whose shape is known is not decoded. Its batch goes to the partition, "
     "the known response back."),
    ("broker/local_calls.py",
     "This node asks itself: its broker registers with, and sends heartbeats to, the controller in the same process."),
    ("broker/handlers/envelope.py",
     "A request that another broker has forwarded for its client, out of an Envelope (KIP-590)."),
)  # fmt: skip
PIPELINE = (
    "broker/pipeline.py",
    "Steps, none by default. Each sees the requests of the APIs that it wants, and lets them go on, answers in the "
    "handler's place, or holds them and says so later. Quotas, fault rules, tracing and metrics will be steps.",
)
PLACES = (
    (HANDLER, "Translates the request for a core, and the core's result into an answer."),
    ("broker/control/forwarding.py",
     "Only the active controller can answer, and it is another node: on to it in an Envelope, through its pipeline."),
)  # fmt: skip
ANSWERS = (
    ("broker/answers.py", "A response, Encoded or not; Failed, from which the API's `failed` makes one."),
    ("broker/purgatory.py", "Pending: waits for keys or a deadline, then gives one of the others."),
    ("broker/long_answers.py", "Steps: too long for one turn of the event loop, a turn for each step."),
    ("broker/answers.py", "Deferred: completed by another part of the node, such as the controller."),
)
WAY_BACK = (
    ("broker/pipeline.py", "A step that asked for it is given the response, and answers with it or with another one."),
    ("server/sender.py", "The response is encoded and sent, in the order of the connection's requests."),
)
BOXES = (*DOORS, PIPELINE, *PLACES, *ANSWERS, *WAY_BACK)

WIDTH_PX, LEFT_PX, GAP_PX, LABEL_PX, DROP_PX = 1040, 20, 16, 26, 26
OUTSIDE, PIPE, CORE = "#fdeccf", "#e6f0fa", "#e4f3e4"


def one_door() -> str:
    """docs/one-door.svg"""
    rows = (
        ("Four doors", DOORS, OUTSIDE), ("One pipeline", (PIPELINE,), PIPE), ("Who answers", PLACES, CORE),
        ("What a handler may return", ANSWERS, CORE), ("The way back", WAY_BACK, PIPE),
    )  # fmt: skip
    highs = [max(height(body, _width(boxes)) for _, body in boxes) for _, boxes, _ in rows]
    total = sum(highs) + len(rows) * (LABEL_PX + PAD_PX + DROP_PX)
    drawing = Drawing(WIDTH_PX, total, "What every request passes on its way to a handler")
    top = 4
    for number, ((label, boxes, fill), high) in enumerate(zip(rows, highs, strict=True)):
        bottom = top + LABEL_PX + high + PAD_PX
        drawing.area(4, top, WIDTH_PX - 8, bottom - top, fill)
        drawing.text(LEFT_PX, top + LABEL_PX - 8, label, bold=True, size=15)
        for place, (path, body) in enumerate(boxes):
            left = LEFT_PX + place * (_width(boxes) + GAP_PX)
            drawing.box(left, top + LABEL_PX, _width(boxes), high, path, body)
            if number < len(rows) - 1 and path != SHORT_WAY:
                middle = left + _width(boxes) // 2
                drawing.arrow((middle, top + LABEL_PX + high), (middle, bottom + DROP_PX - 2))
        top = bottom + DROP_PX
    return drawing.done()


def _width(boxes: tuple[tuple[str, str], ...]) -> int:
    return (WIDTH_PX - 2 * LEFT_PX - GAP_PX * (len(boxes) - 1)) // len(boxes)
