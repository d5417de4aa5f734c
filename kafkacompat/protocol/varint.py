"""Variable-length integers: seven bits per byte, lowest first; signed ones in zigzag encoding."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    Buffer = bytes | bytearray

# Kafka's readers refuse longer varints (ByteUtils.readUnsignedVarint, readUnsignedVarlong).
_MAX_BITS = 35
_MAX_LONG_BITS = 70


def read_uvarint(buf: "Buffer", pos: int) -> tuple[int, int]:
    """Read an unsigned varint of at most five bytes at `pos`; return it and the position after it.

    Raises ValueError if it is longer and IndexError if the buffer ends first.
    """
    value = buf[pos]
    pos += 1
    if value < 128:
        return value, pos
    return uvarint_tail(buf, pos, value)


def uvarint_tail(buf: "Buffer", pos: int, first: int) -> tuple[int, int]:
    """Read the rest of an unsigned varint whose first byte, above 127, was `first`; `pos` is the position after it."""
    value = first & 127
    for shift in range(7, _MAX_BITS, 7):
        byte = buf[pos]
        pos += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, pos
    raise ValueError("varint longer than five bytes")


def read_varint(buf: "Buffer", pos: int) -> tuple[int, int]:
    """Read a signed varint (at most five bytes). Most have three at most: a loop would take twice the time."""
    value = buf[pos]
    pos += 1
    if value > 127:
        byte = buf[pos]
        if byte < 128:
            value = value & 127 | byte << 7
            pos += 1
        elif (last := buf[pos + 1]) < 128:
            value = value & 127 | (byte & 127) << 7 | last << 14
            pos += 2
        else:
            value, pos = uvarint_tail(buf, pos, value)
    return (value >> 1) ^ -(value & 1), pos


def read_varlong(buf: "Buffer", pos: int) -> tuple[int, int]:
    """Read a signed varlong (at most ten bytes)."""
    value = 0
    for shift in range(0, _MAX_LONG_BITS, 7):
        byte = buf[pos]
        pos += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return (value >> 1) ^ -(value & 1), pos
    raise ValueError("varlong longer than ten bytes")


def put_uvarint(w: bytearray, value: int) -> None:
    """Append an unsigned varint."""
    while value > 127:
        w.append(value & 127 | 128)
        value >>= 7
    w.append(value)


def put_varint(w: bytearray, value: int) -> None:
    """Append a signed varint or varlong, which are encoded alike."""
    put_uvarint(w, value << 1 if value >= 0 else ~(value << 1))


def uvarint_size(value: int) -> int:
    """The encoded size of an unsigned varint in bytes."""
    return max(1, (value.bit_length() + 6) // 7)


def varint_size(value: int) -> int:
    """The encoded size of a signed varint or varlong in bytes."""
    return uvarint_size(value << 1 if value >= 0 else ~(value << 1))
