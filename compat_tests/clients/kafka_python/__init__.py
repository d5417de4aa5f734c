"""Tests with kafka-python, which at import reads its schemas in a way that Python has deprecated: not ours to mend."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import kafka  # noqa: F401
