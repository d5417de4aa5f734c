"""Every API in every version that we advertise is answered, also for an empty request, and never by a bug."""

import logging

import pytest

from kafkacompat.broker.answers import Failed
from kafkacompat.broker.connection import BROKER, CloseConnection
from kafkacompat.broker.registry import APIS, APIS_OF
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.api_keys import DESCRIBE_CLUSTER
from kafkacompat.protocol.headers import FLEXIBLE_SINCE
from kafkacompat.protocol.messages.api_versions import ApiVersionsRequest
from tests.broker.harness import BrokerHarness

PRODUCE = 0
VERSIONS = [(api, version) for api in APIS.values() for version in range(api.min_version, api.max_version + 1)]


@pytest.fixture(scope="module")
def broker() -> BrokerHarness:
    return BrokerHarness()


@pytest.mark.parametrize(("api", "version"), VERSIONS, ids=lambda value: getattr(value, "stem", str(value)))
def test_an_empty_request_is_answered(broker, api, version, caplog):
    if api.key == PRODUCE and version < 3:
        frame = bytes((0, 0, 0, version)) + bytes(4) + b"\xff\xff"
        with pytest.raises(CloseConnection):
            broker.send_frame(frame)
        return
    with caplog.at_level(logging.ERROR):
        answer = broker.begin(_empty_request(api, version), version)
        for _ in range(10):
            if answer.is_there:
                break
            broker.advance(60_000)
        assert answer.is_there
    assert not caplog.records
    if api.key != PRODUCE:  # an empty produce request has acks=0, which asks for no answer
        assert answer.message is not None


def test_api_versions_lists_the_table_and_nothing_else(broker):
    response = broker.ask(ApiVersionsRequest("kafkacompat", "1"), 4)
    listed = {entry.api_key: (entry.min_version, entry.max_version) for entry in response.api_keys}
    assert listed == {api.key: (api.min_version, api.max_version) for api in APIS_OF[BROKER].values()}
    levels = {feature.name: feature.max_version_level for feature in response.finalized_features}
    assert levels == {**broker.broker.image.features, "kraft.version": 1}


def test_an_unknown_version_of_api_versions_is_answered_in_the_layout_of_v0(broker):
    (parts,) = broker.send_frame(b"\x00\x12\x00\x7f\x00\x00\x00\x09\xff\xff\x00")
    assert b"".join(map(bytes, parts)) == b"\x00\x00\x00\x09\x00\x23\x00\x00\x00\x01\x00\x12\x00\x00\x00\x04"


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\x00",
        b"\x03\xe7\x00\x00\x00\x00\x00\x01\xff\xff",  # unknown key
        b"\x00\x03\x00\x7f\x00\x00\x00\x01\xff\xff",  # unknown version
        b"\x00\x03\x00\x01\x00\x00\x00\x01\xff\xff",  # no body
        b"\x00\x03\x00\x01\x00\x00\x00\x01\xff\xff\x7f\xff\xff\xff",  # a count that cannot be
    ],
)
def test_what_is_no_request_closes_the_connection(broker, frame):
    with pytest.raises(CloseConnection):
        broker.send_frame(frame)


def test_a_bug_harms_one_request(broker, monkeypatch, caplog):
    api = APIS[DESCRIBE_CLUSTER]
    monkeypatch.setattr(api.handler, "handle", lambda _request, _context: 1 / 0)
    answer = broker.begin(api.messages.DescribeClusterRequest(), 1)
    assert answer.message.error_code == errors.UNKNOWN_SERVER_ERROR
    assert "ZeroDivisionError" in caplog.text


def test_header_flexibility_is_known_for_every_key():
    assert set(APIS) <= set(FLEXIBLE_SINCE)


@pytest.mark.parametrize(("api", "version"), VERSIONS, ids=lambda value: getattr(value, "stem", str(value)))
def test_every_api_can_say_that_all_of_a_request_failed(broker, monkeypatch, api, version):
    if api.key == PRODUCE and version < 3:
        return
    monkeypatch.setattr(api.handler, "handle", lambda _request, _context: Failed(errors.KAFKA_STORAGE_ERROR))
    assert broker.begin(_empty_request(api, version), version).message is not None


def _empty_request(api, version):
    names = (name for name in vars(api.messages) if name.lower() == api.stem.replace("_", "") + "request")
    request = vars(api.messages)[next(names)]()
    if hasattr(request, "coordinator_keys"):
        request.coordinator_keys = ["group"] if version >= 4 else ()
    return request
