"""The file that is in a cluster's directory while a reset of its nodes is half done.

Some nodes have their former data then, and others have none. A start that finds the file makes the directories new.
"""

from __future__ import annotations

import json
import os

from kafkacompat.cluster.layout import HALF_RESET_FILE
from kafkacompat.errors import KafkaCompatError, StartupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.cluster.layout import Layout


def check_whole(layout: Layout) -> None:
    """Raises KafkaCompatError while a reset is half done: only a start of the whole cluster can end it."""
    if os.path.exists(half_reset_file(layout)):  # noqa: PTH110 (pathlib costs start-up time)
        raise KafkaCompatError(
            "a reset of this cluster has failed half way, so its data are not whole: stop it, and start it again"
        )


def half_reset_file(layout: Layout) -> str:
    """The file that is there while a reset is half done."""
    return f"{layout.directory}/{HALF_RESET_FILE}"


def wants_snapshot(layout: Layout) -> bool:
    """Whether the nodes were to get the data of a snapshot by a reset that is half done."""
    try:
        with open(half_reset_file(layout), encoding="utf-8") as file:  # noqa: PTH123
            return _snapshot_in(file.read()) is not None
    except (OSError, ValueError):
        return False


def _snapshot_in(text: str) -> str | None:
    """The snapshot that such a file names. Raises ValueError for a damaged one."""
    try:
        found: str | None = json.loads(text)["snapshot"]
    except (TypeError, KeyError, RecursionError) as error:
        raise ValueError(str(error)) from None
    return found


def finish(layout: Layout) -> None:
    """Before a start: empty the nodes' directories if a reset was half done, so that they are formatted anew.

    Raises StartupError if they were to get the data of a snapshot; also for a damaged file, and then deletes nothing.
    """
    path = half_reset_file(layout)
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            text = file.read()
    except FileNotFoundError:
        return
    except OSError as error:
        raise StartupError(f"{path} cannot be read: {error.strerror or error}") from None
    try:
        snapshot = _snapshot_in(text)
    except ValueError:
        raise StartupError(
            f"{path} is damaged, so it is not known what {layout.directory} holds: use another directory, or delete it"
        ) from None
    if snapshot is not None:
        raise StartupError(
            f"{layout.directory} was to go back to the snapshot {snapshot}, which did not end: its data are lost. "
            "Start from the snapshot in another directory, or delete this one"
        )
    from kafkacompat.server.discarded import empty
    from kafkacompat.storage.fs import RealFs

    try:
        for directory in [each for node in layout.nodes for each in node.log_dirs]:
            if os.path.isdir(directory):  # noqa: PTH112
                empty(RealFs(), directory)
        os.unlink(path)  # noqa: PTH108
    except OSError as error:
        raise StartupError(f"{layout.directory} cannot be emptied: {error.strerror or error}") from None
