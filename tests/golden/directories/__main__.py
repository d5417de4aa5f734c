"""`python -m tests.golden.directories make`: keep data directories of the version in this checkout, at its release."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.golden.directories import three_nodes
from tests.golden.directories.making import make

ROOT = Path(__file__).resolve().parents[3]


def main() -> int:
    """Make the directories; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden.directories", description=__doc__)
    parser.add_argument("command", choices=["make"])
    parser.add_argument("--checkout", type=Path, default=ROOT, help="of the version, if it is not this one")
    parser.add_argument("--python", default=sys.executable, help="one that has what that version needs")
    options = parser.parse_args()
    target = make(options.checkout.resolve(), options.python)
    three_nodes.add(target, options.checkout.resolve(), options.python)
    for file in sorted(target.iterdir()):
        sys.stdout.write(f"{file}: {file.stat().st_size} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
