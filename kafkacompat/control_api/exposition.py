"""Prometheus' text format (0.0.4)."""

from __future__ import annotations

COUNTER, GAUGE = "counter", "gauge"

_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


class Exposition:
    """The text of a scrape, made family by family."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def family(self, name: str, kind: str, says: str) -> None:
        """Begin a family of series: COUNTER or GAUGE, and one sentence about it."""
        self._lines += (f"# HELP {name} {says}", f"# TYPE {name} {kind}")
        self._name = name

    def sample(self, value: float, /, **labels: object) -> None:
        """A series of the family. A value of None is left out by the caller."""
        if labels:
            texts = ",".join(f'{name}="{str(text).translate(_ESCAPES)}"' for name, text in labels.items())
            self._lines.append(f"{self._name}{{{texts}}} {_number(value)}")
        else:
            self._lines.append(f"{self._name} {_number(value)}")

    def one(self, name: str, kind: str, says: str, value: float) -> None:
        """A family of one series without labels."""
        self.family(name, kind, says)
        self.sample(value)

    def text(self) -> str:
        """The whole text."""
        return "\n".join(self._lines) + "\n"


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else repr(float(value))
