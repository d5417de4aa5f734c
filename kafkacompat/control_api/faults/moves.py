"""Changes of who leads, coordinates, controls and is in sync, which take effect on all nodes of this process.

Each function waits until what it did shows on the nodes, and raises KafkaCompatError if something is not there, or
NotInTimeError.
"""

from __future__ import annotations

import asyncio

from kafkacompat.control_api.faults import leaders, replicas, session_expiry
from kafkacompat.errors import KafkaCompatError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kafkacompat.server.broker_server import BrokerServer

TIMEOUT_S = 10.0
"""How long a change of leaders, ISRs or the controller may take."""
CATCH_UP_TIMEOUT_S = 30.0
"""How long a replica may take to return to the ISR."""
POLL_S = 0.005
OFFSETS_TOPIC, TRANSACTIONS_TOPIC = "__consumer_offsets", "__transaction_state"


class NotInTimeError(KafkaCompatError):
    """A change that has not taken effect in time; it may later."""


async def move_leader(servers: Sequence[BrokerServer], topic: str, partition: int, to: int | None) -> int:
    """Elect another leader; returns its id when all nodes follow it. See `leaders.move_leader`."""
    active = await _active_controller(servers)
    before = leaders.leader(active, topic, partition)
    chosen = leaders.move_leader(active, topic, partition, to)
    active.after_event()

    def has_moved(server: BrokerServer) -> bool:
        leader, epoch = leaders.leader(server, topic, partition)
        return epoch > before[1] and leader == chosen and leaders.is_applied(server)

    await _until(lambda: all(map(has_moved, servers)), f"broker {chosen} does not lead {topic}-{partition}")
    return chosen


async def move_coordinator(servers: Sequence[BrokerServer], group: str, to: int | None) -> int:
    """Move the coordinator of a group; returns its broker id when it has loaded the group."""
    return await move_leader(servers, OFFSETS_TOPIC, _partition_of(servers, group), to)


async def move_transaction_coordinator(servers: Sequence[BrokerServer], transactional_id: str, to: int | None) -> int:
    """Move the coordinator of a transactional id; returns its broker id when it has loaded the id."""
    if TRANSACTIONS_TOPIC not in servers[0].broker.image.topics:
        made = f"the first transactional producer makes {TRANSACTIONS_TOPIC}"
        raise KafkaCompatError(f"there is no transactional id {transactional_id!r:.300}: {made}")
    partition = leaders.coordinator_partition(servers[0], TRANSACTIONS_TOPIC, transactional_id)
    return await move_leader(servers, TRANSACTIONS_TOPIC, partition, to)


async def move_controller(servers: Sequence[BrokerServer], to: int | None) -> int:
    """Let the active controller resign; returns the id of the next one when all nodes know it.

    One in another process may be another than `to`, and may not have begun its work.
    """
    active = await _active_controller(servers)
    known = leaders.controller(active)
    leaders.move_controller(active, to)
    active.after_event()
    by_id = {server.broker.node_id: server for server in servers}

    def is_elected() -> bool:
        nonlocal known
        views = {leaders.controller(server) for server in servers}
        (view,) = views if len(views) == 1 else (known,)
        elected = by_id.get(view[0])
        if view[0] < 0 or view[1] <= known[1] or not (elected is None or leaders.is_controller_active(elected)):
            return False
        known = view
        if elected is None or to in (None, view[0]):
            return True
        leaders.move_controller(elected, to)  # another one was quicker
        elected.after_event()
        return False

    await _until(is_elected, f"node {'' if to is None else to} is not the active controller")
    return known[0]


async def shrink_isr(servers: Sequence[BrokerServer], topic: str, partition: int, replica: int) -> tuple[int, ...]:
    """Make a replica that lags leave the ISR; returns the ISR when that is committed."""

    def has_left() -> bool:
        leader = leaders.leader(servers[0], topic, partition)[0]
        for server in servers:
            if server.broker.node_id == leader:
                replicas.propose_shrink(server, topic, partition, replica)
                server.after_event()
        return all(replica not in replicas.isr(server, topic, partition) for server in servers)

    await _until(has_left, f"broker {replica} has not left the ISR of {topic}-{partition}")
    return replicas.isr(servers[0], topic, partition)


async def expand_isr(servers: Sequence[BrokerServer], topic: str, partition: int, replica: int) -> tuple[int, ...]:
    """Wait until a replica that catches up is in the ISR; returns the ISR."""

    def has_joined() -> bool:
        return all(replica in replicas.isr(server, topic, partition) for server in servers)

    await _until(has_joined, f"broker {replica} is not in the ISR of {topic}-{partition}", CATCH_UP_TIMEOUT_S)
    return replicas.isr(servers[0], topic, partition)


def expire_session(servers: Sequence[BrokerServer], group: str, member: str) -> str:
    """End a member's session on the coordinator of its group; returns the member id. See `session_expiry`."""
    coordinator_id = coordinator(servers, group)
    for server in servers:
        if server.broker.node_id == coordinator_id:
            member_id = session_expiry.expire_session(server, group, member)
            server.after_event()
            return member_id
    raise KafkaCompatError(f"broker {coordinator_id}, the coordinator of group {group!r}, does not run in this process")


def coordinator(servers: Sequence[BrokerServer], group: str) -> int:
    """The broker that coordinates a group, as the first node's metadata has it."""
    return leaders.leader(servers[0], OFFSETS_TOPIC, _partition_of(servers, group))[0]


def _partition_of(servers: Sequence[BrokerServer], group: str) -> int:
    if OFFSETS_TOPIC not in servers[0].broker.image.topics:
        raise KafkaCompatError(f"there is no group {group!r}: the first consumer of a group makes {OFFSETS_TOPIC}")
    return leaders.coordinator_partition(servers[0], OFFSETS_TOPIC, group)


async def _active_controller(servers: Sequence[BrokerServer]) -> BrokerServer:
    """The active controller, once there is one."""
    found: list[BrokerServer] = []

    def is_there() -> bool:
        found[:] = filter(leaders.is_controller_active, servers)
        return bool(found)

    await _until(is_there, "no controller is active in this process")
    return found[0]


async def _until(is_done: Callable[[], bool], what: str, timeout_s: float | None = None) -> None:
    """Wait for a condition, at most TIMEOUT_S unless given. Raises NotInTimeError."""
    timeout_s = TIMEOUT_S if timeout_s is None else timeout_s
    try:
        async with asyncio.timeout(timeout_s):
            while not is_done():
                await asyncio.sleep(POLL_S)
    except TimeoutError:
        advice = "see the log, and whether a majority of the controllers runs"
        raise NotInTimeError(f"{what} within {timeout_s:g} s: {advice}") from None
