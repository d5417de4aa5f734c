"""`kafkacompat traffic`: capture what clients and brokers say, look at it, and say it again to another broker."""

from __future__ import annotations

import sys

import click

from kafkacompat.cli.exits import FAILED, say, verb
from kafkacompat.cli.rows import to_json


@click.group()
def traffic() -> None:
    """Capture the traffic of clients, show it, and replay it."""


@traffic.command()
@click.argument("path", metavar="FILE", type=click.Path(dir_okay=False))
@click.option("--errors", "only_errors", is_flag=True, help="Only requests with errors, and those without an answer.")
@click.option(
    "-f", "--format", "words", type=click.Choice(("text", "json")), default="text", show_default=True,
    help="text: a line for each request; json: an object on each line, as GET /v1/requests has them.",
)  # fmt: skip
@verb
def show(*, path: str, only_errors: bool, words: str) -> int:
    """Print the requests of a capture, in the order of their responses.

    A file that was cut is shown up to there. The status is 1 if it is damaged.
    """
    from kafkacompat.cluster.captured_requests import captured_requests
    from kafkacompat.cluster.view_lines import captured_line
    from kafkacompat.traffic.capture_file import CaptureFile, CaptureFileError

    with CaptureFile(path) as capture:
        try:
            for request in captured_requests(capture):
                if only_errors and not request.errors and request.took_ms is not None:
                    continue
                if words == "json":
                    errors = request.errors if request.errors is None else [each._asdict() for each in request.errors]
                    sys.stdout.write(to_json({**request._asdict(), "errors": errors}) + "\n")
                else:
                    sys.stdout.write(captured_line(request) + "\n")
        except CaptureFileError as error:
            say(f"kafkacompat: {error}")
            return FAILED
        say(_end_of(capture.cut_at, capture.end))
    return 0


def _end_of(cut_at: int | None, end: dict[str, object] | None) -> str:
    if end is not None:
        return f"the capture ended because {end.get('reason')}" if end.get("reason") != "it was stopped" else "complete"
    if cut_at is not None:
        return f"the file is cut at byte {cut_at}, inside an entry; everything before it is shown"
    return "the capture has no end: it is still running, or its process was killed"
