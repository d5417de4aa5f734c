"""Which endpoints a broker registers, after changes of its config and by hand."""

import pytest

from kafkacompat.broker.control.advertised import AdvertisedEndpoints
from tests.broker.harness import BrokerHarness


def test_the_later_of_config_and_call_applies_and_both_can_be_taken_back() -> None:
    kafka = BrokerHarness()
    lifecycle = kafka.broker.lifecycle
    endpoints = AdvertisedEndpoints(lifecycle)

    def addresses() -> list[str]:
        return [each.address for each in lifecycle.endpoints]

    endpoints.configure({"advertised.listeners": "PLAINTEXT://a:1"})
    assert addresses() == ["a:1"]
    endpoints.replace({"PLAINTEXT": ("b", 2)}, kafka.now)
    assert addresses() == ["b:2"]
    endpoints.configure({"advertised.listeners": "PLAINTEXT://a:1"})
    assert addresses() == ["b:2"], "the config is what it was"
    endpoints.configure({"advertised.listeners": "nonsense, written by something else"})
    assert addresses() == ["localhost:9092"]
    endpoints.configure({})
    assert addresses() == ["localhost:9092"]
    with pytest.raises(KeyError):
        endpoints.replace({"OTHER": ("b", 2)}, kafka.now)
