"""`kafka-acls`: the broker has no authorizer, and this says so as Kafka's tool does of one without."""

from __future__ import annotations

from kafkacompat.cli.kafka_tools.arguments import Arguments, ToolError, UsageError, parse
from kafkacompat.cli.kafka_tools.tool_client import CONFIG, SERVERS, client_of
from kafkacompat.protocol import api_keys
from kafkacompat.protocol import error_codes as errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafkacompat.client.client import Client

ACTIONS = ("--list", "--add", "--remove")
PRINCIPALS = ("--allow-principal", "--deny-principal")
RESOURCES = ("--topic", "--group", "--transactional-id", "--delegation-token", "--user-principal")
VALUED = (
    *SERVERS, CONFIG, *PRINCIPALS, *RESOURCES, "--allow-host", "--deny-host", "--operation", "--principal",
    "--resource-pattern-type",
)  # fmt: skip
SWITCHES = (*ACTIONS, "--cluster", "--consumer", "--producer", "--idempotent", "--force")
DISABLED = "org.apache.kafka.common.errors.SecurityDisabledException: No Authorizer is configured"
ANY = 1
"""A filter's type, operation or permission that matches all."""
ANY_PATTERN = 1


def run(arguments: list[str]) -> int:
    """Run the tool."""
    given = parse(arguments, VALUED, SWITCHES)
    _check(given)
    with client_of(given) as client:
        if _has_authorizer(client):
            raise ToolError("this broker has an authorizer: list and change its ACLs with Apache Kafka's own tool")
    says = DISABLED if "--remove" in given else f"{DISABLED} on the broker"
    print(f"Error while executing ACL command: {says}")  # noqa: T201 (Kafka's tool says it there)
    return 1


def _check(given: Arguments) -> None:
    if given.get(*SERVERS) is None:
        raise UsageError("One of --bootstrap-server or --bootstrap-controller must be specified")
    if sum(action in given for action in ACTIONS) != 1:
        raise UsageError(f"Command must include exactly one action: {', '.join(ACTIONS)}. ")
    if "--list" in given:
        return
    if not any(flag in given for flag in (*RESOURCES, "--cluster")):
        raise UsageError(
            "You must provide at least one resource: --topic <topic> or --cluster or --group <group> or "
            "--delegation-token <Delegation Token ID>"
        )
    if "--add" in given and not any(flag in given for flag in PRINCIPALS):
        raise UsageError(f"You must specify one of: {', '.join(PRINCIPALS)} when trying to add ACLs.")


def _has_authorizer(client: Client) -> bool:
    if api_keys.DESCRIBE_ACLS not in client.any_connection().versions:
        return False
    from kafkacompat.protocol.messages import describe_acls as messages

    request = messages.DescribeAclsRequest(ANY, None, ANY_PATTERN, None, None, ANY, ANY)
    response: messages.DescribeAclsResponse = client.call(messages, request)
    return bool(response.error_code != errors.SECURITY_DISABLED)
