"""Says after a run how much was compared."""

from __future__ import annotations

import pytest

COUNTS = pytest.StashKey[dict[str, str]]()


@pytest.fixture
def counts(request: pytest.FixtureRequest) -> dict[str, str]:
    """What the summary says about each release."""
    found: dict[str, str] = request.config.stash.setdefault(COUNTS, {})
    return found


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for release, line in sorted(config.stash.get(COUNTS, {}).items()):
        terminalreporter.write_line(f"schemas of Apache Kafka {release}: {line}")
