"""Tests with stock clients. At import kafka-python reads its schemas in a deprecated way: not ours to mend."""

import warnings

import pytest

pytest.register_assert_rewrite("compat_tests.clients.contract", "compat_tests.clients.verbs")

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import kafka  # noqa: F401
