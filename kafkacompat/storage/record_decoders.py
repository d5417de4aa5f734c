"""What the keys and values of records say: texts and numbers, and the records of Kafka's internal topics.

As the parsers of Kafka's DumpLogSegments: a decoder gets a record and answers its key and its value, None for what
is not shown.
"""

from struct import Struct
from struct import error as StructError  # noqa: N812 (an exception, whatever its name)

from kafkacompat.protocol.internal import consumer_protocol
from kafkacompat.protocol.message_json import json_text, write_json
from kafkacompat.protocol.notation.compiler.schema import snake_case
from kafkacompat.protocol.primitives import MalformedMessageError
from kafkacompat.protocol.records.batch import CorruptBatchError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from kafkacompat.protocol.primitives import Message
    from kafkacompat.protocol.records.builder import Record

    Shown = str | int | dict[str, Any] | None
    Decoder = Callable[[Record], tuple[Shown, Shown]]

_INT16 = Struct(">h")
_GROUP_METADATA = 2
_DECODER_CLASSES = "org.apache.kafka.tools.api."
STRING_DECODER = f"{_DECODER_CLASSES}StringDecoder"


def shown_text(shown: "Shown") -> str:
    """A decoded key or value as DumpLogSegments prints it."""
    return json_text(shown) if isinstance(shown, dict) else str(shown)


def contents(key_class: str = STRING_DECODER, value_class: str = STRING_DECODER) -> "Decoder":
    """Keys and values by Kafka's decoder classes. Raises ValueError for one that is not known here."""
    decode_key, decode_value = _of_class(key_class), _of_class(value_class)

    def decode(record: "Record") -> "tuple[Shown, Shown]":
        try:
            key = None if record.key is None else decode_key(record.key)
            return key, None if record.value is None else decode_value(record.value)
        except StructError as error:
            raise CorruptBatchError(f"offset {record.offset}: {error}") from None

    return decode


def _of_class(name: str) -> "Callable[[bytes], Shown]":
    found = _CLASSES.get(name.removeprefix(_DECODER_CLASSES))
    if found is None:
        known = ", ".join(_DECODER_CLASSES + each for each in _CLASSES)
        raise ValueError(f"decoder class {name} is Java and cannot be loaded; known here are {known}")
    return found


def _text(data: bytes) -> str:
    return str(data, "utf-8", "replace")


_CLASSES: "dict[str, Callable[[bytes], Shown]]" = {
    "StringDecoder": _text,
    "IntegerDecoder": lambda data: int(Struct(">i").unpack_from(data)[0]),
    "LongDecoder": lambda data: int(Struct(">q").unpack_from(data)[0]),
}


def offsets() -> "Decoder":
    """Records of __consumer_offsets. Subscriptions and assignments of consumers are shown, not their bytes."""
    from kafkacompat.protocol.internal import consumer_offsets

    def value_fields(record_type: int, message: "Message", version: int) -> "dict[str, Any]":
        fields = write_json("consumer_offsets", message, version)
        if record_type == _GROUP_METADATA and fields["protocolType"] == "consumer":
            for shown, member in zip(fields["members"], message.members, strict=True):  # type: ignore[attr-defined]
                _show_embedded(shown, "subscription", member.subscription)
                _show_embedded(shown, "assignment", member.assignment)
        return fields

    return _coordinator(consumer_offsets, "consumer_offsets", value_fields)


def transaction_log() -> "Decoder":
    """Records of __transaction_state."""
    from kafkacompat.protocol.internal import transaction_state

    return _coordinator(transaction_state, "transaction_state")


def share_group_state() -> "Decoder":
    """Records of __share_group_state."""
    from kafkacompat.protocol.internal import share_group_state as module

    return _coordinator(module, "share_group_state")


def _show_embedded(shown: "dict[str, Any]", name: str, data: bytes) -> None:
    kind = f"consumer_protocol_{name}"
    try:
        version = int(_INT16.unpack_from(data)[0])
        message = getattr(consumer_protocol, f"decode_{kind}")(data, 2, version)
    except (StructError, MalformedMessageError):
        return  # the bytes stay
    shown[name] = write_json("consumer_protocol", message, version)


def _coordinator(
    module: "ModuleType",
    name: str,
    value_fields: "Callable[[int, Message, int], dict[str, Any]] | None" = None,
) -> "Decoder":
    def decode(record: "Record") -> "tuple[Shown, Shown]":
        if record.key is None:
            raise CorruptBatchError(f"the record at offset {record.offset} has no key, which this decoder needs")
        try:
            record_type = int(_INT16.unpack_from(record.key)[0])
            if record_type not in module.KEYS:
                return f"Unknown record type {record_type} at offset {record.offset}, skipping.", None
            _, key = module.decode_key(record.key)
            shown_key = {"type": str(record_type), "data": write_json(name, key, 0)}
            if record.value is None:
                return shown_key, "<DELETE>"
            message = module.decode_value(record_type, record.value)
            version = int(_INT16.unpack_from(record.value)[0])
            fields = (
                write_json(name, message, version)
                if value_fields is None
                else value_fields(record_type, message, version)
            )
        except (MalformedMessageError, StructError) as error:
            return f"Error at offset {record.offset}, skipping. {error}", None
        return shown_key, {"version": str(version), "data": fields}

    return decode


def cluster_metadata() -> "Decoder":
    """Records of the metadata log and its snapshots."""
    from kafkacompat.protocol.internal.cluster_metadata import decode_metadata_record
    from kafkacompat.protocol.varint import read_uvarint

    def decode(record: "Record") -> "tuple[Shown, Shown]":
        try:
            value = record.value or b""
            message = decode_metadata_record(value)
            position = 0
            for _ in ("frame version", "type", "version"):
                version, position = read_uvarint(value, position)
        except MalformedMessageError as error:
            return None, f"Error at {record.offset}, skipping. {error}"
        name = snake_case(type(message).__name__).upper()
        return None, {"type": name, "version": version, "data": write_json("cluster_metadata", message, version)}

    return decode
