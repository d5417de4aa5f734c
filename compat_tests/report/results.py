"""A run's results as plain data, which the files and pages are made from."""

from __future__ import annotations

import platform
import sys
import time
from datetime import UTC, datetime
from typing import Any

from compat_tests.report.collector import Collector
from compat_tests.report.ledger import Ledger
from kafkacompat import __version__

Results = dict[str, Any]


def of(collector: Collector, ledger: Ledger, *, subject: str, full: bool) -> Results:
    """Everything that a run found."""
    began = datetime.fromtimestamp(collector.began, UTC)
    return {
        "began": began.isoformat(timespec="seconds"),
        "seconds": round(time.time() - collector.began),
        "kafkacompat": __version__,
        "reference": f"Apache Kafka {ledger.release}",
        "subject": subject,
        "form": "full" if full else "everyday",
        "machine": f"Python {sys.version.split()[0]}, {platform.system()} {platform.machine()}",
        "left_out": dict(sorted(collector.left_out.items())),
        "conversations": ledger.conversations,
        "pairs": ledger.pairs,
        "kinds": [[*kind, state] for kind, state in sorted(ledger.kinds.items())],
        "decisions": [
            {
                "name": name,
                "why": met.decision.why,
                "fields": met.fields,
                "test": met.test,
                "example": _plain(met.example),
            }
            for name, met in sorted(ledger.met.items())
        ],
        "tests": [
            {**vars(one), "differences": [_plain(found) for found in one.differences]} for one in collector.results
        ],
    }


def _plain(difference: Any) -> list[str]:
    return [difference.path, repr(difference.ours), repr(difference.theirs)]
