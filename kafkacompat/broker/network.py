"""How a node speaks to other nodes. The shell has the sockets (server/peers.py); tests have a Network of their own."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from kafkacompat.now import Now
    from kafkacompat.protocol.primitives import Message
else:
    Protocol = object  # importing typing would be the only reason to load it

CONTROLLER, ALTER_ISR, FORWARD, FETCH = "controller", "alter-isr", "forward", "fetch"
"""Channels: requests of one channel go out in order on one connection, so a long poll holds up nothing but its own
channel."""

REFUSED, OPEN, UNKNOWN = "refused", "open", "unknown"
"""What a dial has shown."""


class Address:
    """Where a node is reached: a host name or IP address (without brackets) and a port."""

    __slots__ = ("host", "port")

    def __init__(self, host: str, port: int) -> None:
        self.host = host
        self.port = port

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Address) and other.port == self.port and other.host == self.host

    def __hash__(self) -> int:
        return hash((self.host, self.port))

    def __repr__(self) -> str:
        """host:port, an IPv6 address in brackets. Other nodes say what the host is: here it fits into a line."""
        host = self.host if self.host.isprintable() else repr(self.host)
        return f"[{host:.255}]:{self.port}" if ":" in host else f"{host:.255}:{self.port}"


class Network(Protocol):
    """One connection for each (address, channel), opened when it is first needed and again after it was lost."""

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
        """Send `request`, and call `done(response, now)` exactly once, later and never inside this call.

        The response is the decoded message, its records (Fetch, FetchSnapshot) memoryviews of what was received. None
        when there is none: refused, lost, not answered within `timeout_ms` (which counts from now, waiting for a
        connection and for earlier requests included), undecodable, too large, or too many waiting. A request that fails
        once it is on the wire closes the connection, and whatever else was sent on it or waits for it fails, too.
        """

    def close_channel(self, to: Address, channel: str) -> None:
        """Close the connection; what waits for an answer on it fails. Nothing happens when there is none."""

    def dial(self, to: Address, done: "Callable[[str, Now], None]") -> None:
        """Open a connection and close it again; `done(outcome, now)` is called once, later: REFUSED, OPEN or UNKNOWN.

        UNKNOWN is a time-out (500 ms) and every other error: it says nothing about the node (§3.9).
        """
