"""Replaces secrets, and on demand the contents of records, in frames that are about to be written to a file.

Credentials (SASL, SCRAM, delegation tokens) never reach a file. A frame that may hold one and cannot be decoded is
written without its body. Keys, values and headers of records become the letter x, as often as they had bytes.
"""

from __future__ import annotations

from kafkacompat.errors import KafkaCompatError
from kafkacompat.protocol import api_keys
from kafkacompat.protocol.primitives import Message
from kafkacompat.protocol.records.batch import BATCH_OVERHEAD, LAST_OFFSET_DELTA_OFFSET, read_header, stamp_crc
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.traffic.capture_file import REDACTED, REQUEST, RESPONSE
from kafkacompat.traffic.decoding import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from kafkacompat.protocol.records.batch import BatchHeader
    from kafkacompat.traffic.capture_file import Entry

CHOICES = ("values", "keys", "headers")
"""What of records can be replaced."""
SECRET_FIELDS = {
    api_keys.SASL_AUTHENTICATE: ("auth_bytes",),
    api_keys.CREATE_DELEGATION_TOKEN: ("hmac",),
    api_keys.RENEW_DELEGATION_TOKEN: ("hmac",),
    api_keys.EXPIRE_DELEGATION_TOKEN: ("hmac",),
    api_keys.DESCRIBE_DELEGATION_TOKEN: ("hmac",),
    api_keys.ALTER_USER_SCRAM_CREDENTIALS: ("salt", "salted_password"),
}
"""Fields with credentials, at any depth of requests and responses."""
SECRET_CONFIGS = ("password", "secret", "credential", "jaas", ".key", "token")
"""The value of a config whose name has one of these is a secret."""
WITH_CONFIGS = frozenset(
    (
        api_keys.ALTER_CONFIGS,
        api_keys.INCREMENTAL_ALTER_CONFIGS,
        api_keys.CREATE_TOPICS,
        api_keys.DESCRIBE_CONFIGS,
    )
)
WITH_RECORDS = frozenset((api_keys.PRODUCE, api_keys.FETCH, api_keys.SHARE_FETCH))
OPAQUE = frozenset((api_keys.ENVELOPE, api_keys.PUSH_TELEMETRY))
"""APIs with frames in frames, or with bytes of unknown content: kept without their body."""
UNKNOWN_KEY = 32767


class Redaction:
    """What is replaced before an entry is written. choices: some of CHOICES. Raises KafkaCompatError for others."""

    def __init__(self, choices: Collection[str] = ()) -> None:
        unknown = sorted(set(choices) - set(CHOICES))
        if unknown:
            raise KafkaCompatError(f"{unknown[0]!r} of records cannot be redacted: give some of {', '.join(CHOICES)}")
        self._choices = frozenset(choices)

    def apply(self, entry: Entry) -> Entry:
        """The entry as it may be written."""
        if entry.kind not in (REQUEST, RESPONSE):
            return entry
        key = entry.api_key
        if key not in api_keys.STEMS:  # it may be anything, a password too
            return entry._replace(payload=b"", flags=REDACTED, api_key=UNKNOWN_KEY, api_version=0, correlation_id=0)
        if key in SECRET_FIELDS or key in WITH_CONFIGS or (self._choices and key in WITH_RECORDS) or key in OPAQUE:
            try:
                return self._redacted(entry)
            except Exception:  # noqa: BLE001 (whatever it is: what cannot be redacted is not written)
                return entry._replace(payload=b"", flags=REDACTED)
        return entry

    def _redacted(self, entry: Entry) -> Entry:
        found = decode(entry)
        if entry.api_key in OPAQUE:
            return entry._replace(payload=found.head, flags=REDACTED)
        if not self._clean(found.message, entry.api_key):
            return entry
        return entry._replace(payload=found.encode(is_request=entry.kind == REQUEST), flags=REDACTED)

    def _clean(self, message: Message, api_key: int) -> bool:
        """Replace what must not be written, here and below. Returns whether there was something."""
        has_changed = False
        secrets = SECRET_FIELDS.get(api_key, ())
        if api_key in WITH_CONFIGS and _is_secret_config(message):
            message.value = ""  # type: ignore[attr-defined]
            has_changed = True
        field: str
        for field in message.__slots__:
            value = getattr(message, field)
            if field in secrets and value:
                setattr(message, field, b"")
                has_changed = True
            elif field == "records" and value and api_key in WITH_RECORDS:
                setattr(message, field, self._records(bytes(value), api_key))
                has_changed = True
            elif isinstance(value, Message):
                has_changed |= self._clean(value, api_key)
            elif isinstance(value, list) and value and isinstance(value[0], Message):
                for each in value:
                    has_changed |= self._clean(each, api_key)
        return has_changed

    def _records(self, data: bytes, api_key: int) -> bytes:
        """Batches with the same offsets, times and producers. An incomplete batch at the end is left out.

        Raises KafkaCompatError for a control batch of a client: brokers alone write them, so it may hold anything.
        """
        out = []
        at = 0
        while at < len(data):
            header = read_header(data, at)
            if header.size_bytes > len(data) - at:
                break
            if header.is_control and api_key == api_keys.PRODUCE:
                raise KafkaCompatError("a client sent a control batch")
            if header.is_control or header.size_bytes == BATCH_OVERHEAD:
                out.append(data[at : at + header.size_bytes])
            else:
                out.append(_rebuilt([self._record(each) for each in read_records(data, at, header)], header))
            at += header.size_bytes
        return b"".join(out)

    def _record(self, record: Record) -> Record:
        choices = self._choices
        key = _crossed(record.key) if "keys" in choices else record.key
        value = _crossed(record.value) if "values" in choices else record.value
        headers = record.headers
        if "headers" in choices:
            headers = tuple((name, _crossed(content)) for name, content in headers)
        return Record(record.offset, record.timestamp, key, value, headers)


def _is_secret_config(message: Message) -> bool:
    name = getattr(message, "name", None)
    has_value = isinstance(getattr(message, "value", None), str) and message.value != ""  # type: ignore[attr-defined]
    return has_value and isinstance(name, str) and any(part in name.lower() for part in SECRET_CONFIGS)


def _crossed(content: bytes | None) -> bytes | None:
    return None if content is None else b"x" * len(content)


def _rebuilt(records: list[Record], header: BatchHeader) -> bytes:
    batch = build_batch(
        records, base_offset=header.base_offset, leader_epoch=header.leader_epoch, compression=header.compression,
        timestamp_type=int(header.is_log_append_time), producer_id=header.producer_id,
        producer_epoch=header.producer_epoch, base_sequence=header.base_sequence,
        is_transactional=header.is_transactional,
    )  # fmt: skip
    batch[LAST_OFFSET_DELTA_OFFSET : LAST_OFFSET_DELTA_OFFSET + 4] = header.last_offset_delta.to_bytes(4, "big")
    stamp_crc(batch, 0, len(batch))
    return bytes(batch)
