"""`kafka-consumer-groups`: list, describe and delete groups, and reset or delete their offsets, with Kafka's output.

As in Kafka's tool, what a broker refuses is a line `Error: ...` on standard output, and the status is 0.
"""

from __future__ import annotations

from kafkacompat.cli.kafka_tools import group_tables, kafka_names
from kafkacompat.cli.kafka_tools.arguments import Arguments, ToolError, UsageError, parse
from kafkacompat.cli.kafka_tools.client_config import ClientConfigError, file_of, settings_of
from kafkacompat.cli.kafka_tools.offset_resets import FROM_FILE, SCENARIOS, places_of, reset
from kafkacompat.cli.kafka_tools.tool_client import CONFIG, SERVERS, client_of
from kafkacompat.client import group_admin
from kafkacompat.client.errors import BrokerError
from kafkacompat.protocol import error_codes as errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.client.client import Client

ACTIONS = ("--list", "--describe", "--delete", "--reset-offsets", "--delete-offsets", "--validate-regex")
VIEWS = ("--members", "--offsets", "--state")
STATES = ("Stable", "Reconciling", "Dead", "PreparingRebalance", "Assigning", "Empty", "CompletingRebalance")
TYPES = ("Classic", "Consumer")
VALUED = (*SERVERS, CONFIG, "--group", "--topic", "--timeout", FROM_FILE, *SCENARIOS)
SWITCHES = (
    *ACTIONS, "--members", "--offsets", "--verbose", "--all-groups", "--all-topics", "--to-earliest", "--to-latest",
    "--to-current", "--execute", "--dry-run", "--export",
)  # fmt: skip
OPTIONAL = ("--state", "--type")
"""Flags whose value may be left out."""


def run(arguments: list[str]) -> int:
    """Run the tool."""
    given = parse(_with_values(arguments), (*VALUED, *OPTIONAL), SWITCHES)
    action = given.one_of(ACTIONS)
    if action not in _ACTIONS:
        raise ToolError(f"{action} is not supported here")
    _check(given, action)
    try:
        settings = settings_of(file_of(given))
    except ClientConfigError as error:
        _say(f"\nError: Executing consumer group command failed due to {error}")
        return 0
    with client_of(given, settings) as client:
        _ACTIONS[action](client, given)
    return 0


def _with_values(arguments: list[str]) -> list[str]:
    """The arguments, with an empty value for `--state` and `--type` that have none."""
    found = []
    for at, argument in enumerate(arguments):
        found.append(argument)
        if argument in OPTIONAL and (at + 1 == len(arguments) or arguments[at + 1].startswith("--")):
            found.append("")
    return found


def _check(given: Arguments, action: str) -> None:
    needs_group = action in ("--describe", "--delete", "--reset-offsets")
    if needs_group and "--group" not in given and "--all-groups" not in given:
        raise UsageError(f"Option [{action[2:]}] takes one of these options: [group], [all-groups]")
    if action == "--delete-offsets" and not ("--group" in given and "--topic" in given):
        raise UsageError("Option [delete-offsets] takes the following options: [group], [topic]")
    if action == "--describe" and sum(view in given for view in VIEWS) > 1:
        raise UsageError("Option [describe] takes at most one of these options: [members], [offsets], [state]")


def _list(client: Client, given: Arguments) -> None:
    groups = [each for each in group_admin.list_groups(client) if each.protocol_type in ("consumer", "")]
    for flag, known, what in (("--state", STATES, "state"), ("--type", TYPES, "type")):
        wanted = [part.strip().lower() for part in (given.get(flag) or "").split(",") if part.strip()]
        if any(text not in [name.lower() for name in known] for text in wanted):
            raise UsageError(f"Invalid {what} list '{given.get(flag)}'. Valid {what}s are: {', '.join(known)}")
        if wanted:
            groups = [each for each in groups if getattr(each, what).lower() in wanted]
    columns = [["GROUP", *(each.group for each in groups)]]
    if "--type" in given:
        columns.append(["TYPE", *(each.type.capitalize() for each in groups)])
    if "--state" in given:
        columns.append(["STATE", *(each.state for each in groups)])
    if len(columns) == 1:
        for each in groups:
            _say(each.group)
        return
    width = max(15, *(len(name) for name in columns[0])) + 10
    for name, *rest in zip(*columns, strict=True):
        _say(" ".join([f"{name:{width}}", *(f"{text:20}" for text in rest)]))


def _describe(client: Client, given: Arguments) -> None:
    for name in _groups(client, given):
        try:
            found = group_admin.describe_group(client, name)
            group_tables.describe(client, found, given)
        except BrokerError as error:
            _failed(error if error.error_code != errors.GROUP_ID_NOT_FOUND else _not_found(name))


def _not_found(name: str) -> BrokerError:
    return BrokerError(errors.GROUP_ID_NOT_FOUND, name, f"Group {name} not found.")


def _reset(client: Client, given: Arguments) -> None:
    for name in _groups(client, given):
        try:
            reset(client, given, name)
        except BrokerError as error:
            _failed(error)


def _delete(client: Client, given: Arguments) -> None:
    deleted, failed = [], []
    for name in _groups(client, given):
        try:
            group_admin.delete_group(client, name)
        except BrokerError as error:
            failed.append(f"* Group '{name}' could not be deleted due to: {kafka_names.exception(error)}")
        else:
            deleted.append(f"'{name}'")
    if not failed:
        _say(f"Deletion of requested consumer groups ({', '.join(deleted)}) was successful.")
        return
    _say("\nError: Deletion of some consumer groups failed:")
    for line in failed:
        _say(line)
    if deleted:
        _say(f"\nThese consumer groups were deleted successfully: {', '.join(deleted)}")


def _delete_offsets(client: Client, given: Arguments) -> None:
    name = given.require("--group")
    rows: list[tuple[str, str, str]] = []
    failure: BrokerError | None = None
    for text in given.get_all("--topic"):
        try:
            places = places_of(client, [text])
        except BrokerError as error:
            rows.append((text, "-", f"Error: {kafka_names.exception(error)}"))
            continue
        for topic, partition in places:
            status = "Successful"
            try:
                group_admin.delete_offsets(client, name, [(topic, partition)])
            except BrokerError as error:
                status = f"Error: {kafka_names.exception(error)}"
                failure = failure or error
            rows.append((topic, str(partition), status))
    if failure is None:
        _say(f"Request succeeded for deleting offsets from group {name}.")
    elif failure.error_code == errors.GROUP_ID_NOT_FOUND:
        _say(f"\nError: {kafka_names.sentence(failure)}")
    else:
        _say("\nError: Encountered some partition-level error, see the follow-up details.")
    _say("")
    width = max(15, *(len(topic) for topic, _, _ in rows))
    for topic, number, status in (("TOPIC", "PARTITION", "STATUS"), *rows):
        _say(f"{topic:{width}} {number:10} {status:15}")


def _groups(client: Client, given: Arguments) -> list[str]:
    if "--all-groups" in given:
        return [each.group for each in group_admin.list_groups(client)]
    return list(dict.fromkeys(given.get_all("--group")))


def _failed(error: BrokerError) -> None:
    _say(f"\nError: Executing consumer group command failed due to {kafka_names.exception(error)}")


def _say(line: str) -> None:
    print(line)  # noqa: T201 (the tool's output)


_ACTIONS = {
    "--list": _list, "--describe": _describe, "--delete": _delete, "--reset-offsets": _reset,
    "--delete-offsets": _delete_offsets,
}  # fmt: skip
