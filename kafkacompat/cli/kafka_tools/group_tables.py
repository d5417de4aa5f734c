"""The tables of `kafka-consumer-groups --describe`: offsets, members and state, in Kafka's columns."""

from __future__ import annotations

import sys

from kafkacompat.client import group_admin
from kafkacompat.client.errors import BrokerError
from kafkacompat.client.partition_offsets import LATEST, list_offsets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.cli.kafka_tools.arguments import Arguments
    from kafkacompat.client.client import Client, Place
    from kafkacompat.client.group_admin import Group, GroupMember

NOTHING = "-"
MIN_WIDTH = 15


def describe(client: Client, group: Group, given: Arguments) -> None:
    """Print the table that the flags ask for. Raises BrokerError."""
    is_verbose = "--verbose" in given
    if group.state == "Empty":
        _warn(f"\nConsumer group '{group.group}' has no active members.")
    elif group.state in ("PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling"):
        _warn(f"\nWarning: Consumer group '{group.group}' is rebalancing.")
    elif group.state == "Dead":
        _warn(f"Error: Consumer group '{group.group}' does not exist.")
        return
    if "--members" in given:
        _members(group, is_verbose=is_verbose)
    elif "--state" in given:
        _state(client, group, is_verbose=is_verbose)
    else:
        _offsets(client, group, is_verbose=is_verbose)


def _offsets(client: Client, group: Group, *, is_verbose: bool) -> None:
    committed = group_admin.committed_offsets(client, group.group)
    owners = {place: member for member in group.members for place in member.assignment or ()}
    places = sorted({*committed, *owners})
    ends = _ends(client, places)
    rows = []
    for place in places:
        found, end = committed.get(place), ends.get(place)
        offset = NOTHING if found is None else str(found.offset)
        epoch = NOTHING if found is None or found.leader_epoch < 0 else str(found.leader_epoch)
        lag = NOTHING if found is None or end is None else str(end - found.offset)
        rows.append([
            group.group, place[0], str(place[1]), *([epoch] if is_verbose else []), offset,
            NOTHING if end is None else str(end), lag, *_of_member(owners.get(place)),
        ])  # fmt: skip
    if not rows:
        return
    columns = [
        "GROUP", "TOPIC", "PARTITION", *(["LEADER-EPOCH"] if is_verbose else []), "CURRENT-OFFSET", "LOG-END-OFFSET",
        "LAG", "CONSUMER-ID", "HOST", "CLIENT-ID",
    ]  # fmt: skip
    widths = {"GROUP": len(group.group), "PARTITION": 10, "CLIENT-ID": 0}
    print_table(columns, rows, widths, fixed=("PARTITION", "LEADER-EPOCH", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG"))


def _ends(client: Client, places: Sequence[Place]) -> dict[Place, int]:
    there: set[Place] = set()
    for topic in sorted({topic for topic, _ in places}):
        try:
            there.update((topic, number) for number in client.partitions(topic))
        except BrokerError:  # it was deleted
            continue
    known = [place for place in places if place in there]
    return {place: found.offset for place, found in list_offsets(client, dict.fromkeys(known, LATEST)).items()}


def _of_member(member: GroupMember | None) -> list[str]:
    return [NOTHING] * 3 if member is None else [member.member_id, member.host, member.client_id]


def _members(group: Group, *, is_verbose: bool) -> None:
    has_static = any(member.instance_id for member in group.members)
    columns = ["GROUP", "CONSUMER-ID", *(["GROUP-INSTANCE-ID"] if has_static else []), "HOST", "CLIENT-ID"]
    columns.append("#PARTITIONS")
    if is_verbose:
        columns += ["CURRENT-EPOCH", "CURRENT-ASSIGNMENT", "TARGET-EPOCH", "TARGET-ASSIGNMENT"]
    rows = [
        [
            group.group, member.member_id, *([member.instance_id or ""] if has_static else []), member.host,
            member.client_id, str(len(member.assignment or ())),
            *([NOTHING, assignment_text(member.assignment or ()), NOTHING, NOTHING] if is_verbose else []),
        ]
        for member in group.members
    ]  # fmt: skip
    widths = {"GROUP-INSTANCE-ID": 17, "CURRENT-ASSIGNMENT": 20, "TARGET-ASSIGNMENT": 20}
    print_table(columns, rows, widths, fixed=("#PARTITIONS", "CURRENT-EPOCH", "TARGET-EPOCH"))


def assignment_text(places: Sequence[Place]) -> str:
    """`orders:0,1;audit:2`, `-` for none."""
    numbers: dict[str, list[int]] = {}
    for topic, number in sorted(places):
        numbers.setdefault(topic, []).append(number)
    return ";".join(f"{topic}:{','.join(map(str, of))}" for topic, of in numbers.items()) or NOTHING


def _state(client: Client, group: Group, *, is_verbose: bool) -> None:
    host, port = client.address_of(group.coordinator)
    coordinator = f"{host}:{port}  ({group.coordinator})"
    columns = ["GROUP", "COORDINATOR (ID)", "ASSIGNMENT-STRATEGY", "STATE"]
    row = [group.group, coordinator, group.protocol or NOTHING, group.state]
    if is_verbose:
        columns += ["GROUP-EPOCH", "TARGET-ASSIGNMENT-EPOCH"]
        row += [NOTHING, NOTHING]
    widths = {
        "COORDINATOR (ID)": 25,
        "ASSIGNMENT-STRATEGY": 20,
        "STATE": 20,
        "TARGET-ASSIGNMENT-EPOCH": 25,
        "#MEMBERS": 0,
    }
    rows = [[*row, str(len(group.members))]]
    print_table([*columns, "#MEMBERS"], rows, widths, fixed=("ASSIGNMENT-STRATEGY", "STATE"))


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], widths: dict[str, int], fixed: Sequence[str] = ()
) -> None:
    """Print an empty line, the columns' names and the rows. widths: 15 unless given; columns grow unless `fixed`."""
    sizes = [widths.get(name, MIN_WIDTH) for name in columns]
    for at, name in enumerate(columns):
        if name not in fixed and sizes[at]:
            least = sizes[at] if name != "GROUP" else max(sizes[at], MIN_WIDTH)
            sizes[at] = max(least, *(len(row[at]) for row in rows), 0)
    print()  # noqa: T201 (the tool's output)
    for row in (columns, *rows):
        line = " ".join(f"{text:{size}}" for text, size in zip(row, sizes, strict=True))
        print(line)  # noqa: T201 (the tool's output)


def _warn(line: str) -> None:
    sys.stdout.flush()
    print(line, file=sys.stderr)  # noqa: T201 (for the user)
