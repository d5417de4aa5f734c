"""Shares of keys as they are written."""

from __future__ import annotations

import pytest

from kafkacompat.spark.archive_spec import ArchiveError
from kafkacompat.spark.capture_spec import share_of


def test_a_share_is_a_fraction() -> None:
    assert share_of("1/100") == (1, 100)
    assert share_of("3/3") == (3, 3)


@pytest.mark.parametrize("text", ["", "1", "1/0", "0/5", "2/1", "a/b", "-1/5", "0.5/2"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ArchiveError, match="a share of keys is 1/100, 3/10 and the like"):
        share_of(text)
