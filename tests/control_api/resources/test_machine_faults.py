"""Links are cut and slow, and disks fail, over HTTP."""

from __future__ import annotations

import time

import pytest

from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.messages.metadata import MetadataRequest
from tests.asking import Asking
from tests.cluster.group_member import send
from tests.control_api.harness import serving
from tests.waiting import wait_until

METADATA = MetadataRequest(topics=[])
SILENCE_S = 0.3


def test_requests_of_clients_do_not_arrive_until_the_cut_ends() -> None:
    with serving() as (kafka, api), Asking(kafka.bootstrap_servers, timeout_s=SILENCE_S) as client:
        cut = api.send("PUT", "/v1/links", {"links": [{"from": "clients", "to": 1}]})
        assert (cut.status, cut.body) == (200, {"links": [{"from": "clients", "to": 1}]})
        with pytest.raises(TimeoutError):
            client.ask(METADATA, 9)
        assert api.send("DELETE", "/v1/links").body == {"links": []}
        client.sock.settimeout(30)
        assert client.receive(METADATA, 9).brokers


def test_a_link_is_cut_both_ways_and_ends_that_are_not_there_are_refused() -> None:
    with serving(brokers=3) as (_, api):
        links = api.send("PUT", "/v1/links", {"links": [{"from": 2, "to": "controllers", "both": True}]}).body["links"]
        assert {(each["from"], each["to"]) for each in links} == {(2, 1), (2, 3), (1, 2), (3, 2)}
        refused = api.send("PUT", "/v1/links", {"links": [{"from": 9, "to": "*"}]})
        assert refused.status == 404
        assert "9 is no node: use one of clients, controllers, *, 1, 2, 3" in refused.body["detail"]
        assert api.send("PUT", "/v1/links", {"links": [{"from": 1}]}).status == 400
        assert api.send("DELETE", "/v1/links").status == 200


def test_all_faults_of_the_machine_end_at_once() -> None:
    with serving() as (kafka, api):
        api.send("PUT", "/v1/links", {"links": [{"from": "clients", "to": 1}]})
        api.send("PUT", "/v1/brokers/1/disk", {"free_bytes": 0})
        assert kafka._call(1, lambda server: server.files.faults) is not None
        assert api.send("POST", "/v1/heal").status == 200
        assert api.get("/v1/links") == {"links": []}
        assert kafka._call(1, lambda server: server.files.faults) is None


def test_links_are_slow_one_way_and_both() -> None:
    with serving() as (kafka, api), Asking(kafka.bootstrap_servers) as client:
        slow = {"from": "clients", "to": 1, "delay_ms": 200}
        assert api.send("PUT", "/v1/links", {"links": [slow]}).body == {"links": [slow]}
        began_s = time.monotonic()
        client.ask(METADATA, 9)
        assert time.monotonic() - began_s >= 0.2
        both = api.send("PUT", "/v1/links", {"links": [{**slow, "both": True}, {"from": 1, "to": "clients"}]}).body
        expected = {"links": [slow, {"from": 1, "to": "clients"}]}
        assert both == expected, "of two faults of a link the last one counts"
        for delay_ms in (0, 3_600_001, "1s"):
            refused = api.send("PUT", "/v1/links", {"links": [{**slow, "delay_ms": delay_ms}]})
            assert (refused.status, refused.body["errors"][0]["pointer"]) == (400, "/links/0/delay_ms")
        assert api.send("DELETE", "/v1/links").body == {"links": []}
        assert client.ask(METADATA, 9).brokers


def test_a_disk_is_full_and_sound_again() -> None:
    with serving(topics=["orders"]) as (kafka, api):
        faults = {"free_bytes": 200}
        assert api.send("PUT", "/v1/brokers/1/disk", faults).body == faults
        assert send(kafka.bootstrap_servers, "orders", value=bytes(1000)) == errors.KAFKA_STORAGE_ERROR
        assert api.send("DELETE", "/v1/brokers/1/disk").status == 200
        wait_until(lambda: send(kafka.bootstrap_servers, "orders", value=bytes(1000)) == errors.NONE)
        assert api.send("PUT", "/v1/brokers/1/disk", {"error": "ENOTHING"}).status == 409
        assert api.send("PUT", "/v1/brokers/1/disk", {"free": 1}).status == 400
        assert api.send("PUT", "/v1/brokers/7/disk", faults).status == 404
