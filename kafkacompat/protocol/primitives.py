"""The runtime of the generated message modules: the base class of messages, errors, readers and writers."""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from struct import Struct
from struct import error as struct_error

from kafkacompat.protocol.varint import put_uvarint, read_uvarint, uvarint_tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sized
    from typing import Any, TypeVar

    from kafkacompat.protocol.varint import Buffer as Buffer  # noqa: PLC0414 (re-exported)

    # Decoding gives slices of the request's buffer; whatever has a length can be sent.
    Records = Sized
    # Parts of a message in order: bytes-like objects, and records as they were given.
    Parts = list[Any]
    # Tagged fields of a message in order, each with its tag and its size.
    Tags = list[bytes | bytearray]
    M = TypeVar("M", bound="Message")

# Elements of all arrays of one message together. A decoded element costs up to about 300 bytes, however few it took on
# the wire, so this bounds what one request can cost.
MAX_ELEMENTS = 200_000

# Tagged fields in one place. The protocol has at most ten; skipping them costs time, not memory. Above 127 their number
# would take a second byte, which no reader here expects.
MAX_TAGGED_FIELDS = 32

# Kafka's generated readers refuse longer strings.
MAX_STRING_SIZE_BYTES = 32767

ZERO_UUID = bytes(16)
NULL_INT32 = b"\xff\xff\xff\xff"

_int16 = Struct(">h")
_int32 = Struct(">i")

DECODE_ERRORS = (struct_error, IndexError, KeyError, ValueError, OverflowError)


class MalformedMessageError(ValueError):
    """Bytes that are not a valid message. The error has the message's name, the version and the reason."""


class UnsupportedFieldError(ValueError):
    """A field is set that does not exist in the version being written and is not ignorable."""

    def __init__(self, field: str, versions: str) -> None:
        super().__init__(f"{field} exists in versions {versions} only, so it cannot be written in this one")


class UnsupportedVersionError(ValueError):
    """A message has no such version to be written in."""

    def __init__(self, message: str, version: int) -> None:
        super().__init__(f"{message} has no version {version}")


class Message:
    """Base class of all messages and structs, compared and printed by fields."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        mine, theirs = type(self), type(other)
        if mine is not theirs and not issubclass(theirs, mine) and not issubclass(mine, theirs):
            return NotImplemented
        return all(_plain(getattr(self, name)) == _plain(getattr(other, name)) for name in _field_names(mine))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in _field_names(type(self)))
        return f"{type(self).__name__}({fields})"


def _field_names(cls: type) -> tuple[str, ...]:
    names: tuple[str, ...] = cls.__dict__["__slots__"] or getattr(cls.__base__, "__slots__", ())
    return names


def _plain(value: object) -> object:
    """Normalize arrays and byte strings, so that they compare by content whatever their type."""
    if isinstance(value, tuple):
        return list(value)
    return value


def _refuse_change(self: object, name: str, value: object) -> None:  # noqa: ARG001
    raise TypeError(f"{type(self).__name__} is a shared default; assign a new object instead of changing .{name}")


def frozen(message: M) -> M:
    """Make `message` immutable, so that many objects can share it as the default of a field."""
    cls = type(message)
    message.__class__ = type(cls.__name__, (cls,), {"__slots__": (), "__setattr__": _refuse_change})
    return message


# Errors of decode functions. The public decode functions add the message's name and version.


def malformed(name: str, version: int, error: Exception) -> MalformedMessageError:
    """The error for a message that could not be read, with its name, version and reason."""
    if isinstance(error, KeyError):
        return MalformedMessageError(f"{name} has no version {version}")
    reason = "ends too early" if isinstance(error, IndexError | struct_error) else str(error)
    return MalformedMessageError(f"{name} v{version}: {reason}")


def wrong_end(name: str, version: int, pos: int, size: int) -> MalformedMessageError:
    """The error for a message of `size` bytes whose decoding ended at `pos`."""
    reason = "ends too early" if pos > size else f"{size - pos} bytes too many"
    return MalformedMessageError(f"{name} v{version}: {reason}")


def null_error(field: str) -> ValueError:
    return ValueError(f"{field} is null")


def null_field_error(field: str) -> UnsupportedFieldError:
    error = UnsupportedFieldError(field, "")
    error.args = (f"{field} may not be null in this version",)
    return error


def count_error(field: str, count: int) -> ValueError:
    if count > MAX_ELEMENTS:
        return ValueError(f"{field} claims {count} elements")
    return ValueError(f"{field} claims {count} elements, more than fit or than a message may have")


def tag_error(struct: str, tag: int) -> ValueError:
    return ValueError(f"tagged field {tag} of {struct} is not as long as it says")


def tag_count_error(struct: str) -> ValueError:
    return ValueError(f"{struct} has more than {MAX_TAGGED_FIELDS} tagged fields in one place")


# Readers


def string_length_tail(buf: Buffer, pos: int, first: int) -> tuple[int, int]:
    """Read the rest of a compact string's length (plus one). Refuses lengths that Kafka refuses."""
    n, pos = uvarint_tail(buf, pos, first)
    if n > MAX_STRING_SIZE_BYTES + 1:
        raise ValueError(f"string of {n - 1} bytes")
    return n, pos


def read_tag(buf: Buffer, pos: int) -> tuple[int, int, int]:
    """Read a tagged field's tag and size; return the tag, the field's end and its start."""
    tag, pos = read_uvarint(buf, pos)
    size, pos = read_uvarint(buf, pos)
    if size > len(buf) - pos:
        raise ValueError(f"tagged field {tag} claims {size} bytes")
    return tag, pos + size, pos


def skip_tags(buf: Buffer, pos: int, n: int) -> int:
    """Skip `n` tagged fields from `pos`; return the position after them."""
    if n > MAX_TAGGED_FIELDS:
        raise tag_count_error("message")
    for _ in range(n):
        _tag, pos, _start = read_tag(buf, pos)
    return pos


# Writers. `compact` ones are those of flexible versions: lengths are varints, plus one, and 0 is null.


def put_string(w: bytearray, value: str) -> None:
    raw = value.encode()
    w += _int16.pack(len(raw))
    w += raw


def put_nullable_string(w: bytearray, value: str | None) -> None:
    if value is None:
        w += b"\xff\xff"
    else:
        put_string(w, value)


def put_compact_string(w: bytearray, value: str) -> None:
    raw = value.encode()
    size = len(raw)
    if size < 127:
        w.append(size + 1)
    elif size > MAX_STRING_SIZE_BYTES:
        raise ValueError(f"string of {size} bytes, Kafka allows {MAX_STRING_SIZE_BYTES}")
    else:
        put_uvarint(w, size + 1)
    w += raw


def put_compact_nullable_string(w: bytearray, value: str | None) -> None:
    if value is None:
        w.append(0)
    else:
        put_compact_string(w, value)


def put_bytes(w: bytearray, value: bytes) -> None:
    w += _int32.pack(len(value))
    w += value


def put_nullable_bytes(w: bytearray, value: bytes | None) -> None:
    if value is None:
        w += NULL_INT32
    else:
        put_bytes(w, value)


def put_compact_bytes(w: bytearray, value: bytes) -> None:
    put_uvarint(w, len(value) + 1)
    w += value


def put_compact_nullable_bytes(w: bytearray, value: bytes | None) -> None:
    if value is None:
        w.append(0)
    else:
        put_compact_bytes(w, value)


def put_records(out: Parts, value: Records | None) -> bytearray:
    """Append the length of `value` to the last part, then `value` as a part of its own, then a new last part; return
    the last part. Empty records add no parts, as a response may have thousands of partitions without records.
    """
    if value is None:
        raise null_error("records")
    return put_nullable_records(out, value)


def put_nullable_records(out: Parts, value: Records | None) -> bytearray:
    w: bytearray = out[-1]
    if value is None:
        w += NULL_INT32
        return w
    w += _int32.pack(len(value))
    return _add_part(out, value) if len(value) else w


def put_compact_records(out: Parts, value: Records | None) -> bytearray:
    if value is None:
        raise null_error("records")
    return put_compact_nullable_records(out, value)


def put_compact_nullable_records(out: Parts, value: Records | None) -> bytearray:
    w: bytearray = out[-1]
    if value is None:
        w.append(0)
        return w
    put_uvarint(w, len(value) + 1)
    return _add_part(out, value) if len(value) else w


def _add_part(out: Parts, value: Records) -> bytearray:
    out.append(value)
    w = bytearray()
    out.append(w)
    return w


def put_tags(w: bytearray, tags: Tags) -> None:
    """Append tagged fields, given in the order of their tags."""
    put_uvarint(w, len(tags))
    w += b"".join(tags)


def tagged(tag: int, value: bytearray) -> bytearray:
    """A tagged field: its tag, its size and its value."""
    w = bytearray()
    put_uvarint(w, tag)
    put_uvarint(w, len(value))
    w += value
    return w


# Uuids: 16 bytes in messages, 22 characters (URL-safe base64 without padding) in texts, as in Kafka's Uuid.


def uuid_to_text(uuid: bytes) -> str:
    """Write a uuid as Kafka prints it."""
    return b2a_base64(uuid, newline=False).rstrip(b"=").translate(_TO_URL_SAFE).decode()


def uuid_from_text(text: str) -> bytes:
    """Read a uuid as Kafka prints it; ValueError if it is none."""
    try:
        raw = a2b_base64(text.encode().translate(_FROM_URL_SAFE) + b"==", strict_mode=False)
    except ValueError as error:
        raise ValueError(f"{text!r} is not a uuid") from error
    if len(raw) != 16 or uuid_to_text(raw) != text:
        raise ValueError(f"{text!r} is not a uuid")
    return raw


_TO_URL_SAFE = bytes.maketrans(b"+/", b"-_")
_FROM_URL_SAFE = bytes.maketrans(b"-_", b"+/")
