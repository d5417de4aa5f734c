"""A cluster of processes is told and asked as one in this process, by Python's verbs and over HTTP."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from kafkacompat import Cluster, KafkaCompatError
from kafkacompat.cluster.cluster_verbs import ClusterVerbs
from kafkacompat.cluster.joined_processes import JoinedProcesses
from kafkacompat.cluster.process_faults import ProcessFault
from kafkacompat.protocol import error_codes as errors
from tests.cluster.group_member import partition, send
from tests.control_api.harness import Api
from tests.metadata_client import ask
from tests.waiting import wait_until

UNAVAILABLE = {"error": "LEADER_NOT_AVAILABLE"}
QUICK = {"controller.quorum.election.timeout.ms": 300, "offsets.topic.num.partitions": 3}


@pytest.fixture(scope="module")
def shared() -> Iterator[Cluster]:
    with Cluster(brokers=3, processes=True, topics={"t": (3, 3)}, config=QUICK) as kafka:
        yield kafka


@pytest.fixture
def kafka(shared: Cluster) -> Iterator[Cluster]:
    yield shared
    shared.faults.clear()
    shared.heal_all()


@pytest.fixture
def api(shared: Cluster) -> Iterator[Api]:
    api = Api(shared.control_url)
    yield api
    api.close()


def code(kafka: Cluster, broker: int) -> int:
    (topic,) = ask(kafka.brokers[broker - 1].address, ["t"]).topics
    return topic.error_code


def test_a_rule_is_on_all_nodes_and_ends_on_all(kafka: Cluster) -> None:
    with kafka.faults.add(when={"api": "metadata", "topic": "t"}, then=UNAVAILABLE, label="no leader") as fault:
        assert isinstance(fault, ProcessFault)
        assert [code(kafka, broker) for broker in (1, 2, 3)] == [errors.LEADER_NOT_AVAILABLE] * 3
        assert (fault.hits, fault.label, fault.near_misses, list(kafka.faults)) == (3, "no leader", [], [fault])
    assert [code(kafka, broker) for broker in (1, 2, 3)] == [errors.NONE] * 3
    assert fault.hits == 3, "as it was at its end"
    with pytest.raises(AssertionError, match="no request of its APIs came"):
        kafka.faults.add(when={"api": "list_groups"}, then=UNAVAILABLE, must_hit=True).check()


def test_rules_of_the_joined_port_are_listed_and_removed(kafka: Cluster, api: Api) -> None:
    rule = {"when": {"api": "metadata", "topic": "t"}, "then": UNAVAILABLE, "times": 9, "label": "theirs"}
    added = api.send("POST", "/v1/faults", rule)
    assert added.status == 201, added
    (theirs,) = kafka.faults
    assert (theirs.label, list(kafka.faults)) == ("theirs", [theirs])
    assert [code(kafka, broker) for broker in (1, 2, 3)] == [errors.LEADER_NOT_AVAILABLE] * 3
    assert theirs.wait_for_hits(3) == 3
    theirs.remove()
    assert [code(kafka, broker) for broker in (1, 2, 3)] == [errors.NONE] * 3
    assert list(kafka.faults) == api.get("/v1/faults")["faults"] == []


def test_a_wait_counts_the_hits_of_all_nodes(kafka: Cluster) -> None:
    fault = kafka.faults.add(when={"api": "metadata"}, observe=True)
    thread = threading.Thread(target=lambda: [code(kafka, broker) for broker in (1, 2, 3)])
    thread.start()
    assert fault.wait_for_hits(3, timeout_s=30) == 3
    thread.join()
    with pytest.raises(AssertionError, match="had 3 of 4 hits"):
        fault.wait_for_hits(4, timeout_s=0.05)


def test_near_misses_of_a_node_are_shown(kafka: Cluster) -> None:
    fault = kafka.faults.add(when={"api": "metadata", "topic": "u"}, then=UNAVAILABLE)
    code(kafka, 2)
    with pytest.raises(AssertionError, match=r"(?s)had 0 of 1 hits.*nearly: metadata v8 .*topic is 't'"):
        fault.wait_for_hits(timeout_s=0)


def test_functions_stay_in_this_process(kafka: Cluster) -> None:
    for when in (lambda _request: True, {"api": "metadata", "predicate": lambda _request: True}):
        with pytest.raises(KafkaCompatError, match="a function of yours cannot be called in other processes"):
            kafka.faults.add(when=when, then=UNAVAILABLE)
    assert len(kafka.faults) == 0


def test_a_node_that_starts_again_has_the_rules_and_old_counts_stay() -> None:
    with Cluster(brokers=2, processes=True, topics={"t": (1, 2)}) as kafka:
        fault = kafka.faults.add(when={"api": "metadata", "topic": "t"}, then=UNAVAILABLE)
        kafka.journal()
        assert kafka.keeps_journal  # as a restart, and the fixtures of tests, ask
        assert [code(kafka, broker) for broker in (1, 2)] == [errors.LEADER_NOT_AVAILABLE] * 2
        kafka.kill(2)
        assert fault.hits == 2
        kafka.restart(2)
        assert code(kafka, 2) == errors.LEADER_NOT_AVAILABLE
        assert fault.hits == 3
        assert {request.broker for request in kafka.requests() if request.errors} == {1, 2}
    assert fault.hits == 3
    with pytest.raises(KafkaCompatError, match="not running"):
        kafka.topics()


def test_a_plain_start_asks_nobody() -> None:
    def threads() -> list[threading.Thread]:
        return [each for each in threading.enumerate() if each.name == "kafkacompat-joined"]

    before = threads()
    with Cluster(processes=True) as kafka:
        assert threads() == before
        joined = kafka._joined
        assert isinstance(joined, JoinedProcesses)
        assert len(threads()) == len(before) + 1
    assert threads() == before


def test_a_leader_moves_over_http_and_all_nodes_follow(kafka: Cluster, api: Api) -> None:
    addresses = kafka.bootstrap_servers.split(",")
    before = partition(addresses[0], "t", 0).leader_id
    to = before % 3 + 1
    moved = api.send("POST", "/v1/leaders/move", {"topic": "t", "partition": 0, "to": to})
    assert (moved.status, moved.body) == (200, {"leader": to})
    assert {partition(address, "t", 0).leader_id for address in addresses} == {to}
    assert send(addresses[to - 1], "t") == errors.NONE
    refused = api.send("POST", "/v1/leaders/move", {"topic": "t", "to": 9})
    assert (refused.status, refused.body["type"]) == (409, "urn:kafkacompat:problem:state")
    assert "broker 9 has no replica of t-0" in refused.body["detail"]


def test_views_over_http_have_the_replicas_of_all_nodes(api: Api) -> None:
    found = api.get("/v1/topics/t/partitions/1")
    assert sorted(log["broker"] for log in found["logs"]) == [1, 2, 3]
    assert found["logs"][0]["broker"] == found["leader"]
    assert api.get("/v1/topics/t")["partitions"][1]["leader"] == found["leader"]
    assert api.send("GET", "/v1/topics/t/partitions/9").status == 404
    assert api.send("GET", "/v1/topics/u").body["type"] == "urn:kafkacompat:problem:no-topic"
    assert api.send("GET", "/v1/groups/nobody").status == 404
    assert sorted(node["node_id"] for node in api.get("/v1/nodes")["nodes"]) == [1, 2, 3]
    assert api.get("/v1")["node_ids"] == [1, 2, 3]
    assert "/v1/nodes" in api.get("/v1/openapi.json")["paths"]


def test_a_topic_is_made_filled_and_deleted_over_http(api: Api) -> None:
    made = api.send("POST", "/v1/topics", {"name": "new", "partitions": 3, "replicas": 2})
    assert made.status == 201
    assert sorted(len(each["logs"]) for each in made.body["partitions"]) == [2, 2, 2]
    records = [{"key": f"k{number}", "value": "v"} for number in range(9)]
    written = api.send("POST", "/v1/topics/new/records", {"records": records})
    assert written.status == 201
    counts = {each["partition"]: each["last_offset"] + 1 for each in written.body["partitions"]}
    assert sum(counts.values()) == 9
    where = {"topic": "new", "high_watermark": {"min": 1}}
    assert api.send("POST", "/v1/wait", {"what": "partitions", "where": where}).status == 200
    for index, count in counts.items():
        assert len(api.get(f"/v1/topics/new/partitions/{index}/records?limit=100")["records"]) == count
    assert api.send("DELETE", "/v1/topics/new").status == 200
    assert api.send("GET", "/v1/topics/new").status == 404


def test_health_metrics_and_waits_over_http(kafka: Cluster, api: Api) -> None:
    assert api.get("/healthz") == {"healthy": True, "nodes": {"1": [], "2": [], "3": []}}
    wait_until(lambda: api.send("GET", "/readyz").status == 200, what="all nodes")
    refused = api.send("GET", "/metrics")
    assert (refused.status, "node_id= with one of 1, 2, 3" in refused.body["detail"]) == (400, True)
    metrics = api.send("GET", "/metrics?node_id=2&partitions=true")
    assert metrics.headers["content-type"].startswith("text/plain")
    assert "kafka_server_replicamanager_partitioncount" in metrics.text
    assert api.send("POST", "/v1/wait", {"what": "cluster", "where": {"ready": True}}).status == 200
    ran_out = api.send("POST", "/v1/wait", {"what": "connections", "where": {"client_id": "x"}, "timeout_ms": 10})
    assert ran_out.status == 408


def test_a_link_is_cut_between_processes_until_it_heals(kafka: Cluster, api: Api) -> None:
    addresses = kafka.bootstrap_servers.split(",")
    leader = partition(addresses[0], "t", 2).leader_id
    follower = leader % 3 + 1
    kafka.cut(leader, follower)
    send_to(addresses[leader - 1], 300)  # answered by the fetch that was under way before the cut
    assert send_to(addresses[leader - 1], 300) == errors.REQUEST_TIMED_OUT
    kafka.heal()
    assert send_to(addresses[leader - 1], 30_000) == errors.NONE
    assert api.send("DELETE", "/v1/links").body == {"links": []}


def test_links_are_the_same_for_python_and_http(kafka: Cluster, api: Api) -> None:
    kafka.cut(1, 2)
    assert api.get("/v1/links") == {"links": [{"from": 1, "to": 2}]}
    kafka.delay(2, 3, 5)
    both = [{"from": 1, "to": 2}, {"from": 2, "to": 3, "delay_ms": 5}]
    assert api.get("/v1/links") == {"links": both}
    assert api.send("PUT", "/v1/links", {"links": [{"from": 3, "to": 1, "delay_ms": 7}]}).status == 200
    kafka.cut("clients", 3)
    mixed = [{"from": 3, "to": 1, "delay_ms": 7}, {"from": "clients", "to": 3}]
    assert sorted(api.get("/v1/links")["links"], key=str) == sorted(mixed, key=str), "one of them was forgotten"
    assert at_nodes(kafka) == {(3, 1): 7, ("clients", 3): None}
    kafka.heal(3)
    assert (api.get("/v1/links"), at_nodes(kafka)) == ({"links": []}, {})
    kafka.cut(1, 2)
    assert api.send("POST", "/v1/heal").status == 200
    kafka.delay(1, 3, 5)
    assert at_nodes(kafka) == {(1, 3): 5}, "what HTTP has healed came back"
    refused = api.send("PUT", "/v1/links", {"links": [{"from": 9, "to": 1}]})
    assert (refused.status, api.get("/v1/links")) == (404, {"links": [{"from": 1, "to": 3, "delay_ms": 5}]})


def test_a_node_that_was_paused_gets_the_links_and_one_that_was_restarted_has_none() -> None:
    with Cluster(brokers=2, processes=True) as kafka:
        kafka.delay(1, 2, 5)
        kafka.pause(2)
        kafka.delay(1, 2, 6)
        kafka.resume(2)
        assert at_nodes(kafka) == {(1, 2): 6}
        api = Api(kafka.control_url)
        assert api.send("POST", "/v1/brokers/2/restart").status == 200
        assert (api.get("/v1/links"), at_nodes(kafka)) == ({"links": []}, {})
        api.close()


def at_nodes(kafka: Cluster) -> dict[tuple[object, object], object]:
    """The faults of links that the nodes themselves have; both ends of a link say the same."""
    found: dict[tuple[object, object], object] = {}
    for url in kafka.control_urls.values():
        api = Api(url)
        for link in api.get("/v1/links")["links"]:
            pair, delay_ms = (link["from"], link["to"]), link.get("delay_ms")
            assert found.setdefault(pair, delay_ms) == delay_ms
        api.close()
    return found


def send_to(address: str, timeout_ms: int) -> int:
    return send(address, "t", timeout_ms=timeout_ms, index=2)


def test_brokers_are_killed_paused_and_started_over_http() -> None:
    with Cluster(brokers=3, processes=True, topics={"t": (1, 3)}) as kafka:
        api = Api(kafka.control_url)
        assert "processes" in api.get("/v1")["capabilities"]
        for verb, is_running in (("kill", False), ("start", True), ("pause", True)):
            done = api.send("POST", f"/v1/brokers/3/{verb}")
            assert (done.status, done.body) == (200, {"broker_id": 3, "is_running": is_running})
            assert (kafka.brokers[2].pid is not None) == is_running
        assert api.get("/v1")["node_ids"] == [1, 2], "a paused node is not asked"
        assert [log.broker for log in kafka.topics()["t"].partitions[0].logs if log.broker == 3] == []
        fault = kafka.faults.add(when={"api": "metadata", "topic": "t"}, then=UNAVAILABLE)
        assert api.send("POST", "/v1/brokers/3/resume").status == 200
        assert code(kafka, 3) == errors.LEADER_NOT_AVAILABLE, "it is given what was added meanwhile"
        assert fault.hits == 1
        assert api.send("POST", "/v1/brokers/3/start").status == 409
        assert api.send("POST", "/v1/brokers/9/kill").status == 404
        assert isinstance(kafka._running().verbs, ClusterVerbs)
        assert api.send("POST", "/v1/brokers/2/stop").body["is_running"] is False
        assert api.send("GET", "/v1/brokers/2/advertised").status == 404
        api.close()
