"""The Network on real sockets: what a node sees of peers that answer, and of those that do not as they should."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest

from kafkacompat.broker.network import UNKNOWN, Address
from kafkacompat.now import Now
from kafkacompat.protocol.api_keys import FETCH
from kafkacompat.protocol.headers import decode_request_header, encode_response_header
from kafkacompat.protocol.messages import fetch, vote
from kafkacompat.protocol.messages.fetch import FetchableTopicResponse, FetchRequest, FetchResponse, PartitionData
from kafkacompat.protocol.messages.vote import VoteRequest, VoteResponse
from kafkacompat.server import dialing, peer_connection
from kafkacompat.server.clock import SystemClock
from kafkacompat.server.peers import Peers
from kafkacompat.server.platform import Platform
from tests.server.harness import TIMEOUT_S
from tests.waiting import later_event, until

Script = Callable[["Peer"], Awaitable[None]]


class Peer:
    """The other side of one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def request(self) -> tuple[int, str | None, bytes, int]:
        """The next request: correlation id, client id, frame, where its body starts."""
        size = int.from_bytes(await self.reader.readexactly(4), "big")
        frame = await self.reader.readexactly(size)
        header, position = decode_request_header(frame)
        return header.correlation_id, header.client_id, frame, position

    def answer(self, correlation_id: int, response: object = None, module: object = vote, version: int = 2) -> None:
        parts: list = [encode_response_header(correlation_id, flexible=True)]
        module.encode_response(response or VoteResponse(), version, parts)
        body = b"".join(map(bytes, parts))
        self.writer.write(len(body).to_bytes(4, "big") + body)


@asynccontextmanager
async def peer(script: Script, host: str = "127.0.0.1") -> AsyncIterator[Address]:
    """A server whose every connection runs `script`; it closes the connection when that returns."""
    writers = []

    async def run(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            await script(Peer(reader, writer))
        writer.close()

    server = await asyncio.start_server(run, host, 0)
    try:
        yield Address(host, server.sockets[0].getsockname()[1])
    finally:
        server.close()
        for writer in writers:
            writer.transport.abort()
        await until(lambda: len(asyncio.all_tasks()) == 1)


class Node:
    """Peers of a node, and what they told it."""

    def __init__(self, **limits: int) -> None:
        self.turns = 0
        self.answers: list[tuple[object, object | None]] = []
        loop = asyncio.get_running_loop()
        connect = Platform().connector(loop)
        limits.setdefault("max_response_bytes", 1 << 26)
        self.peers = Peers(loop, SystemClock(), self._after_event, connect=connect, **limits)

    def _after_event(self, _began_ms: int | None, _what: object) -> None:
        self.turns += 1

    def ask(
        self, to: Address, tag: object = "", *, timeout_ms: int = 5_000, channel: str = "raft", bytes_: int = 0
    ) -> None:
        request = VoteRequest(cluster_id="c" * bytes_)
        inside = [True]

        def done(response: object | None, now: Now) -> None:
            assert isinstance(now, Now)
            assert not inside[0], "answered inside send"
            self.answers.append((tag, response))

        self.peers.send(to, channel, "raft-client-1", vote.API_KEY, 2, request, timeout_ms, done)
        inside[0] = False

    async def answered(self, count: int = 1) -> list[tuple[object, object | None]]:
        await until(lambda: len(self.answers) >= count)
        assert len(self.answers) == count
        return self.answers


@asynccontextmanager
async def node(**limits: int) -> AsyncIterator[Node]:
    one = Node(**limits)
    try:
        yield one
    finally:
        await one.peers.close()
        assert not len(one.peers)


async def echo(peer: Peer) -> None:
    while True:
        correlation_id, *_ = await peer.request()
        peer.answer(correlation_id)


async def never(peer: Peer) -> None:
    while True:
        await peer.request()


async def test_what_goes_over_a_channel_is_counted_also_after_its_connection() -> None:
    async with peer(echo) as to, node() as one:
        one.ask(to, 1)
        one.ask(to, 2)
        await one.answered(2)
        one.peers.close_channel(to, "raft")
        traffic = one.peers.traffic_of("raft")
        assert (traffic.requests, traffic.responses) == (2, 2)
        assert traffic.bytes_out > traffic.bytes_in > 0
        assert one.peers.traffic_of("raft-fetch").requests == 0


async def test_requests_are_answered_in_order_on_one_connection() -> None:
    seen = []

    async def script(peer: Peer) -> None:
        while True:
            correlation_id, client_id, frame, position = await peer.request()
            seen.append((client_id, vote.decode_request(frame, position, 2).cluster_id))
            peer.answer(correlation_id, VoteResponse(error_code=len(seen)))

    async with peer(script) as to, node() as one:
        for tag in range(30):
            one.ask(to, tag, bytes_=tag)
        answers = await one.answered(30)
        assert [(tag, response.error_code) for tag, response in answers] == [(tag, tag + 1) for tag in range(30)]
        assert seen == [("raft-client-1", "c" * tag) for tag in range(30)]
        assert len(one.peers) == 1
        assert one.turns


async def test_lanes_do_not_wait_for_each_other() -> None:
    async def script(peer: Peer) -> None:
        correlation_id, _, frame, position = await peer.request()
        if vote.decode_request(frame, position, 2).cluster_id:
            peer.answer(correlation_id)
        await never(peer)

    async with peer(script) as to, node() as one:
        one.ask(to, "held", channel="fetch")
        one.ask(to, "free", channel="controller", bytes_=1)
        assert [tag for tag, _ in await one.answered()] == ["free"]
        assert len(one.peers) == 2
    assert ("held", None) in one.answers


async def test_few_are_in_flight_and_the_others_wait() -> None:
    received: list[int] = []

    async def script(peer: Peer) -> None:
        async def read() -> None:
            while True:
                received.append((await peer.request())[0])

        reading = asyncio.ensure_future(read())
        await until(lambda: len(received) >= peer_connection.MAX_IN_FLIGHT)
        await later_event()
        assert len(received) == peer_connection.MAX_IN_FLIGHT
        for correlation_id in received:
            peer.answer(correlation_id)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            await reading

    async with peer(script) as to, node() as one:
        for tag in range(peer_connection.MAX_IN_FLIGHT + 3):
            one.ask(to, tag)
        await one.answered(peer_connection.MAX_IN_FLIGHT)
        await until(lambda: len(received) == peer_connection.MAX_IN_FLIGHT + 3)


async def test_what_waits_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer_connection, "WAITING_REQUESTS_MAX", 3)
    async with peer(never) as to, node() as one:
        for tag in range(5):
            one.ask(to, tag)
        assert not one.answers
        assert await one.answered(2) == [(3, None), (4, None)]
        assert len(one.peers) == 1
    assert sorted(tag for tag, _ in one.answers) == [0, 1, 2, 3, 4]


async def test_the_bytes_that_wait_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer_connection, "WAITING_BYTES_MAX", 1000)
    async with peer(never) as to, node() as one:
        for tag in range(3):
            one.ask(to, tag, bytes_=900)
        assert await one.answered(1) == [(2, None)]


async def test_records_are_views_of_what_was_received() -> None:
    records = [bytes([at]) * size for at, size in enumerate((10, 100_000, 20_000_000))]

    async def script(peer: Peer) -> None:
        for data in records:
            correlation_id, *_ = await peer.request()
            topic = FetchableTopicResponse(topic_id=bytes(16), partitions=[PartitionData(records=data)])
            peer.answer(correlation_id, FetchResponse(responses=[topic]), fetch, 18)
        await never(peer)

    async with peer(script) as to, node() as one:
        answers: list = []
        for _ in records:
            one.peers.send(to, "fetch", "f", FETCH, 18, FetchRequest(), 5_000, lambda answer, _: answers.append(answer))
        await until(lambda: len(answers) == len(records))
        views = [answer.responses[0].partitions[0].records for answer in answers]
        assert all(type(view) is memoryview for view in views)
        assert views == records
        assert [len(view.obj) - len(view) < 100 for view in views] == [True] * 3


async def test_no_answer_in_time_closes_the_connection_and_fails_all() -> None:
    async with peer(never) as to, node() as one:
        one.ask(to, "late", timeout_ms=50)
        one.ask(to, "other")
        assert await one.answered(2) == [("late", None), ("other", None)]
        assert len(one.peers) == 0


async def test_a_request_that_only_waits_is_late_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer_connection, "MAX_IN_FLIGHT", 1)
    async with peer(never) as to, node() as one:
        one.ask(to, "held")
        one.ask(to, "late", timeout_ms=50)
        assert await one.answered(1) == [("late", None)]
        assert len(one.peers) == 1


async def test_a_slow_peer_is_waited_for() -> None:
    async def script(peer: Peer) -> None:
        correlation_id, *_ = await peer.request()
        answer = encode_response_header(correlation_id, flexible=True) + b"\0\0\1\0"
        for byte in len(answer).to_bytes(4, "big") + answer:
            await later_event()
            peer.writer.write(bytes([byte]))
        await never(peer)

    async with peer(script) as to, node() as one:
        one.ask(to, "slow")
        ((_, response),) = await one.answered()
        assert isinstance(response, VoteResponse)


async def bad_answer(one: Node, script: Script, caplog: pytest.LogCaptureFixture, words: str) -> None:
    """A peer that runs `script` makes both requests fail and the connection go, with one warning of these words."""
    with caplog.at_level(logging.DEBUG, "kafkacompat.server"):
        async with peer(script) as to:
            one.ask(to, "first")
            one.ask(to, "second")
            assert await one.answered(2) == [("first", None), ("second", None)]
            assert len(one.peers) == 0
    assert [record for record in caplog.records if words in record.message], caplog.text
    caplog.clear()


async def test_a_peer_that_closes_in_the_middle_of_a_frame(caplog: pytest.LogCaptureFixture) -> None:
    async def script(peer: Peer) -> None:
        await peer.request()
        peer.writer.write(b"\0\0\1\0half")

    async with node() as one:
        await bad_answer(one, script, caplog, "lost")


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "a frame of"),
        (b"\xff\xff\xff\xff", "a frame of -1 bytes"),
        (b"\0\0\0\2hi", "ends too early"),
        (b"\0\0\0\5\0\0\0\1\0", "ends too early"),
        (b"\0\0\0\x0c\0\0\0\1\0\0\0\xff\xff\xff\xff\x7f", "malformed response"),
        (b"\0\0\0\x09\0\0\0\2\0\0\0\0\1", "correlation id 2 instead of 1"),
    ],
)
async def test_a_peer_that_sends_garbage(caplog: pytest.LogCaptureFixture, raw: bytes, words: str) -> None:
    async def script(peer: Peer) -> None:
        await peer.request()
        peer.writer.write(raw)
        await never(peer)

    async with node() as one:
        await bad_answer(one, script, caplog, words)


async def test_an_answer_that_is_too_large(caplog: pytest.LogCaptureFixture) -> None:
    async def script(peer: Peer) -> None:
        await peer.request()
        peer.writer.write((1001).to_bytes(4, "big"))
        await never(peer)

    async with node(max_response_bytes=1000) as one:
        await bad_answer(one, script, caplog, "a frame of 1001 bytes")


async def test_an_answer_that_nobody_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    async def script(peer: Peer) -> None:
        correlation_id, *_ = await peer.request()
        peer.answer(correlation_id)
        peer.answer(correlation_id)
        await never(peer)

    async with peer(script) as to, node() as one:
        one.ask(to)
        await one.answered()
        await until(lambda: not len(one.peers))
        assert "without a request" in caplog.text


async def test_correlation_ids_belong_to_one_connection() -> None:
    ids = []

    async def script(peer: Peer) -> None:
        correlation_id, *_ = await peer.request()
        ids.append(correlation_id)
        peer.answer(correlation_id)

    async with peer(script) as to, node() as one:
        for tag in range(3):
            one.ask(to, tag)
            await one.answered(tag + 1)
            await until(lambda: not len(one.peers))
    assert ids == [1, 1, 1]
    assert all(response is not None for _, response in one.answers)


def closed_port(host: str = "127.0.0.1") -> int:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as sock:
        sock.bind((host, 0))
        return sock.getsockname()[1]


async def test_a_peer_that_refuses() -> None:
    async with node() as one:
        one.ask(Address("127.0.0.1", closed_port()), "refused")
        assert await one.answered() == [("refused", None)]
        one.ask(Address("localhost", closed_port()), "refused")
        await one.answered(2)


async def test_a_host_that_nobody_knows() -> None:
    async with node() as one:
        one.ask(Address("no-such-host.invalid", 9092), "a", channel="raft")
        one.ask(Address("no-such-host.invalid", 9092), "b", channel="fetch")
        one.ask(Address("much" * 30 + ".too-long", 9092), "c")
        assert sorted(await one.answered(3)) == [("a", None), ("b", None), ("c", None)]


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "no-such-host.invalid"])
async def test_a_port_that_no_machine_has(host: str) -> None:
    async with node() as one:
        one.ask(Address(host, 70_000), "a")
        one.ask(Address(host, -1), "b")
        assert sorted(await one.answered(2)) == [("a", None), ("b", None)]
        assert await dialed(one, Address(host, 70_000)) == UNKNOWN


async def test_a_peer_that_does_not_even_accept(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        with socket.socket() as first, socket.socket() as second:  # the backlog is full
            for sock in (first, second):
                sock.settimeout(0)
                with suppress(BlockingIOError):
                    sock.connect(deaf.getsockname())
            to = Address(*deaf.getsockname())
            monkeypatch.setattr("kafkacompat.server.peers.CONNECT_TIMEOUT_MS", 100)
            monkeypatch.setattr("kafkacompat.server.peers.DIAL_TIMEOUT_MS", 100)
            async with node() as one:
                one.ask(to, "deaf")
                assert await one.answered() == [("deaf", None)]
                assert await dialed(one, to) == "unknown"


async def test_close_lane_fails_what_waits_and_the_next_request_opens_another() -> None:
    async with peer(echo) as to, node() as one:
        one.peers.close_channel(to, "raft")
        one.ask(to, "gone")
        one.peers.close_channel(to, "raft")
        one.ask(to, "again")
        answers = dict(await one.answered(2))
        assert answers["gone"] is None
        assert isinstance(answers["again"], VoteResponse)
        one.ask(to, "same")
        await one.answered(3)
        assert len(one.peers) == 1


async def test_whoever_takes_answers_may_close_or_send_or_fail(caplog: pytest.LogCaptureFixture) -> None:
    async with peer(echo) as to, node() as one:
        seen: list[str] = []

        def fails(_response: object, _now: Now) -> None:
            seen.append("fails")
            raise RuntimeError("a bug that a test made")

        def closes(_response: object, _now: Now) -> None:
            seen.append("closes")
            one.peers.close_channel(to, "raft")
            one.ask(to, "new")

        for done in (fails, closes):
            one.peers.send(to, "raft", "c", vote.API_KEY, 2, VoteRequest(), 5_000, done)
        one.ask(to, "behind")
        answers = dict(await one.answered(2))
        assert seen == ["fails", "closes"]
        assert answers["behind"] is None
        assert isinstance(answers["new"], VoteResponse)
        assert "a bug that a test made" in caplog.text


async def test_after_close_everything_fails() -> None:
    arrived = asyncio.Event()

    async def script(peer: Peer) -> None:
        await peer.request()
        arrived.set()
        await never(peer)

    async with peer(script) as to:
        one = Node()
        one.ask(to, "held")
        await asyncio.wait_for(arrived.wait(), TIMEOUT_S)
        one.ask(to, "opening", channel="fetch")
        await one.peers.close()
        one.ask(to, "late")
        assert await one.answered(3) == [("held", None), ("opening", None), ("late", None)]
        tasks = len(asyncio.all_tasks())
        one.peers.dial(to, lambda *_: None)
        assert len(asyncio.all_tasks()) == tasks, "a dial outlives its node"
        await one.peers.close()


async def dialed(one: Node, to: Address) -> str:
    outcomes: list[str] = []
    one.peers.dial(to, lambda outcome, _: outcomes.append(outcome))
    assert not outcomes
    await until(lambda: outcomes)
    assert len(outcomes) == 1
    return outcomes[0]


async def test_a_dial_shows_who_is_there(has_ipv6: bool) -> None:
    async with node() as one:
        async with peer(never) as to:
            assert await dialed(one, to) == "open"
            assert await dialed(one, Address("localhost", to.port)) == "open"
        assert await dialed(one, to) == "refused"
        assert await dialed(one, Address("localhost", to.port)) == "refused"
        assert await dialed(one, Address("no-such-host.invalid", to.port)) == "unknown"
        if has_ipv6:
            async with peer(never, "::1") as to:
                assert await dialed(one, to) == "open"
                assert await dialed(one, Address("localhost", to.port)) == "open"


async def test_localhost_is_both_addresses(has_ipv6: bool) -> None:
    if not has_ipv6:
        return
    async with peer(echo, "::1") as to, node() as one:
        one.ask(Address("localhost", to.port), "by name")
        one.ask(to, "by number")
        answers = dict(await one.answered(2))
        assert all(isinstance(answer, VoteResponse) for answer in answers.values())


async def test_a_name_is_looked_up_once_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def look_up(host: str, port: int, flags: int) -> list:
        if flags:
            raise socket.gaierror("not a number")
        asked.append(host)
        return [(socket.AF_INET, ("127.0.0.1", port))]

    monkeypatch.setattr(dialing, "_look_up", look_up)
    async with peer(echo) as to, node() as one:
        for channel in ("raft", "fetch", "controller"):
            one.ask(Address("kafka-1", to.port), channel, channel=channel)
        answers = await one.answered(3)
        assert all(response is not None for _, response in answers)
    assert asked == ["kafka-1"]


def test_addresses_are_keys_and_print_as_they_are_written() -> None:
    assert {Address("a", 1): 5}[Address("a", 1)] == 5
    assert Address("a", 1) != Address("a", 2) != "a:2"
    assert repr(Address("a", 1)) == "a:1"
    assert repr(Address("::1", 1)) == "[::1]:1"
    assert repr(Address("a\nb", 1)) == "'a\\nb':1"
    assert len(repr(Address("a" * 30_000, 1))) < 300
    assert TIMEOUT_S
