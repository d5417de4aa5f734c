"""Requests that arrive during a reset wait for the next broker."""

from __future__ import annotations

from kafkacompat.server.held_requests import HeldRequests
from tests.server.harness import Client, serving
from tests.waiting import until


async def test_requests_are_held_until_the_next_broker_serves_them() -> None:
    async with serving() as server:
        client = await Client.connect(server)
        assert await client.ask(b"e1") == b"e1"
        held = HeldRequests(server.connections)
        dispatched: list[bytes] = []
        client.send(b"e2", b"e3")
        await until(lambda: held.count)

        def dispatch(frame, connection, now, reply) -> None:
            dispatched.append(bytes(frame))
            server.broker.dispatch(frame, connection, now, reply)

        held.release(dispatch, server.broker.complete_early)
        assert await client.receive() == b"e2"
        assert await client.receive() == b"e3"
        assert dispatched == [b"e2", b"e3"]
        await client.close()


async def test_a_connection_whose_request_nobody_will_answer_is_closed() -> None:
    async with serving() as server:
        idle, busy = await Client.connect(server), await Client.connect(server)
        assert await idle.ask(b"e1") == b"e1"
        busy.send(b"w1")
        await until(lambda: any(connection.in_flight_count for connection in server.connections))
        held = HeldRequests(server.connections)
        assert await busy.is_closed_by_peer()
        held.release(server.broker.dispatch, server.broker.complete_early)
        assert await idle.ask(b"e2") == b"e2"
        await idle.close()
        await busy.close()
