"""Faulty links and disks over HTTP: PUT and DELETE of /v1/links and of /v1/brokers/{broker_id}/disk."""

from __future__ import annotations

from kafkacompat.control_api.faults import disks, node_links
from kafkacompat.control_api.faults.node_links import plain, with_proxied
from kafkacompat.control_api.http.problems import ProblemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.control_api.faults.node_links import Faults
    from kafkacompat.control_api.http.calls import Call

    Plain = dict[str, Any]

CONTROLLERS, EVERYBODY = "controllers", "*"


def put_disk(call: Call) -> Plain:
    """PUT /v1/brokers/{broker_id}/disk: the faults in place of earlier ones."""
    disks.disk(call.node(call.path["broker_id"]), **call.body)
    return dict(call.body)


def delete_disk(call: Call) -> Plain:
    """DELETE /v1/brokers/{broker_id}/disk: it is sound again; appends are accepted within half a second."""
    disks.disk(call.node(call.path["broker_id"]))
    return {}


def put_links(call: Call) -> Plain:
    """PUT /v1/links: these links are cut or slow, and no others. Of several faults of a link the last one counts."""
    faults: Faults = {}
    for number, link in enumerate(call.body["links"]):
        senders, receivers = _ends(call, link["from"], number, "from"), _ends(call, link["to"], number, "to")
        pairs = {(sender, receiver) for sender in senders for receiver in receivers if sender != receiver}
        if link.get("both"):
            pairs |= {(receiver, sender) for sender, receiver in pairs}
        faults |= dict.fromkeys(pairs, link.get("delay_ms"))
    _apply(call, faults)
    return {"links": plain(faults)}


def see_links(call: Call) -> Plain:
    """GET /v1/links: each link that has a fault at one of the nodes here, or at a proxy in front of them."""
    own = {pair: delay for each in call.all_nodes for pair, delay in node_links.faults(each).items()}
    return {"links": plain(with_proxied(own, call.server.proxied_links()))}


def delete_links(call: Call) -> Plain:
    """DELETE /v1/links: every link is sound; what was held back is delivered."""
    _apply(call, {})
    return {"links": []}


def _apply(call: Call, faults: Faults) -> None:
    for node_id, server in call.servers.items():
        node_links.set_links(
            server,
            {sender: delay_ms for (sender, receiver), delay_ms in faults.items() if receiver == node_id},
            {receiver: delay_ms for (sender, receiver), delay_ms in faults.items() if sender == node_id},
        )


def _ends(call: Call, end: int | str, number: int, name: str) -> list[int | str]:
    """Node ids and "clients". Raises ProblemError for others."""
    image = call.server.broker.image
    ids = sorted({*image.brokers, *call.server.broker.quorum.raft.client.voters})
    known: dict[int | str, list[int | str]] = {
        node_links.CLIENTS: [node_links.CLIENTS],
        CONTROLLERS: sorted(call.server.broker.quorum.raft.client.voters),
        EVERYBODY: [*ids, node_links.CLIENTS],
        **{node_id: [node_id] for node_id in ids},
    }
    if end not in known:
        names = ", ".join(map(str, known))
        raise ProblemError(404, "no-node", f"links/{number}/{name}: {end!r} is no node: use one of {names}")
    return known[end]
