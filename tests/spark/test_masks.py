"""Masks: what they may return, and what is said of one that fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kafkacompat.spark.masks import MaskedRecord, MaskError, masked, read_mask

RECORD = MaskedRecord("orders", 2, 17, 5, b"k", b"card 1234", (("h", b"1"), ("h", None)))


def test_a_mask_changes_and_leaves_out(tmp_path: Path) -> None:
    path = tmp_path / "mask.py"
    path.write_text(
        "import re\n"
        "def cards(record):\n"
        "    if record.key == b'out':\n"
        "        return None\n"
        "    return record._replace(value=re.sub(rb'[0-9]', b'#', record.value), headers=())\n"
    )
    mask = read_mask(f"{path}:cards").load()
    found = list(masked([RECORD, RECORD._replace(key=b"out")], mask, "m"))
    assert found == [RECORD._replace(value=b"card ####", headers=())]


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        ("text", "it returned str: return the record it got, changed, or None"),
        (RECORD._replace(offset=3), "it changed topic, partition, offset or timestamp, which a mask must keep"),
        (RECORD._replace(value="text"), "it returned a value of type str: it is bytes or None"),  # type: ignore[arg-type]
        (RECORD._replace(key=4), "it returned a key of type int: it is bytes or None"),  # type: ignore[arg-type]
        (RECORD._replace(headers=((b"h", b""),)), "it returned headers that are no pairs"),  # type: ignore[arg-type]
        (RECORD._replace(headers=None), "it returned headers that are no pairs"),  # type: ignore[arg-type]
    ],
)
def test_what_no_record_can_be_names_mask_and_record(returned: Any, told: str) -> None:
    with pytest.raises(MaskError) as raised:
        list(masked([RECORD], lambda _record: returned, "mask.py:fn"))
    assert str(raised.value).startswith(f"mask mask.py:fn at orders-2, offset 17: {told}")


def test_a_mask_that_raises_names_mask_and_record() -> None:
    def broken(record: MaskedRecord) -> MaskedRecord:
        raise KeyError(record.key)

    with pytest.raises(MaskError, match=r"mask m at orders-2, offset 17: KeyError: b'k'"):
        list(masked([RECORD], broken, "m"))


def test_a_mask_that_is_not_there_is_said(tmp_path: Path) -> None:
    path = tmp_path / "mask.py"
    path.write_text("def fn(record):\n    return record\n")
    broken = tmp_path / "broken.py"
    broken.write_text("import no_such_package_anywhere\n")
    for place, told in (
        ("mask.py", "give a file and a function in it, such as mask.py:fn"),
        (f"{path}:", "give a file and a function in it"),
        (f"{path}:other", "has no function other"),
        (f"{tmp_path}/none.py:fn", "cannot be read"),
        (f"{broken}:fn", "cannot be run: ModuleNotFoundError"),
    ):
        with pytest.raises(MaskError, match=told):
            read_mask(place)
