"""What scripts and tests read to find brokers: JSON, there only while clients can work."""

from __future__ import annotations

import contextlib
import json
import os

from kafkacompat.errors import StartupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def node_state(node_id: int, host: str, port: int, pid: int | None, data_dir: str) -> dict[str, object]:
    """One entry of `brokers` or `controllers`. A node with both roles is in both, with the address of each."""
    return {"id": node_id, "host": host, "port": port, "pid": pid, "data_dir": data_dir}


class StateFile:
    """A file that appears whole, by a rename, and is removed at a clean stop."""

    def __init__(self, path: str) -> None:
        self._path = os.path.abspath(path)  # noqa: PTH100 (pathlib costs start-up time)

    def write(self, state: Mapping[str, object]) -> None:
        """Raises StartupError with one line when it cannot be written."""
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
                f"--state-file {self._path}: {error.strerror}; choose a file in a directory that may be written to"
            ) from None

    def remove(self) -> None:
        """No error when it is gone."""
        with contextlib.suppress(OSError):
            os.unlink(self._path)  # noqa: PTH108
