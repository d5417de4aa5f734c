"""A controller that is not active registers once; whoever becomes active need not."""

from types import SimpleNamespace

import pytest

from kafkacompat.broker.control.controller_registrar import RETRY_MS, ControllerRegistrar
from kafkacompat.broker.timers import Timers
from kafkacompat.now import Now
from kafkacompat.protocol.error_codes import NONE, UNKNOWN_SERVER_ERROR
from kafkacompat.protocol.messages.controller_registration import ControllerRegistrationResponse
from kafkacompat.replication.metadata.image import EMPTY_IMAGE, ControllerImage, Endpoint

US = b"u" * 16


class Setting:
    def __init__(self):
        self.now = Now(1000, 0)
        self.asked = []
        self.broker = SimpleNamespace(
            node_id=2, incarnation_id=US, network=object(), timers=Timers(), channel=self,
            image=EMPTY_IMAGE.but(features={"metadata.version": 30}), quorum=SimpleNamespace(is_active=False),
        )  # fmt: skip
        self.registrar = ControllerRegistrar(self.broker, [Endpoint("CONTROLLER", "here", 9093)])

    def request(self, channel, api_key, version, request, done, *, timeout_ms, now):
        assert (channel, api_key, version) == ("controller", 70, 0)
        self.asked.append((request, done))

    def look(self):
        self.registrar.check(self.now)
        return len(self.asked)


@pytest.fixture
def setting():
    return Setting()


def test_it_says_where_it_is_until_that_is_taken(setting):
    assert setting.look() == 1
    assert setting.look() == 1  # one request at a time
    request, done = setting.asked[0]
    assert (request.controller_id, request.incarnation_id) == (2, US)
    assert [(each.name, each.host, each.port) for each in request.listeners] == [("CONTROLLER", "here", 9093)]
    done(ControllerRegistrationResponse(error_code=UNKNOWN_SERVER_ERROR), setting.now)
    setting.broker.timers.run(Now(setting.now.monotonic_ms + RETRY_MS, 0))
    assert len(setting.asked) == 2
    setting.asked[1][1](None, setting.now)  # nobody answered
    setting.broker.timers.run(Now(setting.now.monotonic_ms + RETRY_MS, 0))
    setting.asked[2][1](ControllerRegistrationResponse(error_code=NONE), setting.now)
    assert setting.look() == 3


def test_who_is_known_or_active_asks_nobody(setting):
    setting.broker.image = setting.broker.image.but(controllers={2: ControllerImage(2, US, (), {})})
    assert setting.look() == 0
    active = Setting()
    active.broker.quorum.is_active = True
    assert active.look() == 0


def test_another_life_of_it_counts_for_nothing_and_without_features_it_is_too_early(setting):
    setting.broker.image = setting.broker.image.but(controllers={2: ControllerImage(2, b"o" * 16, (), {})}, features={})
    assert setting.look() == 0
    setting.broker.image = setting.broker.image.but(features={"metadata.version": 30})
    assert setting.look() == 1
