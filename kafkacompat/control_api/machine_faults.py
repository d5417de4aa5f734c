"""Cut links and faulty disks over HTTP: PUT and DELETE of /v1/links and of /v1/brokers/{broker_id}/disk."""

from __future__ import annotations

from kafkacompat.control_api import disks, link_cuts
from kafkacompat.control_api.problems import ProblemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from kafkacompat.control_api.calls import Call

    Plain = dict[str, Any]
    Cuts: TypeAlias = set[tuple[int | str, int | str]]

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
    """PUT /v1/links: these links are cut, and no others."""
    cuts: Cuts = set()
    for number, link in enumerate(call.body["links"]):
        senders, receivers = _ends(call, link["from"], number, "from"), _ends(call, link["to"], number, "to")
        pairs = {(sender, receiver) for sender in senders for receiver in receivers}
        cuts |= pairs | ({pair[::-1] for pair in pairs} if link.get("both") else set())
    cuts = {pair for pair in cuts if pair[0] != pair[1]}
    _apply(call, cuts)
    return {"links": [{"from": sender, "to": receiver} for sender, receiver in sorted(cuts, key=str)]}


def delete_links(call: Call) -> Plain:
    """DELETE /v1/links: every link works; what was held back is delivered."""
    _apply(call, set())
    return {"links": []}


def _apply(call: Call, cuts: Cuts) -> None:
    for node_id, server in call.servers.items():
        link_cuts.cut(
            server,
            {sender for sender, receiver in cuts if receiver == node_id},
            {receiver for sender, receiver in cuts if sender == node_id},
        )
        server.after_event()


def _ends(call: Call, end: int | str, number: int, name: str) -> list[int | str]:
    """Node ids and "clients". Raises ProblemError for others."""
    image = call.server.broker.image
    ids = sorted({*image.brokers, *call.server.broker.quorum.raft.client.voters})
    known: dict[int | str, list[int | str]] = {
        link_cuts.CLIENTS: [link_cuts.CLIENTS],
        CONTROLLERS: sorted(call.server.broker.quorum.raft.client.voters),
        EVERYBODY: [*ids, link_cuts.CLIENTS],
        **{node_id: [node_id] for node_id in ids},
    }
    if end not in known:
        names = ", ".join(map(str, known))
        raise ProblemError(404, "no-node", f"links/{number}/{name}: {end!r} is no node: use one of {names}")
    return known[end]
