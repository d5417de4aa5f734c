"""What holds for all tests."""

from hypothesis import HealthCheck, settings

# A busy machine makes any single example slow: what takes how long is measured by the benchmarks.
settings.register_profile("busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy machine")
