"""Publish a full run: `python -m compat_tests.report DIR/results.json …` writes what COMPATIBILITY.md is made from.

A full run may be done in pieces, each with `pytest compat_tests/PIECE --full --report DIR`, and what failed may be run
again: of each test the last result counts.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from compat_tests.report import summary

TARGET = Path(__file__).resolve().parents[2] / "docs" / "last_full_run.json"


@click.command()
@click.argument("results", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
def main(results: tuple[Path, ...]) -> None:
    """Put the pieces of a full run together, for COMPATIBILITY.md."""
    try:
        found = summary.of([json.loads(path.read_text()) for path in results])
    except ValueError as error:
        sys.exit(str(error))
    TARGET.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    click.echo(f"{found['tests']} tests, {found['pairs']} pairs, {found['kinds']} different: {TARGET}")
    click.echo("now run: python3 .ci/dev.py generate")


if __name__ == "__main__":
    main(prog_name="python -m compat_tests.report")
