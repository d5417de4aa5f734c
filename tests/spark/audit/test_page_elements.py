"""Texts of a page."""

from __future__ import annotations

import pytest

from kafkacompat.spark.audit.page_elements import (
    count_text,
    counted_text,
    element,
    place_text,
    share_text,
    shown,
    shown_key,
    size_text,
    time_text,
)


def test_children_and_texts_keep_their_order() -> None:
    made = element("p", "a", element("b", "c"), "d", "e", class_="x", http_equiv="y", title=None)
    assert "".join(made.itertext()) == "acde"
    assert made.attrib == {"class": "x", "http-equiv": "y"}


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (999, "999 B"), (1000, "1 KB"), (999_600, "1 MB"), (2.5e18, "2.5e+03 PB")]
)
def test_sizes(size: float, text: str) -> None:
    assert size_text(size) == text


def test_numbers() -> None:
    assert [count_text(each) for each in (0, 0.25, 1234.4)] == ["0", "0.25", "1,234"]
    assert [counted_text(each, "key") for each in (1, 2000)] == ["1 key", "2,000 keys"]
    shares = [share_text(*each) for each in ((0, 1), (1, 0), (1, 10**6), (10**6 - 1, 10**6), (1, 1))]
    assert shares == ["0%", "0%", "<0.1%", ">99.9%", "100%"]


def test_times() -> None:
    assert time_text(1357000020000) == "2013-01-01 00:27"
    assert time_text(1e30).endswith(" ms")


def test_foreign_texts() -> None:
    assert shown("a\n\x00b\u202e") == "a\\n\\x00b\\u202e"
    assert len(shown("x" * 1000)) == 80
    assert [shown_key(key) for key in (b"", b"42", b"\xff\x01")] == ["(empty)", "42", "0xff01"]
    assert place_text("t" * 300, 7).endswith("…-7")
    assert place_text("", -1) == "whole directory"
