"""Log lines as JSON, for `serve --log-format json`."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime


class JsonFormatter(logging.Formatter):
    """One object in each line: timestamp (RFC 3339, UTC), level, logger, message, and exception after an error."""

    def format(self, record: logging.LogRecord) -> str:
        """The line without its end."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {
            "timestamp": at.replace("+00:00", "Z"), "level": record.levelname.lower(), "logger": record.name,
            "message": record.getMessage(),
        }  # fmt: skip
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line)
