"""The text format, as the parser of Prometheus' own library reads it."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from kafkacompat.control_api.metrics import exposition
from kafkacompat.control_api.metrics.exposition import COUNTER, GAUGE, Exposition, labelled


def test_labels_are_escaped_and_numbers_kept() -> None:
    out = Exposition()
    out.one("bytes_total", COUNTER, "Bytes.", 2**62)
    out.family("idle", GAUGE, "Idle.")
    out.sample(0.25, client='a "b" \\ c\nd')
    bytes_total, idle = text_string_to_metric_families(out.text().decode())
    assert (bytes_total.type, bytes_total.samples[0].value) == ("counter", 2**62)
    (sample,) = idle.samples
    assert (idle.documentation, sample.value, sample.labels) == ("Idle.", 0.25, {"client": 'a "b" \\ c\nd'})


def test_families_that_were_encoded_before_keep_their_place(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = []
    for lines in (1, 1_000):
        monkeypatch.setattr(exposition, "LINES_MAX", lines)
        out = Exposition()
        for name in ("one", "two", "three"):
            out.family(name, GAUGE, "Some.")
            out.series(labelled(topic="ü"), 1)
        texts.append(out.text())
    assert texts[0] == texts[1]
    assert [family.name for family in text_string_to_metric_families(texts[0].decode())] == ["one", "two", "three"]
