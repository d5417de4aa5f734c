"""Reads configuration from Java .properties files and KEY=VALUE flags."""

from __future__ import annotations

from kafkacompat.config.definitions import BROKER_CONFIGS, broker_key
from kafkacompat.config.values import TYPE_CHECKING, ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_BLANK = " \t\f"
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_WRITTEN = {"\\": "\\\\", **{char: f"\\{letter}" for letter, char in _ESCAPES.items()}}


def read_properties(text: str) -> dict[str, str]:
    """Parse a .properties file as Java does; the last entry of a name wins. Raises ValueError for a bad \\u escape."""
    return dict(_split(line) for line in _logical_lines(text))


def _logical_lines(text: str) -> Iterator[str]:
    """Lines without comments and leading blanks; a line with an odd number of final backslashes continues."""
    joined = ""
    open_line = False
    for raw in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        line = raw.lstrip(_BLANK)
        if not open_line and (not line or line[0] in "#!"):
            continue
        backslashes = len(line) - len(line.rstrip("\\"))
        open_line = backslashes % 2 == 1
        joined += line[:-1] if open_line else line
        if not open_line:
            if joined:
                yield joined
            joined = ""
    if joined:
        yield joined


def _split(line: str) -> tuple[str, str]:
    """Split at the first =, : or blank that is not escaped; blanks around the separator are dropped."""
    end = 0
    while end < len(line) and line[end] not in "=:" + _BLANK:
        end += 2 if line[end] == "\\" else 1
    rest = line[end:].lstrip(_BLANK)
    if rest[:1] in ("=", ":"):
        rest = rest[1:].lstrip(_BLANK)
    return _unescape(line[:end]), _unescape(rest)


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    out = []
    position = 0
    while position < len(text):
        char = text[position]
        position += 1
        if char != "\\" or position == len(text):
            if char != "\\":
                out.append(char)
            continue
        char = text[position]
        position += 1
        if char == "u":
            digits = text[position : position + 4]
            if len(digits) != 4 or not all(digit in "0123456789abcdefABCDEF" for digit in digits):
                raise ValueError(f"\\u needs four hexadecimal digits, not {digits!r}")
            char = chr(int(digits, 16))
            position += 4
        out.append(_ESCAPES.get(char, char) if len(char) == 1 else char)
    # Characters beyond the first plane are written as two escapes.
    return "".join(out).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def write_properties(pairs: Mapping[str, str]) -> str:
    """A .properties file with these pairs, in ASCII only."""
    return "".join(f"{_escape(name, '=: ')}={_escape(value, '')}\n" for name, value in pairs.items())


def _escape(text: str, also: str) -> str:
    out = []
    for position, char in enumerate(text):
        if char in _WRITTEN:
            out.append(_WRITTEN[char])
        elif char in also or (position == 0 and char in " #!"):
            out.append("\\" + char)
        elif " " <= char <= "~":
            out.append(char)
        else:  # as UTF-16 has it: characters beyond the first plane are two
            raw = char.encode("utf-16-be", "surrogatepass")
            out += [f"\\u{raw[at : at + 2].hex()}" for at in range(0, len(raw), 2)]
    return "".join(out)


def read_flags(flags: Iterable[str]) -> dict[str, str]:
    """Parse KEY=VALUE texts. Raises ConfigError for one without a key or an equals sign."""
    pairs = {}
    for flag in flags:
        name, equals, value = flag.partition("=")
        if not equals or not name.strip():
            raise ConfigError(flag, None, "it has to be written as KEY=VALUE")
        pairs[name.strip()] = value
    return pairs


def nearest(name: str) -> str | None:
    """The known broker config with the most similar name, if there is one."""
    from difflib import get_close_matches

    found = get_close_matches(name, list(BROKER_CONFIGS), n=1, cutoff=0.7)
    return found[0] if found else None


def apply_file_and_flags(
    file: Mapping[str, str], flags: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """The known settings of the file and of the flags, and a warning for each unknown one."""
    warnings = []
    for name in sorted({*file, *flags}):
        if broker_key(name) is None:
            like = nearest(name)
            hint = f"; did you mean {like}?" if like else ""
            warnings.append(f"unknown configuration {name} is ignored{hint}")
    known_file = {name: text for name, text in file.items() if broker_key(name) is not None}
    known_flags = {name: text for name, text in flags.items() if broker_key(name) is not None}
    return known_file, known_flags, warnings
