"""What a soak calls growth, and what it draws."""

import os
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from compat_tests.soak import chart
from compat_tests.soak.samples import Sample, disk_bytes, look
from compat_tests.soak.trend import RSS_MB_MAX, complaints, cpu_points, settled, slope


def samples(rss_mb_per_h: float = 0.0, fds_per_h: float = 0.0, threads_per_h: float = 0.0, hours: int = 4):
    """Three nodes, one of which is restarted half way and begins anew with little."""
    found = []
    for minute in range(hours * 60):
        for node in (1, 2, 3):
            life = node * 10 + (node == 2 and minute >= hours * 30)
            at_h = minute / 60 - (hours / 2 if life == 21 else 0)
            warm_mb = 30 + 50 * min(at_h * 30, 1)
            found.append(
                Sample(
                    minute * 60.0, node, life, warm_mb + rss_mb_per_h * at_h, int(50 + fds_per_h * at_h),
                    int(2 + threads_per_h * at_h), 100 + minute, 0.01 * minute, minute * 100,
                )
            )  # fmt: skip
    return found


def test_what_stays_as_it_is_is_no_growth():
    assert complaints(samples(), 180) == []
    assert complaints(samples(rss_mb_per_h=RSS_MB_MAX / 4 * 0.9), 180) == []


def test_growth_of_each_kind_is_told_for_each_node():
    assert len(complaints(samples(rss_mb_per_h=RSS_MB_MAX / 4 * 1.1), 180)) == 3
    (line,) = complaints(samples(fds_per_h=2), 180)
    assert line.endswith("fds more at the end")
    (line,) = complaints(samples(threads_per_h=1), 180)
    assert line.endswith("threads more at the end")


def test_connections_that_move_with_a_leader_are_not_left_open():
    moved = [
        sample._replace(fds=sample.fds + 20 * ((sample.at_s > 5000) == (sample.node == 1)))
        for sample in samples()
        if sample.node != 2
    ]
    assert complaints(moved, 180) == []


def test_lives_may_begin_at_different_heights():
    assert slope([(1, 0, 100), (1, 10, 120), (2, 20, 5), (2, 30, 25)]) == pytest.approx(2.0)
    assert slope([]) == slope([(1, 5, 5)]) == 0.0


def test_the_beginning_of_each_life_does_not_count():
    kept = settled(samples(), 180)
    assert min(sample.at_s for sample in kept if sample.life == 21) == 2 * 3600 + 180
    assert {round(sample.rss_mb) for sample in kept} == {80}


def test_cpu_is_that_of_a_write():
    assert {round(value, 3) for _, _, value in cpu_points(samples()[::3])} == {0.1}


def test_the_picture_has_a_line_for_each_life():
    root = ElementTree.fromstring(chart.svg(samples()))
    lines = [element for element in root.iter() if element.tag.endswith("polyline")]
    assert len(lines) == 4 * len(chart.STRIPS)


@pytest.mark.skipif(sys.platform != "linux", reason="read from /proc")
def test_a_look_at_this_process(tmp_path):
    (tmp_path / "file").write_bytes(bytes(100_000))
    sample = look(1.0, 1, os.getpid(), tmp_path, 5)
    assert sample is not None
    assert sample.rss_mb > 5
    assert sample.fds >= 3
    assert sample.threads >= 1
    assert sample.disk_mb * 2**20 == disk_bytes(tmp_path) >= 100_000
    assert look(1.0, 1, 2**22 + 1, Path("/nowhere"), 5) is None
