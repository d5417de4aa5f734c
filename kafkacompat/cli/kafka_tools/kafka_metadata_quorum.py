"""`kafka-metadata-quorum describe`: the voters and observers of the metadata log, and how far they are."""

from __future__ import annotations

import time

from kafkacompat.cli.kafka_tools.arguments import Arguments, ToolError, UsageError, parse
from kafkacompat.cli.kafka_tools.tool_client import CONFIG, SERVERS, client_of
from kafkacompat.client.errors import BrokerError
from kafkacompat.protocol import error_codes as errors
from kafkacompat.protocol.constants import NO_TIMESTAMP, UNKNOWN_OFFSET
from kafkacompat.protocol.primitives import ZERO_UUID, uuid_to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.client.client import Client
    from kafkacompat.protocol.messages.describe_quorum import (
        DescribeQuorumResponse,
        DescribeQuorumResponsePartitionData,
        ReplicaState,
    )

METADATA_TOPIC = "__cluster_metadata"
COLUMNS = (
    "NodeId", "DirectoryId", "LogEndOffset", "Lag", "LastFetchTimestamp", "LastCaughtUpTimestamp", "Status",
)  # fmt: skip
VERBS = ("describe", "add-controller", "remove-controller")
KEY_WIDTH = 24


def run(arguments: list[str]) -> int:
    """Run the tool."""
    given = parse(arguments, (*SERVERS, CONFIG), ("--status", "--replication", "--re", "--human-readable"), max_rest=1)
    if not given.rest:
        raise UsageError("kafka-metadata-quorum: error: too few arguments")
    if given.rest[0] not in VERBS:
        raise UsageError(
            f"kafka-metadata-quorum: error: invalid choice: '{given.rest[0]}' (choose from {', '.join(VERBS)})"
        )
    if given.rest[0] != "describe":
        raise ToolError(f"{given.rest[0]} is not supported here: voters are changed with Kafka's own tool")
    wants_status, wants_replication = "--status" in given, "--replication" in given or "--re" in given
    if wants_status == wants_replication:
        raise UsageError(
            "Only one of --status or --replication should be specified with describe sub-command"
            if wants_status
            else "One of --status or --replication must be specified with describe sub-command"
        )
    with client_of(given) as client:
        response, quorum = _describe(client)
        if wants_status:
            _print_status(client, response, quorum)
        else:
            _print_replication(quorum, given)
    return 0


def _describe(client: Client) -> tuple[DescribeQuorumResponse, DescribeQuorumResponsePartitionData]:
    from kafkacompat.protocol.messages import describe_quorum as messages

    partitions = [messages.DescribeQuorumRequestPartitionData(0)]
    request = messages.DescribeQuorumRequest([messages.DescribeQuorumRequestTopicData(METADATA_TOPIC, partitions)])
    response: DescribeQuorumResponse = client.call(messages, request)
    if response.error_code != errors.NONE:
        raise BrokerError(response.error_code, "the quorum", response.error_message)
    quorum = response.topics[0].partitions[0]
    if quorum.error_code != errors.NONE:
        raise BrokerError(quorum.error_code, "the quorum", quorum.error_message)
    return response, quorum


def _print_status(
    client: Client, response: DescribeQuorumResponse, quorum: DescribeQuorumResponsePartitionData
) -> None:
    leader = next((voter for voter in quorum.current_voters if voter.replica_id == quorum.leader_id), None)
    slowest = min(quorum.current_voters, key=lambda voter: voter.log_end_offset)
    lag_ms = NO_TIMESTAMP
    if leader is None or slowest is leader:
        lag_ms = 0
    elif min(leader.last_caught_up_timestamp, slowest.last_caught_up_timestamp) >= 0:
        lag_ms = leader.last_caught_up_timestamp - slowest.last_caught_up_timestamp
    endpoints = {
        node.node_id: [f"{each.name}://{each.host}:{each.port}" for each in node.listeners] for node in response.nodes
    }
    for key, value in {
        "ClusterId": client.metadata(()).cluster_id,
        "LeaderId": quorum.leader_id,
        "LeaderEpoch": quorum.leader_epoch,
        "HighWatermark": quorum.high_watermark,
        "MaxFollowerLag": 0 if leader is None else leader.log_end_offset - slowest.log_end_offset,
        "MaxFollowerLagTimeMs": lag_ms,
        "CurrentVoters": _nodes(quorum.current_voters, endpoints),
        "CurrentObservers": _nodes(quorum.observers, {}),
    }.items():
        _say(f"{key + ':':{KEY_WIDTH}}{value}")


def _nodes(replicas: Sequence[ReplicaState], endpoints: dict[int, list[str]]) -> str:
    found = []
    for each in replicas:
        text = f'{{"id": {each.replica_id}'
        if each.replica_directory_id != ZERO_UUID:
            text += f', "directoryId": "{uuid_to_text(each.replica_directory_id)}"'
        if endpoints.get(each.replica_id):
            text += ', "endpoints": [' + ", ".join(f'"{at}"' for at in endpoints[each.replica_id]) + "]"
        found.append(text + "}")
    return f"[{', '.join(found)}]"


def _print_replication(quorum: DescribeQuorumResponsePartitionData, given: Arguments) -> None:
    voters = sorted(quorum.current_voters, key=lambda each: (each.replica_id != quorum.leader_id, each.replica_id))
    end = next((each.log_end_offset for each in voters if each.replica_id == quorum.leader_id), UNKNOWN_OFFSET)
    now_ms = int(time.time() * 1000)

    def moment(time_ms: int) -> str:
        if "--human-readable" not in given:
            return str(time_ms)
        return "unknown" if time_ms < 0 else f"{max(now_ms - time_ms, 0)} ms ago"

    rows = [list(COLUMNS)]
    for each, status in [
        *((each, "Leader" if each.replica_id == quorum.leader_id else "Follower") for each in voters),
        *((each, "Observer") for each in sorted(quorum.observers, key=lambda each: each.replica_id)),
    ]:
        rows.append([
            str(each.replica_id), uuid_to_text(each.replica_directory_id), str(each.log_end_offset),
            str(end - each.log_end_offset), moment(each.last_fetch_timestamp), moment(each.last_caught_up_timestamp),
            status,
        ])  # fmt: skip
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    for row in rows:
        _say("".join(f"{text:{width}}\t" for text, width in zip(row, widths, strict=True)))


def _say(line: str) -> None:
    print(line)  # noqa: T201 (the tool's output)
