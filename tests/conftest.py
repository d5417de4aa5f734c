"""What holds for all tests."""

import socket

import pytest
from hypothesis import HealthCheck, settings

# A busy machine makes any single example slow: what takes how long is measured by the benchmarks.
settings.register_profile("busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy machine")


@pytest.fixture
def has_ipv6() -> bool:
    if not socket.has_ipv6:
        return False
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True
