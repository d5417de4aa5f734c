"""The addresses that brokers tell their clients, in the answers that have some."""

from __future__ import annotations

from kafkacompat.protocol import api_keys
from kafkacompat.protocol.primitives import Message
from kafkacompat.traffic.decoding import decode_response

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, TypeAlias

    Address: TypeAlias = tuple[str, int]

TELLS_SINCE = {
    api_keys.METADATA: 0, api_keys.FIND_COORDINATOR: 0, api_keys.DESCRIBE_CLUSTER: 0, api_keys.PRODUCE: 10,
    api_keys.FETCH: 16, api_keys.SHARE_FETCH: 0, api_keys.SHARE_ACKNOWLEDGE: 0,
}  # fmt: skip
"""APIs whose answers have addresses of brokers, with the first version that has (KIP-951: those of new leaders)."""


def tells_addresses(api_key: int, version: int) -> bool:
    """Whether an answer may have addresses of brokers."""
    return version >= TELLS_SINCE.get(api_key, version + 1)


class Advertised:
    """An answer with addresses. `nodes`: the addresses in it, each with the id of its node.

    Raises ValueError for bytes that are no answer of this API.
    """

    def __init__(self, frame: bytes, api_key: int, version: int) -> None:
        self._frame = frame
        self._decoded = decode_response(frame, api_key, version)
        self._found = list(_endpoints(self._decoded.message))
        self.nodes: dict[Address, int] = {(each.host, each.port): _node_id(each) for each in self._found}

    def replaced(self, addresses: Mapping[Address, Address]) -> bytes:
        """The frame with other addresses; the same bytes if none is in it."""
        if not self._found:
            return self._frame
        for each in self._found:
            each.host, each.port = addresses.get((each.host, each.port), (each.host, each.port))
        return self._decoded.encode(is_request=False)


def _endpoints(message: Message) -> Iterator[Any]:
    """The structs with the address of a node."""
    fields = message.__slots__
    here: Any = message
    if "host" in fields and "port" in fields and here.host and here.port > 0:
        yield here
    field: str
    for field in fields:
        value = getattr(message, field)
        if isinstance(value, Message):
            yield from _endpoints(value)
        elif isinstance(value, list) and value and isinstance(value[0], Message):
            for each in value:
                yield from _endpoints(each)


def _node_id(endpoint: Any) -> int:
    return int(endpoint.node_id if hasattr(endpoint, "node_id") else endpoint.broker_id)
