"""Fuzz for as long as asked: `python -m tests.fuzz --minutes 10 --seed 1`; each session prints how to see it again."""

import argparse
import logging
import resource
import sys
import time

from tests.fuzz.session import REQUESTS, FoundError, Session


def main() -> int:
    """The exit status: the number of sessions that found something, at most 100."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000_000)
    parser.add_argument("--sessions", type=int, default=sys.maxsize)
    parser.add_argument("--requests", type=int, default=REQUESTS, help="in each session")
    parser.add_argument("--mutated", type=float, default=None, help="share of frames that are made malformed")
    parser.add_argument("--go-on", action="store_true", help="do not stop at the first find")
    options = parser.parse_args()
    logging.getLogger("kafkacompat").propagate = False
    logging.lastResort = None
    deadline = time.monotonic() + options.minutes * 60
    sessions = frames = closed = found = 0
    slowest_s = 0.0
    while sessions < options.sessions and time.monotonic() < deadline:
        share = options.mutated if options.mutated is not None else (0.5, 0.0, 0.9)[sessions % 3]
        session = Session(options.seed + sessions, mutated_share=share)
        sessions += 1
        try:
            session.run(options.requests)
        except FoundError as error:
            found += 1
            print(error, file=sys.stderr, flush=True)  # noqa: T201 (a program)
            if not options.go_on:
                break
        frames += session.frames
        closed += session.closed
        slowest_s = max(slowest_s, session.slowest_s)
    rss_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(  # noqa: T201
        f"{sessions} sessions from seed {options.seed}: {frames} requests, {closed} connections closed, {found} finds, "
        f"slowest {slowest_s * 1000:.0f} ms, largest size {rss_mb:.0f} MB"
    )
    return min(found, 100)


if __name__ == "__main__":
    sys.exit(main())
