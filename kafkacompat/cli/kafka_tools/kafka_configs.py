"""`kafka-configs`: describe and alter the configs of topics, brokers and groups, with Kafka's flags and output."""

from __future__ import annotations

import re
import sys

from kafkacompat.cli.kafka_tools import kafka_names, kafka_users
from kafkacompat.cli.kafka_tools.arguments import Arguments, ToolError, UsageError, parse
from kafkacompat.cli.kafka_tools.client_config import ClientConfigError, file_of, settings_of
from kafkacompat.cli.kafka_tools.kafka_users import USERS
from kafkacompat.cli.kafka_tools.tool_client import CONFIG, SERVERS, client_of
from kafkacompat.client import topic_admin
from kafkacompat.client.errors import BrokerError
from kafkacompat.protocol import error_codes as errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.client.client import Client
    from kafkacompat.protocol.messages.describe_configs import DescribeConfigsResult

TOPICS, BROKERS, GROUPS = "topics", "brokers", "groups"
RESOURCES = {TOPICS: topic_admin.TOPIC_RESOURCE, BROKERS: topic_admin.BROKER_RESOURCE, GROUPS: 32}
ALL_TYPES = ("topics", "clients", "users", "brokers", "ips", "client-metrics", "groups", "broker-loggers")
SHORT = {"--topic": TOPICS, "--broker": BROKERS, "--group": GROUPS, "--user": USERS}
SOURCES = {
    1: "DYNAMIC_TOPIC_CONFIG", 2: "DYNAMIC_BROKER_CONFIG", 3: "DYNAMIC_DEFAULT_BROKER_CONFIG",
    4: "STATIC_BROKER_CONFIG", 5: "DEFAULT_CONFIG", 6: "DYNAMIC_BROKER_LOGGER_CONFIG",
    7: "DYNAMIC_CLIENT_METRICS_CONFIG", 8: "DYNAMIC_GROUP_CONFIG",
}  # fmt: skip
DYNAMIC = {TOPICS: 1, BROKERS: 2, GROUPS: 8}
DYNAMIC_DEFAULT = 3
EVERY_BROKER = ""
ACTIONS = ("--describe", "--alter")
VALUED = (
    *SERVERS, CONFIG, *SHORT, "--entity-type", "--entity-name", "--add-config", "--add-config-file", "--delete-config",
)  # fmt: skip
SWITCHES = (*ACTIONS, "--all", "--entity-default", "--broker-defaults", "--force")
_BETWEEN_CONFIGS = re.compile(r",(?![^\[]*\])")


def run(arguments: list[str]) -> int:
    """Run the tool."""
    given = parse(arguments, VALUED, SWITCHES)
    action = given.one_of(ACTIONS)
    kind, name = _entity(given)
    if given.get(*SERVERS) is None:
        raise UsageError("Either --bootstrap-server or --bootstrap-controller must be specified.")
    failed = f"Error while executing config command with args '{' '.join(arguments)}'"
    try:
        settings = settings_of(file_of(given))
    except ClientConfigError as error:
        raise UsageError(f"{failed}\n{error}") from None
    with client_of(given, settings) as client:
        try:
            if action == "--alter":
                changes = _changes(given, name)
                if kind == USERS:
                    return kafka_users.alter(client, changes, failed)
                return _alter(client, changes, kind, name or EVERY_BROKER)
            if kind == USERS:
                return kafka_users.describe(client)
            return _describe(client, kind, name, everything="--all" in given)
        except BrokerError as error:
            _complain(failed)
            _complain(f"java.util.concurrent.ExecutionException: {kafka_names.exception(error)}")
            return 1


def _entity(given: Arguments) -> tuple[str, str | None]:
    """The entity type, and a name: "" is the default of all brokers, None are all entities."""
    named = [(kind, given.get(flag)) for flag, kind in SHORT.items() if flag in given]
    if "--broker-defaults" in given:
        named.append((BROKERS, EVERY_BROKER))
    kind = given.get("--entity-type")
    if kind is not None:
        named.append((kind, EVERY_BROKER if "--entity-default" in given else given.get("--entity-name")))
    if not named:
        raise UsageError("At least one entity type must be specified")
    kind, name = named[0]
    if kind not in ALL_TYPES:
        raise UsageError(
            f"Invalid entity type {kind}, the entity type must be one of {', '.join(ALL_TYPES)} with a "
            "--bootstrap-server or --bootstrap-controller argument"
        )
    if len(named) > 1 or kind not in (*RESOURCES, USERS):
        raise ToolError(
            f"{' and '.join(kind for kind, _ in named)}: only {', '.join((*RESOURCES, USERS))} are supported here"
        )
    return kind, name


def _describe(client: Client, kind: str, name: str | None, *, everything: bool) -> int:
    names = [name] if name is not None else _all(client, kind)
    for each in names:
        if not everything and each != EVERY_BROKER and not _exists(client, kind, each):
            _say(f"The {kind[:-1]} '{each}' doesn't exist and doesn't have dynamic config.")
            continue
        found = _ask(client, kind, each)
        if each == EVERY_BROKER:
            _say(f"Default configs for {kind} in the cluster are:")
        else:
            _say(f"{'All' if everything else 'Dynamic'} configs for {kind[:-1]} {each} are:")
        source = DYNAMIC_DEFAULT if each == EVERY_BROKER else DYNAMIC[kind]
        for config in sorted(found.configs, key=lambda config: str(config.name)):
            if everything or config.config_source == source:
                synonyms = ", ".join(f"{SOURCES[s.source]}:{s.name}={_text(s.value)}" for s in config.synonyms)
                sensitive = str(config.is_sensitive).lower()
                _say(f"  {config.name}={_text(config.value)} sensitive={sensitive} synonyms={{{synonyms}}}")
    return 0


def _all(client: Client, kind: str) -> list[str]:
    if kind == TOPICS:
        return [topic.name for topic in topic_admin.list_topics(client)]
    if kind == BROKERS:
        return [*_broker_ids(client), EVERY_BROKER]
    from kafkacompat.client.group_admin import list_groups

    return [group.group for group in list_groups(client)]


def _exists(client: Client, kind: str, name: str) -> bool:
    if kind == BROKERS:
        return name in _broker_ids(client)
    if kind == GROUPS:  # one with configs need have no members
        is_set = any(config.config_source == DYNAMIC[GROUPS] for config in _ask(client, kind, name).configs)
        return is_set or name in _all(client, kind)
    return name in _all(client, kind)


def _broker_ids(client: Client) -> list[str]:
    return sorted((str(broker.node_id) for broker in client.metadata(()).brokers), key=int)


def _ask(client: Client, kind: str, name: str) -> DescribeConfigsResult:
    from kafkacompat.protocol.messages import describe_configs as messages

    request = messages.DescribeConfigsRequest(
        [messages.DescribeConfigsResource(RESOURCES[kind], name, None)], include_synonyms=True
    )
    if kind == BROKERS and name.isdecimal():
        response: messages.DescribeConfigsResponse = client.call_node(int(name), messages, request)
    else:
        response = client.call(messages, request)
    found = response.results[0]
    if found.error_code != errors.NONE:
        raise BrokerError(found.error_code, f"{kind[:-1]} {name!r}", found.error_message)
    return found


def _changes(given: Arguments, name: str | None) -> dict[str, str | None]:
    """The configs to set, and those to delete as None. Raises UsageError."""
    changes: dict[str, str | None] = {}
    for text in given.get_all("--delete-config"):
        changes.update(dict.fromkeys((part.strip() for part in text.split(",")), None))
    for path in given.get_all("--add-config-file"):
        from kafkacompat.cli.options import read_properties_file

        changes.update(read_properties_file(path))
    for text in given.get_all("--add-config"):
        changes.update(added(text))
    if not changes:
        raise UsageError(
            "At least one of --add-config, --add-config-file, or --delete-config must be specified with --alter"
        )
    if name is None:
        raise UsageError("An entity name or default entity must be specified with --alter of a entity")
    return changes


def _alter(client: Client, changes: dict[str, str | None], kind: str, name: str) -> int:
    results = topic_admin.alter_configs(client, {name: changes}, resource_type=RESOURCES[kind])
    for error in results.values():
        if error is not None:
            raise error
    what = f"default config for {kind} in the cluster" if name == EVERY_BROKER else f"config for {kind[:-1]} {name}"
    _say(f"Completed updating {what}.")
    return 0


def added(text: str) -> dict[str, str]:
    """The configs in `a=b,c=[d,e]`: brackets hold a value with commas. Raises UsageError."""
    found = {}
    for part in _BETWEEN_CONFIGS.split(text):
        name, equals, value = part.partition("=")
        if not equals:
            raise UsageError(
                'requirement failed: Invalid entity config: all configs to be added must be in the format "key=val".'
            )
        found[name.strip()] = value.strip().removeprefix("[").removesuffix("]")
    return found


def _text(value: str | None) -> str:
    return "null" if value is None else value


def _complain(line: str) -> None:
    print(line, file=sys.stderr)  # noqa: T201 (for the user)


def _say(line: str) -> None:
    print(line)  # noqa: T201 (the tool's output)
