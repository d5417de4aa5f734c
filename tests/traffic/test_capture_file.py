from __future__ import annotations

from pathlib import Path

import pytest

from kafkacompat.traffic.capture_file import (
    CLOSE,
    END,
    OPEN,
    PAYLOAD_MAX_BYTES,
    REQUEST,
    RESPONSE,
    CaptureFile,
    CaptureFileError,
    Entry,
    encode_header,
    entry_pieces,
)


def encode_entry(entry: Entry) -> bytes:
    return b"".join(entry_pieces(entry))


ENTRIES = [
    Entry(OPEN, 0, 0, 0, 0, 1, 5, 1_700_000_000_000, b'{"node": 1}'),
    Entry(REQUEST, 0, 18, 3, 7, 1, 6, 1_700_000_000_000, b"\0\x12\0\3\0\0\0\7\xff\xff\0"),
    Entry(RESPONSE, 1, 18, 3, 7, 1, 9, 1_700_000_000_001, b""),
    Entry(CLOSE, 0, 0, 0, 0, 1, 10, 1_700_000_000_001, b'{"reason": "gone"}'),
    Entry(END, 0, 0, 0, 0, 0, 11, 1_700_000_000_002, b'{"reason": "it was stopped"}'),
]
HEADER = encode_header({"source": "a test"})
WHOLE = HEADER + b"".join(map(encode_entry, ENTRIES))


def written(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "some.kct"
    path.write_bytes(data)
    return path


def test_what_was_written_is_read(tmp_path: Path) -> None:
    with CaptureFile(written(tmp_path, WHOLE)) as capture:
        found = list(capture)
        assert [entry._replace(position=0) for entry in found] == ENTRIES
        assert (capture.header["source"], capture.cut_at, capture.end) == ("a test", None, {"reason": "it was stopped"})
        assert found[0].fields == {"node": 1}


def test_a_file_that_is_cut_anywhere_is_read_up_to_there(tmp_path: Path) -> None:
    starts, at = [], len(HEADER)
    for entry in ENTRIES:
        starts.append(at)
        at += len(encode_entry(entry))
    ends = [*starts[1:], at]
    for size in range(len(HEADER), len(WHOLE)):
        with CaptureFile(written(tmp_path, WHOLE[:size])) as capture:
            whole = sum(end <= size for end in ends)
            assert len(list(capture)) == whole
            assert capture.cut_at == (None if size in (*ends, len(HEADER)) else starts[whole])
    for size in range(len(HEADER)):
        with pytest.raises(CaptureFileError, match="is no capture"):
            CaptureFile(written(tmp_path, WHOLE[:size]))


def test_a_changed_byte_is_found_after_the_entries_before_it(tmp_path: Path) -> None:
    second = len(HEADER) + len(encode_entry(ENTRIES[0]))
    damaged = bytearray(WHOLE)
    damaged[second + 20] ^= 1
    with CaptureFile(written(tmp_path, bytes(damaged))) as capture:
        entries = iter(capture)
        assert next(entries).kind == OPEN
        with pytest.raises(CaptureFileError, match="checksum"):
            next(entries)


@pytest.mark.parametrize("size", [0, 3, 33, PAYLOAD_MAX_BYTES + 35, 2**32 - 1])
def test_a_size_that_no_entry_has_is_refused_in_a_line(tmp_path: Path, size: int) -> None:
    path = written(tmp_path, HEADER + size.to_bytes(4, "big") + b"x" * 100)
    with CaptureFile(path) as capture, pytest.raises(CaptureFileError, match=f"an entry of {size} bytes at byte"):
        list(capture)


def test_a_size_beyond_the_file_takes_no_memory(tmp_path: Path) -> None:
    path = written(tmp_path, HEADER + PAYLOAD_MAX_BYTES.to_bytes(4, "big") + b"x" * 100)
    with CaptureFile(path) as capture:
        assert (list(capture), capture.cut_at) == ([], len(HEADER))


def test_other_files_and_other_versions_are_refused_in_a_line(tmp_path: Path) -> None:
    for data, words in (
        (b"", "is no capture"),
        (b"GET / HTTP/1.1\r\n", "is no capture"),
        (b'{"kafkacompat_capture" oops\n', "the first line is not a JSON object"),
        (b'{"kafkacompat_capture": 2}\n', "has version 2 of the format; this release reads 1"),
        (b'{"kafkacompat_capture": 1, "x": "' + b"y" * 70_000 + b'"}\n', "is no capture"),
    ):
        with pytest.raises(CaptureFileError, match=words):
            CaptureFile(written(tmp_path, data))
    with pytest.raises(CaptureFileError, match="No such file"):
        CaptureFile(tmp_path / "missing.kct")
    unknown = encode_entry(ENTRIES[0]._replace(kind=99))
    with CaptureFile(written(tmp_path, HEADER + unknown)) as capture, pytest.raises(CaptureFileError, match="kind 99"):
        list(capture)
    broken = encode_entry(ENTRIES[-1]._replace(payload=b"[1]"))
    with (
        CaptureFile(written(tmp_path, HEADER + broken)) as capture,
        pytest.raises(CaptureFileError, match="is not a JSON object"),
    ):
        list(capture)


def test_a_header_of_nested_lists_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "nested.kct"
    path.write_bytes(b'{"kafkacompat_capture": ' + b"[" * 60_000 + b"\n")
    with pytest.raises(CaptureFileError, match="is not a JSON object"):
        CaptureFile(path)
