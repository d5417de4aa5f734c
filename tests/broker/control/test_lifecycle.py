"""What a broker says to the controller while it starts, works and goes, and what it makes of the answers."""

import logging

import pytest

from kafkacompat.broker.control import lifecycle as lifecycle_module
from kafkacompat.broker.control.lifecycle import (
    PENDING_CONTROLLED_SHUTDOWN,
    QUICK_RETRIES,
    RECOVERY,
    RETRY_MAX_MS,
    RUNNING,
    SHUTTING_DOWN,
    STARTING,
    Lifecycle,
)
from kafkacompat.broker.timers import Timers
from kafkacompat.config import BrokerConfig
from kafkacompat.now import Now
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import NO_BROKER_EPOCH
from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from kafkacompat.protocol.messages.broker_registration import BrokerRegistrationRequest, BrokerRegistrationResponse
from kafkacompat.replication.metadata.image import EMPTY_IMAGE, BrokerImage, Endpoint


class Channel:
    """Keeps what is asked until the test answers it."""

    def __init__(self):
        self.asked = []

    def request(self, channel, api_key, version, request, done, *, timeout_ms, now):
        assert (channel, api_key, version) in [("controller", 62, 4), ("controller", 63, 2)]
        self.asked.append((request, done, timeout_ms))


class Setting:
    """Broker 7 with Kafka's time-outs; the test plays controller and metadata log."""

    def __init__(self, **config):
        self.now = Now(1000, 0)
        self.timers = Timers()
        self.channel = Channel()
        self.image = EMPTY_IMAGE
        self.followed = None  # up to where all partitions follow, if not all of it
        self.events = []
        settings = {name.replace("_", "."): value for name, value in config.items()}
        registration = BrokerRegistrationRequest(7, "cluster", b"i" * 16)
        self.lifecycle = Lifecycle(
            registration, BrokerConfig.from_sources({}, settings), channel=self.channel, timers=self.timers,
            metadata_offset=lambda: self.image.offset if self.followed is None else self.followed, data_dir="/data",
        )  # fmt: skip
        for name in ("registered", "running", "stale", "heartbeat_succeeded", "fatal", "must_wait", "may_stop"):
            setattr(self.lifecycle.events, name, lambda *what, name=name: self.events.append((name, *what[:1])))

    def take(self):
        """The one request that is out."""
        ((request, _, _),) = self.channel.asked
        return request

    def answer(self, response):
        ((_, done, _),) = self.channel.asked
        self.channel.asked.clear()
        done(response, self.now)

    def heartbeat(self, **fields):
        """The heartbeat that is out has these fields."""
        request = self.take()
        assert isinstance(request, BrokerHeartbeatRequest)
        for name, value in fields.items():
            assert getattr(request, name) == value, name

    def advance(self, duration_ms):
        self.now = Now(self.now.monotonic_ms + duration_ms, 0)
        self.timers.run(self.now)

    def applied(self, offset, *brokers):
        """The metadata log was applied up to `offset`."""
        self.image = EMPTY_IMAGE.but(offset=offset, brokers={broker.id: broker for broker in brokers})
        self.lifecycle.metadata_applied(self.image, self.now)

    def me(self, epoch=50, fenced=False):
        return BrokerImage(7, epoch, b"i" * 16, fenced=fenced)

    def names(self):
        return [event[0] for event in self.events]


def running(**config):
    """A broker that runs, with its first steady heartbeat still to come."""
    at = Setting(**config)
    at.lifecycle.begin(-1, at.now)
    at.answer(BrokerRegistrationResponse(broker_epoch=50))
    at.applied(50, at.me(fenced=True))
    at.answer(BrokerHeartbeatResponse(is_caught_up=True, is_fenced=True))
    at.answer(BrokerHeartbeatResponse(is_caught_up=True, is_fenced=False))
    at.applied(52, at.me())
    assert at.lifecycle.state == RUNNING
    at.events.clear()
    return at


@pytest.fixture
def working():
    return running()


def test_from_registration_to_work():
    at = Setting()
    at.lifecycle.begin(41, at.now)
    request = at.take()
    assert isinstance(request, BrokerRegistrationRequest)
    assert (request.previous_broker_epoch, at.lifecycle.state) == (41, STARTING)
    at.answer(BrokerRegistrationResponse(broker_epoch=50))
    at.heartbeat(
        broker_id=7, broker_epoch=50, current_metadata_offset=-1, want_fence=True, want_shut_down=False,
        cordoned_log_dirs=None,
    )  # fmt: skip
    at.applied(50, at.me(fenced=True))  # while the answer is out
    assert at.lifecycle.state == RECOVERY
    at.answer(BrokerHeartbeatResponse(is_fenced=True))
    at.heartbeat(current_metadata_offset=50, want_fence=False, cordoned_log_dirs=[])
    at.answer(BrokerHeartbeatResponse(is_caught_up=True, is_fenced=False))
    assert at.names() == [
        "registered",
        "heartbeat_succeeded",
        "heartbeat_succeeded",
    ]  # not yet: the log has not said so
    at.applied(51, at.me(epoch=40))
    assert at.lifecycle.state == RECOVERY
    at.applied(52, at.me())
    assert at.lifecycle.state == RUNNING
    assert at.events[-1] == ("running", at.now)


def test_who_has_applied_its_registration_already_asks_to_work_at_once():
    at = Setting()
    at.lifecycle.begin(-1, at.now)
    at.applied(50, at.me(fenced=True))
    at.answer(BrokerRegistrationResponse(broker_epoch=50))
    at.heartbeat(want_fence=False, current_metadata_offset=50)


def test_a_broker_that_works_is_heard_every_interval(working):
    working.advance(1999)
    assert not working.channel.asked
    working.advance(1)
    working.heartbeat(want_fence=False, want_shut_down=False, current_metadata_offset=52)
    sent_ms = working.now.monotonic_ms
    working.advance(30)
    working.answer(BrokerHeartbeatResponse(is_fenced=False))
    assert working.events == [("heartbeat_succeeded", sent_ms)]  # the lease counts from when it was sent


def test_who_is_still_fenced_asks_again_soon():
    at = Setting()
    at.lifecycle.begin(-1, at.now)
    at.applied(50, at.me(fenced=True))
    at.answer(BrokerRegistrationResponse(broker_epoch=50))
    at.answer(BrokerHeartbeatResponse(is_fenced=True))
    at.advance(lifecycle_module.RETRY_MS)
    at.heartbeat(want_fence=False)


def test_a_duplicate_is_told_what_to_do_and_tried_again(caplog):
    at = Setting()
    at.lifecycle.begin(-1, at.now)
    with caplog.at_level(logging.WARNING):
        for pause_ms in (*[100] * QUICK_RETRIES, 200, 400, 800, 1600, 2000, RETRY_MAX_MS):
            at.answer(BrokerRegistrationResponse(error_code=errors.DUPLICATE_BROKER_REGISTRATION))
            at.advance(pause_ms - 1)
            assert not at.channel.asked
            at.advance(1)
            assert isinstance(at.take(), BrokerRegistrationRequest)
    assert len(caplog.messages) == 1
    assert "another process is registered as broker 7" in caplog.messages[0]
    at.answer(BrokerRegistrationResponse(broker_epoch=60))
    assert at.events == [("registered", 60)]


def test_a_broker_that_is_not_registered_in_time_gives_up():
    at = Setting(initial_broker_registration_timeout_ms="5000")
    at.lifecycle.begin(-1, at.now)
    at.advance(4999)
    assert not at.events
    at.advance(1)
    ((name, line),) = at.events
    assert name == "fatal"
    assert "no active controller answers" in line
    assert "initial.broker.registration.timeout.ms=5000" in line
    at.answer(BrokerRegistrationResponse(broker_epoch=50))  # too late
    assert at.lifecycle.state == SHUTTING_DOWN
    assert not at.channel.asked


@pytest.mark.parametrize("code", [errors.INCONSISTENT_CLUSTER_ID, errors.UNSUPPORTED_VERSION])
def test_what_no_waiting_helps_ends_the_start(code):
    at = Setting()
    at.lifecycle.begin(-1, at.now)
    at.answer(BrokerRegistrationResponse(error_code=code))
    ((name, line),) = at.events
    assert name == "fatal"
    assert "\n" not in line
    assert at.timers.next_deadline_ms() is None


def test_a_stale_epoch_means_to_register_again(working):
    working.advance(2000)
    working.answer(BrokerHeartbeatResponse(error_code=errors.STALE_BROKER_EPOCH))
    assert working.names() == ["stale"]
    assert working.lifecycle.broker_epoch == NO_BROKER_EPOCH
    request = working.take()
    assert isinstance(request, BrokerRegistrationRequest)
    assert request.previous_broker_epoch == 50
    working.answer(BrokerRegistrationResponse(error_code=errors.INCONSISTENT_CLUSTER_ID))
    assert "fatal" not in working.names()  # it is no beginner
    working.advance(100)
    working.answer(BrokerRegistrationResponse(broker_epoch=70))
    working.applied(70, working.me(epoch=70, fenced=True))
    working.answer(BrokerHeartbeatResponse(is_fenced=True))
    working.answer(BrokerHeartbeatResponse(is_fenced=False))
    working.applied(71, working.me(epoch=70))
    assert working.names()[1:] == ["registered", "heartbeat_succeeded", "heartbeat_succeeded", "running"]


def test_without_a_controller_a_broker_goes_on_asking(working, caplog):
    working.advance(2000)
    with caplog.at_level(logging.WARNING):
        working.answer(None)
        working.advance(100)
        working.answer(None)
        working.advance(100)
    assert len(caplog.messages) == 1
    working.heartbeat(want_fence=False)
    assert not working.events


def test_a_controlled_shutdown_ends_when_the_controller_agrees(working):
    working.lifecycle.shut_down(working.now)
    assert working.lifecycle.state == PENDING_CONTROLLED_SHUTDOWN
    working.heartbeat(want_shut_down=True)
    working.answer(BrokerHeartbeatResponse(is_fenced=False))
    working.heartbeat(want_shut_down=True)  # at once: perhaps nobody else has to know
    working.answer(BrokerHeartbeatResponse(is_fenced=False))
    working.advance(lifecycle_module.SHUTDOWN_RETRY_MS)
    working.heartbeat(want_shut_down=True)
    assert "may_stop" not in working.names()
    working.answer(BrokerHeartbeatResponse(is_fenced=True, should_shut_down=True))
    assert working.names()[-1] == "may_stop"
    assert working.timers.next_deadline_ms() is None


def test_a_controlled_shutdown_waits_for_the_answer_that_is_out(working):
    working.advance(2000)
    working.lifecycle.shut_down(working.now)
    working.heartbeat(want_shut_down=False)
    working.answer(BrokerHeartbeatResponse(is_fenced=False))
    working.heartbeat(want_shut_down=True)


def test_a_controlled_shutdown_without_a_controller_ends_soon(working, caplog):
    working.lifecycle.shut_down(working.now)
    working.advance(2_999)
    assert not working.events
    with caplog.at_level(logging.WARNING):
        working.advance(1)
    assert working.names() == ["may_stop"]
    assert "without handing over its partitions: no active controller answers" in caplog.text
    working.answer(BrokerHeartbeatResponse(should_shut_down=True))
    assert working.names() == ["may_stop"]


def test_a_controlled_shutdown_lasts_while_controllers_answer_and_five_minutes_at_most(working, caplog):
    begin_ms = working.now.monotonic_ms
    working.lifecycle.shut_down(working.now)
    while "may_stop" not in working.names():
        working.answer(BrokerHeartbeatResponse(is_fenced=False))
        working.advance(2_999)
    assert working.now.monotonic_ms - begin_ms >= 300_000 > working.now.monotonic_ms - begin_ms - 2_999
    assert working.names().count("must_wait") == working.names().count("heartbeat_succeeded") == 101
    assert "the controller has not agreed in time" in caplog.text


@pytest.mark.parametrize("registered", [False, True])
def test_who_does_not_work_yet_may_stop_at_once(registered):
    at = Setting()
    at.lifecycle.begin(-1, at.now)
    if registered:
        at.answer(BrokerRegistrationResponse(broker_epoch=50))
    at.lifecycle.shut_down(at.now)
    assert at.names()[-1] == "may_stop"


def test_when_another_broker_goes_the_controller_is_told_at_once_what_we_have_applied(working):
    going = BrokerImage(8, 51, b"j" * 16, fenced=False, in_controlled_shutdown=True)
    working.applied(53, working.me(), going)
    working.heartbeat(current_metadata_offset=53)
    working.answer(BrokerHeartbeatResponse(is_fenced=False))
    working.applied(54, working.me(), going)
    assert not working.channel.asked  # once


def test_another_controller_is_told_at_once_that_we_live(working):
    working.advance(500)
    working.lifecycle.controller_changed(working.now)
    working.heartbeat(want_fence=False)
    working.lifecycle.controller_changed(working.now)  # while an answer is out
    working.answer(BrokerHeartbeatResponse(is_fenced=False))
    working.heartbeat(want_fence=False)


def test_an_epoch_that_no_controller_gives_is_a_refusal():
    at = Setting()
    at.lifecycle.begin(-1, at.now)
    at.answer(BrokerRegistrationResponse(broker_epoch=-1))
    assert not at.lifecycle.is_registered
    at.advance(500)
    at.answer(BrokerRegistrationResponse(broker_epoch=50))
    assert at.lifecycle.broker_epoch == 50


def test_a_broker_asks_to_work_when_its_partitions_have_their_roles():
    setting = Setting()
    lifecycle = setting.lifecycle
    lifecycle.begin(-1, setting.now)
    setting.answer(BrokerRegistrationResponse(broker_epoch=50))
    setting.answer(BrokerHeartbeatResponse(is_fenced=True))
    setting.followed = 40
    setting.applied(60, setting.me(fenced=True))
    assert not setting.channel.asked
    setting.advance(2000)
    setting.heartbeat(current_metadata_offset=40, want_fence=True)
    setting.answer(BrokerHeartbeatResponse(is_fenced=True))
    setting.followed = 60
    lifecycle.caught_up(setting.image, setting.now)
    setting.heartbeat(current_metadata_offset=60, want_fence=False)


def test_when_another_broker_goes_the_controller_hears_when_all_partitions_know(working):
    going = BrokerImage(8, 1, b"o" * 16, fenced=False, in_controlled_shutdown=True)
    working.followed = 60
    working.applied(70, working.me(), going)
    working.heartbeat(current_metadata_offset=60)
    working.answer(BrokerHeartbeatResponse())
    working.followed = 70
    working.lifecycle.caught_up(working.image, working.now)
    working.heartbeat(current_metadata_offset=70)


def test_who_has_closed_already_may_stop_at_once(working):
    working.lifecycle.close()
    working.lifecycle.shut_down(working.now)
    assert working.names() == ["may_stop"]


def test_who_registers_again_after_its_disk_has_failed_claims_nothing(working):
    working.lifecycle.has_all = lambda: False
    working.advance(2000)
    working.answer(BrokerHeartbeatResponse(error_code=errors.STALE_BROKER_EPOCH))
    assert working.take().previous_broker_epoch == -1


def test_a_registration_without_an_answer_is_sent_again():
    at = Setting()
    at.lifecycle.begin(-1, at.now)
    at.answer(None)
    assert at.channel.asked == []
    at.advance(lifecycle_module.RETRY_MS)
    assert isinstance(at.take(), BrokerRegistrationRequest)


def test_the_controller_hears_at_once_that_a_disk_is_full(working):
    working.lifecycle.cordoned_directories = lambda: [b"d" * 16] * 2
    working.lifecycle.room_changed(working.now)
    working.heartbeat(cordoned_log_dirs=[b"d" * 16] * 2)


def test_the_controller_hears_with_the_metadata_that_a_directory_is_cordoned(working):
    working.applied(53, working.me())
    assert working.channel.asked == []
    working.lifecycle.cordoned_directories = lambda: [b"d" * 16]
    working.applied(54, working.me())
    working.heartbeat(cordoned_log_dirs=[b"d" * 16])
    working.answer(BrokerHeartbeatResponse(is_caught_up=True, is_fenced=False))
    working.applied(55, working.me())
    assert working.channel.asked == [], "it is said once"


def test_a_heartbeat_out_of_turn_takes_the_place_of_the_one_that_was_due(working):
    working.advance(1999)
    working.lifecycle.room_changed(working.now)
    working.advance(1)
    working.answer(BrokerHeartbeatResponse(is_caught_up=True, is_fenced=False))
    assert working.channel.asked == []
    working.advance(2000)
    working.heartbeat()


def test_a_heartbeat_that_is_refused_is_sent_again(working):
    working.advance(2000)
    working.answer(BrokerHeartbeatResponse(error_code=errors.UNKNOWN_SERVER_ERROR))
    assert working.channel.asked == []
    working.advance(2000)
    working.heartbeat()


def test_who_is_no_longer_known_may_stop(working):
    working.lifecycle.shut_down(working.now)
    working.answer(BrokerHeartbeatResponse(error_code=errors.STALE_BROKER_EPOCH))
    assert working.names() == ["may_stop"]


def test_other_endpoints_are_registered_in_the_same_life(working):
    at = working
    at.lifecycle.set_endpoints([Endpoint("PLAINTEXT", "there", 1)])
    at.lifecycle.announce(at.now)
    request = at.take()
    assert isinstance(request, BrokerRegistrationRequest)
    assert [(each.name, each.host, each.port) for each in request.listeners] == [("PLAINTEXT", "there", 1)]
    assert (request.incarnation_id, request.previous_broker_epoch) == (b"i" * 16, 50)
    at.answer(BrokerRegistrationResponse(broker_epoch=50))
    at.heartbeat(broker_epoch=50, want_fence=False)
    assert at.lifecycle.state == RUNNING
    assert at.events == []


def test_other_endpoints_wait_for_the_answer_that_is_due_and_are_sent_until_one_comes(working):
    at = working
    at.lifecycle.room_changed(at.now)
    at.heartbeat()
    at.lifecycle.set_endpoints([Endpoint("PLAINTEXT", "there", 1)])
    at.lifecycle.announce(at.now)
    at.heartbeat()
    at.answer(BrokerHeartbeatResponse(is_caught_up=True, is_fenced=False))
    for _ in range(2):
        assert isinstance(at.take(), BrokerRegistrationRequest)
        at.answer(None)
        at.advance(100)
    assert isinstance(at.take(), BrokerRegistrationRequest)
    at.answer(BrokerRegistrationResponse(error_code=errors.INVALID_REGISTRATION))
    at.heartbeat()
    at.answer(BrokerHeartbeatResponse(is_caught_up=True, is_fenced=False))
    assert at.channel.asked == []


def test_a_controller_that_registers_it_anew_begins_another_epoch(working):
    at = working
    at.lifecycle.set_endpoints([Endpoint("PLAINTEXT", "there", 1)])
    at.lifecycle.announce(at.now)
    at.answer(BrokerRegistrationResponse(broker_epoch=60))
    assert at.names() == ["stale", "registered"]
    at.heartbeat(broker_epoch=60, want_fence=True)


def test_the_same_endpoints_are_no_news(working):
    at = working
    at.lifecycle.set_endpoints([])
    at.lifecycle.announce(at.now)
    assert at.channel.asked == []


def test_a_stop_that_takes_long_is_not_ended_by_a_directory_that_failed_before(working):
    working.lifecycle.offline_directories = lambda: [b"d" * 16]
    working.lifecycle.directory_failed(b"d" * 16, working.now)
    working.lifecycle.close()
    working.advance(60_000)
    assert "fatal" not in working.names()


def test_a_directory_that_failed_is_told_at_once_and_with_each_heartbeat(working):
    working.lifecycle.offline_directories = lambda: [b"d" * 16]
    working.lifecycle.directory_failed(b"d" * 16, working.now)
    working.heartbeat(offline_log_dirs=[b"d" * 16])
    working.answer(BrokerHeartbeatResponse(is_caught_up=True, is_fenced=False))
    working.advance(2_000)
    working.heartbeat(offline_log_dirs=[b"d" * 16])
    working.advance(60_000)
    assert "fatal" not in working.names()
