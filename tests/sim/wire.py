"""A simulated network that encodes the replicas' messages as Kafka's, instead of passing objects."""

from __future__ import annotations

import pickle
from typing import Any

from kafkacompat.protocol import api_keys, messages
from kafkacompat.replication.raft import wire
from kafkacompat.replication.raft.messages import Answer, FetchAnswer, Reply, Send, SnapshotAnswer, VoteAnswer
from tests.sim.network import Host, Network

CLUSTER = "fzDAU5X9QHKjIfmKmCCk3w"


def carried(message: object) -> object:
    """A request as it arrives."""
    key = wire.api_key(message)
    module: Any = messages.load(key)
    parts: list[Any] = []
    module.encode_request(wire.request(message, module.MAX_VERSION, CLUSTER), module.MAX_VERSION, parts)
    return wire.read_request(module.decode_request(b"".join(parts), 0, module.MAX_VERSION), CLUSTER)


def carried_back(answer: Answer) -> Answer:
    """An answer as it arrives. The simulator's records, which may be voter sets, are pickled."""
    key = api_keys.VOTE if isinstance(answer, VoteAnswer) else api_keys.BEGIN_QUORUM_EPOCH
    if isinstance(answer, FetchAnswer):
        key = api_keys.FETCH
        answer.records = pickle.dumps(answer.records) if answer.records else None
    if isinstance(answer, SnapshotAnswer):
        key = api_keys.FETCH_SNAPSHOT
        answer.data = pickle.dumps(answer.data) if answer.data else b""
    module: Any = messages.load(key)
    parts: list[Any] = []
    module.encode_response(wire.response(key, answer, module.MAX_VERSION, {}), module.MAX_VERSION, parts)
    arrived = wire.read_response(module.decode_response(b"".join(parts), 0, module.MAX_VERSION))
    if isinstance(arrived, FetchAnswer) and arrived.records:
        arrived.records = pickle.loads(bytes(arrived.records))
    if isinstance(arrived, SnapshotAnswer) and arrived.data:
        arrived.data = pickle.loads(bytes(arrived.data))
    return arrived


class WireNetwork(Network):
    """A network in which every message passes the codec."""

    def ask(self, client: Host, send: Send) -> None:
        super().ask(client, Send(send.node_id, send.token, carried(send.message)))

    def answer(self, server: Host, reply: Reply) -> None:
        super().answer(server, Reply(reply.token, carried_back(reply.answer)))
