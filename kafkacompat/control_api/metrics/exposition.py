"""Prometheus' text format (0.0.4)."""

from __future__ import annotations

COUNTER, GAUGE = "counter", "gauge"
LINES_MAX = 1_000
"""More lines than this are encoded at the end of their family."""

_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def labelled(**labels: object) -> str:
    """Labels as they are written in a series: `topic="orders",partition="0"`."""
    return ",".join([f'{name}="{str(text).translate(_ESCAPES)}"' for name, text in labels.items()])


class Exposition:
    """The text of a scrape, made family by family. What is finished is encoded: no turn of the loop encodes all."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._encoded: list[bytes] = []

    def family(self, name: str, kind: str, says: str) -> None:
        """Begin a family of series: COUNTER or GAUGE, and one sentence about it."""
        if len(self._lines) >= LINES_MAX:
            self._encode()
        self._lines += (f"# HELP {name} {says}", f"# TYPE {name} {kind}")
        self._name = name

    def sample(self, value: float, /, **labels: object) -> None:
        """A series of the family. A value of None is left out by the caller."""
        if labels:
            self.series(labelled(**labels), value)
        else:
            self._lines.append(f"{self._name} {_number(value)}")

    def series(self, labels: str, value: float) -> None:
        """A series of the family, with labels as `labelled` writes them."""
        self._lines.append(f"{self._name}{{{labels}}} {_number(value)}")

    def one(self, name: str, kind: str, says: str, value: float) -> None:
        """A family of one series without labels."""
        self.family(name, kind, says)
        self.sample(value)

    def text(self) -> bytes:
        """The whole text."""
        self._encode()
        return b"".join(self._encoded)

    def _encode(self) -> None:
        self._lines.append("")
        self._encoded.append("\n".join(self._lines).encode())
        self._lines.clear()


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else repr(float(value))
