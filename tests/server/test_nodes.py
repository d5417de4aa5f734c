"""Three nodes with real sockets between them, on one loop: what reaches the wrong one is passed on to the right one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from kafkacompat.broker.connection import CONTROLLER
from kafkacompat.broker.registry import APIS_OF
from kafkacompat.protocol.headers import (
    RequestHeader,
    decode_response_header,
    encode_request_header,
    response_header_is_flexible,
)
from kafkacompat.protocol.messages import api_versions, create_topics, describe_cluster, metadata
from kafkacompat.server.broker_server import BrokerServer
from kafkacompat.server.endpoints import plan
from kafkacompat.server.loops import new_event_loop
from kafkacompat.server.ports import PortFinder
from kafkacompat.server.settings import broker_config
from tests.waiting import until

START_TIMEOUT_S = 30


async def ask(port: int, api: object, version: int, request: object) -> object:
    """One request on a connection of its own. Raises IncompleteReadError when that is closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        out: list = []
        api.encode_request(request, version, out)
        body = encode_request_header(RequestHeader(api.API_KEY, version, 7, "tests")) + b"".join(map(bytes, out))
        writer.write(len(body).to_bytes(4, "big") + body)
        size = int.from_bytes(await asyncio.wait_for(reader.readexactly(4), START_TIMEOUT_S), "big")
        frame = await reader.readexactly(size)
    finally:
        writer.close()
    _, position = decode_response_header(frame, response_header_is_flexible(api.API_KEY, version))
    return api.decode_response(frame, position, version)


@asynccontextmanager
async def nodes(directory: Path) -> AsyncIterator[list[BrokerServer]]:
    finder = PortFinder("127.0.0.1")
    ports = finder.find(6)
    voters = ",".join(f"{at + 1}@127.0.0.1:{port}" for at, port in enumerate(ports[3:]))
    servers = []
    for at in range(3):
        settings = {
            "process.roles": "broker,controller",
            "node.id": str(at + 1),
            "listeners": f"PLAINTEXT://127.0.0.1:{ports[at]},CONTROLLER://127.0.0.1:{ports[at + 3]}",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": voters,
        }
        config, _ = broker_config(settings)
        data = str(directory / f"node-{at + 1}")
        servers.append(BrokerServer(config, plan(config), data, is_temporary=True, cluster_id="A" * 21 + "g"))
    try:
        async with asyncio.timeout(START_TIMEOUT_S):
            await asyncio.gather(*(server.start() for server in servers))
        yield servers
        await asyncio.gather(*(server.hand_over() for server in servers))  # while there are controllers to let them go
    finally:
        await asyncio.gather(*(server.stop() for server in servers))
        finder.close()


def test_what_reaches_the_wrong_node_is_passed_on(tmp_path: Path) -> None:
    loop = new_event_loop()
    try:
        loop.run_until_complete(three_nodes(tmp_path))
    finally:
        loop.close()


async def three_nodes(directory: Path) -> None:
    async with nodes(directory) as servers:
        assert sorted(server.broker.quorum.is_active for server in servers) == [False, False, True]
        for at, server in enumerate(servers):
            topic = create_topics.CreatableTopic(f"by-{at}", 2, 3)
            request = create_topics.CreateTopicsRequest(topics=[topic], timeout_ms=10_000)
            answer = await ask(server.endpoints[0].port, create_topics, 7, request)
            assert [(one.name, one.error_code) for one in answer.topics] == [(f"by-{at}", 0)]
        for server in servers:
            await until(lambda server=server: len(server.broker.image.topics) == 3)
            answer = await ask(server.endpoints[0].port, metadata, 12, metadata.MetadataRequest(None))
            assert [one.node_id for one in answer.brokers] == [1, 2, 3]
            assert {len(partition.isr_nodes) for topic in answer.topics for partition in topic.partitions} == {3}
            await check_controller_listener(server.controller_endpoints[0].port)


async def check_controller_listener(port: int) -> None:
    answer = await ask(port, api_versions, 4, api_versions.ApiVersionsRequest("tests", "1"))
    assert {one.api_key for one in answer.api_keys} == set(APIS_OF[CONTROLLER])
    described = await ask(port, describe_cluster, 1, describe_cluster.DescribeClusterRequest(endpoint_type=2))
    assert (described.error_code, described.cluster_id) == (0, "A" * 21 + "g")
    try:
        await ask(port, metadata, 12, metadata.MetadataRequest(None))
    except (asyncio.IncompleteReadError, ConnectionResetError):
        return
    raise AssertionError("a controller answered Metadata")
