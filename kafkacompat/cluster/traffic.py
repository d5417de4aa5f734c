"""The traffic of a cluster's clients: captured into a file, and sent again."""

from __future__ import annotations

from kafkacompat.cluster.running import RunningCluster
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Sequence

    from kafkacompat.cluster.process_capture import ProcessCapture
    from kafkacompat.server.broker_server import BrokerServer
    from kafkacompat.traffic.capture_writer import CaptureWriter
    from kafkacompat.traffic.replay_report import ReplayReport


class Capture:
    """A capture that runs, see `Cluster.capture`. It ends with its `with` block, with `stop()` or with the cluster."""

    def __init__(self, writer: CaptureWriter | ProcessCapture, stop: Callable[[], None]) -> None:
        self._writer = writer
        self._stop = stop

    def __enter__(self) -> Capture:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def path(self) -> str:
        """The file."""
        return self._writer.path

    @property
    def size_bytes(self) -> int:
        """The bytes in the file."""
        return self._writer.size_bytes

    @property
    def frame_count(self) -> int:
        """The number of requests and responses that were captured."""
        return self._writer.frame_count

    @property
    def ended(self) -> str | None:
        """Why the capture has ended; None while it runs."""
        return self._writer.ended

    def stop(self) -> None:
        """End the capture; its file is whole then. A second call does nothing."""
        self._stop()
        self._writer.close()


class Traffic(RunningCluster):
    """What `Cluster` offers for traffic."""

    _capture: Capture | None = None
    if TYPE_CHECKING:

        @property
        def bootstrap_servers(self) -> str: ...

    def capture(
        self, path: str | os.PathLike[str], *, max_bytes: int | None = None, redact: Collection[str] = ()
    ) -> Capture:
        """Write what clients send to the brokers from now on, and what they are answered, into a new file.

        It ends with the `with` block, with `stop()`, or by itself when the file has reached `max_bytes` (None: 1 GiB)
        or the disk is too slow; then `ended` says so, and the file has everything up to there. Credentials are never
        written. docs/traffic.md describes the file. With processes=True each node writes a file, of its share of
        `max_bytes`; the end joins them.

        redact: what of records is replaced by x: some of "values", "keys" and "headers".

        Raises KafkaCompatError if the file exists or cannot be created, and while another capture runs.
        """
        nodes = self._running()
        if self._capture is not None and self._capture.ended is None:
            raise KafkaCompatError(f"a capture into {self._capture.path} is running: stop it first")
        source = f"brokers {', '.join(map(str, self._broker_ids()))}"
        if (joined := self._joined) is not None:
            from kafkacompat.cluster.process_capture import ProcessCapture

            count = len(nodes.node_ids())
            of_all = ProcessCapture(joined, path, source=source, node_count=count, max_bytes=max_bytes, redact=redact)
            self._capture = Capture(of_all, lambda: None)
        else:
            from kafkacompat.traffic.capture_writer import MAX_BYTES, CaptureWriter

            self._capture = self._capture_here(
                CaptureWriter(path, source=source, max_bytes=max_bytes or MAX_BYTES, redact=redact)
            )
        return self._capture

    def _capture_here(self, writer: CaptureWriter) -> Capture:
        """Let the nodes of this process write to it, also those that start again."""
        from kafkacompat.control_api import captures

        nodes = self._running()

        def begin(server: BrokerServer) -> None:
            captures.start(server, writer)

        async def begin_all(servers: Sequence[BrokerServer]) -> None:
            for server in servers:
                begin(server)

        async def end_all(servers: Sequence[BrokerServer]) -> None:
            for server in servers:
                if captures.writer_of(server) is writer:
                    captures.stop(server)

        def stop() -> None:
            if begin in nodes.on_opened:
                nodes.on_opened.remove(begin)
                if self._nodes is nodes and self._running_nodes():
                    self._run_on_all(end_all)

        try:
            self._run_on_all(begin_all)
        except BaseException:
            writer.close()
            raise
        nodes.on_opened.append(begin)
        return Capture(writer, stop)

    def replay(
        self,
        path: str | os.PathLike[str],
        *,
        speed: float | None = None,
        ignore: Collection[str] = (),
        timeout_s: float | None = None,
    ) -> ReplayReport:
        """Send the requests of a capture to this cluster, and compare its answers with the captured ones.

        It takes the place of the brokers in the capture: start with the topics and records that those had. The result's
        `is_equal` says whether all answers are the same, apart from times and from values that brokers invent;
        `print(report)` shows the first differences (docs/traffic.md).

        speed: 1 is the pace of the capture, 2 is twice as fast; None: as fast as answers come. ignore: APIs that are
        not compared, or fields of them such as "Metadata.controller_id". timeout_s: how long an answer may take beyond
        the time that it took in the capture; None is 30.

        Raises CaptureFileError for a file that is damaged, and KafkaCompatError if the cluster is not running.
        """
        from kafkacompat.client.client import parse_servers
        from kafkacompat.traffic.replay import ANSWER_TIMEOUT_S, Replay

        self._running()
        (address, *_) = parse_servers(self.bootstrap_servers)
        timeout_s = ANSWER_TIMEOUT_S if timeout_s is None else timeout_s
        return Replay(path, address, speed=speed, ignore=ignore, timeout_s=timeout_s).run()

    def _end_capture(self) -> None:
        if self._capture is not None:
            self._capture.stop()
            self._capture = None
