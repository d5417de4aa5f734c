"""Which records `consume` prints: by key, value and headers."""

from __future__ import annotations

import re

from kafkacompat.cli.exits import VerbError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kafkacompat.client.consuming import IncomingRecord


def record_filter(
    key: str | None, value: str | None, headers: Sequence[str]
) -> Callable[[IncomingRecord], bool] | None:
    """Whether a record is printed; None: all are. Raises VerbError for what is no regular expression."""
    if key is None and value is None and not headers:
        return None
    key_pattern, value_pattern = _pattern(key), _pattern(value)
    wanted = [(name, _pattern(text) if equals else None) for name, equals, text in (h.partition("=") for h in headers)]

    def keep(record: IncomingRecord) -> bool:
        return (
            _contains(key_pattern, record.key)
            and _contains(value_pattern, record.value)
            and all(
                any(name == header and _contains(pattern, content) for header, content in record.headers)
                for name, pattern in wanted
            )
        )

    return keep


def _pattern(text: str | None) -> re.Pattern[bytes] | None:
    if text is None:
        return None
    try:
        return re.compile(text.encode())
    except re.error as error:
        raise VerbError(f"{text!r} is no regular expression: {error}", 2) from None


def _contains(pattern: re.Pattern[bytes] | None, content: bytes | None) -> bool:
    return pattern is None or (content is not None and pattern.search(content) is not None)
