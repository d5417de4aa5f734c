"""Records as JSON objects: encodings, headers, and what is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kafkacompat.protocol.records.json_form import record_of


def test_a_record_has_text_bytes_or_json() -> None:
    record = record_of(
        {
            "topic": "orders", "partition": 2, "timestamp": 17, "key": "AP8=", "key_encoding": "base64",
            "value": {"a": [1]}, "value_encoding": "json",
            "headers": [["h", "x"], ["n", None], ["b", "AA==", "base64"]],
            "offset": 5, "leader_epoch": 3, "timestamp_type": "CreateTime",
        }
    )  # fmt: skip
    assert record[:3] == ("orders", 2, 17)
    assert (record.key, record.value) == (b"\0\xff", b'{"a":[1]}')
    assert record.headers == [("h", b"x"), ("n", None), ("b", b"\0")]


def test_what_is_not_given_is_none() -> None:
    assert record_of({}) == (None, None, None, None, None, [])
    assert record_of({"headers": {"h": "x"}}).headers == [("h", b"x")]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"values": "x"}, "unknown field 'values'"),
        ({"value": 3}, "value must be a string or null"),
        ({"value": "x", "value_encoding": "hex"}, "encoding 'hex' of value"),
        ({"key": "x", "key_encoding": "base64"}, "key is no base64"),
        ({"timestamp": "now"}, "timestamp must be an integer"),
        ({"partition": True}, "partition must be an integer"),
        ({"topic": 3}, "topic must be a string"),
        ({"headers": "h"}, "headers must be a list"),
        ({"headers": [["h"]]}, 'a header is ["name", "value"]'),
    ],
)
def test_anything_else_is_refused(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        record_of(fields)
