"""Listeners and addresses as text."""

import pytest

from kafkacompat.config.listeners import advertised, parse_address, parse_listener
from kafkacompat.config.values import ConfigError


def test_listeners_and_addresses_are_read() -> None:
    assert parse_listener(" plain://[::1]:9 ") == ("PLAIN", "::1", 9)
    assert parse_address("host:65535") == ("host", 65535)
    assert advertised("A://x:1, B://y:2") == {"A": ("x", 1), "B": ("y", 2)}


@pytest.mark.parametrize("text", ["", "A://x:1,A://y:2", "A://x:0", "A://:1", "C://x:1", "x:1", "A://x:65536"])
def test_what_cannot_be_advertised_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        advertised(text, known={"A", "B"})
