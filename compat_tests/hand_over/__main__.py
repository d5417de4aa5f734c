"""`python -m compat_tests.hand_over --rounds 10 --seed N`: one directory changes hands, and nothing is lost.

Exit status 0 if each broker served what was there; 1 with the differences and the seed.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from compat_tests.hand_over.walk import HandOverError, Walk


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(prog="python -m compat_tests.hand_over", description=__doc__)
    parser.add_argument("--rounds", type=int, default=10, help="how often each broker has the directory (10)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31), help="of the operations (random)")
    options = parser.parse_args()
    _say(f"seed {options.seed}")
    walk = Walk(options.seed, _say)
    try:
        walk.go(options.rounds)
    except HandOverError as error:
        _say(f"FAILED with seed {options.seed}: {error}")
        return 1
    finally:
        walk.close()
    return 0


def _say(line: str) -> None:
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
