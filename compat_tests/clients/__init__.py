"""Tests with stock clients. At import kafka-python reads its schemas in a deprecated way: not ours to mend."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import kafka  # noqa: F401
