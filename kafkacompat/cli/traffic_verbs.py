"""`kafkacompat traffic`: capture what clients and brokers say, look at it, and say it again to another broker."""

from __future__ import annotations

import sys

import click

from kafkacompat.cli.exits import DIFFERENT, FAILED, USAGE, VerbError, say, verb
from kafkacompat.cli.rows import to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.traffic.capture_writer import CaptureWriter

PORT_MAX = 65_535


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


@traffic.command()
@click.argument("path", metavar="FILE", type=click.Path(dir_okay=False))
@click.option("--to", "address", metavar="HOST:PORT", required=True, help="The broker to send the requests to.")
@click.option(
    "--speed", type=click.FloatRange(0.001, 1_000_000),
    help="1 is the pace of the capture, 2 twice as fast. [default: as fast as answers come]",
)  # fmt: skip
@click.option(
    "--ignore", metavar="API[.FIELD]", multiple=True,
    help="Do not compare these answers, or this field in them: ApiVersions, Metadata.controller_id. Repeatable.",
)  # fmt: skip
@click.option(
    "--timeout", "timeout_s", metavar="SECONDS", type=click.FloatRange(0.1, 86_400), default=30.0, show_default=True,
    help="How long an answer may take beyond the time that it took in the capture.",
)  # fmt: skip
@click.option(
    "-f", "--format", "words", type=click.Choice(("text", "json")), default="text", show_default=True,
    help="json: the report as one object.",
)  # fmt: skip
@verb
def replay(
    *, path: str, address: str, speed: float | None, ignore: tuple[str, ...], timeout_s: float, words: str
) -> int:
    """Send the requests of a capture to a broker, and compare its answers.

    The broker should be as the captured one was at the beginning: fresh, with the same topics. All connections go
    there. The status is 8 if an answer differs. What brokers invent (ids, epochs, generations) may differ, and times.
    """
    from kafkacompat.client.client import parse_servers
    from kafkacompat.traffic.replay import Replay

    (to, *_) = parse_servers(address)
    report = Replay(path, to, speed=speed, ignore=ignore, timeout_s=timeout_s).run()
    sys.stdout.write((to_json(report.plain) if words == "json" else str(report)) + "\n")
    return 0 if report.is_equal else DIFFERENT


@traffic.command()
@click.argument("path", metavar="FILE", type=click.Path(dir_okay=False))
@click.option(
    "--to", "target", metavar="HOST:PORT", required=True, help="A broker of the cluster, whatever Kafka it is."
)
@click.option(
    "--listen", metavar="HOST:PORT", default="127.0.0.1:0", show_default=True,
    help="Where clients connect instead; port 0 picks a free one. Each broker gets a port of its own beside it.",
)  # fmt: skip
@click.option("--advertised-host", metavar="HOST", help="The host that clients are told. [default: that of --listen]")
@click.option(
    "--max-bytes", type=click.IntRange(4096), default=1 << 30, show_default=True,
    help="The capture ends before the file gets larger; traffic still passes.",
)  # fmt: skip
@click.option(
    "--redact", type=click.Choice(("values", "keys", "headers")), multiple=True,
    help="Replace these of all records by the letter x. Repeatable. Credentials are never written.",
)  # fmt: skip
@verb
def capture(
    *, path: str, target: str, listen: str, advertised_host: str | None, max_bytes: int, redact: tuple[str, ...]
) -> None:
    """Pass traffic on to a Kafka and write it into a new file, until Ctrl-C or SIGTERM.

    Clients use the printed address as bootstrap server. Only the brokers' addresses in answers are replaced, so that
    clients come back through here. TLS is not opened: the listener has to be one without.
    """
    import asyncio

    from kafkacompat.client.client import parse_servers
    from kafkacompat.traffic.capture_writer import CaptureWriter

    (to, *_) = parse_servers(target)
    host, _, port = listen.rpartition(":")
    if not port.isdecimal() or int(port) > PORT_MAX:
        raise VerbError(f"--listen {listen}: write HOST:PORT, with a port up to {PORT_MAX}", USAGE)
    writer = CaptureWriter(path, source=f"proxy to {target}", max_bytes=max_bytes, redact=redact)
    try:
        asyncio.run(_pass_on(writer, to, host.strip("[]"), int(port), advertised_host))
    finally:
        writer.close()
    if writer.has_failed:
        raise VerbError(f"traffic is missing in the capture: {writer.ended}", FAILED)
    say(f"{writer.frame_count} requests and responses are in {path}, {writer.size_bytes} bytes: {writer.ended}")


async def _pass_on(
    writer: CaptureWriter, to: tuple[str, int], host: str, port: int, advertised_host: str | None
) -> None:
    """Until Ctrl-C or SIGTERM."""
    import asyncio
    import signal

    from kafkacompat.traffic.capture_proxy import CaptureProxy

    proxy = CaptureProxy(writer, to, host, port, advertised_host=advertised_host)
    await proxy.start()
    sys.stdout.write(f"{host or '0.0.0.0'}:{proxy.port}\n")  # noqa: S104 (shown, not bound)
    sys.stdout.flush()
    say(f"capturing into {writer.path}: use {host or 'any address'}:{proxy.port} as bootstrap server; Ctrl-C ends it")
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            asyncio.get_running_loop().add_signal_handler(number, ended.set)
        except NotImplementedError:  # Windows: KeyboardInterrupt ends it
            break
    try:
        await ended.wait()
    finally:
        await proxy.close()
