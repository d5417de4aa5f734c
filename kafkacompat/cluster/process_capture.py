"""A capture of brokers in processes of their own: each writes a file, and its end joins them."""

from __future__ import annotations

import os
from contextlib import suppress

from kafkacompat.errors import KafkaCompatError
from kafkacompat.traffic.capture_writer import MAX_BYTES, MIN_BYTES, STOPPED, create

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from kafkacompat.cluster.joined_processes import JoinedProcesses


class ProcessCapture:
    """Stands for the `CaptureWriter` of a `Capture`: the same attributes, taken from all nodes."""

    def __init__(
        self,
        joined: JoinedProcesses,
        path: str | os.PathLike[str],
        *,
        source: str,
        node_count: int,
        max_bytes: int | None,
        redact: Collection[str],
    ) -> None:
        self._joined = joined
        self._source = source
        self._is_open = True
        self.path = os.fspath(path)
        limit = MAX_BYTES if max_bytes is None else max_bytes
        if limit < MIN_BYTES * node_count:
            raise KafkaCompatError(f"max_bytes={limit}: give at least {MIN_BYTES * node_count}")
        self._descriptor = create(self.path)
        try:
            joined.ask("capture_resources:start", body={"max_bytes": limit // node_count, "redact": list(redact)})
        except BaseException:
            os.close(self._descriptor)
            os.unlink(self.path)  # noqa: PTH108 (as elsewhere)
            raise

    @property
    def size_bytes(self) -> int:
        """The bytes in all files."""
        return sum(each["size_bytes"] for each in self._files())

    @property
    def frame_count(self) -> int:
        """The requests and responses in all files."""
        return sum(each["frame_count"] for each in self._files())

    @property
    def ended(self) -> str | None:
        """Why the first node has ended its part; None while all go on."""
        reasons = [each["ended"] for each in self._files() if each["ended"] is not None]
        return next((reason for reason in reasons if reason != STOPPED), None if self._is_open else STOPPED)

    def close(self) -> None:
        """End the capture, and return when all of it is in the file. A second call does nothing."""
        from kafkacompat.traffic.joined_files import join, remove

        if not self._is_open:
            return
        with suppress(KafkaCompatError):  # the nodes have stopped, and their files are whole
            self._joined.ask("capture_resources:stop")
        self._is_open = False
        paths = [each["path"] for each in self._files()]
        try:
            with os.fdopen(self._descriptor, "wb") as target:
                join(paths, target, source=self._source, reason=self.ended or STOPPED)
        except OSError as error:
            raise KafkaCompatError(f"{self.path} cannot be written: {error.strerror or error}") from None
        remove(paths)

    def _files(self) -> list[dict[str, Any]]:
        if self._is_open:
            with suppress(KafkaCompatError):  # the nodes have stopped
                self._joined.ask("capture_resources:list_all")
        return self._joined.capture_files()
