"""Long forms: `python -m tests.robustness kills`, `compaction-kills`, `garbage`, `crowd`, `bombs` or `year`.

Exit status 1: a limit is broken.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.robustness import bombs, compaction_kills, crowd, garbage, kills, year
from tests.robustness.live import Server, Three


def main() -> int:
    """The exit status."""
    options = _options()
    if options.what in ("kills", "compaction-kills"):
        program = kills if options.what == "kills" else compaction_kills
        for line in program.run(options.cycles, options.seed):
            _say(line)
        return 0
    if options.what == "year":
        size = year.Year(options.weeks, options.topics, options.mb * 1_000_000 // options.topics, options.commits)
        with tempfile.TemporaryDirectory() as path:
            for line in year.run(size, Path(path) / "data"):
                _say(line)
        return 0
    with tempfile.TemporaryDirectory() as path:
        server = Three() if options.what == "garbage" and options.brokers == 3 else Server(Path(path) / "data")
        if options.what == "garbage":
            found, seen = garbage.run(server, options.frames, options.seed)
        else:
            assert isinstance(server, Server)
            if options.what == "crowd":
                found, seen = crowd.run(server, options.idle, options.active, options.slow)
            else:
                found, seen = bombs.run(server)
    _say(seen)
    for line in found:
        _say(f"FAILED: {line}")
    return 1 if found else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.robustness", description=__doc__)
    kinds = parser.add_subparsers(dest="what", required=True)
    for name, program in (("kills", kills), ("compaction-kills", compaction_kills)):
        one = kinds.add_parser(name, help=program.__doc__)
        one.add_argument("--cycles", type=int, default=20)
        one.add_argument("--seed", type=int, default=1)
    one = kinds.add_parser("garbage", help=garbage.__doc__)
    one.add_argument("--frames", type=int, default=50_000)
    one.add_argument("--brokers", type=int, choices=(1, 3), default=1)
    one.add_argument("--seed", type=int, default=1)
    one = kinds.add_parser("crowd", help=crowd.__doc__)
    one.add_argument("--idle", type=int, default=5_000)
    one.add_argument("--active", type=int, default=200)
    one.add_argument("--slow", type=int, default=500)
    kinds.add_parser("bombs", help=bombs.__doc__)
    one = kinds.add_parser("year", help=year.__doc__)
    one.add_argument("--weeks", type=int, default=52)
    one.add_argument("--topics", type=int, default=20)
    one.add_argument("--mb", type=int, default=30, help="written in a week, to all topics together")
    one.add_argument("--commits", type=int, default=20, help="in half a week")
    return parser.parse_args()


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 (a program)


if __name__ == "__main__":
    sys.exit(main())
