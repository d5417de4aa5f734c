from __future__ import annotations

from typing import Any

import pytest

from kafkacompat.protocol import api_keys, messages
from kafkacompat.protocol.headers import (
    RequestHeader,
    encode_request_header,
    encode_response_header,
    response_header_is_flexible,
)
from kafkacompat.protocol.messages import (
    alter_user_scram_credentials,
    create_delegation_token,
    fetch,
    incremental_alter_configs,
    produce,
    sasl_authenticate,
    sasl_handshake,
)
from kafkacompat.protocol.records.batch import ATTRIBUTES_OFFSET, check_crc, read_header, stamp_crc
from kafkacompat.protocol.records.builder import Record, build_batch
from kafkacompat.protocol.records.reader import read_records
from kafkacompat.traffic.capture_file import REDACTED, REQUEST, RESPONSE, Entry
from kafkacompat.traffic.decoding import decode
from kafkacompat.traffic.redaction import SECRET_FIELDS, Redaction

SECRET = b"s3cret-password"
RECORD_COUNT = 57
"""Where a batch says how many records it has."""


def request(key: int, version: int, message: Any) -> Entry:
    parts: list[bytes] = [encode_request_header(RequestHeader(key, version, 7, "billing"))]
    messages.load(key).encode_request(message, version, parts)
    return Entry(REQUEST, 0, key, version, 7, 1, 0, 0, b"".join(map(bytes, parts)))


def response(key: int, version: int, message: Any) -> Entry:
    parts: list[bytes] = [encode_response_header(7, response_header_is_flexible(key, version))]
    messages.load(key).encode_response(message, version, parts)
    return Entry(RESPONSE, 0, key, version, 7, 1, 0, 0, b"".join(map(bytes, parts)))


SCRAM = alter_user_scram_credentials.AlterUserScramCredentialsRequest(
    upsertions=[alter_user_scram_credentials.ScramCredentialUpsertion("bob", 1, 4096, SECRET, SECRET)]
)
CONFIGS = incremental_alter_configs.IncrementalAlterConfigsRequest(
    [
        incremental_alter_configs.AlterConfigsResource(
            4, "1",
            [
                incremental_alter_configs.AlterableConfig("ssl.keystore.password", 0, SECRET.decode()),
                incremental_alter_configs.AlterableConfig("retention.ms", 0, "5"),
            ],
        )
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    "entry",
    [
        request(36, 2, sasl_authenticate.SaslAuthenticateRequest(b"\0bob\0" + SECRET)),
        response(36, 2, sasl_authenticate.SaslAuthenticateResponse(auth_bytes=SECRET)),
        request(51, 0, SCRAM),
        response(38, 3, create_delegation_token.CreateDelegationTokenResponse(hmac=SECRET)),
        request(44, 1, CONFIGS),
    ],
    ids=["SASL", "SASL answer", "SCRAM", "token", "configs"],
)
def test_no_credential_is_written(entry: Entry) -> None:
    written = Redaction().apply(entry)
    assert SECRET in entry.payload
    assert SECRET not in written.payload
    assert written.flags == REDACTED
    decode(written)


def test_what_has_no_secret_is_written_as_it_came() -> None:
    for entry in (
        request(17, 1, sasl_handshake.SaslHandshakeRequest("PLAIN")),
        request(44, 1, incremental_alter_configs.IncrementalAlterConfigsRequest([])),
    ):
        assert Redaction(["values", "keys", "headers"]).apply(entry) is entry


def test_other_configs_stay() -> None:
    found: Any = decode(Redaction().apply(request(44, 1, CONFIGS))).message
    assert [(each.name, each.value) for each in found.resources[0].configs] == [
        ("ssl.keystore.password", ""), ("retention.ms", "5")
    ]  # fmt: skip


def test_what_cannot_be_understood_is_written_without_its_content() -> None:
    for payload, key in ((b"\0bob\0" + SECRET, int.from_bytes(b"\0b", "big")), (b"\0\x24\0\2\0\0\0\7" + SECRET, 36)):
        written = Redaction().apply(Entry(REQUEST, 0, key, 2, 7, 1, 0, 0, payload))
        assert (written.payload, written.flags) == (b"", REDACTED)
    old_token = Entry(REQUEST, 0, 98, 111, 0x62003333, 1, 0, 0, b"\0bob\0" + SECRET)
    assert Redaction().apply(old_token)[2:5] == (32767, 0, 0), "no byte of it is in the entry's fields either"


def test_every_field_that_may_hold_a_secret_exists() -> None:
    for key, fields in SECRET_FIELDS.items():
        module = messages.load(key)
        named = {name for each in vars(module).values() for name in getattr(each, "__slots__", ())}
        assert set(fields) <= named, api_keys.name(key)


@pytest.mark.parametrize("compression", [0, 1, 4])
def test_contents_of_records_become_the_letter_x(compression: int) -> None:
    records = [
        Record(0, 1000, b"key", b"a value", [("h", b"head"), ("none", None)]),
        Record(1, 900, None, None),
    ]
    batch = build_batch(
        records, base_offset=0, compression=compression, producer_id=9, producer_epoch=1, base_sequence=5
    )
    sent = request(
        0, 9,
        produce.ProduceRequest(
            acks=1,
            topic_data=[produce.TopicProduceData("t", partition_data=[produce.PartitionProduceData(0, bytes(batch))])],
        ),
    )  # fmt: skip
    answered = response(
        1, 12,
        fetch.FetchResponse(
            responses=[fetch.FetchableTopicResponse("t", partitions=[fetch.PartitionData(0, records=bytes(batch))])]
        ),
    )  # fmt: skip
    for choices, expected in (
        (["values"], (b"key", b"xxxxxxx", [b"head", None])),
        (["keys", "headers"], (b"xxx", b"a value", [b"xxxx", None])),
    ):
        redaction = Redaction(choices)
        of_request: Any = decode(redaction.apply(sent)).message
        of_response: Any = decode(redaction.apply(answered)).message
        for data in (
            of_request.topic_data[0].partition_data[0].records,
            of_response.responses[0].partitions[0].records,
        ):
            first, second = read_records(bytes(data))
            assert (first.key, first.value, [content for _, content in first.headers]) == expected
            assert (second.key, second.value) == (None, None), "a tombstone stays one"
            header = read_header(bytes(data))
            assert (header.producer_id, header.base_sequence, header.last_offset_delta) == (9, 5, 1)
            assert (first.timestamp, second.timestamp, header.compression) == (1000, 900, compression)
            assert check_crc(bytes(data), 0, header.size_bytes)


def test_a_batch_that_hides_its_records_is_not_written() -> None:
    for at, changed in ((RECORD_COUNT, bytes(4)), (ATTRIBUTES_OFFSET, (32).to_bytes(2, "big"))):
        batch = build_batch([Record(0, 1, b"k", b"hidden", ())], base_offset=0)
        batch[at : at + len(changed)] = changed  # no records, then a control batch
        stamp_crc(batch, 0, len(batch))
        partitions = [produce.PartitionProduceData(0, bytes(batch))]
        message = produce.ProduceRequest(acks=1, topic_data=[produce.TopicProduceData("t", partition_data=partitions)])
        sent = request(api_keys.PRODUCE, 9, message)
        written = Redaction(["values"]).apply(sent)
        assert (written.payload, written.flags) == (b"", REDACTED), at
