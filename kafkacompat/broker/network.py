"""The interface to other nodes. The shell implements it with sockets (server/peers.py); tests have their own."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message
else:
    Protocol = object  # importing typing would slow down the start

CONTROLLER, ALTER_ISR, FORWARD, FETCH = "controller", "alter-isr", "forward", "fetch"
MARKERS, TRANSACTIONS = "markers", "transactions"
"""Channels. Each has its own connection, on which requests go out in order: a long poll delays only its own channel."""

REFUSED, OPEN, UNKNOWN = "refused", "open", "unknown"
"""The outcomes of a dial."""


class Address:
    """The address of a node: a host name or IP address (without brackets) and a port."""

    __slots__ = ("host", "port")

    def __init__(self, host: str, port: int) -> None:
        self.host = host
        self.port = port

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Address) and other.port == self.port and other.host == self.host

    def __hash__(self) -> int:
        return hash((self.host, self.port))

    def __repr__(self) -> str:
        """host:port, an IPv6 address in brackets. Other nodes choose the host, so it is made safe for a log line."""
        host = self.host if self.host.isprintable() else repr(self.host)
        return f"[{host:.255}]:{self.port}" if ":" in host else f"{host:.255}:{self.port}"


class Network(Protocol):
    """One connection for each (address, channel), opened on demand."""

    def send(
        self,
        to: Address,
        channel: str,
        client_id: str,
        api_key: int,
        version: int,
        request: "Message",
        timeout_ms: int,
        done: "Callable[[object | None, Now], None]",
    ) -> None:
        """Send `request`; `done(response, now)` is called exactly once, after this call has returned.

        The response is the decoded message; records (Fetch, FetchSnapshot) are memoryviews of the received bytes. It is
        None if the request failed: connection refused or lost, no answer within `timeout_ms` (from now, including the
        wait for a connection and for earlier requests), undecodable or too large, or too many requests queued. A
        request that fails after it was sent closes the connection, which fails all others on it, too.
        """

    def close_channel(self, to: Address, channel: str) -> None:
        """Close the connection, if there is one; requests in flight on it fail."""

    def dial(self, to: Address, done: "Callable[[str, Now], None]") -> None:
        """Open a connection and close it again; `done(outcome, now)` is called once, later: REFUSED, OPEN or UNKNOWN.

        UNKNOWN means a time-out (500 ms) or any other error, which says nothing about the node (§3.9).
        """
