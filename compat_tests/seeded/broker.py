"""A broker with a seed: `python -m compat_tests.seeded.broker SEED serve --port …`."""

from __future__ import annotations

import sys

from compat_tests.seeded import answers, rules
from compat_tests.seeded.seeding import SEEDS
from kafkacompat.cli import main

NOTHING = "nothing"
ALL = (answers, rules)
"""The modules whose import registers the seeds."""


def run(name: str, *arguments: str) -> None:
    """Plant a seed, or NOTHING, and go on as `kafkacompat`. Raises KeyError for a seed that is not there."""
    if name != NOTHING:
        SEEDS[name]()
    main(arguments)


if __name__ == "__main__":
    run(*sys.argv[1:])
