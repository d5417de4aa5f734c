"""What a node that is not the active controller passes on, and what the active controller makes of it."""

import pytest

from kafkacompat.broker.connection import BROKER, CONTROLLER, CloseConnection, Connection
from kafkacompat.broker.control.controller_channel import Call
from kafkacompat.broker.control.forwarding import FORWARD_TIMEOUT_MS, address_bytes, address_text
from kafkacompat.broker.registry import APIS, APIS_OF
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import CREATE_TOPICS, ENVELOPE
from kafkacompat.protocol.headers import RequestHeader, encode_request_header
from kafkacompat.protocol.messages.api_versions import ApiVersionsRequest
from kafkacompat.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from kafkacompat.protocol.messages.describe_cluster import DescribeClusterRequest
from kafkacompat.protocol.messages.envelope import EnvelopeRequest, EnvelopeResponse
from kafkacompat.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from kafkacompat.protocol.messages.list_offsets import ListOffsetsRequest
from kafkacompat.protocol.messages.metadata import MetadataRequest
from kafkacompat.replication.metadata.image import EMPTY_IMAGE
from tests.broker.harness import STEM_TO_API, BrokerHarness

PRINCIPAL = b"\0\0\x05User\x0aANONYMOUS\0\0"
HOST = bytes((10, 1, 2, 3))


class FakeChannel:
    """Takes what is sent to the active controller."""

    def __init__(self) -> None:
        self.requests: list = []
        self.dropped: list = []

    def request(self, channel, api_key, version, request, done, *, timeout_ms, now) -> Call:
        assert (channel, api_key, version, timeout_ms) == ("forward", 58, 0, FORWARD_TIMEOUT_MS)
        self.requests.append((request, done))
        return Call(channel, api_key, version, request, timeout_ms, done)

    def drop(self, call) -> None:
        self.dropped.append(call.request)

    def leader_changed(self, now) -> None:
        """Nothing waits for a leader here."""


class Forwarding:
    """A node that is not active, and one that is, with a channel between them that a test works by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.node, self.active = BrokerHarness(), BrokerHarness()
        self.channel = FakeChannel()
        monkeypatch.setattr(type(self.node.broker.quorum), "is_active", property(self._is_active))
        monkeypatch.setattr(self.node.broker, "channel", self.channel, raising=False)
        self.inner = Connection(1, "10.1.2.3", "PLAINTEXT")
        self.to_controller = Connection(2, "127.0.0.1", "CONTROLLER", CONTROLLER)
        self.is_active = True

    def _is_active(self, quorum: object) -> bool:
        return quorum is self.active.broker.quorum and self.is_active

    def begin(self, request, version):
        """A client's request at the node that is not active."""
        return self.node.begin(request, version, self.inner)

    def pass_on(self) -> EnvelopeResponse:
        """What the active controller answers to what was sent there; the client gets it."""
        envelope, done = self.channel.requests.pop()
        response = self.ask(envelope)
        done(response, self.node.now)
        return response

    def ask(self, envelope: EnvelopeRequest) -> EnvelopeResponse:
        return self.active.ask(envelope, 0, self.to_controller)


@pytest.fixture
def forwarding(monkeypatch) -> Forwarding:
    return Forwarding(monkeypatch)


def frame(request, version: int, correlation_id: int = 5) -> bytes:
    api = STEM_TO_API[type(request).__module__.rpartition(".")[2]]
    out: list = []
    api.messages.encode_request(request, version, out)
    return encode_request_header(RequestHeader(api.key, version, correlation_id, "inner")) + b"".join(out)


def creation(name: str = "t") -> CreateTopicsRequest:
    return CreateTopicsRequest(topics=[CreatableTopic(name, 1, 1)], timeout_ms=1_000)


@pytest.mark.parametrize("version", range(2, 8))
def test_a_client_gets_the_answer_of_the_active_controller(forwarding, version):
    answer = forwarding.begin(creation(), version)
    assert not answer.is_there
    envelope = forwarding.channel.requests[0][0]
    assert envelope.request_principal == PRINCIPAL
    assert envelope.client_host_address == HOST
    assert not forwarding.pass_on().error_code
    assert answer.message.topics[0].name == "t"
    assert not answer.message.topics[0].error_code
    assert "t" in forwarding.active.broker.image.topics
    assert "t" not in forwarding.node.broker.image.topics


def test_the_answer_goes_back_byte_for_byte(forwarding):
    answers = forwarding.node.send_frame(frame(creation(), 7, 123), forwarding.inner)
    data = forwarding.pass_on().response_data
    (parts,) = answers
    assert b"".join(parts) == data
    assert data[:4] == (123).to_bytes(4, "big")


BROKER_RESOURCE, TOPIC_RESOURCE = 4, 2
NODE, OTHER, TOPIC = (BROKER_RESOURCE, "1"), (BROKER_RESOURCE, "2"), (TOPIC_RESOURCE, "t")


def alteration(*resources: tuple[int, str], name: str = "max.connections") -> IncrementalAlterConfigsRequest:
    names = {TOPIC_RESOURCE: "retention.ms", BROKER_RESOURCE: name}
    return IncrementalAlterConfigsRequest(
        [AlterConfigsResource(kind, of, [AlterableConfig(names[kind], 0, "77")]) for kind, of in resources]
    )


def answers(response) -> list[tuple[int, str, int, str | None]]:
    return [
        (each.resource_type, each.resource_name, each.error_code, each.error_message) for each in response.responses
    ]


UNEXPECTED = (*OTHER, errors.INVALID_REQUEST, "Unexpected broker id, expected 1, but received 2")


def test_a_broker_refuses_configs_of_another_one_and_passes_the_rest_on(forwarding):
    forwarding.active.create_topic("t")
    answer = forwarding.begin(alteration(TOPIC, OTHER, NODE), 1)
    assert not answer.is_there
    forwarding.pass_on()
    assert answers(answer.message) == [(*TOPIC, 0, None), UNEXPECTED, (*NODE, 0, None)]
    configs = forwarding.active.broker.image
    assert configs.config(*TOPIC) == {"retention.ms": "77"}
    assert (configs.config(*NODE), configs.config(*OTHER)) == ({"max.connections": "77"}, {})


def test_nothing_is_passed_on_where_nothing_is_left(forwarding):
    assert answers(forwarding.begin(alteration(OTHER), 1).message) == [UNEXPECTED]
    assert not forwarding.channel.requests


def test_the_rest_that_no_controller_takes_in_time(forwarding):
    answer = forwarding.begin(alteration(OTHER, TOPIC), 1)
    _, done = forwarding.channel.requests.pop()
    done(None, forwarding.node.now)
    assert answers(answer.message) == [UNEXPECTED, (*TOPIC, errors.REQUEST_TIMED_OUT, None)]


@pytest.mark.parametrize("data", [b"", b"abc", bytes(8), bytes(9), b"\xff" * 30])
def test_an_answer_of_the_controller_that_nobody_can_read(forwarding, data):
    answer = forwarding.begin(alteration(OTHER, TOPIC), 1)
    _, done = forwarding.channel.requests.pop()
    done(EnvelopeResponse(data), forwarding.node.now)
    assert answers(answer.message) == [UNEXPECTED, (*TOPIC, errors.UNKNOWN_SERVER_ERROR, None)]


def test_a_broker_judges_a_change_by_its_own_configuration(forwarding):
    answer = forwarding.begin(alteration(NODE, name="num.io.threads"), 1)  # 8 here: at most 16 at once
    assert [each[2] for each in answers(answer.message)] == [errors.INVALID_REQUEST]


@pytest.mark.parametrize("resources", [(OTHER,), (OTHER, TOPIC)])
def test_the_active_controller_takes_configs_of_any_broker(forwarding, resources):
    forwarding.active.create_topic("t")
    request = alteration(*resources, name="num.io.threads")  # its own configuration does not decide
    envelope = EnvelopeRequest(frame(request, 1), PRINCIPAL, HOST)
    response = forwarding.ask(envelope)
    assert response.error_code == 0
    assert forwarding.active.broker.image.config(*OTHER) == {"num.io.threads": "77"}


def test_a_bug_in_what_is_refused_here_harms_one_request(forwarding, monkeypatch, caplog):
    monkeypatch.setattr(STEM_TO_API["incremental_alter_configs"].handler, "validate_locally", lambda *_: 1 // 0)
    answer = forwarding.begin(alteration(NODE), 1)
    assert answers(answer.message) == [(*NODE, errors.UNKNOWN_SERVER_ERROR, None)]
    assert "a bug" in caplog.text


def test_everything_else_is_answered_here(forwarding):
    for request, version in ((MetadataRequest(), 9), (DescribeClusterRequest(), 1), (ListOffsetsRequest(), 7)):
        assert forwarding.begin(request, version).is_there
    assert not forwarding.channel.requests


def test_the_active_controller_passes_nothing_on(forwarding):
    forwarding.active.create_topic("t")


def test_nothing_waits_for_a_client_that_is_gone(forwarding):
    forwarding.begin(creation("a"), 7)
    forwarding.pass_on()
    forwarding.node.broker.disconnected(forwarding.inner, forwarding.node.now)
    assert not forwarding.channel.dropped  # it had its answer
    forwarding.begin(creation("b"), 7)
    forwarding.node.broker.disconnected(forwarding.inner, forwarding.node.now)
    assert forwarding.channel.dropped == [forwarding.channel.requests[0][0]]


def test_nothing_waits_for_a_node_that_is_gone(forwarding):
    active = forwarding.active.broker
    forwarding.begin(creation(), 7)
    envelope, _ = forwarding.channel.requests.pop()
    answers: list = []
    out: list = []
    STEM_TO_API["envelope"].messages.encode_request(envelope, 0, out)
    header = encode_request_header(RequestHeader(ENVELOPE, 0, 1, "1"))
    active.dispatch(header + b"".join(out), forwarding.to_controller, forwarding.active.now, answers.append)
    assert len(active.purgatory) == 1
    active.disconnected(forwarding.to_controller, forwarding.active.now)
    assert len(active.purgatory) == 0
    forwarding.active.settle()
    assert "t" in active.image.topics
    assert not answers


def test_no_controller_in_time(forwarding):
    answer = forwarding.begin(creation(), 7)
    forwarding.channel.requests.pop()[1](None, forwarding.node.now)
    assert answer.message.topics[0].error_code == errors.REQUEST_TIMED_OUT


def test_an_envelope_that_is_refused(forwarding, caplog):
    answer = forwarding.begin(creation(), 7)
    forwarding.channel.requests.pop()[1](EnvelopeResponse(error_code=errors.INVALID_REQUEST), forwarding.node.now)
    assert answer.message.topics[0].error_code == errors.UNKNOWN_SERVER_ERROR
    assert "refused a forwarded request with error 42" in caplog.text


def test_a_request_that_no_envelope_holds(forwarding, monkeypatch):
    monkeypatch.setattr("kafkacompat.broker.control.forwarding.ENVELOPE_OVERHEAD_BYTES", 100 * 1024 * 1024)
    assert forwarding.begin(creation(), 7).message.topics[0].error_code == errors.MESSAGE_TOO_LARGE
    assert not forwarding.channel.requests


def test_a_malformed_request_is_not_passed_on(forwarding):
    with pytest.raises(CloseConnection, match="malformed create_topics"):
        forwarding.node.send_frame(frame(creation(), 7)[:-4], forwarding.inner)
    assert not forwarding.channel.requests


def test_a_node_that_is_not_active_says_so(forwarding):
    forwarding.is_active = False
    response = forwarding.ask(EnvelopeRequest(frame(creation(), 7), PRINCIPAL, HOST))
    assert (response.error_code, response.response_data) == (errors.NOT_CONTROLLER, None)


def answered_while_leadership_ends(forwarding, monkeypatch, error_code):
    module = APIS[CREATE_TOPICS].handler

    def lose(request, _context):
        forwarding.is_active = False
        return module.failed(request, error_code)

    monkeypatch.setattr(module, "handle", lose)
    return forwarding.ask(EnvelopeRequest(frame(creation(), 7), PRINCIPAL, HOST))


def test_leadership_that_ends_before_the_answer_is_no_answer(forwarding, monkeypatch):
    response = answered_while_leadership_ends(forwarding, monkeypatch, errors.NOT_CONTROLLER)
    assert response.error_code == errors.NOT_CONTROLLER


def test_an_answer_that_came_in_time_is_kept_when_leadership_ends(forwarding, monkeypatch):
    response = answered_while_leadership_ends(forwarding, monkeypatch, errors.TOPIC_ALREADY_EXISTS)
    assert not response.error_code
    assert response.response_data


def test_a_bug_behind_an_envelope_harms_one_request(forwarding, monkeypatch, caplog):
    monkeypatch.setattr(APIS[CREATE_TOPICS].handler, "handle", lambda *_: 1 / 0)
    answer = forwarding.begin(creation(), 7)
    assert not forwarding.pass_on().error_code
    assert answer.message.topics[0].error_code == errors.UNKNOWN_SERVER_ERROR
    assert "ZeroDivisionError" in caplog.text


GOOD = frame(creation(), 7)
ODD = {
    "what nobody passes on": (frame(MetadataRequest(), 9), PRINCIPAL, HOST, errors.INVALID_REQUEST),
    "api versions": (frame(ApiVersionsRequest("a", "1"), 4), PRINCIPAL, HOST, errors.INVALID_REQUEST),
    "an envelope": (frame(EnvelopeRequest(GOOD, PRINCIPAL, HOST), 0), PRINCIPAL, HOST, errors.INVALID_REQUEST),
    "a version too high": (b"\0\x13\0\x63" + GOOD[4:], PRINCIPAL, HOST, errors.UNSUPPORTED_VERSION),
    "a version too low": (b"\0\x13\0\0" + GOOD[4:], PRINCIPAL, HOST, errors.UNSUPPORTED_VERSION),
    "an unknown key": (b"\x03\xe7\0\0" + GOOD[4:], PRINCIPAL, HOST, errors.UNSUPPORTED_VERSION),
    "nothing": (b"", PRINCIPAL, HOST, errors.UNSUPPORTED_VERSION),
    "half a header": (GOOD[:5], PRINCIPAL, HOST, errors.UNSUPPORTED_VERSION),
    "half a body": (GOOD[:-5], PRINCIPAL, HOST, errors.UNSUPPORTED_VERSION),
    "no principal": (GOOD, None, HOST, errors.PRINCIPAL_DESERIALIZATION_FAILURE),
    "an empty principal": (GOOD, b"", HOST, errors.PRINCIPAL_DESERIALIZATION_FAILURE),
    "no principal at all": (GOOD, b"\0\0\xff\xff", HOST, errors.PRINCIPAL_DESERIALIZATION_FAILURE),
    "a principal of another version": (GOOD, b"\0\1" + PRINCIPAL[2:], HOST, errors.PRINCIPAL_DESERIALIZATION_FAILURE),
    "an address of three bytes": (GOOD, PRINCIPAL, HOST[:3], errors.INVALID_REQUEST),
    "no address": (GOOD, PRINCIPAL, b"", errors.INVALID_REQUEST),
}  # as Apache Kafka 4.3.1 answers each of them


@pytest.mark.parametrize(("data", "principal", "host", "error_code"), ODD.values(), ids=ODD)
def test_an_odd_envelope_is_answered_with_its_error(forwarding, data, principal, host, error_code):
    response = forwarding.ask(EnvelopeRequest(data, principal, host))
    assert (response.error_code, response.response_data) == (error_code, None)
    assert "t" not in forwarding.active.broker.image.topics


def test_other_clients_and_addresses_are_fine(forwarding):
    other = PRINCIPAL.replace(b"\x0aANONYMOUS", b"\x06alice")
    assert not forwarding.ask(EnvelopeRequest(GOOD, other, bytes(15) + b"\1")).error_code


@pytest.mark.parametrize("host", ["1.2.3.4", "::1", "fe80::1", "2001:db8::5", "0.0.0.0"])
def test_addresses_there_and_back(host):
    assert address_text(address_bytes(host)) == host


def test_the_zone_of_an_address_stays_here():
    assert address_text(address_bytes("fe80::1%eth0")) == "fe80::1"


# What a controller's listener serves


def test_each_kind_of_listener_lists_what_it_serves():
    harness = BrokerHarness()
    for kind in (BROKER, CONTROLLER):
        connection = Connection(1, "127.0.0.1", "L", kind)
        response = harness.ask(ApiVersionsRequest("a", "1"), 4, connection)
        assert {entry.api_key for entry in response.api_keys} == set(APIS_OF[kind])
    assert {1, 18, 19, 20, 32, 33, 37, 44, 58, 60} <= set(APIS_OF[CONTROLLER])
    assert not {0, 2, 3, 8, 10, 11, 74} & set(APIS_OF[CONTROLLER])
    assert 58 not in APIS_OF[BROKER]


def test_a_controller_that_has_heard_of_no_leader_says_what_all_can_do(monkeypatch):
    harness = BrokerHarness()
    monkeypatch.setattr(harness.broker, "image", EMPTY_IMAGE)
    monkeypatch.setattr(type(harness.broker.quorum), "kraft_level", 0)
    response = harness.ask(ApiVersionsRequest("a", "1"), 4, Connection(1, "127.0.0.1", "L", CONTROLLER))
    assert [(one.name, one.max_version_level) for one in response.finalized_features] == [("metadata.version", 7)]
    assert response.finalized_features_epoch == -1


def test_what_a_listener_does_not_serve_closes_the_connection():
    harness = BrokerHarness()
    with pytest.raises(CloseConnection, match="not served by a controller's listener"):
        harness.begin(MetadataRequest(), 9, Connection(1, "127.0.0.1", "CONTROLLER", CONTROLLER))
    with pytest.raises(CloseConnection, match="not served by a broker's listener"):
        harness.begin(EnvelopeRequest(GOOD, PRINCIPAL, HOST), 0, harness.connection)


@pytest.mark.parametrize("api", [api for api in APIS.values() if BROKER not in api.listeners], ids=lambda api: api.stem)
def test_what_nodes_say_to_each_other_is_not_heard_where_clients_are(api):
    harness = BrokerHarness()
    before = harness.broker.image
    for version in range(api.min_version, api.max_version + 1):
        header = encode_request_header(RequestHeader(api.key, version, 1, "a client"))
        with pytest.raises(CloseConnection, match="not served by a broker's listener"):
            harness.send_frame(header + bytes(200), harness.connection)
    assert harness.broker.image is before


def test_describe_cluster_says_which_listener_it_was_asked_on():
    harness = BrokerHarness()
    here = Connection(1, "127.0.0.1", "CONTROLLER", CONTROLLER)

    def asked(version: int, connection=here, **fields):
        return harness.ask(DescribeClusterRequest(**fields), version, connection)

    assert asked(0).error_code == errors.INVALID_REQUEST
    refused = asked(1, endpoint_type=1)
    assert (refused.error_code, refused.endpoint_type) == (errors.MISMATCHED_ENDPOINT_TYPE, 1)
    assert asked(1, endpoint_type=3).error_code == errors.UNSUPPORTED_ENDPOINT_TYPE
    described = asked(2, endpoint_type=2, include_fenced_brokers=True)
    assert (described.error_code, described.endpoint_type, described.controller_id) == (0, 2, 1)
    assert described.cluster_id == harness.broker.cluster_id
    assert asked(1, harness.connection, endpoint_type=2).error_code == errors.MISMATCHED_ENDPOINT_TYPE
