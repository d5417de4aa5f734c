"""What the dump shows of a log's files."""

import json

import pytest

from kafkacompat.storage.fs import Fs
from kafkacompat.storage.memfs import MemFs
from kafkacompat.storage.tools.dump import dump
from tests.storage.support import PATH, START_MS, append, at, batch, open_log, produced, topic_config


def _lines(fs: Fs, name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in dump(fs, f"{PATH}/{name}")]


def test_every_file_of_a_log_is_shown() -> None:
    fs = MemFs()
    log = open_log(fs, topic_config(index_interval_bytes=100))
    for i in range(4):
        append(log, produced(5, 1, 2 * i, 2), epoch=3)
    log.close(clean=True, now=at())
    segment = _lines(fs, f"{0:020d}.log")
    assert [line["base_offset"] for line in segment] == [0, 2, 4, 6]
    assert all(line["is_valid"] and line["leader_epoch"] == 3 and line["producer_id"] == 5 for line in segment)
    index = _lines(fs, f"{0:020d}.index")
    assert {"offset": 5, "position": segment[2]["position"]} in index
    assert _lines(fs, f"{0:020d}.timeindex")[-1] == {"timestamp_ms": START_MS + 1, "offset": 1}
    assert _lines(fs, f"{8:020d}.snapshot") == [
        {
            "producer_id": 5,
            "epoch": 1,
            "last_sequence": 7,
            "last_offset": 7,
            "last_timestamp_ms": START_MS + 1,
            "coordinator_epoch": -1,
            "transaction_first_offset": -1,
        }
    ]


def test_what_is_corrupt_is_shown_as_such() -> None:
    fs = MemFs()
    log = open_log(fs)
    append(log, batch())
    append(log, batch())
    log.close(clean=True, now=at())
    name = f"{0:020d}.log"
    fs.flip_bit(f"{PATH}/{name}", 70)
    fs.open(f"{PATH}/{name}", append=True).write([bytes(10)])
    lines = _lines(fs, name)
    assert [line.get("is_valid") for line in lines] == [False, True, None]
    assert "10 bytes" in str(lines[2]["error"])
    fs.flip_bit(f"{PATH}/{2:020d}.snapshot", 3)
    assert "checksum" in str(_lines(fs, f"{2:020d}.snapshot")[0]["error"])


@pytest.mark.parametrize("name", ["meta.properties", "x.log", "00000000000000000000.other", "nothing"])
def test_other_files_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no file of a log"):
        list(dump(MemFs(), f"/data/{name}"))
