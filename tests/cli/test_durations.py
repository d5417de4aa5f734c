"""Lengths of time on the command line."""

from __future__ import annotations

import click
import pytest

from kafkacompat.cli.durations import duration_ms


@pytest.mark.parametrize(
    ("text", "ms"), [("0s", 0), ("200ms", 200), ("5s", 5000), ("10m", 600_000), ("2h", 7_200_000), ("7d", 604_800_000)]
)
def test_each_unit_is_known(text: str, ms: int) -> None:
    assert duration_ms(text) == ms


@pytest.mark.parametrize("text", ["", "5", "s", "5 s", "-5s", "5S", "1.5s", "5sm", "1e3s", "²s"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is no length of time"):
        duration_ms(text)
