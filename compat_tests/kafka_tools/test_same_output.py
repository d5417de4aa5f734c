"""The container's tools beside Apache Kafka's own, with the same arguments on the same broker.

Status and standard output are the same where `same` compares them, line by line. What comes in any order, or changes
from call to call, is masked. Errors begin with Kafka's words.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from compat_tests.broker_process import Broker
from compat_tests.clients.java_tools import tools as java
from compat_tests.clients.java_tools.tools import Tools
from compat_tests.tool_jvm.tools import TOOL_TIMEOUT_S, Outcome
from kafkacompat.cli.kafka_tools import KAFKA_VERSION

pytestmark = pytest.mark.api("Metadata")

ACLS = "org.apache.kafka.tools.AclCommand"
QUORUM = "org.apache.kafka.tools.MetadataQuorumCommand"
NAMES = {
    java.TOPICS: "kafka-topics", java.CONFIGS: "kafka-configs", java.GROUPS: "kafka-consumer-groups",
    java.OFFSETS: "kafka-get-offsets", java.CONSOLE_CONSUMER: "kafka-console-consumer",
    java.CONSOLE_PRODUCER: "kafka-console-producer", java.CLUSTER: "kafka-cluster", java.API_VERSIONS:
    "kafka-broker-api-versions", QUORUM: "kafka-metadata-quorum",
    ACLS: "kafka-acls",
}  # fmt: skip
OURS = "import sys; from kafkacompat.cli.kafka_tools import main; main(sys.argv[1:])"
MASKS = ((r"console-consumer-[0-9a-f-]{36}", "console-consumer-ID"), (r"\b1[789]\d{11}\b", "TIME"))


class Both:
    """Runs Kafka's tool and ours."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._at = ("--bootstrap-server", tools.bootstrap_servers)

    def file(self, content: str) -> str:
        """The path of a file with settings."""
        return self._tools.file(f"{zlib.crc32(content.encode())}.properties", content)

    def theirs(self, tool: str, *arguments: str, stdin: str = "") -> Outcome:
        return self._tools.outcome(tool, *self._with_address(tool, arguments), stdin=stdin)

    def ours(self, tool: str, *arguments: str, stdin: str = "") -> Outcome:
        return _run([sys.executable, "-c", OURS, NAMES[tool], *self._with_address(tool, arguments)], stdin)

    def same(self, tool: str, *arguments: str, masked: Callable[[str], object] = lambda text: text.splitlines()) -> str:
        """Compare status and output of both; returns ours."""
        theirs, ours = self.theirs(tool, *arguments), self.ours(tool, *arguments)
        assert (ours.status, masked(mask(ours.stdout))) == (theirs.status, masked(mask(theirs.stdout))), (ours, theirs)
        return ours.stdout

    def same_error(self, tool: str, *arguments: str) -> None:
        """Compare the status and the first words of the error."""
        theirs, ours = self.theirs(tool, *arguments), self.ours(tool, *arguments)
        assert ours.status == theirs.status == 1, (ours, theirs)
        first = unwrapped(theirs.stderr)
        said = unwrapped(ours.stderr)[: len(first)]
        assert in_one_order(said) == in_one_order(first), (ours.stderr, theirs.stderr[:500])

    def _with_address(self, tool: str, arguments: tuple[str, ...]) -> tuple[str, ...]:
        return (*arguments, *self._at) if tool == java.CLUSTER else (*self._at, *arguments)


@pytest.fixture
def both(broker: Broker, tmp_path: Path, needs_java: None) -> Both:
    """Kafka's tools and ours, on the broker of the test."""
    return Both(Tools(broker.bootstrap_servers, tmp_path))


@pytest.fixture
def orders(both: Both, topic: str) -> str:
    """A topic of three partitions and ten records."""
    both.ours(java.TOPICS, "--create", "--topic", topic, "--partitions", "3")
    lines = "".join(f"{n}:{n}\n" for n in range(10))
    keyed = ("--reader-property", "parse.key=true", "--reader-property", "key.separator=:")
    assert both.ours(java.CONSOLE_PRODUCER, "--topic", topic, *keyed, stdin=lines).status == 0
    return topic


def mask(text: str) -> str:
    """Without what differs from call to call, and without padding at the end of lines."""
    for pattern, instead in MASKS:
        text = re.sub(pattern, instead, text)
    return "\n".join(line.rstrip() for line in text.splitlines())


def unwrapped(stderr: str) -> str:
    """The first sentence of an error, without the class of an exception, usage and line breaks in between."""
    lines = [line for line in stderr.splitlines() if not line.startswith(("WARN", "usage", "ERROR", " ", "\t"))]
    text = re.sub(r"^Exception in thread \"main\" [\w.]+: ", "", " ".join(lines))
    text = re.split(r"joptsimple|java\.lang|java\.util|Option  ", text)[0]
    return re.split(r" \(choose from| \[\[", re.sub(r"\s+", " ", text))[0].strip()


def in_one_order(error: str) -> str:
    """The text with the options that it lists sorted: Java's sets list them in another order in each call."""
    options = iter(sorted(re.findall(r"\[[\w-]+\]", error)))
    return re.sub(r"\[[\w-]+\]", lambda _: next(options), error)


def in_any_order(text: str) -> object:
    return sorted(text.splitlines())


def in_any_order_within(text: str) -> object:
    """Lines as they are, with lists after `Configs:` and in braces in any order."""
    return sorted(str(sorted(re.split(r"[,\s]+", line))) for line in text.splitlines())


def _run(command: list[str], stdin: str) -> Outcome:
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=TOOL_TIMEOUT_S)
    return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.mark.api("CreateTopics", "DeleteTopics", "CreatePartitions", "DescribeConfigs")
def test_topics(both: Both, orders: str) -> None:
    """And what each tool says of its version, for which it asks no broker."""
    for tool in (
        ACLS, java.API_VERSIONS, java.CONFIGS, java.CONSOLE_CONSUMER, java.CONSOLE_PRODUCER, java.GROUPS, java.OFFSETS,
        java.TOPICS,
    ):  # fmt: skip
        assert both.same(tool, "--version") == f"{KAFKA_VERSION}\n"
    for arguments in (
        ("--describe", "--topic", orders), ("--describe", "--topic", "missing"),
        ("--describe", "--topic", "missing", "--if-exists"), ("--describe", "--under-replicated-partitions"),
        ("--create", "--topic", orders), ("--create", "--topic", "or!"), ("--delete", "--topic", "missing"),
        ("--alter", "--topic", orders, "--partitions", "1"),
    ):  # fmt: skip
        both.same(java.TOPICS, *arguments, masked=in_any_order_within)
    both.same(java.TOPICS, "--list", masked=in_any_order)
    created = both.ours(java.TOPICS, "--create", "--topic", f"{orders}.a", "--config", "cleanup.policy=compact,delete")
    assert created.stdout.splitlines()[1] == f"Created topic {orders}.a."
    both.same(java.TOPICS, "--describe", "--topic", f"{orders}.a", masked=in_any_order_within)
    for wrong in (("--unheard",), (), ("--create",), ("--list", "--describe"), ("--topic",)):
        both.same_error(java.TOPICS, *wrong)
    deleted = both.ours(java.TOPICS, "--delete", "--topic", f"{orders}.a")
    assert deleted == both.theirs(java.TOPICS, "--delete", "--topic", orders) == Outcome(0, "", "")


@pytest.mark.api("DescribeConfigs", "IncrementalAlterConfigs")
def test_configs(both: Both, orders: str) -> None:
    entity = ("--entity-type", "topics", "--entity-name", orders)
    changes = "retention.ms=1000,cleanup.policy=[compact,delete]"
    altered = both.ours(java.CONFIGS, "--alter", *entity, "--add-config", changes)
    assert altered == both.theirs(java.CONFIGS, "--alter", *entity, "--add-config", changes)
    for arguments in (
        (*entity,), (*entity, "--all"), ("--topic", orders), ("--topic", "missing"), ("--broker", "1"),
        ("--entity-type", "brokers", "--entity-default"), ("--entity-type", "brokers"), ("--group", "nobody"),
    ):  # fmt: skip
        both.same(java.CONFIGS, "--describe", *arguments)
    both.same(java.CONFIGS, "--alter", "--topic", orders, "--delete-config", "retention.ms")
    described = both.same(java.CONFIGS, "--describe", "--topic", orders)
    assert "retention.ms" not in described
    assert "  cleanup.policy=compact,delete sensitive=false" in described
    for wrong in (
        ("--alter", "--topic", orders, "--add-config", "retention.ms=soon"), ("--alter", "--topic", orders),
        ("--unheard",), ("--describe",), ("--describe", "--entity-type", "shoes"), (),
        ("--alter", "--topic", "missing", "--add-config", "retention.ms=1"),
    ):  # fmt: skip
        both.same_error(java.CONFIGS, *wrong)


@pytest.mark.api("ListGroups", "DescribeGroups", "OffsetFetch", "OffsetCommit", "DeleteGroups", "OffsetDelete")
def test_groups_without_members(both: Both, orders: str, group: str) -> None:
    read = ("--topic", orders, "--group", group, "--from-beginning", "--max-messages")
    first = both.ours(java.CONSOLE_CONSUMER, *read, "6")
    second = both.theirs(java.CONSOLE_CONSUMER, *read, "4")
    assert sorted(first.stdout.split() + second.stdout.split()) == [str(n) for n in range(10)], (first, second)
    assert group in both.ours(java.GROUPS, "--list").stdout.split()
    both.same(java.GROUPS, "--list", masked=in_any_order)

    def header_and_group(text: str) -> object:  # groups of other tests may change their state between the calls
        return [line for line in text.splitlines() if line.startswith(("GROUP", group))]

    listed = both.same(java.GROUPS, "--list", "--state", masked=header_and_group)
    assert [line.split() for line in listed.splitlines() if group in line] == [[group, "Empty"]]
    for view in ((), ("--state",), ("--members",), ("--verbose",), ("--members", "--verbose")):
        both.same(java.GROUPS, "--describe", "--group", group, *view)
        both.same(java.GROUPS, "--describe", "--group", f"no-{group}", *view)
    reset = ("--reset-offsets", "--group", group)
    for scenario in (
        ("--topic", orders, "--to-earliest", "--dry-run"), ("--all-topics", "--to-current", "--export", "--dry-run"),
        ("--topic", f"{orders}:0,1", "--to-offset", "2", "--execute"),
        ("--topic", orders, "--to-offset", "500", "--execute"),
        ("--topic", orders, "--to-datetime", "2020-01-01T00:00:00.000", "--execute"),
        ("--topic", orders, "--by-duration", "PT1H", "--execute"), ("--topic", orders, "--to-latest", "--execute"),
    ):  # fmt: skip
        both.same(java.GROUPS, *reset, *scenario, masked=in_any_order)
    both.same(java.GROUPS, *reset, "--topic", orders, "--shift-by", "-1", "--dry-run", masked=in_any_order)
    for wrong in (("--unheard",), (), ("--describe",), (*reset, "--topic", orders), (*reset, "--to-latest")):
        both.same_error(java.GROUPS, *wrong)
    both.same(java.GROUPS, "--delete-offsets", "--group", group, "--topic", "missing")
    both.same(java.GROUPS, "--delete-offsets", "--group", f"no-{group}", "--topic", orders)
    assert "Successful" in both.ours(java.GROUPS, "--delete-offsets", "--group", group, "--topic", f"{orders}:0").stdout
    both.same(java.GROUPS, "--delete", "--group", f"no-{group}")
    deleted = both.ours(java.GROUPS, "--delete", "--group", group)
    assert deleted.stdout == f"Deletion of requested consumer groups ('{group}') was successful.\n"


@pytest.mark.api("JoinGroup", "SyncGroup", "Heartbeat")
def test_a_group_whose_members_are_of_both(both: Both, orders: str, group: str, broker: Broker) -> None:
    """Kafka's consumer and ours share the partitions, and each tool describes the same."""
    arguments = ("--topic", orders, "--group", group, "--from-beginning")
    with (
        subprocess.Popen(both._tools.command(java.CONSOLE_CONSUMER, *both._at, *arguments), stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL) as theirs,
        subprocess.Popen([sys.executable, "-c", OURS, NAMES[java.CONSOLE_CONSUMER], *both._at, *arguments],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as ours,
    ):  # fmt: skip
        try:
            deadline = time.monotonic() + TOOL_TIMEOUT_S
            while True:
                described = both.ours(java.GROUPS, "--describe", "--group", group, "--members", "--verbose").stdout
                if described.count(f"{orders}:") == 2:
                    break
                assert time.monotonic() < deadline, described
            assert sorted(re.findall(rf"{orders}:(\S+)", described)) == ["0,1", "2"]
            view = ("--describe", "--group", group)
            for flags in ((), ("--members",), ("--members", "--verbose"), ("--state",)):
                both.same(java.GROUPS, *view, *flags, masked=in_any_order_within)
            both.same(java.GROUPS, "--delete", "--group", group)
            both.same(java.GROUPS, "--reset-offsets", "--group", group, "--topic", orders, "--to-latest", "--execute")
            both.same(java.GROUPS, "--delete-offsets", "--group", group, "--topic", orders)
        finally:
            theirs.kill()
            ours.kill()


@pytest.mark.api("ListOffsets", "DescribeQuorum", "ApiVersions")
def test_offsets_quorum_cluster_and_versions(both: Both, orders: str) -> None:
    for arguments in ((), ("--time", "earliest"), ("--partitions", "0,2"), ("--time", "9999999999999")):
        both.same(java.OFFSETS, "--topic", orders, *arguments)
    for wrong in (("--topic", "missing"), ("--topic", orders, "--partitions", "9"), ("--unheard",)):
        both.same_error(java.OFFSETS, *wrong)

    def without_numbers(text: str) -> object:
        return re.sub(r"\b\d{1,6}\b", "N", re.sub(r" +", " ", text))

    both.same(QUORUM, "describe", "--status", masked=without_numbers)
    both.same(QUORUM, "describe", "--replication", masked=without_numbers)
    both.same(QUORUM, "describe", "--replication", "--human-readable", masked=without_numbers)
    for wrong in ((), ("describe",), ("describe", "--status", "--replication"), ("shoe",)):
        both.same_error(QUORUM, *wrong)
    both.same(java.CLUSTER, "cluster-id")
    both.same(java.CLUSTER, "list-endpoints")

    def supported(text: str) -> object:
        found = re.findall(r"^\t(\w+\(\d+\): \d+(?: to \d+)?) ", text, re.M)
        return text.splitlines()[0], sorted(found)

    both.same(java.API_VERSIONS, masked=supported)


@pytest.mark.api("Produce", "Fetch")
def test_console(both: Both, orders: str) -> None:
    everything = [f"print.{what}=true" for what in ("timestamp", "partition", "offset", "headers", "key", "value")]
    flags = [flag for each in everything for flag in ("--formatter-property", each)]
    read = ("--topic", orders, "--from-beginning", "--max-messages", "10")
    both.same(java.CONSOLE_CONSUMER, *read, *flags, masked=in_any_order)
    both.same(java.CONSOLE_CONSUMER, "--topic", orders, "--partition", "0", "--offset", "1", "--timeout-ms", "4000")
    for wrong in (
        ("--unheard",), (), ("--topic", orders, "--offset", "2"),
        ("--topic", orders, "--partition", "0", "--group", "g"),
    ):  # fmt: skip
        both.same_error(java.CONSOLE_CONSUMER, *wrong)
    for wrong in (("--unheard",), ()):
        both.same_error(java.CONSOLE_PRODUCER, *wrong)


@pytest.mark.api("Produce", "Fetch", "Metadata")
def test_files_with_settings_of_clients(both: Both, orders: str, group: str) -> None:
    file = both.file
    plain = file("client.id=me\ndefault.api.timeout.ms=40000\nbootstrap.servers=127.0.0.1:1\nfoo.bar=1\n")
    for tool, arguments in (
        (java.TOPICS, ("--describe", "--topic", orders)), (java.GROUPS, ("--describe", "--group", f"no-{group}")),
        (java.CONFIGS, ("--describe", "--topic", orders)), (java.OFFSETS, ("--topic", orders)),
    ):  # fmt: skip
        both.same(tool, *arguments, "--command-config", plain, masked=in_any_order_within)
    both.same(java.CLUSTER, "cluster-id", "--config", plain)
    member = file(f"group.id={group}\nauto.offset.reset=earliest\n")
    first = both.ours(java.CONSOLE_CONSUMER, "--topic", orders, "--command-config", member, "--max-messages", "10")
    assert sorted(first.stdout.split()) == [str(n) for n in range(10)]
    consumed = ("--topic", orders, "--consumer.config", member, "--timeout-ms", "6000")
    both.same(java.CONSOLE_CONSUMER, *consumed)
    producer = file("acks=1\ncompression.type=shoe\n")  # the flag's default wins over the file's compression
    sent = ("--topic", orders, "--producer.config", producer)
    ours, theirs = (send(java.CONSOLE_PRODUCER, *sent, stdin="a\n") for send in (both.ours, both.theirs))
    assert ours == theirs
    both.same_error(java.CONSOLE_CONSUMER, *consumed, "--group", "other")
    both.same_error(java.CONSOLE_CONSUMER, "--topic", orders, "--partition", "0", "--command-config", member)
    for tool, flag in ((java.CONSOLE_CONSUMER, "--consumer.config"), (java.CONSOLE_PRODUCER, "--producer.config")):
        both.same_error(tool, "--topic", orders, "--command-config", plain, flag, plain)
    for wrong, says in (
        ("/nowhere.properties", "java.nio.file.NoSuchFileException: /nowhere.properties"),
        (file("request.timeout.ms=soon\n"), "Invalid value soon for configuration request.timeout.ms: Not a number"),
        (file("security.protocol=SHOE\n"), "Invalid value SHOE for configuration security.protocol: String must be"),
    ):  # fmt: skip
        for tool, arguments in (
            (java.TOPICS, ("--list",)), (java.CONFIGS, ("--describe", "--topic", orders)),
            (java.GROUPS, ("--list",)), (java.OFFSETS, ("--topic", orders)),
            (java.CONSOLE_PRODUCER, ("--topic", orders)), (java.CONSOLE_CONSUMER, ("--topic", orders)),
        ):  # fmt: skip
            theirs, ours = (run(tool, *arguments, "--command-config", wrong) for run in (both.theirs, both.ours))
            assert ours.status == theirs.status, (ours, theirs)
            assert says in theirs.stdout + theirs.stderr, theirs
            assert says in ours.stdout + ours.stderr, ours


@pytest.mark.api("ApiVersions")
def test_there_are_no_acls(both: Both, orders: str, broker: Broker) -> None:
    allow = ("--allow-principal", "User:ann", "--operation", "Read", "--topic", orders)
    for arguments, why in (
        (("--list",), " on the broker"), (("--list", "--topic", orders), " on the broker"),
        (("--add", *allow), " on the broker"), (("--remove", *allow, "--force"), ""),
    ):  # fmt: skip
        says = f"org.apache.kafka.common.errors.SecurityDisabledException: No Authorizer is configured{why}"
        ours = both.ours(ACLS, *arguments)
        assert (ours.status, ours.stdout) == (1, f"Error while executing ACL command: {says}\n")
        if broker.kind == "kafka":
            theirs = both.theirs(ACLS, *arguments)
            assert theirs.status == 1
            assert ours.stdout.rstrip(".\n") in theirs.stdout, theirs
    for wrong in (
        (), ("--unheard",), ("--list", "--add"), ("--add", "--topic", orders),
        ("--add", "--allow-principal", "User:ann", "--operation", "Read"),
    ):  # fmt: skip
        both.same_error(ACLS, *wrong)


@pytest.mark.api("ApiVersions")
def test_there_are_no_users(both: Both, broker: Broker) -> None:
    ann = ("--entity-type", "users", "--entity-name", "ann")
    for view in (("--entity-type", "users"), ann, ("--user", "ann"), ("--entity-type", "users", "--entity-default")):
        if broker.kind == "kafka":
            assert both.theirs(java.CONFIGS, "--describe", *view) == Outcome(0, "", "")
        else:
            assert both.ours(java.CONFIGS, "--describe", *view) == Outcome(0, "", "")
    if broker.kind == "kafka":
        assert "this broker may have some" in both.ours(java.CONFIGS, "--describe", *ann).stderr
        return
    both.same_error(java.CONFIGS, "--alter", *ann, "--add-config", "shoe=1")
    for config in ("SCRAM-SHA-256=[iterations=4096,password=x]", "producer_byte_rate=1000"):
        both.same_error(java.CONFIGS, "--alter", *ann, "--add-config", config)
