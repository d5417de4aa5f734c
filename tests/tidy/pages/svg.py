"""As much SVG as the pictures in docs/ need: boxes with a title and text, arrows, labels."""

from __future__ import annotations

import textwrap
from xml.sax.saxutils import escape

FONT = "ui-sans-serif, system-ui, 'Segoe UI', Helvetica, Arial, sans-serif"
INK = "#1f2933"
SOFT = "#52606d"
LINE_PX = 15
TITLE_PX = 19
PAD_PX = 9


class Drawing:
    """A picture that grows as things are put on it; coordinates in pixels from the top left."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'font-family="{FONT}" role="img" aria-label="{escape(title)}">',
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            f'orient="auto-start-reverse"><path d="M0 0 L8 4 L0 8 z" fill="{SOFT}"/></marker></defs>',
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        ]

    def area(self, x: int, y: int, width: int, height: int, fill: str) -> None:
        """A coloured area behind boxes."""
        self._parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="{fill}"/>')

    def box(self, x: int, y: int, width: int, height: int, title: str, body: str, *, fill: str = "#ffffff") -> None:
        """A box with a bold title and wrapped text."""
        self._parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}" stroke="{INK}"/>'
        )
        self.text(x + PAD_PX, y + TITLE_PX, title, bold=True)
        for number, line in enumerate(wrap(body, width)):
            self.text(x + PAD_PX, y + TITLE_PX + (number + 1) * LINE_PX, line, size=11.5, fill=SOFT)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 13,
        bold: bool = False,
        fill: str = INK,
        turned: bool = False,
    ) -> None:
        """One line of text; `turned` writes it upwards around its middle."""
        weight = ' font-weight="600"' if bold else ""
        turn = f' transform="rotate(-90 {x} {y})" text-anchor="middle"' if turned else ""
        self._parts.append(
            f'<text x="{x}" y="{y}" font-size="{size}" fill="{fill}"{weight}{turn}>{escape(text)}</text>'
        )

    def arrow(self, *points: tuple[float, float]) -> None:
        """A line through these points with a tip at its end."""
        way = " ".join(f"{x},{y}" for x, y in points)
        self._parts.append(
            f'<polyline points="{way}" fill="none" stroke="{SOFT}" stroke-width="1.4" marker-end="url(#tip)"/>'
        )

    def bracket(self, x: int, top: int, bottom: int) -> None:
        """A bracket that opens to the left."""
        self._parts.append(f'<path d="M{x} {top} h8 V{bottom} h-8" fill="none" stroke="{SOFT}" stroke-width="1.4"/>')

    def done(self) -> str:
        """The file."""
        return "\n".join([*self._parts, "</svg>", ""])


def wrap(body: str, width: int) -> list[str]:
    """The lines that a body takes in a box of this width."""
    return textwrap.wrap(body, int((width - 2 * PAD_PX) / 5.9))


def height(body: str, width: int) -> int:
    """How high a box with this body has to be."""
    return TITLE_PX + LINE_PX * len(wrap(body, width)) + PAD_PX
