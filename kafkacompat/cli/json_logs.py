"""Log lines as JSON, for `serve --log-format json`."""

from __future__ import annotations

import json
import logging
import sys
import threading
from datetime import UTC, datetime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    Caught = tuple[type[BaseException], BaseException, TracebackType | None]

log = logging.getLogger("kafkacompat")


class JsonFormatter(logging.Formatter):
    """One object in each line: timestamp (RFC 3339, UTC), level, logger, message, and exception after an error.

    node_id: is in each line once it is known.
    """

    node_id: int | None = None

    def format(self, record: logging.LogRecord) -> str:
        """The line without its end."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, object] = {
            "timestamp": at.replace("+00:00", "Z"), "level": record.levelname.lower(), "logger": record.name,
            "message": record.getMessage(),
        }  # fmt: skip
        if self.node_id is not None:
            line["node_id"] = self.node_id
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line)


def install(handler: logging.Handler) -> JsonFormatter:
    """Let everything that this process writes to its log be JSON: warnings of Python and uncaught errors, too."""
    formatter = JsonFormatter()
    handler.setFormatter(formatter)
    logging.captureWarnings(capture=True)
    sys.excepthook = lambda kind, error, where: _uncaught((kind, error, where))

    def in_thread(caught: threading.ExceptHookArgs) -> None:
        if caught.exc_value is not None and not issubclass(caught.exc_type, SystemExit):
            _uncaught((caught.exc_type, caught.exc_value, caught.exc_traceback))

    threading.excepthook = in_thread
    return formatter


def _uncaught(caught: Caught) -> None:
    log.critical("a bug: an error was not handled", exc_info=caught)
