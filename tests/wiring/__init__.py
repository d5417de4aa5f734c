"""Which test fails when a part is no longer called? `python -m tests.wiring` takes out one call after the other."""
