"""The page of an audit: what foreign texts cannot do, and how much of it there is."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from kafkacompat.spark.audit.audit_findings import AuditReport, Finding, report_of
from kafkacompat.spark.audit.audit_page import MAX_BARS, MAX_ROWS, MAX_STRIPS, as_page
from kafkacompat.spark.audit.key_figures import KeyFigure, KeyFigures, TopicKeys
from kafkacompat.spark.audit.lag_figures import GroupLag, LagFigures

HOSTILE = "<script>alert(1)</script>\"'&\u202e\ud800"
TIMES = {1357000000000 + 60_000 * number: (1000, 10) for number in range(100)}


def partition(topic: str = "orders", number: int = 0, records: int = 1000) -> dict[str, Any]:
    return {
        "topic": topic, "partition": number, "replica": "/data", "first_offset": 0, "end_offset": records,
        "log_start_offset": 0, "high_watermark": records, "segments": 1, "batches": 1, "records": records,
        "size_bytes": records * 100, "codecs": {"zstd": [records * 100, records]} if records else {},
        "times": TIMES if records else {},
    }  # fmt: skip


def report(findings: list[Finding], partitions: list[dict[str, Any]]) -> AuditReport:
    return report_of("log", findings, {"partitions": len(partitions), "records": 1}, partitions)


class Seen(HTMLParser):
    """The tags and attributes of a page, and its text without the style."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] != "style":
            self.text += data


def test_foreign_texts_are_shown_and_do_nothing() -> None:
    found = Finding("checksum", HOSTILE, 1, 5, 9, HOSTILE, HOSTILE, f"/data/{HOSTILE}/0.log", 3)
    keys = KeyFigures((TopicKeys(HOSTILE, 1, 2, 30, 10, 0, 0),), (KeyFigure(HOSTILE, HOSTILE[:20].encode(), 2, 30),))
    lag = LagFigures(0, 60_000, (GroupLag(HOSTILE, 1, (5, -1)),), 1)
    page = as_page(report([found], [partition(HOSTILE, 1)]), keys, lag)
    seen = Seen(page)
    assert not {"script", "img", "a", "iframe", "link"} & set(seen.tags)
    assert not [name for name, _ in seen.attributes if name.startswith("on") or name in ("src", "href")]
    assert "<script>alert(1)</script>" in seen.text
    assert "\\u202e" in seen.text
    assert "\u202e" not in page
    page.encode()
    assert not re.search(r"https?://|url\(|@import", page)


def test_ten_thousand_partitions_with_much_damage_are_a_page() -> None:
    partitions = [partition(f"topic-{number % 40}", number, 1000 + number) for number in range(10_000)]
    findings = [
        Finding("order" if number % 3 else "checksum", each["topic"], each["partition"], at, at, "", "/data")
        for number, each in enumerate(partitions[:400])
        for at in range(0, 1000, 10)
    ]
    page = as_page(report(findings, partitions))
    assert len(page) < 1_000_000
    seen = Seen(page)
    assert seen.text.count("100 in 0 …") == MAX_STRIPS
    assert "and 37,000 findings in 370 more partitions" in seen.text
    assert seen.tags.count("tr") == MAX_ROWS + 1
    assert f"{10_000 - MAX_BARS:,} smaller ones have" in seen.text
    assert "Damaged: 40,000 findings" in seen.text


def test_a_sound_log_and_an_empty_one() -> None:
    sound = Seen(as_page(report([], [partition()]))).text
    assert "Sound: no damage found" in sound
    assert "Where the damage lies" not in sound
    assert "Throughput over time" in sound
    empty = Seen(as_page(report([], [partition(records=0)]), KeyFigures((), ()))).text
    assert "Sound: no damage found" in empty
    assert not [part for part in ("Throughput", "Codecs", "Skew", "compaction") if part in empty]


def test_what_compaction_saves_is_said() -> None:
    keys = KeyFigures(
        (TopicKeys("orders", 3, 100, 10_000, 2_500, 1, 0),), (KeyFigure("orders", None, 4, 400),)
    )  # fmt: skip
    text = Seen(as_page(report([], [partition()]), keys)).text
    assert "saves 7.5 KB (75%)" in text
    assert "(no key) · orders" in text


def test_the_lag_of_groups_is_drawn() -> None:
    groups = (GroupLag("slow", 2, (-1, 2000, 1500)), GroupLag("gone", 1, (7, -1, -1)), GroupLag("quick", 1, (0, 0, 0)))
    page = as_page(report([], [partition()]), None, LagFigures(1357000000000, 120_000, groups, 12))
    text = Seen(page).text
    assert "at the end of each 2 min" in text
    assert "The 3 groups of 12 that were behind the most." in text
    assert [part in text for part in ("1,500 behind · 2 partitions", "no offsets any more", "0 behind · 1 part")] == (
        [True] * 3
    )
    even = Seen(as_page(report([], [partition()]), None, LagFigures(0, 60_000, groups[2:], 1))).text
    assert "that were behind the most" not in even


def test_audits_without_partitions_have_pages_too() -> None:
    found = [Finding("lost", "orders", 2, 5, 5), Finding("lost", "orders", 2, 900, 900), Finding("checkpoint", "", -1)]
    text = Seen(as_page(report_of("ledger", found, {"records": 7}))).text
    assert "2 in 5 … 901" in text
    assert "whole directory" in text
