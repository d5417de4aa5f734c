"""Write the pages that are made from the code, or say which are stale (`--check`)."""

from __future__ import annotations

import sys

from tests.tidy.pages import compatibility, configuration, control_schema, layers, leader_dies, one_door
from tests.tidy.tree import ROOT

PAGES = {
    "COMPATIBILITY.md": compatibility.page,
    "docs/configuration.md": configuration.page,
    "docs/layers.svg": layers.layers,
    "docs/leader-dies.svg": leader_dies.leader_dies,
    "docs/one-door.svg": one_door.one_door,
    "docs/produce-and-fetch.svg": layers.ways,
    "kafkacompat/cli/control.schema.json": control_schema.schema,
}


def stale() -> dict[str, str]:
    """The pages that are not what the code says, with what they should be."""
    pages = {name: make() for name, make in PAGES.items()}
    return {name: page for name, page in pages.items() if _now(name) != page}


def _now(name: str) -> str | None:
    path = ROOT / name
    return path.read_text(encoding="utf-8") if path.exists() else None


def main() -> int:
    """Run from the command line."""
    pages = stale()
    if "--check" in sys.argv[1:]:
        for name in pages:
            sys.stderr.write(f"{name} is stale: run python3 .ci/dev.py generate\n")
        return 1 if pages else 0
    for name, page in pages.items():
        (ROOT / name).write_text(page, encoding="utf-8")
        sys.stdout.write(f"wrote {name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
