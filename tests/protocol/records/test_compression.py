import gzip
import random
import subprocess
import sys
from collections.abc import Iterator

import cramjam
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.protocol.records import compression as c
from kafkacompat.protocol.records.batch import CorruptBatchError, RecordTooLargeError, UnsupportedCodecError
from kafkacompat.protocol.records.builder import build_batch
from kafkacompat.protocol.records.reader import read_records
from tests.protocol.records.samples import CODECS, sample

REAL_CODECS = {name: codec for name, codec in CODECS.items() if codec}
each_codec = pytest.mark.parametrize("codec", REAL_CODECS.values(), ids=REAL_CODECS)


@given(st.binary(max_size=5000), st.integers(1, 200), st.sampled_from(list(CODECS.values())))
def test_round_trip(data, times, codec):
    data *= times
    compressed = c.compress(codec, data)
    assert c.decompress(codec, memoryview(compressed), len(data)) == data
    if data:
        with pytest.raises(RecordTooLargeError):
            c.decompress(codec, compressed, len(data) - 1)


@each_codec
def test_output_that_grows_several_times(codec):
    data = bytes(1_000_000)
    assert c.decompress(codec, c.compress(codec, data)) == data


@each_codec
def test_truncated_and_empty_input_is_corrupt(codec):
    compressed = c.compress(codec, bytes(range(256)) * 300)
    for end in {*range(0, len(compressed), 997), *range(1, 30), len(compressed) - 1}:
        try:
            assert len(c.decompress(codec, compressed[:end])) < 76_800
        except CorruptBatchError:
            continue
        assert codec == c.SNAPPY or end == 0, "only a snappy stream may end at any block"


def test_framing_is_javas():
    assert c.compress(c.SNAPPY, b"abc")[:16] == b"\x82SNAPPY\0\0\0\0\1\0\0\0\1"
    frame = c.compress(c.LZ4, bytes(100_000))
    assert frame[:7].hex() == "04224d18604082"
    assert frame[-4:] == bytes(4)
    assert bytes(cramjam.lz4.decompress(frame)) == bytes(100_000)
    assert gzip.decompress(c.compress(c.GZIP, b"abc" * 1000)) == b"abc" * 1000


@pytest.mark.parametrize("level", [1, 2, 3, 8, 10, 12, 17])
def test_blocks_of_lz4_need_no_others_at_any_level(level):
    words = b"".join(b"order %x price " % (number * 7919 % 65_521) for number in range(6_000))
    noise = random.Random(1).randbytes(65_537)
    for data in [words[:size] for size in (1, 13, 65_535, 65_536, 65_537, len(words))] + [noise, b"", bytes(200_000)]:
        frame = c.compress(c.LZ4, data, level)
        assert frame[:7].hex() == "04224d18604082"
        assert b"".join(_lz4_blocks(frame, len(data))) == data
        assert c.decompress(c.LZ4, frame) == data
    assert len(c.compress(c.LZ4, words, level)) < len(c.compress(c.LZ4, words)) == len(c.compress(c.LZ4, words, 9))


def _lz4_blocks(frame: bytes, size_bytes: int) -> Iterator[bytes]:
    """Each decompressed alone, as Java's reader does."""
    position = 7
    while size := int.from_bytes(frame[position : position + 4], "little"):
        block = frame[position + 4 : position + 4 + (size & 0x7FFFFFFF)]
        yield block if size >> 31 else bytes(cramjam.lz4.decompress_block(block, output_len=min(65_536, size_bytes)))
        position += 4 + len(block)
        size_bytes -= 65_536
    assert position + 4 == len(frame)


def test_other_framings_are_read():
    data = b"some text, some text, some text" * 5000
    assert c.decompress(c.SNAPPY, bytes(cramjam.snappy.compress_raw(data))) == data
    assert c.decompress(c.LZ4, bytes(cramjam.lz4.compress(data))) == data  # linked blocks, checksums
    assert c.decompress(c.GZIP, gzip.compress(data[:500]) + gzip.compress(data[500:])) == data


def test_a_frame_of_one_block_is_what_the_decoder_of_frames_makes_of_it():
    data = b"".join(b"order %x price " % (number * 7919 % 65_521) for number in range(60))
    frame = c.compress(c.LZ4, data)
    assert c.decompress(c.LZ4, frame) == data
    with pytest.raises(RecordTooLargeError):
        c.decompress(c.LZ4, frame, len(data) - 1)
    for place in range(len(frame)):
        changed = bytearray(frame)
        changed[place] ^= 0x41
        room = bytearray(1 << 17)
        try:
            expected = bytes(room[: cramjam.lz4.decompress_into(bytes(changed), room)])
        except cramjam.DecompressionError:
            expected = None
        try:
            assert c.decompress(c.LZ4, changed) == expected
        except CorruptBatchError:
            assert expected is None, place


def test_a_block_of_lz4_is_no_larger_than_the_frame_says():
    data = bytes(range(250)) * 262
    literals = bytes([0xF0]) + b"\xff" * ((len(data) - 15) // 255) + bytes([(len(data) - 15) % 255]) + data
    assert bytes(cramjam.lz4.decompress_block(literals, output_len=len(data))) == data
    assert len(data) < 65_536 < len(literals)
    frame = c.compress(c.LZ4, b"")[:-4] + len(literals).to_bytes(4, "little") + literals + bytes(4)
    with pytest.raises(cramjam.DecompressionError):
        cramjam.lz4.decompress(frame)
    with pytest.raises(CorruptBatchError):
        c.decompress(c.LZ4, frame)


@pytest.mark.parametrize("length", [-1, 1000, 2**31 - 1])
def test_lying_snappy_block(length):
    with pytest.raises(CorruptBatchError):
        c.decompress(c.SNAPPY, c._XERIAL_HEADER + length.to_bytes(4, "big", signed=True) + b"abc")


@pytest.mark.parametrize("codec", [5, 6, 7])
def test_codecs_that_do_not_exist(codec):
    for function in (c.compress, c.decompress):
        with pytest.raises(UnsupportedCodecError):
            function(codec, b"abc")


def test_cap():
    assert len(c.decompress(c.ZSTD, c.compress(c.ZSTD, bytes(64 << 20)))) == 64 << 20
    with pytest.raises(RecordTooLargeError) as caught:
        c.decompress(c.ZSTD, c.compress(c.ZSTD, bytes((64 << 20) + 1)))
    assert caught.value.error_code == 10


# In a process of its own, which may have 160 MiB of memory beyond what it starts with: twice the cap and some, as
# zstd keeps a window beside its output. Each bomb is several hundred MiB of zeros.
BOMB = """
import resource, sys
from kafkacompat.protocol.records import compression as c
from kafkacompat.protocol.records.batch import RecordTooLargeError
codec, path = int(sys.argv[1]), sys.argv[2]
with open(path, "rb") as file:
    bomb = file.read()
c.decompress(codec, c.compress(codec, bytes(1000)))
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (160 << 20), used + (160 << 20)))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(2):
    try:
        c.decompress(codec, bomb)
    except RecordTooLargeError:
        print("refused")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are read and set as Linux has them")
@each_codec
def test_bombs_do_not_explode(codec, tmp_path):
    zeros = bytes(16 << 20)
    one = c.compress(codec, zeros)
    if codec == c.SNAPPY:
        bomb = one + one[16:] * 15
    elif codec == c.LZ4:
        bomb = one[:-4] + one[7:-4] * 15 + one[-4:]
    else:
        bomb = one * 16
    (tmp_path / "bomb").write_bytes(bomb)
    run = subprocess.run(
        [sys.executable, "-c", BOMB, str(codec), str(tmp_path / "bomb")], capture_output=True, text=True, timeout=120
    )
    assert run.stdout.split()[:2] == ["refused", "refused"], run.stderr
    assert int(run.stdout.split()[2]) <= 140, "MiB of memory taken"


def test_a_bomb_in_a_batch_is_refused_before_any_record():
    batch = build_batch(sample(1, value=bytes(65 << 20)), compression=c.ZSTD)
    assert len(batch) < 10_000
    with pytest.raises(RecordTooLargeError):
        next(read_records(batch))


def test_codecs_are_loaded_when_first_used():
    code = "import sys, kafkacompat.protocol.records.reader; print('cramjam' in sys.modules, 'typing' in sys.modules)"
    run = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True)
    assert run.stdout == "False False\n"
