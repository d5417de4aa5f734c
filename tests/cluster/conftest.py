"""Coroutine tests run as those of the shell do."""

from tests.server.conftest import loop_kind, pytest_generate_tests, pytest_pyfunc_call  # noqa: F401
