"""What a broker has made in a data directory, and what somebody else has."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkacompat import Cluster
from kafkacompat.storage.directory_contents import is_of_broker


def test_everything_that_a_stopped_broker_leaves_is_its_own(tmp_path: Path) -> None:
    with Cluster(data_dir=tmp_path, topics=["orders"]):
        found = {(path.name, path.is_dir()) for path in tmp_path.iterdir()}
    found |= {(path.name, path.is_dir()) for path in tmp_path.iterdir()}
    assert [name for name, is_directory in found if not is_of_broker(name, is_directory=is_directory)] == []


@pytest.mark.parametrize(
    ("name", "is_directory", "expected"),
    [
        ("orders-0", True, True),
        ("orders.by.day-12", True, True),
        ("orders-0.8f14e45fceea167a5a36dedd4bea2543-delete", True, True),
        ("orders.eu-3.8f14e45fceea167a5a36dedd4bea2543-stray", True, True),
        ("orders-3.8f14e45fceea167a5a36dedd4bea2543-future", True, True),
        ("cleaner-offset-checkpoint", False, True),
        ("meta.properties.tmp", False, True),
        ("orders-0", False, False),
        ("notes.txt", False, False),
        (".ssh", True, False),
        ("photos", True, False),
        ("to-delete", True, False),
    ],
)
def test_names(name: str, is_directory: bool, expected: bool) -> None:
    assert is_of_broker(name, is_directory=is_directory) is expected
