"""The text format, as the parser of Prometheus' own library reads it."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from kafkacompat.control_api.exposition import COUNTER, GAUGE, Exposition


def test_labels_are_escaped_and_numbers_kept() -> None:
    out = Exposition()
    out.one("bytes_total", COUNTER, "Bytes.", 2**62)
    out.family("idle", GAUGE, "Idle.")
    out.sample(0.25, client='a "b" \\ c\nd')
    bytes_total, idle = text_string_to_metric_families(out.text())
    assert (bytes_total.type, bytes_total.samples[0].value) == ("counter", 2**62)
    (sample,) = idle.samples
    assert (idle.documentation, sample.value, sample.labels) == ("Idle.", 0.25, {"client": 'a "b" \\ c\nd'})
