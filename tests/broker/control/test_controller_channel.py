"""Requests find the active controller: on another node, on this one, after it moved, and give up in time."""

import random

from kafkacompat.broker.control.controller_channel import MAX_OPEN, RETRY_MAX_MS, RETRY_MIN_MS, ControllerChannel
from kafkacompat.broker.network import CONTROLLER, FORWARD, Address
from kafkacompat.broker.timers import Timers
from kafkacompat.now import Now
from kafkacompat.protocol.api_keys import BROKER_HEARTBEAT, CREATE_TOPICS
from kafkacompat.protocol.error_codes import NOT_CONTROLLER, STALE_BROKER_EPOCH
from kafkacompat.protocol.messages.broker_heartbeat import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from kafkacompat.protocol.messages.create_topics import (
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)

HEARTBEAT = BrokerHeartbeatRequest(1, 5, 9)
ONE, TWO = Address("one", 1), Address("two", 2)


class Wire:
    """A network that keeps what is sent until the test answers it."""

    def __init__(self):
        self.sent = []
        self.closed = []

    def send(self, to, channel, client_id, api_key, version, request, timeout_ms, done):
        self.sent.append((to, channel, client_id, api_key, version, request, timeout_ms))
        self.done = done

    def close_channel(self, to, channel):
        self.closed.append((to, channel))


class Setting:
    """A channel on the node 7, the controller where `there` says."""

    def __init__(self, there=ONE):
        self.there = there
        self.timers = Timers()
        self.wire = Wire()
        self.answers = []
        self.here = []
        self.is_here = False
        self.now = Now(1000, 0)
        self.channel = ControllerChannel(
            client_id="7", timers=self.timers, rng=random.Random(3), find=lambda: self.there,
            is_here=lambda: self.is_here, call_here=lambda *arguments: self.here.append(arguments),
        )  # fmt: skip
        self.channel.network = self.wire

    def ask(self, request=HEARTBEAT, timeout_ms=1000, key=BROKER_HEARTBEAT, version=2, channel=CONTROLLER):
        return self.channel.request(
            channel, key, version, request, lambda response, now: self.answers.append((response, now.monotonic_ms)),
            timeout_ms=timeout_ms, now=self.now,
        )  # fmt: skip

    def advance(self, duration_ms):
        self.now = Now(self.now.monotonic_ms + duration_ms, 0)
        self.timers.run(self.now)


def test_a_request_goes_to_the_controller_and_its_answer_comes_back():
    at = Setting()
    at.ask()
    assert at.wire.sent == [(ONE, CONTROLLER, "7", 63, 2, HEARTBEAT, 1000)]
    response = BrokerHeartbeatResponse(error_code=STALE_BROKER_EPOCH)
    at.wire.done(response, Now(1010, 0))
    assert at.answers == [(response, 1010)]
    assert not len(at.channel)
    assert not at.wire.closed
    assert at.timers.next_deadline_ms() is None


def test_on_the_active_controller_the_request_stays_at_home():
    at = Setting(there=None)
    at.is_here = True
    at.ask()
    ((key, version, request, now, done),) = at.here
    assert (key, version, request, now) == (63, 2, HEARTBEAT, at.now)
    done("answer", at.now)
    assert at.answers == [("answer", 1000)]
    assert not at.wire.sent


def test_who_is_no_controller_is_left_and_after_a_pause_the_next_one_is_asked():
    at = Setting()
    at.ask()
    at.wire.done(BrokerHeartbeatResponse(error_code=NOT_CONTROLLER), at.now)
    assert at.wire.closed == [(ONE, CONTROLLER)]
    assert not at.answers
    at.there = TWO
    at.advance(RETRY_MIN_MS - 1)
    assert len(at.wire.sent) == 1
    at.advance(RETRY_MAX_MS)
    assert at.wire.sent[1][0] == TWO
    assert at.wire.sent[1][-1] < 1000


def test_a_refusal_topic_by_topic_is_one_too():
    at = Setting()
    at.ask(CreateTopicsRequest(), key=CREATE_TOPICS, version=7, channel=FORWARD)
    at.wire.done(CreateTopicsResponse(topics=[CreatableTopicResult("t", error_code=NOT_CONTROLLER)]), at.now)
    assert at.wire.closed == [(ONE, FORWARD)]
    assert not at.answers
    at.advance(RETRY_MAX_MS)
    response = CreateTopicsResponse(topics=[CreatableTopicResult("t", error_code=36)])
    at.wire.done(response, at.now)
    assert [answer for answer, _ in at.answers] == [response]


def test_a_lost_answer_is_asked_for_again_until_time_is_up():
    at = Setting()
    at.ask(timeout_ms=150)
    at.wire.done(None, at.now)
    assert not at.wire.closed  # it is closed already
    at.advance(RETRY_MAX_MS)
    assert len(at.wire.sent) == 2
    assert at.wire.sent[1][-1] == 150 - RETRY_MAX_MS
    at.advance(45)
    at.wire.done(None, at.now)
    at.advance(5)
    assert at.answers == [(None, 1150)]
    assert not len(at.channel)


def test_nobody_to_ask_is_waited_for():
    at = Setting(there=None)
    at.ask(timeout_ms=500)
    at.advance(300)
    assert not at.wire.sent
    assert not at.answers
    at.there = TWO
    at.channel.leader_changed(at.now)
    assert [sent[0] for sent in at.wire.sent] == [TWO]


def test_when_another_controller_takes_over_nothing_waits_for_the_old_one():
    at = Setting()
    at.ask()
    at.there = TWO
    at.channel.leader_changed(at.now)
    assert at.wire.closed == [(ONE, CONTROLLER)]
    at.wire.done(None, at.now)  # what the closed channel brings
    at.advance(RETRY_MAX_MS)
    assert at.wire.sent[1][0] == TWO


def test_an_answer_that_comes_twice_counts_once_and_none_after_the_end():
    at = Setting()
    at.ask()
    done = at.wire.done
    done(BrokerHeartbeatResponse(), at.now)
    done(BrokerHeartbeatResponse(), at.now)
    assert len(at.answers) == 1
    at.ask()
    at.channel.close()
    at.wire.done(BrokerHeartbeatResponse(), at.now)
    assert len(at.answers) == 1
    assert at.timers.next_deadline_ms() is None


def test_what_waits_is_bounded():
    at = Setting(there=None)
    for _ in range(MAX_OPEN):
        at.ask(timeout_ms=60_000)
    at.ask(timeout_ms=60_000)
    assert not at.answers  # never inside the call
    at.timers.run(at.now)
    assert at.answers == [(None, 1000)]
    assert len(at.channel) == MAX_OPEN
    at.ask(channel=FORWARD)
    at.timers.run(at.now)
    assert len(at.answers) == 1  # others do not suffer from it


def test_what_nobody_waits_for_takes_no_room():
    at = Setting(there=None)
    calls = [at.ask(timeout_ms=60_000) for _ in range(MAX_OPEN)]
    for call in calls:
        at.channel.drop(call)
        at.channel.drop(call)
    assert len(at.channel) == 0
    assert at.timers.next_deadline_ms() is None
    at.there = ONE
    dropped = at.ask()
    done = at.wire.done
    at.channel.drop(dropped)
    at.ask()
    at.wire.done("answer", at.now)
    done("late", at.now)
    assert at.answers == [("answer", 1000)]
