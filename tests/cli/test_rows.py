"""Rows as a table, JSON, CSV and raw values."""

from __future__ import annotations

import pytest

from kafkacompat.cli.rows import print_rows, to_json

ROWS = [
    {"topic_name": "a", "isr": [1, 2], "leader": None, "ok": True, "configs": {"k": "v"}},
    {"topic_name": "longer-name", "isr": [], "leader": 3, "ok": False, "configs": {}},
]
COLUMNS = ("topic_name", "isr", "leader", "ok", "configs")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (
            "table",
            "TOPIC NAME   ISR  LEADER  OK   CONFIGS\n"
            "a            1,2  -       yes  k=v\n"
            "longer-name  -    3       no   -\n",
        ),
        ("csv", 'topic_name,isr,leader,ok,configs\na,"1,2",,yes,k=v\nlonger-name,,3,no,\n'),
        ("raw", "a\nlonger-name\n"),
        (
            "json",
            '{"topic_name":"a","isr":[1,2],"leader":null,"ok":true,"configs":{"k":"v"}}\n'
            '{"topic_name":"longer-name","isr":[],"leader":3,"ok":false,"configs":{}}\n',
        ),
    ],
)
def test_each_word_has_its_form(words: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(ROWS, COLUMNS, words)
    assert capsys.readouterr().out == text


def test_json_is_readable_and_never_broken() -> None:
    assert to_json({"a": "ä"}) == '{"a":"ä"}'
    assert to_json({"a": "\udcff"}) == '{"a":"\\udcff"}'
