"""Elements of a page, and how numbers, times and foreign texts stand there. All text is escaped when it is written."""

from __future__ import annotations

from datetime import UTC, datetime
from xml.etree import ElementTree as Xml

MAX_SHOWN = 80
"""Characters of a name or key that are shown."""
PLACE_SHOWN = 22
"""Characters of a topic before its partition."""
UNITS = ("B", "KB", "MB", "GB", "TB", "PB")


def element(tag: str, *children: Xml.Element | str, **attributes: object) -> Xml.Element:
    """An element with children and text in their order. `class_` is the attribute `class`; `_` in a name is `-`."""
    made = Xml.Element(
        tag, {name.rstrip("_").replace("_", "-"): str(value) for name, value in attributes.items() if value is not None}
    )
    for child in children:
        if not isinstance(child, str):
            made.append(child)
        elif len(made):
            made[-1].tail = (made[-1].tail or "") + child
        else:
            made.text = (made.text or "") + child
    return made


def shown(text: str, limit: int = MAX_SHOWN) -> str:
    """A foreign text as it may stand on a page: what cannot be seen, or turns the reading direction, is written out."""
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in short)


def shown_key(key: bytes) -> str:
    """The bytes of a key as text, or in hex where they are none."""
    try:
        return shown(key.decode()) if key else "(empty)"
    except UnicodeDecodeError:
        return shown(f"0x{key.hex()}")


def size_text(size_bytes: float) -> str:
    """Bytes with three digits: 1.25 GB."""
    unit = 0
    while size_bytes >= 999.5 and unit < len(UNITS) - 1:
        size_bytes /= 1000
        unit += 1
    return f"{size_bytes:.3g} {UNITS[unit]}"


def count_text(count: float) -> str:
    """A number in groups of three digits."""
    return f"{count:,.0f}" if count >= 10 or count == int(count) else f"{count:.2g}"


def counted_text(count: int, noun: str) -> str:
    """1 record, 2,000 records."""
    return f"{count_text(count)} {noun if count == 1 else noun + 's'}"


def share_text(part: float, whole: float) -> str:
    """Percent; what is there is never 0%, and what is not all is never 100%."""
    if not whole or part <= 0:
        return "0%"
    percent = 100 * part / whole
    if percent < 0.1:
        return "<0.1%"
    return ">99.9%" if 99.9 < percent < 100 else f"{percent:.3g}%"


def time_text(at_ms: float) -> str:
    """A point of time, in UTC."""
    try:
        return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M}"
    except (OverflowError, OSError, ValueError):
        return f"{at_ms:.0f} ms"


def place_text(topic: str, partition: int) -> str:
    """`topic-partition`, or what a finding says of a whole directory."""
    if partition < 0 and not topic:
        return "whole directory"
    return f"{shown(topic, PLACE_SHOWN)}-{partition}" if partition >= 0 else shown(topic, PLACE_SHOWN)
