"""Binding ports of a host: taken ones, free ones, and hosts that are not ours."""

from __future__ import annotations

import socket
from contextlib import closing

import pytest

from kafkacompat.errors import StartupError
from kafkacompat.server import ports
from kafkacompat.server.ports import PortFinder, bind, bind_any, close_all


def test_localhost_is_both_addresses_at_one_port(has_ipv6: bool) -> None:
    sockets = bind("localhost", 0)
    addresses = [sock.getsockname()[0] for sock in sockets]
    found = {sock.getsockname()[1] for sock in sockets}
    close_all(sockets)
    assert addresses == (["127.0.0.1", "::1"] if has_ipv6 else ["127.0.0.1"])
    assert len(found) == 1
    assert found.pop() in ports.FREE_PORTS


def test_a_port_that_is_taken_on_one_address_is_not_free(monkeypatch: pytest.MonkeyPatch, has_ipv6: bool) -> None:
    if not has_ipv6:
        pytest.skip("this machine has no IPv6")
    with closing(PortFinder("localhost")) as finder:
        first, other = finder.find(2)
    drawn = iter((first, other))
    monkeypatch.setattr(ports.random.SystemRandom, "choice", lambda *_: next(drawn))
    with socket.socket(socket.AF_INET6) as taken:
        taken.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        taken.bind(("::1", first))
        taken.listen()
        sockets = bind("localhost", 0)
        assert {sock.getsockname()[1] for sock in sockets} == {other}
        close_all(sockets)


def test_a_taken_port_is_one_line_that_says_what_to_do() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(StartupError) as caught:
            bind("127.0.0.1", port)
    text = str(caught.value)
    assert f"127.0.0.1:{port} is taken" in text
    assert "--port" in text
    assert "\n" not in text


@pytest.mark.parametrize(("host", "words"), [("192.0.2.1", "cannot be bound"), ("no.such.host.invalid", "not known")])
def test_an_address_that_is_not_ours(host: str, words: str) -> None:
    with pytest.raises(StartupError, match=words):
        bind(host, 0)


def test_an_empty_host_is_every_address() -> None:
    sockets = bind("", 0)
    assert "0.0.0.0" in {sock.getsockname()[0] for sock in sockets}
    close_all(sockets)


def test_where_there_is_no_ipv6(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports.socket, "has_ipv6", False)
    sockets = bind("localhost", 0)
    assert [sock.family for sock in sockets] == [socket.AF_INET]
    close_all(sockets)


def test_ports_that_were_found_are_kept_from_others_but_not_from_whom_they_are_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    finder = PortFinder("127.0.0.1")
    (found,) = finder.find(1)
    other = found + 1 if found + 1 in ports.FREE_PORTS else found - 1
    with monkeypatch.context() as patch:
        drawn = iter((found, other))
        patch.setattr(ports.random.SystemRandom, "choice", lambda *_: next(drawn))
        elsewhere = bind("127.0.0.1", 0)
    assert elsewhere[0].getsockname()[1] != found
    wanted = bind("127.0.0.1", found)
    wanted[0].listen()
    finder.close()
    with socket.create_connection(("127.0.0.1", found), 5):
        pass
    close_all([*elsewhere, *wanted])


def test_ports_that_are_found_differ() -> None:
    finder = PortFinder("localhost")
    found = finder.find(20)
    finder.close()
    assert len(set(found)) == 20
    assert all(port in ports.FREE_PORTS for port in found)


def test_a_port_that_somebody_is_told_is_none_that_others_come_back_to() -> None:
    found = [bind_any("127.0.0.1") for _ in range(20)]
    numbers = {sock.getsockname()[1] for sockets in found for sock in sockets}
    close_all(sock for sockets in found for sock in sockets)
    assert len(numbers) == 20
    assert not numbers & set(ports.FREE_PORTS)


def test_where_there_are_several_addresses_the_port_is_the_same(has_ipv6: bool) -> None:
    sockets = bind_any("localhost")
    assert len({sock.getsockname()[1] for sock in sockets}) == 1
    assert len(sockets) == 1 + has_ipv6
    close_all(sockets)
    with pytest.raises(StartupError, match="cannot be bound"):
        bind_any("192.0.2.1")
