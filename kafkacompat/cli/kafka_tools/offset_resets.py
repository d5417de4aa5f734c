"""`kafka-consumer-groups --reset-offsets`: other committed offsets for a group without members."""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

from kafkacompat.cli.kafka_tools.arguments import Arguments, UsageError
from kafkacompat.cli.kafka_tools.group_tables import print_table
from kafkacompat.client import group_admin
from kafkacompat.client.errors import BrokerError
from kafkacompat.client.partition_offsets import EARLIEST, LATEST, list_offsets
from kafkacompat.protocol import error_codes as errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkacompat.client.client import Client, Place

SCENARIOS = ("--shift-by", "--to-offset", "--by-duration", "--to-datetime")
"""With a value; --to-earliest, --to-latest and --to-current have none."""
FROM_FILE = "--from-file"
PLAIN_MAX = 24
"""Names of more characters are in quotes."""
_ALL = ("--shift-by", "--to-offset", "--to-earliest", "--to-current", "--to-latest", "--by-duration", "--to-datetime")
IDLE_STATES = ("Empty", "Dead")
_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")
NO_EXECUTE = (
    "WARN: No action will be performed as the --execute option is missing. In version 5.0, this command will require "
    "either --dry-run or --execute to be specified. You should add the --dry-run option explicitly if you are "
    "scripting this command and want to keep the current default behavior without prompting."
)


class _Bounds(NamedTuple):
    start: int
    end: int


def reset(client: Client, given: Arguments, group: str) -> None:
    """Print the new offsets, and commit them with --execute. Raises BrokerError and UsageError."""
    if "--execute" not in given and "--dry-run" not in given:
        _complain(NO_EXECUTE)
    scenarios = [flag for flag in (*_ALL, FROM_FILE) if flag in given]
    if len(scenarios) != 1:
        raise UsageError(
            "Option '[reset-offsets]' requires one of the following scenarios: "
            f"[{', '.join(f'[{flag[2:]}]' for flag in (*_ALL, FROM_FILE))}]"
        )
    if "--all-topics" not in given and "--topic" not in given and FROM_FILE not in given:
        raise UsageError("One of the reset scopes should be defined: --all-topics, --topic.")
    state = _state(client, group)
    new: dict[Place, int] = {}
    if state in IDLE_STATES:
        new = _new_offsets(client, given, group, scenarios[0])
        if "--execute" in given and new:
            group_admin.commit_offsets(client, group, new)
    else:
        why = f"can only be reset if the group '{group}' is inactive, but the current state is {state}."
        _say(f"\nError: Assignments {why}")
    if "--export" in given:
        for (topic, partition), offset in sorted(new.items()):
            names = [group, topic] if _has_several(given) else [topic]
            _say(",".join([*map(quoted, names), str(partition), str(offset)]))
        _say("")
        return
    rows = [[group, topic, str(partition), str(offset)] for (topic, partition), offset in sorted(new.items())]
    columns, widths = (
        ("GROUP", "TOPIC", "PARTITION", "NEW-OFFSET"),
        {"GROUP": len(group), "PARTITION": 10, "NEW-OFFSET": 0},
    )
    print_table(columns, rows, widths, fixed=("PARTITION",))


def quoted(text: str) -> str:
    """A name in a CSV file as Kafka's writer (Jackson) quotes it: one that is long, or has odd characters."""
    is_plain = len(text) <= PLAIN_MAX and all(character > "," for character in text)
    return text if is_plain else '"' + text.replace('"', '""') + '"'


def places_of(client: Client, texts: Sequence[str]) -> list[Place]:
    """The partitions in `topic` and `topic:0,2`. Raises BrokerError."""
    found: list[Place] = []
    for text in texts:
        topic, colon, numbers = text.rpartition(":") if re.search(r":[\d,]+$", text) else (text, "", "")
        if colon:
            found += [(topic, int(number)) for number in numbers.split(",") if number]
            continue
        found += [(topic, number) for number in client.partitions(topic)]
    return found


def _state(client: Client, group: str) -> str:
    try:
        return group_admin.describe_group(client, group).state
    except BrokerError as error:
        if error.error_code != errors.GROUP_ID_NOT_FOUND:
            raise
        return "Dead"


def _new_offsets(client: Client, given: Arguments, group: str, scenario: str) -> dict[Place, int]:
    committed = {place: found.offset for place, found in group_admin.committed_offsets(client, group).items()}
    if scenario == FROM_FILE:
        wanted = _from_file(given.require(FROM_FILE), group)
        bounds = _bounds(client, list(wanted))
        return {place: _within(offset, bounds[place]) for place, offset in wanted.items()}
    places = sorted(committed) if "--all-topics" in given else places_of(client, given.get_all("--topic"))
    if not places:
        return {}
    bounds = _bounds(client, places)
    if scenario == "--to-earliest":
        return {place: bounds[place].start for place in places}
    if scenario == "--to-latest":
        return {place: bounds[place].end for place in places}
    if scenario == "--to-current":
        return {place: committed.get(place, bounds[place].end) for place in places}
    if scenario == "--to-offset":
        to = given.integer(scenario) or 0
        return {place: _within(to, bounds[place]) for place in places}
    if scenario == "--shift-by":
        by = given.integer(scenario) or 0
        missing = [f"{topic}-{number}" for topic, number in places if (topic, number) not in committed]
        if missing:
            raise UsageError(
                f"Cannot shift offset for partition {missing[0]} since there is no current committed offset"
            )
        return {place: _within(committed[place] + by, bounds[place]) for place in places}
    time_ms = _time_ms(scenario, given.require(scenario))
    found = list_offsets(client, dict.fromkeys(places, time_ms))
    return {place: found[place].offset if found[place].offset >= 0 else bounds[place].end for place in places}


def _bounds(client: Client, places: Sequence[Place]) -> dict[Place, _Bounds]:
    starts = list_offsets(client, dict.fromkeys(places, EARLIEST))
    ends = list_offsets(client, dict.fromkeys(places, LATEST))
    return {place: _Bounds(starts[place].offset, ends[place].offset) for place in places}


def _within(offset: int, bounds: _Bounds) -> int:
    if not bounds.start <= offset <= bounds.end:
        _complain(f"WARN New offset ({offset}) is outside of the log: {bounds.start} to {bounds.end}")
    return min(max(offset, bounds.start), bounds.end)


def _time_ms(scenario: str, text: str) -> int:
    import time
    from datetime import UTC, datetime

    if scenario == "--to-datetime":
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise UsageError(f"Unparseable date: {text!r}: write YYYY-MM-DDTHH:mm:SS.sss, with Z or +hh:mm") from None
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    match = _DURATION.fullmatch(text)
    if match is None or text[-1] in "PT":
        raise UsageError(f"Text cannot be parsed to a Duration: {text!r}: write PnDTnHnMnS")
    days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return int((time.time() - days * 86_400 - hours * 3600 - minutes * 60 - seconds) * 1000)


def _from_file(path: str, group: str) -> dict[Place, int]:
    """The offsets in lines `topic,partition,offset`, or `group,topic,partition,offset`."""
    import csv

    found: dict[Place, int] = {}
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 (pathlib costs start-up time)
        for number, row in enumerate(csv.reader(file), 1):
            parts = [part.strip() for part in row]
            if not parts:
                continue
            *names, partition, offset = parts
            if len(names) not in (1, 2) or not (partition.isdecimal() and offset.isdecimal()):
                raise UsageError(f"{path}, line {number}: write topic,partition,offset")
            if names[0] == group or len(names) == 1:
                found[names[-1], int(partition)] = int(offset)
    return found


def _has_several(given: Arguments) -> bool:
    return "--all-groups" in given or len(given.get_all("--group")) > 1


def _complain(line: str) -> None:
    print(line, file=sys.stderr)  # noqa: T201 (for the user)


def _say(line: str) -> None:
    print(line)  # noqa: T201 (the tool's output)
