"""The parts of a reset of nodes in several processes, as one of them carries them out.

The process that started the nodes asks all of them for one part after the other (`joined_state.py`): no node may begin
anew while another still has its former broker, or their logs would be mixed.
"""

from __future__ import annotations

from kafkacompat.control_api import state
from kafkacompat.control_api.advertise import advertise, advertised
from kafkacompat.control_api.faults.healing import heal
from kafkacompat.control_api.http.calls import HalfReset
from kafkacompat.control_api.http.problems import ProblemError
from kafkacompat.server.broker_reset import BrokerReset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.control_api.http.calls import Call

    Plain = dict[str, Any]

LOOK, DROP, RENEW, SERVE = "look", "drop", "renew", "serve"


async def act(call: Call) -> Plain:
    """POST /v1/reset with a `part`. Raises ProblemError if it is not its turn, KafkaCompatError if the node fails."""
    part, half = call.body["part"], call.half_reset
    is_first = part in (LOOK, DROP)
    is_due = half is not None and (not half and len(call.servers) == 1 if is_first else bool(half))
    if half is None or not is_due:
        raise ProblemError(409, "state", f"{part!r} is not the next part of a reset here: leave `part` out")
    if part == LOOK:
        return _look(call)
    if part == DROP:
        return await _drop(call, half)
    ((node_id, of_node),) = half.items()
    if part == RENEW:
        await _renew(of_node, call.body)
    else:
        del half[node_id]
        of_node.reset.serve_connections()
    return {"connections": []}


def _look(call: Call) -> Plain:
    """The connections here, and this node's to others: what they are is known while none has been closed."""
    server = call.server
    state.check_data(server.directories, is_deleted=server.is_temporary or call.body.get("delete_data", False))
    found = state.client_connections([server])
    ends = {each.state.id: each.ends for each in server.connections}
    return {
        "connections": found, "ends": [ends[each["connection"]] for each in found],
        "own_addresses": sorted(server.own_addresses),
    }  # fmt: skip


async def _drop(call: Call, half: dict[int, HalfReset]) -> Plain:
    """Close the broker and empty its directory; requests are held. Tells what the node has had."""
    ((node_id, server),) = call.servers.items()
    state.check_data(server.directories, is_deleted=server.is_temporary or call.body.get("delete_data", False))
    heal(server)
    image = server.broker.image
    found: Plain = {
        "connections": [], "metadata_offset": image.offset, "first_producer_id": image.next_producer_id,
    }  # fmt: skip
    if state.TOPICS in call.body.get("keep", ()):
        found["topics"] = {
            name: {**topic._asdict(), "configs": dict(topic.configs)}
            for name, topic in state.present_topics(server).items()
        }
    reset = BrokerReset(server)
    half[node_id] = HalfReset(server, reset, advertised(server))
    await reset.drop()
    if call.body.get("close_connections", False):
        state.close_clients(server)
    return found


async def _renew(half: HalfReset, body: Plain) -> None:
    """Open a broker in the directory, which was filled meanwhile, and wait until it is ready."""
    server, former = half.server, half.advertised
    server.clock.reset()
    server.clock.move(body["clock_offset_ms"], 0)

    await half.reset.renew(cluster_id=body["cluster_id"], first_producer_id=body["first_producer_id"])
    if advertised(server) != former:
        advertise(server, former)
