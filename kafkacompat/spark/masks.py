"""Masks: functions of the user that change records before they are captured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib.abc import InspectLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import NamedTuple

from kafkacompat.protocol.records.builder import Header
from kafkacompat.spark.archive_spec import ArchiveError

MODULE = "kafkacompat_mask"


class MaskedRecord(NamedTuple):
    """What a mask gets. It returns it with another key, value or headers (`record._replace(value=...)`), or None for a
    record that is left out.
    """

    topic: str
    partition: int
    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: tuple[Header, ...]


Mask = Callable[[MaskedRecord], "MaskedRecord | None"]


class MaskError(ArchiveError):
    """A mask that raised or returned something else than a record, with the record at which it did."""


class _Text(InspectLoader):
    """Imports a module from its text: the file is not there where tasks run."""

    def __init__(self, text: str) -> None:
        self._text = text

    def get_source(self, fullname: str) -> str:  # noqa: ARG002 (the module's name, as the import system gives it)
        return self._text


class MaskFile(NamedTuple):
    """A function in a Python file, whose text goes to the tasks: it may import what is installed where they run."""

    name: str
    function: str
    text: str

    def load(self) -> Mask:
        """Run the file, and return the function. Raises MaskError."""
        spec = spec_from_loader(MODULE, _Text(self.text), origin=self.name)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            raise MaskError(f"mask {self.name} cannot be run: {type(error).__name__}: {error}") from error
        function = getattr(module, self.function, None)
        if not callable(function):
            raise MaskError(f"mask {self.name} has no function {self.function}")
        return function  # type: ignore[no-any-return]


def read_mask(place: str) -> MaskFile:
    """The function that `mask.py:fn` names. Raises MaskError if there is none."""
    path, colon, function = place.rpartition(":")
    if not colon or not path or not function.isidentifier():
        raise MaskError(f"mask {place!r}: give a file and a function in it, such as mask.py:fn")
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise MaskError(f"mask {path} cannot be read: {error}") from None
    found = MaskFile(path, function, text)
    found.load()
    return found


def masked(records: Iterable[MaskedRecord], mask: Mask, name: str) -> Iterator[MaskedRecord]:
    """The records as the mask returns them. name: of the mask, for errors.

    Raises MaskError, which names it and the record, for one that raises, that moves a record, or that returns something
    that no record can have.
    """
    for record in records:
        place = f"mask {name} at {record.topic}-{record.partition}, offset {record.offset}"
        try:
            found = mask(record)
        except Exception as error:
            raise MaskError(f"{place}: {type(error).__name__}: {error}") from error
        if found is None:
            continue
        if not isinstance(found, MaskedRecord):
            raise MaskError(f"{place}: it returned {type(found).__name__}: return the record it got, changed, or None")
        if found[:4] != record[:4]:
            raise MaskError(f"{place}: it changed topic, partition, offset or timestamp, which a mask must keep")
        wrong = _fault(found)
        if wrong:
            raise MaskError(f"{place}: it returned {wrong}")
        yield found


def _fault(record: MaskedRecord) -> str | None:
    """What no record can have."""
    for name in ("key", "value"):
        value = getattr(record, name)
        if value is not None and not isinstance(value, bytes):
            return f"a {name} of type {type(value).__name__}: it is bytes or None"
    try:
        is_right = all(isinstance(name, str) and isinstance(value, bytes | None) for name, value in record.headers)
    except (TypeError, ValueError):
        is_right = False
    return None if is_right else "headers that are no pairs of str and bytes or None"
