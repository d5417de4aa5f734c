"""Cleaning up after an interrupted deletion, compaction or write in a partition's directory.

As in Kafka's ``LogLoader``: ``.deleted``, ``.cleaned`` and temporary files are removed. A ``.swap`` file is the
complete result of a compaction and replaces the segments that it was made of.
"""

import logging

from kafkacompat.protocol.records.batch import RecordBatchError
from kafkacompat.storage import scan
from kafkacompat.storage.fs import TEMPORARY_SUFFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.storage.fs import Fs

CLEANED_SUFFIX = ".cleaned"
DELETED_SUFFIX = ".deleted"
SWAP_SUFFIX = ".swap"
_SWAPPED_LOG = ".log.swap"
_NAME_DIGITS = 20
_log = logging.getLogger(__name__)


def clean_up(fs: "Fs", path: str) -> list[str]:
    """Finish or undo interrupted operations. Returns the remaining names; unknown files are left alone."""
    names = fs.listdir(path)
    if not any(name.endswith((CLEANED_SUFFIX, DELETED_SUFFIX, SWAP_SUFFIX, TEMPORARY_SUFFIX)) for name in names):
        return names
    # A compaction renames its results from .cleaned to .swap from the last one to the first: if some are not renamed
    # yet, those that are belong to an unfinished whole.
    cleaned = [_offset(name) for name in names if name.endswith(CLEANED_SUFFIX)]
    unfinished_from = min(cleaned, default=None)
    for name in names:
        is_swap = name.endswith(SWAP_SUFFIX)
        is_unfinished = is_swap and unfinished_from is not None and _offset(name) >= unfinished_from
        if is_unfinished or name.endswith((CLEANED_SUFFIX, DELETED_SUFFIX, TEMPORARY_SUFFIX)):
            _log.info("removing %s/%s, left by an interrupted operation", path, name)
            fs.remove(f"{path}/{name}")
    _finish_swaps(fs, path)
    return fs.listdir(path)


def _offset(name: str) -> int:
    stem = name[:_NAME_DIGITS]
    return int(stem) if stem.isascii() and stem.isdigit() else 0


def _finish_swaps(fs: "Fs", path: str) -> None:
    names = fs.listdir(path)
    for name in names:
        if name.endswith(_SWAPPED_LOG):
            base_offset, next_offset = _offset(name), _next_offset(fs, f"{path}/{name}", _offset(name))
            for replaced in names:
                is_segment = replaced.endswith((".log", ".index", ".timeindex", ".txnindex"))
                if is_segment and base_offset <= _offset(replaced) < max(next_offset, base_offset + 1):
                    if replaced.endswith(".log"):
                        _log.info("removing %s/%s: %s has its records up to %d", path, replaced, name, next_offset)
                    fs.remove(f"{path}/{replaced}")
    for name in names:
        if name.endswith(SWAP_SUFFIX):
            _log.info("finishing the compaction that wrote %s/%s", path, name)
            fs.rename(f"{path}/{name}", f"{path}/{name[: -len(SWAP_SUFFIX)]}")


def _next_offset(fs: "Fs", path: str, base_offset: int) -> int:
    file = fs.open(path)
    try:
        for _, header in scan.headers(file, 0, file.size()):
            base_offset = header.next_offset
    except RecordBatchError:
        pass  # recovery will see it
    finally:
        file.close()
    return base_offset
