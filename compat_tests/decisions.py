"""Where our broker is meant to answer otherwise than Apache Kafka, and why. Any other difference fails a test."""

from __future__ import annotations

import re
from typing import NamedTuple

from compat_tests.api.raw import Difference


class Decision(NamedTuple):
    """A difference that is meant: in the tests `where`, at paths that match `path`, between the two values."""

    name: str
    where: str
    """Pattern of the test modules' names, without `test_`."""
    path: str
    ours: str
    """Pattern of our value's repr; `theirs` likewise."""
    theirs: str
    why: str
    kafka: str = ".*"
    """Pattern of the releases of Apache Kafka that answer so."""

    def covers(self, module: str, found: Difference, release: str) -> bool:
        """Whether the difference is the one that is meant."""
        return bool(
            re.fullmatch(self.kafka, release)
            and re.fullmatch(self.where, module)
            and re.search(self.path, found.path)
            and re.fullmatch(self.ours, repr(found.ours), re.S)
            and re.fullmatch(self.theirs, repr(found.theirs), re.S)
        )


TEXT = r"[\'\"].+[\'\"]"

DECISIONS = (
    Decision(
        "the end of a transactional id that is not committed", "pending_transactions",
        r"^\.a new id\.(commit|abort), .* v[0-4]\.error_code$", "51", "49",
        "What is not committed may be lost: EndTxn has to come again.",
    ),
    Decision(
        "the description of a transactional id that is not committed", "pending_transactions",
        r"^\.a new id\.describe v0\.transaction_states\[0\]\.\w+$", "105|''|0", r"0|'Empty'|900000|-1|'\*'",
        "What is not committed may be lost: DescribeTransactions does not find it.",
    ),
    Decision(
        "the epoch of a transactional id that is not committed", "pending_transactions",
        r"\.(commit|abort), an epoch to come v[0-4]\.error_code$", "51", "47|90",
        "After an election it may be committed, though the broker does not know it yet: its producer comes again.",
    ),
    Decision(
        "messages in our own words", ".*", r"error_message$", TEXT, TEXT,
        "Text for people: both say something or neither does. Clients decide by the error code.",
    ),
    Decision(
        "where the broker runs", "describe_configs",
        r"^\.(process\.roles|log\.dirs|listeners|listener\.security\.protocol\.map|controller\.quorum\.bootstrap\.servers"
        r"|controller\.listener\.names|advertised\.listeners)\.",
        ".*", ".*",
        "Each runs at an address and in a directory of its own; a lone voter needs no settings to find its controller.",
    ),
    Decision(
        "an unknown topic's configs", "describe_configs|generated",
        r"^\.(.*unknown topic.*|all of them.*|configs)\.results.*error_message$", TEXT, "''",
        "Text for people where Kafka has an empty one.",
    ),
    Decision(
        "log levels of single loggers", "describe_configs", r"^\.loggers, ", ".*", ".*",
        "Kafka's loggers are Java classes that are not here; --log-level sets the level. INVALID_REQUEST says so.",
    ),
    Decision(
        "a topic that is named twice", "offset_commit|offset_delete", r"the topic twice.*\.topics$", ".*", ".*",
        "Each naming is answered on its own; Kafka makes one of them when a partition is unknown. No client does it.",
    ),
    Decision(
        "a nameless member's id used with a name", "static_members", r"^\.that id with a name\.(error_code|member_id)$",
        ".*", "-1|''",
        "INVALID_REQUEST names what is wrong; Kafka stumbles and answers UNKNOWN_SERVER_ERROR.",
    ),
    Decision(
        "a topic without a name is described", "describe_cluster", r"^\.no name\.topics\[0\]", ".*", ".*",
        "INVALID_TOPIC_EXCEPTION names what is wrong; Kafka stumbles and answers UNKNOWN_SERVER_ERROR.",
    ),
    Decision(
        "an unknown operation on a config", "alter_configs", r"^\.unknown operation\..*error_message$", TEXT, "None",
        "Text for people where Kafka has none.",
    ),
    Decision(
        "text that is not UTF-8", "malformed", r"^\.said$", ".*closed.*", r"\{.*",
        "Such a frame is malformed and its connection is closed; Kafka replaces what it cannot read and goes on.",
    ),
    Decision(
        "metadata of a topic without name and id", "cluster_many", r"^\.neither(, by name)?\.", ".*", ".*",
        "UNKNOWN_TOPIC_ID for that one and an answer for the others; Kafka stumbles over the null name and answers "
        "UNKNOWN_SERVER_ERROR to the whole question.",
    ),
    Decision(
        "a length below that of null", "spoiled_requests", r"^\.negative$", ".*closed.*", ".answered.",
        "A list with a length below that of null is malformed and its connection is closed; Kafka takes it for null "
        "where a list may be null.",
    ),
    Decision(
        "compressed records that are broken", "readers", r"^\.(gzip|snappy|zstd), (cut|rubbish)$", "2", "-1",
        "CORRUPT_MESSAGE, where the topic has batches compressed anew, names what is wrong; Kafka stumbles and answers "
        "UNKNOWN_SERVER_ERROR.",
    ),
    Decision(
        "negative limits are none", "fetch_many|generated",
        r"^\.(-1 bytes in all|negative bytes, level .|fetch of a negative size)\.responses",
        ".*", ".*",
        "A limit below 0 is taken as 0, which brings one batch; Kafka stumbles and answers UNKNOWN_SERVER_ERROR.",
    ),
    Decision(
        "share groups are not implemented", "find_coordinator", r"^\.share group", ".*", ".*",
        "There is no share coordinator: INVALID_REQUEST and a message that says so.",
    ),
    Decision(
        "unknown compression codec", "produce", r"^\.unknown codec\.", ".*", ".*",
        "UNSUPPORTED_COMPRESSION_TYPE names what is wrong; Kafka stumbles and answers UNKNOWN_SERVER_ERROR.",
    ),
    Decision(
        "malformed batches have no message", "produce|produce_many",
        r"^\.(unknown magic|magic 3|negative magic|tiny length|length 0|negative length)\..*error_message$",
        "None", TEXT,
        "Text for people, which Kafka gives for some malformed batches and not for others.",
    ),
    Decision(
        "a length beyond all records", "produce_many", r"^\.huge length\..*error_code$", "87", "-1",
        "INVALID_RECORD, as for any other batch that is not whole; Kafka stumbles and answers UNKNOWN_SERVER_ERROR.",
    ),
    Decision(
        "batches stay closed", "produce_many|readers",
        r"^\.records that are wrong: .*\.(error_code|base_offset|stored)$|^\.lz4, (cut|rubbish)$",
        r"0|b[\'\"].*", r"-?[0-9]+|b[\'\"].*",
        "Records are not opened on their way into the log, which is what makes it fast: the checksum proves that a "
        "batch is what its producer made. Kafka opens each batch, refuses one whose records do not add up and mends a "
        "largest timestamp that is not the largest.",
    ),
    Decision(
        "a refused commit makes no group", "generated",
        r"^\.(delete groups|forget offsets|commit) after a refused commit\."
        r"(results\[.+\]\.error_code|error_code|topics.*)$",
        r"69|22|None|\[\]", r"0|25|[\[{].*",
        "GROUP_ID_NOT_FOUND for a group whose only commit was refused for its metadata, and ILLEGAL_GENERATION for a "
        "commit of one who claims to be its member. Kafka keeps an empty group in memory that it neither lists nor "
        "describes, and says UNKNOWN_MEMBER_ID.",
    ),
    Decision(
        "the leader's own directory", "controller", r"current_voters\[\d\]\.replica_directory_id$", r"'\*'",
        r"b'(\\x00)+'",
        "With voters from the configuration, Apache Kafka's leader tells the directories of those that fetch from "
        "it and not its own; ours tells all.",
    ),
)  # fmt: skip
