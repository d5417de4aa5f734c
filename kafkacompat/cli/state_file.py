"""The state file: JSON by which scripts and tests find brokers. It exists only while clients can be served."""

from __future__ import annotations

import contextlib
import json
import os

from kafkacompat.errors import StartupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def node_state(node_id: int, host: str, port: int, pid: int | None, data_dir: str) -> dict[str, object]:
    """One entry of `brokers` or `controllers`. A node with both roles is in both lists, with the address for each."""
    return {"id": node_id, "host": host, "port": port, "pid": pid, "data_dir": data_dir}


class StateFile:
    """A file that is written atomically and removed at a clean stop."""

    def __init__(self, path: str) -> None:
        self._path = os.path.abspath(path)  # noqa: PTH100 (pathlib costs start-up time)

    def write(self, state: Mapping[str, object]) -> None:
        """Write the file. Raises StartupError with one line."""
        beside = f"{self._path}.{os.getpid()}.tmp"
        try:
            with open(beside, "w", encoding="utf-8") as file:  # noqa: PTH123
                json.dump(state, file)
                file.write("\n")
            os.replace(beside, self._path)  # noqa: PTH105
        except OSError as error:
            with contextlib.suppress(OSError):
                os.unlink(beside)  # noqa: PTH108
            raise StartupError(
                f"--state-file {self._path}: {error.strerror}; choose a file in a writable directory"
            ) from None

    def remove(self) -> None:
        """Remove the file, if it exists."""
        with contextlib.suppress(OSError):
            os.unlink(self._path)  # noqa: PTH108
