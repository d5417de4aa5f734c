"""Our codec and kio, made from Kafka's own schema files, agree byte for byte and value for value."""

import dataclasses
import datetime
import io
import os
import uuid
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from kio.index import load_entity_schema, load_request_schema, load_response_schema
from kio.schema.index import schema_name_map
from kio.serial import entity_reader, entity_writer
from kio.static.constants import EntityType

from kafkacompat.protocol import api_keys
from kafkacompat.protocol.primitives import ZERO_UUID, Message
from tests.protocol.random_messages import Kind, api_kinds, random_message, record_kinds

# What Kafka 4.4 added and kio, which knows 4.3, lacks; `compat_tests/schemas` compares it with Kafka's own files.
SINCE_4_4 = {
    "api_versions": {5}, "delete_groups": {3}, "streams_group_describe": {1}, "streams_group_heartbeat": {1},
    "streams_group_topology_description_update": {0}, "txn_offset_commit": {6}, "unregister_controller": {0},
}  # fmt: skip
# Fields that got another name in 4.4: kio's name to ours.
RENAMED = {
    "TxnOffsetCommitRequest": {"generation_id": "generation_id_or_member_epoch"},
    "StreamsGroupHeartbeatResponse": {"acceptable_recovery_lag": "acceptable_recovery_lag_legacy"},
}
SAMPLES = int(os.environ.get("KAFKACOMPAT_TEST_SAMPLES", "3"))


def plain(value: object) -> object:
    """Reduce a value of either library to dicts, lists and simple values."""
    match value:
        case Message():
            names = type(value).__init__.__annotations__.keys() - {"return"}
            return {name: plain(getattr(value, name)) for name in names}
        case list() | tuple():
            return [plain(item) for item in value]
        case memoryview():
            return bytes(value)
        case datetime.timedelta():
            return round(value.total_seconds() * 1000)
        case datetime.datetime():
            return round(value.timestamp() * 1000)
        case uuid.UUID():
            return value.bytes
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = dataclasses.fields(value)
            return {f.name: (f.metadata.get("kafka_type"), plain(getattr(value, f.name))) for f in fields}
        case bool() | float() | None:
            return value
        case int():
            return int(value)
        case str():
            return str(value)
        case _:
            assert isinstance(value, bytes), value
            return bytes(value)


def assert_same(ours: Any, theirs: Any, where: str) -> None:
    if isinstance(theirs, tuple):
        kind, theirs = theirs
        if theirs is None and kind == "uuid" and isinstance(ours, bytes):
            theirs = ZERO_UUID
        elif theirs is None and kind == "datetime_i64":
            theirs = -1
    if isinstance(theirs, dict):
        assert isinstance(ours, dict), where
        known = {squeezed(name): value for name, value in ours.items()}
        for name, value in theirs.items():
            key = squeezed(name) if squeezed(name) in known else squeezed(name) + "ms"
            assert key in known, f"{where}.{name}"
            assert_same(known[key], value, f"{where}.{name}")
    elif isinstance(theirs, list):
        assert isinstance(ours, list), where
        assert len(ours) == len(theirs), where
        for mine, its in zip(ours, theirs, strict=True):
            assert_same(mine, ZERO_UUID if its is None else its, where)
    else:
        assert ours == theirs, where


def renamed(theirs: Any, names: Mapping[str, str]) -> Any:
    return {names.get(name, name): value for name, value in theirs.items()}


def squeezed(name: str) -> str:
    return name.replace("_", "")


def compare(kind: Kind, version: int, schema: Any, rng: Random) -> None:
    reader, writer = entity_reader(schema), entity_writer(schema)
    for _ in range(SAMPLES):
        message = random_message(kind, version, rng)
        data = kind.encode(message, version)
        theirs, size = reader(data, 0)
        assert size == len(data)
        assert_same(plain(message), renamed(plain(theirs), RENAMED.get(str(kind), {})), f"{kind} v{version}")
        written = io.BytesIO()
        writer(written, theirs)
        assert written.getvalue() == data
        assert kind.decode(written.getvalue(), version) == message


@pytest.mark.parametrize("kind", api_kinds(), ids=str)
def test_requests_and_responses(kind: Kind) -> None:
    load = load_request_schema if kind.suffix == "request" else load_response_schema
    newer = SINCE_4_4.get(kind.api, set())
    versions = set(kind.message.all_versions())
    assert newer <= versions
    assert set(schema_name_map.get(kind.api, ())) == versions - newer
    for version in sorted(versions - newer):
        compare(kind, version, load(kind.module.API_KEY, version), Random(f"{kind} {version}"))


def shared_kinds() -> list[Kind]:
    return [kind for kind in record_kinds() if kio_stem(kind) in schema_name_map and kind.api != "headers"]


def kio_stem(kind: Kind) -> str:
    return kind.suffix.replace("kraft", "k_raft")


@pytest.mark.parametrize("kind", shared_kinds(), ids=str)
def test_records(kind: Kind) -> None:
    for version in kind.message.all_versions():
        schema = load_entity_schema(kio_stem(kind), version, EntityType.data)
        compare(kind, version, schema, Random(f"{kind} {version}"))


def test_kio_knows_what_we_know() -> None:
    assert len(shared_kinds()) == 10
    apis = {stem for stem, versions in schema_name_map.items() if EntityType.request in versions[max(versions)]}
    assert apis == set(api_keys.STEMS.values()) - {"streams_group_topology_description_update", "unregister_controller"}
