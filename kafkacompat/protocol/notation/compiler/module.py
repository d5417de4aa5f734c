"""Whole modules: classes, functions, the table of versions and the public functions."""

from kafkacompat.protocol.notation.compiler import decoder, encoder
from kafkacompat.protocol.notation.compiler.schema import (
    Message,
    Struct,
    first_alike,
    has_arrays,
    has_records,
    name_classes,
    snake_case,
)
from kafkacompat.protocol.notation.compiler.source import Source, annotation, default_name, default_source, format_name

NOTE = "# Written by `python -m kafkacompat.protocol.generate`; change the notation, not this file."
# Empty structs have functions that use no argument; booleans are passed by position like everything else.
LINT = "# ruff: noqa: ARG001, FBT003"

FRAMING_NAMES = {
    "RecordTable", "decode_framed", "decode_typed_key", "decode_typed_value", "encode_framed", "encode_typed_key",
    "encode_typed_value",
}  # fmt: skip
VARINT_NAMES = {"put_uvarint", "uvarint_tail"}


def _class(source: Source, struct: Struct) -> None:
    add = source.add
    add(f"class {struct.class_name}({source.use('Message')}):")
    names = ", ".join(f'"{f.name}"' for f in struct.fields)
    add(f"    __slots__ = ({names}{',' if len(struct.fields) == 1 else ''})")
    if struct.fields:
        add("")
        add("    def __init__(")
        add("        self,")
        for each in struct.fields:
            default = default_source(each)
            if default == "ZERO_UUID":
                source.use("ZERO_UUID")
            kind = annotation(each)
            if default == "None" and not kind.endswith("None"):
                kind += " | None"
            add(f"        {each.name}: {kind} = {default},")
        add("    ) -> None:")
        for each in struct.fields:
            add(f"        self.{each.name} = {each.name}")
    add("")
    add("")


def _message(source: Source, message: Message, default_structs: set[str]) -> None:
    for struct in message.structs:
        _class(source, struct)
        if struct.class_name in default_structs:
            source.add(f"{default_name(struct)} = {source.use('frozen')}({struct.class_name}())")
            source.add("")
            source.add("")
    for writer in (decoder.DecodeFunction, encoder.EncodeFunction):
        for struct in message.structs:
            for version in _own_versions(message, struct):
                writer(source, message, struct, version).write()


def _own_versions(message: Message, struct: Struct) -> list[int]:
    """Versions in which `struct` is written at all and looks different from all earlier ones."""
    used = [v for v in message.all_versions() if _is_used(message.struct, struct, v)]
    return [v for v in message.all_versions() if any(first_alike(message, struct, u) == v for u in used)]


def _is_used(top: Struct, struct: Struct, version: int) -> bool:
    if top is struct:
        return True
    return any(
        f.struct is not None and _is_used(f.struct, struct, version)
        for f in [*top.present(version), *top.tagged(version)]
    )


def _table(message: Message, function_name: str, struct: Struct) -> str:
    name = decoder.function_name if function_name == "decode" else encoder.function_name
    return ", ".join(f"{v}: {name(message, struct, v)}" for v in message.all_versions())


def _public(source: Source, message: Message, suffix: str) -> None:
    """Write `decode_<suffix>` and `encode_<suffix>` with their tables."""
    add, use = source.add, source.use
    name, struct = message.name, message.struct
    upper = suffix.upper()
    add(f"_{upper}_DECODERS = {{{_table(message, 'decode', struct)}}}")
    add(f"_{upper}_ENCODERS = {{{_table(message, 'encode', struct)}}}")
    add("")
    add("")
    budget = f", [{use('MAX_ELEMENTS')}]" if has_arrays(struct) else ""
    add(f"def decode_{suffix}(buf: Buffer, pos: int, version: int) -> {name}:")
    add("    try:")
    add(f"        message, pos = _{upper}_DECODERS[version](buf, pos{budget})")
    add(f"    except {use('DECODE_ERRORS')} as error:")
    add(f'        raise {use("malformed")}("{name}", version, error) from error')
    # Kafka does not look at what follows a request, and librdkafka's Metadata requests do have bytes too many
    add("    if pos > len(buf):" if suffix == "request" else "    if pos != len(buf):")
    add(f'        raise {use("wrong_end")}("{name}", version, pos, len(buf))')
    add("    return message")
    add("")
    add("")
    add(f"def encode_{suffix}(message: {name}, version: int, out: Parts) -> None:")
    add(f"    if version not in _{upper}_ENCODERS:")
    add(f'        raise {use("UnsupportedVersionError")}("{name}", version)')
    if has_records(struct):
        add("    parts: Parts = [bytearray()]")
        add(f"    _{upper}_ENCODERS[version](message, parts)")
        add("    out += parts")
    else:
        add("    w = bytearray()")
        add(f"    _{upper}_ENCODERS[version](message, w)")
        add("    out.append(w)")
    add("")
    add("")


def _pieces(source: Source, message: Message) -> None:
    """Write `encode_<struct>` for the items of arrays that may come encoded."""
    add, use = source.add, source.use
    for struct in message.structs:
        for each in struct.fields:
            if not each.in_pieces or each.struct is None:
                continue
            item, name = each.struct, snake_case(each.struct.class_name)
            used = [v for v in message.all_versions() if _is_used(message.struct, item, v)]
            table = ", ".join(f"{v}: {encoder.function_name(message, item, v)}" for v in used)
            add(f"_{name.upper()}_ENCODERS = {{{table}}}")
            add("")
            add("")
            add(f"def encode_{name}(item: {item.class_name}, version: int) -> bytes:")
            add(f"    if version not in _{name.upper()}_ENCODERS:")
            add(f'        raise {use("UnsupportedVersionError")}("{item.class_name}", version)')
            add("    w = bytearray()")
            add(f"    _{name.upper()}_ENCODERS[version](item, w)")
            add("    return bytes(w)")
            add("")
            add("")


def _default_structs(messages: list[Message]) -> set[str]:
    """Class names of structs that are some field's default."""
    return {
        f.struct.class_name
        for message in messages
        for struct in message.structs
        for f in struct.fields
        if f.struct is not None and not f.is_array and f.default != "null"
    }


def _assemble(doc: str, constants: list[str], source: Source) -> str:
    """Put the head, which depends on what the body uses, before the body."""
    lines = [f'"""{doc}"""', "", NOTE, LINT, "# fmt: off", "", "from __future__ import annotations", ""]
    plain = {"pack", "unpack_from"} & source.imports
    formats = sorted(source.formats_read | source.formats_written)
    from_struct = sorted(plain | ({"Struct"} if formats else set()))
    if from_struct:
        lines += [f"from struct import {', '.join(from_struct)}", ""]
    framing = sorted(source.imports & FRAMING_NAMES)
    calls = [n for n in framing if n != "RecordTable"]
    if calls:
        lines += ["from kafkacompat.protocol.internal.framing import (", *(f"    {n}," for n in calls), ")"]
    varints = VARINT_NAMES & source.imports
    names = sorted(source.imports - plain - FRAMING_NAMES - VARINT_NAMES)
    lines += ["from kafkacompat.protocol.primitives import (", *(f"    {n}," for n in names), ")"]
    if varints:
        lines += [f"from kafkacompat.protocol.varint import {', '.join(sorted(varints))}"]
    lines += [""]
    lines += ["TYPE_CHECKING = False", "if TYPE_CHECKING:"]
    if any("Sequence[" in line for line in source.lines):
        lines += ["    from collections.abc import Sequence", ""]
    if "RecordTable" in framing:
        lines += ["    from kafkacompat.protocol.internal.framing import RecordTable"]
    types = ["Buffer", "Parts"] + [name for name in ("Records", "Tags") if any(name in line for line in source.lines)]
    lines += [f"    from kafkacompat.protocol.primitives import {', '.join(types)}", "", *constants, ""]
    for item in formats:
        text = "".join(item)
        both = (("read", "unpack_from", source.formats_read), ("write", "pack", source.formats_written))
        lines += [
            f'_{verb}_{format_name(item)} = Struct(">{text}").{method}' for verb, method, used in both if item in used
        ]
    lines += ["", "", *source.lines]
    return "\n".join(lines).rstrip("\n") + "\n"


def api_module(name: str, key: int, request: Message, response: Message) -> str:
    """Source of `messages/<stem>.py`."""
    messages = [request, response]
    name_classes(messages)
    defaults = _default_structs(messages)
    source = Source()
    for message, suffix in ((request, "request"), (response, "response")):
        _message(source, message, defaults)
        _public(source, message, suffix)
        _pieces(source, message)
    constants = [
        f"API_KEY = {key}",
        f"MIN_VERSION = {request.versions.low}",
        f"MAX_VERSION = {request.versions.high}",
        f"FLEXIBLE_VERSION = {request.flexible_since}",
        "",
    ]
    return _assemble(f"{name}, API key {key}: request and response in every version.", constants, source)


def records_module(doc: str, framing: str, messages: list[Message]) -> str:
    """Source of `internal/<stem>.py`."""
    name_classes(messages)
    defaults = _default_structs(messages)
    source = Source()
    for message in messages:
        _message(source, message, defaults)
        _public(source, message, snake_case(message.name))
    if framing == "metadata":
        _metadata_tables(source, messages)
    elif framing == "coordinator":
        _coordinator_tables(source, messages)
    return _assemble(doc, [], source)


def _row(message: Message, *extra: str) -> str:
    stem = snake_case(message.name)
    return f"    {message.key}: ({', '.join((message.name, f'decode_{stem}', f'encode_{stem}', *extra))}),"


def _metadata_tables(source: Source, messages: list[Message]) -> None:
    add = source.add
    for line in (
        "# API key -> class, decode, encode, highest version.",
        f"RECORDS: {source.use('RecordTable')} = {{",
        *(_row(m, str(m.versions.high)) for m in messages),
        "}",
        "",
        "_KEYS = {row[0]: key for key, row in RECORDS.items()}",
        "",
        "",
        "def decode_metadata_record(value: Buffer) -> Message:",
        '    """Read a record\'s value: Kafka\'s frame (version 1, API key, record version) and the record."""',
        f"    return {source.use('decode_framed')}(RECORDS, value)",
        "",
        "",
        "def encode_metadata_record(message: Message, version: int | None = None) -> bytes:",
        '    """Write a record\'s value, by default in its highest version."""',
        f"    return {source.use('encode_framed')}(RECORDS, _KEYS[type(message)], message, version)",
    ):
        add(line)


def _coordinator_tables(source: Source, messages: list[Message]) -> None:
    keys = [m for m in messages if m.name.endswith("Key")]
    values = [m for m in messages if m.name.endswith("Value")]
    assert [m.key for m in keys] == [m.key for m in values]
    use = source.use
    for line in (
        "# Record type -> class, decode, encode, highest version.",
        f"KEYS: {use('RecordTable')} = {{",
        *(_row(m, str(m.versions.high)) for m in keys),
        "}",
        f"VALUES: {use('RecordTable')} = {{",
        *(_row(m, str(m.versions.high)) for m in values),
        "}",
        "",
        "_KEY_TYPES = {row[0]: key for key, row in KEYS.items()}",
        "_VALUE_TYPES = {row[0]: key for key, row in VALUES.items()}",
        "",
        "",
        "def decode_key(key: Buffer) -> tuple[int, Message]:",
        '    """Read a record\'s key: its type as int16, then the key."""',
        f"    return {use('decode_typed_key')}(KEYS, key)",
        "",
        "",
        "def encode_key(message: Message) -> bytes:",
        '    """Write a record\'s key."""',
        f"    return {use('encode_typed_key')}(KEYS, _KEY_TYPES[type(message)], message)",
        "",
        "",
        "def decode_value(record_type: int, value: Buffer) -> Message:",
        '    """Read the value of a record whose key is of `record_type`: its version as int16, then the value."""',
        f"    return {use('decode_typed_value')}(VALUES, record_type, value)",
        "",
        "",
        "def encode_value(message: Message, version: int | None = None) -> bytes:",
        '    """Write a record\'s value, by default in its highest version."""',
        f"    return {use('encode_typed_value')}(VALUES, _VALUE_TYPES[type(message)], message, version)",
    ):
        source.add(line)
