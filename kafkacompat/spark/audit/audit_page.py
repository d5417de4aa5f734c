"""The verdict of an audit for people: one HTML file with pictures, without scripts, which asks no network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree as Xml

from kafkacompat.spark.audit.audit_findings import AuditReport, Finding
from kafkacompat.spark.audit.audit_output import KINDS
from kafkacompat.spark.audit.key_figures import KeyFigures
from kafkacompat.spark.audit.lag_figures import GroupLag, LagFigures
from kafkacompat.spark.audit.page_charts import COLORS, Bar, Mark, area, bars, binned, legend, lines, strip
from kafkacompat.spark.audit.page_elements import (
    count_text,
    counted_text,
    element,
    place_text,
    share_text,
    shown,
    shown_key,
    size_text,
)
from kafkacompat.spark.audit.page_style import STYLE

MAX_STRIPS = 30
"""Partitions whose damage is drawn; the others are counted."""
MAX_BARS = 20
MAX_ROWS = 200
"""Findings in the table."""
REST_COLOR = COLORS - 1
MUCH_SKEW = 2.0
"""From this multiple of the mean on, skew is drawn as too much."""
STAYS, KEY_COLOR, MUCH = 1, 3, 6
"""Colors of what stays, of keys, and of what is too much."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
TITLES = {"log": "Audit of logs", "replicas": "Audit of replicas", "ledger": "Audit of a ledger",
          "clusters": "Audit of two clusters", "archive": "Audit of an archive"}  # fmt: skip
Place = tuple[str, str, int]
"""Replica (or ""), topic and partition."""


def as_page(report: AuditReport, keys: KeyFigures | None = None, lag: LagFigures | None = None) -> str:
    """The page, as --html writes it. `keys`, `lag`: what `key_figures` and `lag_figures` have counted, with pictures of
    their own.
    """
    sections = [
        _verdict(report), _tiles(report), *_damage(report), *_times(report), *(_lag(lag) if lag else ()),
        *_partitions(report), *_codecs(report), *(_keys(keys) if keys else ()), *_table(report),
    ]  # fmt: skip
    title = TITLES[report.kind]
    head = element(
        "head", element("meta", charset="utf-8"), element("title", f"{title}: {_headline(report)}"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY), element("style", STYLE),
    )  # fmt: skip
    body = element("body", element("main", element("h1", f"kafkacompat · {title}"), *sections))
    page = Xml.tostring(element("html", head, body, lang="en"), encoding="unicode", method="html")
    return f"<!doctype html>\n{page}\n"


def _headline(report: AuditReport) -> str:
    return "no damage found" if report.is_clean else counted_text(sum(report.counts.values()), "finding")


def _verdict(report: AuditReport) -> Xml.Element:
    if report.is_clean:
        said = f"All {len(KINDS[report.kind])} kinds of damage were looked for; none is there."
        return element("section", element("b", "Sound: no damage found"), said, class_="verdict good")
    places = {(each.topic, each.partition) for each in report.findings}
    said = f"in {counted_text(len(places), 'partition')}, of {counted_text(len(report.counts), 'kind')}"
    return element("section", element("b", f"Damaged: {_headline(report)}"), said, class_="verdict bad")


def _tiles(report: AuditReport) -> Xml.Element:
    tiles = []
    for name, value in report.totals.items():
        text = size_text(value) if name.endswith("bytes") else count_text(value)
        words = "size" if name == "size_bytes" else name.replace("_", " ")
        if value or name in ("partitions", "records", "size_bytes"):
            tiles.append(element("div", element("b", text), words, class_="tile"))
    return element("div", *tiles, class_="tiles")


def _section(title: str, said: str, *children: Xml.Element) -> Xml.Element:
    return element("section", element("h2", title), element("p", said, class_="soft"), *children)


def _damage(report: AuditReport) -> Iterable[Xml.Element]:
    """Which damage there is, and where: a strip of offsets for each of the partitions with the most findings."""
    if report.is_clean:
        return
    colors = {kind: number % COLORS for number, kind in enumerate(sorted(report.counts))}
    most = max(report.counts.values())
    kinds = bars(
        Bar(kind, ((count / most, colors[kind]),), count_text(count), KINDS[report.kind].get(kind, ""))
        for kind, count in sorted(report.counts.items(), key=lambda item: -item[1])
    )
    meanings = element(
        "p", " ".join(f"{kind}: {KINDS[report.kind].get(kind, '')}." for kind in report.counts), class_="soft"
    )
    yield _section("Kinds of damage", "Findings of each kind; one fault is one finding.", kinds, meanings)
    by_place: dict[Place, list[Finding]] = {}
    for each in report.findings:
        by_place.setdefault((each.replica if report.partitions else "", each.topic, each.partition), []).append(each)
    ranges = {
        (each["replica"], each["topic"], each["partition"]): (each["first_offset"], each["end_offset"])
        for each in report.partitions
    }
    worst = sorted(by_place, key=lambda place: (-len(by_place[place]), place))
    rows = [_strip(place, by_place[place], ranges.get(place), colors) for place in worst[:MAX_STRIPS]]
    rest = worst[MAX_STRIPS:]
    if rest:
        said = f"and {counted_text(sum(len(by_place[each]) for each in rest), 'finding')} in "
        rows.append(element("p", said + counted_text(len(rest), "more partition"), class_="soft"))
    lead = "From the first offset of a partition on the left to its end on the right."
    yield _section("Where the damage lies", lead, legend(colors.items()), element("div", *rows, class_="bars"))


def _strip(
    place: Place, findings: Sequence[Finding], offsets: tuple[int, int] | None, colors: Mapping[str, int]
) -> Xml.Element:
    marks = [Mark(*_offsets(each), colors[each.kind]) for each in findings]
    known = [at for mark in marks for at in (mark.first, mark.last) if at >= 0]
    low, end = offsets or (min(known, default=0), max(known, default=0) + 1)
    low, end = min([low, *known]), max([end, *(at + 1 for at in known)])
    name = place_text(place[1], place[2])
    said = f"{count_text(len(findings))} in {count_text(low)} … {count_text(end)}"
    return element(
        "div", element("span", name, class_="label"), strip(low, end, (mark for mark in marks if mark.first >= 0)),
        element("span", said, class_="value"), class_="bar", title=shown(f"{place[1]}-{place[2]} {place[0]}", 400),
    )  # fmt: skip


def _offsets(finding: Finding) -> tuple[int, int]:
    """Where a finding is drawn: what has no offset, where its segment begins."""
    stem = Path(finding.file).stem
    first = finding.first_offset if finding.first_offset >= 0 or not stem.isdecimal() else int(stem)
    return first, max(finding.last_offset, first)


def _times(report: AuditReport) -> Iterable[Xml.Element]:
    """Records and bytes over the time of the records."""
    sums: dict[int, list[int]] = {}
    for each in report.partitions:
        for at, (size, records) in each["times"].items():
            before = sums.setdefault(at, [0, 0])
            before[0] += size
            before[1] += records
    curve = binned(sums)
    if curve is None:
        return
    said = f"The records of a batch are spread evenly over its time (UTC); {curve.bin_ms // 60_000:,} min to each step."
    if curve.outside:
        said += f" {counted_text(curve.outside, 'record')} with times far from all others are not drawn."
    charts = []
    for which, name in ((1, "Records a second"), (0, "Bytes a second, as stored")):
        top = max(curve.rates(which))
        text = size_text if which == 0 else count_text
        drawn = area(curve, which, name, (text(top / 2), text(top)))
        charts += [element("h3", name), element("div", drawn, class_="scroll")]
    yield _section("Throughput over time", said, *charts)


def _lag(lag: LagFigures) -> Iterable[Xml.Element]:
    """How far groups were behind over time, and where their last commits have left them."""
    top = max(max(each.lags) for each in lag.groups)
    series = [(color, each.lags) for color, each in enumerate(lag.groups)]
    chart = lines(lag.start_ms, lag.bin_ms, series, "Records behind", (count_text(top / 2), count_text(top)))
    rows = [
        Bar(shown(each.group), ((each.lags[-1] / top, color),) if each.lags[-1] > 0 else (), _lag_text(each))
        for color, each in enumerate(lag.groups)
    ]
    said = (
        f"Records behind at the end of each {lag.bin_ms // 60_000:,} min (UTC), by the commits that "
        "__consumer_offsets has and the times of the records."
    )
    if lag.groups_count > len(lag.groups):
        said += f" The {len(lag.groups)} groups of {count_text(lag.groups_count)} that were behind the most."
    names = legend((shown(each.group), color) for color, each in enumerate(lag.groups))
    drawn = element("div", chart, class_="scroll")
    yield _section("Lag of consumer groups", said, names, drawn, element("h3", "At the last commit"), bars(rows))


def _lag_text(group: GroupLag) -> str:
    behind = "no offsets any more" if group.lags[-1] < 0 else f"{count_text(group.lags[-1])} behind"
    return f"{behind} · {counted_text(group.partitions, 'partition')}"


def _partitions(report: AuditReport) -> Iterable[Xml.Element]:
    """The largest partitions, and how evenly each topic's records are spread."""
    rows = [each for each in report.partitions if each["size_bytes"]]
    if not rows:
        return
    total = sum(each["size_bytes"] for each in rows)
    ordered = sorted(rows, key=lambda each: (-each["size_bytes"], each["topic"], each["partition"]))
    most = ordered[0]["size_bytes"]
    shown_rows = [
        Bar(
            place_text(each["topic"], each["partition"]), ((each["size_bytes"] / most, 0),),
            f"{size_text(each['size_bytes'])} · {counted_text(each['records'], 'record')}",
        )
        for each in ordered[:MAX_BARS]
    ]  # fmt: skip
    rest = sum(each["size_bytes"] for each in ordered[MAX_BARS:])
    said = f"{counted_text(len(rows), 'partition')} with data, {size_text(total)}."
    if rest:
        said += f" {counted_text(len(ordered) - MAX_BARS, 'smaller one')} have {share_text(rest, total)} of it."
    by_topic: dict[str, list[int]] = {}
    for each in report.partitions:
        by_topic.setdefault(each["topic"], []).append(each["records"])
    skews = sorted(((_skew(each), topic, len(each)) for topic, each in by_topic.items() if len(each) > 1), reverse=True)
    children = [bars(shown_rows)]
    if skews:
        largest = max(skews[0][0], MUCH_SKEW)  # so that a bar of full width is never an even topic
        children += [
            element("h3", "Skew: records of a topic's largest partition, in multiples of its mean"),
            bars(
                Bar(
                    shown(topic),
                    ((skew / largest, 0 if skew < MUCH_SKEW else MUCH),),
                    f"{skew:.2f} × of {count} partitions",
                )
                for skew, topic, count in skews[:MAX_BARS]
            ),
        ]
    yield _section("Partitions", said, *children)


def _skew(records: Sequence[int]) -> float:
    return max(records) * len(records) / sum(records) if any(records) else 0.0


def _codecs(report: AuditReport) -> Iterable[Xml.Element]:
    """Bytes by codec: of each of the largest topics, and of all."""
    by_topic: dict[str, Counter[str]] = {}
    for each in report.partitions:
        by_topic.setdefault(each["topic"], Counter()).update({name: sums[0] for name, sums in each["codecs"].items()})
    everything: Counter[str] = Counter()
    for sizes in by_topic.values():
        everything.update(sizes)
    if not everything:
        return
    colors = {name: number for number, (name, _) in enumerate(everything.most_common())}
    ordered = sorted((topic for topic in by_topic if by_topic[topic]), key=lambda topic: -by_topic[topic].total())
    rows = [_codec_bar("all topics", everything, colors)] if len(ordered) > 1 else []
    rows += [_codec_bar(shown(topic), by_topic[topic], colors) for topic in ordered[:MAX_BARS]]
    said = "How much of a topic's bytes is in batches of each codec."
    if len(ordered) > MAX_BARS:
        said += f" The {MAX_BARS} largest topics of {count_text(len(ordered))}."
    yield _section("Codecs", said, legend(colors.items()), bars(rows))


def _codec_bar(name: str, sizes: Counter[str], colors: Mapping[str, int]) -> Bar:
    total = sizes.total() or 1
    parts = tuple((size / total, colors[codec]) for codec, size in sizes.most_common())
    hint = ", ".join(f"{codec} {share_text(size, total)}" for codec, size in sizes.most_common())
    return Bar(name, parts, size_text(total), f"{name}: {hint}")


def _keys(keys: KeyFigures) -> Iterable[Xml.Element]:
    """The keys with the most bytes, and what compaction would leave of each topic."""
    total = sum(each.size_bytes for each in keys.topics)
    if not total:
        return
    most = max((each.size_bytes for each in keys.top), default=1) or 1
    top = bars(
        Bar(
            f"{'(no key)' if each.key is None else shown_key(each.key)} · {shown(each.topic)}",
            ((each.size_bytes / most, REST_COLOR if each.key is None else KEY_COLOR),),
            f"{size_text(each.size_bytes)} ({share_text(each.size_bytes, total)}) · "
            f"{counted_text(each.records, 'record')}",
        )
        for each in keys.top
    )  # fmt: skip
    distinct = sum(each.keys for each in keys.topics)
    said = f"{counted_text(distinct, 'key')} by partition. Keys and values, not compressed."
    yield _section("Keys that fill the disk", said, top)
    saving = sorted(keys.topics, key=lambda each: each.last_bytes - each.size_bytes)
    largest = max(each.size_bytes for each in keys.topics)
    rows = [
        Bar(
            shown(each.topic),
            ((each.last_bytes / largest, STAYS), ((each.size_bytes - each.last_bytes) / largest, REST_COLOR)),
            f"saves {size_text(each.size_bytes - each.last_bytes)} "
            f"({share_text(each.size_bytes - each.last_bytes, each.size_bytes)})",
            f"{shown(each.topic)}: {counted_text(each.keys, 'key')}, {counted_text(each.tombstones, 'tombstone')}, "
            f"{counted_text(each.records_without_key, 'record')} without a key",
        )
        for each in saving[:MAX_BARS]
    ]  # fmt: skip
    yield _section(
        "What compaction would save",
        "Of each key the last record stays, or nothing if it is a tombstone. Compacted topics refuse records without a "
        "key; here they stay.",
        legend((("stays", STAYS), ("goes", REST_COLOR))), bars(rows),
    )  # fmt: skip


def _table(report: AuditReport) -> Iterable[Xml.Element]:
    """The first findings, one by one."""
    if report.is_clean:
        return
    head = element("tr", *(element("th", name) for name in ("kind", "partition", "offsets", "detail", "file")))
    rows = [
        element(
            "tr", element("td", each.kind, class_="n"), element("td", place_text(each.topic, each.partition)),
            element("td", _offsets_text(each), class_="n"), element("td", shown(each.detail, 300)),
            element("td", shown(each.file or each.replica, 300)),
        )
        for each in report.findings[:MAX_ROWS]
    ]  # fmt: skip
    count = sum(report.counts.values())
    said = "In the order of topics, partitions and offsets."
    if count > len(rows):
        said += f" The first {len(rows)} of {count_text(count)}; --json FILE has {count_text(len(report.findings))}."
    table = element("div", element("table", element("thead", head), element("tbody", *rows)), class_="scroll")
    yield _section("Findings", said, table)


def _offsets_text(finding: Finding) -> str:
    if finding.first_offset < 0:
        return f"position {finding.position}" if finding.position >= 0 else "–"
    first, last = finding.first_offset, finding.last_offset
    return str(first) if last <= first else f"{first} – {last}"
