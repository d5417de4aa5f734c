"""`error`: answers a request, or some entities of it, with an error code, before the work or after it."""

from typing import ClassVar

from kafkacompat.broker.faults.action import AFTER, BEFORE
from kafkacompat.broker.faults.joining import failure_of
from kafkacompat.broker.faults.rule_errors import near
from kafkacompat.broker.faults.shapes import shape_of
from kafkacompat.broker.faults.unsent import release
from kafkacompat.protocol import api_keys
from kafkacompat.protocol import error_codes as errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kafkacompat.broker.answers import Response
    from kafkacompat.broker.faults.action import Match
    from kafkacompat.broker.faults.reading import Reader
    from kafkacompat.broker.faults.selectors import Selectors
    from kafkacompat.broker.faults.turn import Turn

TOP, ENTITY = "top", "entity"
CODES = {name: value for name, value in vars(errors).items() if name.isupper() and isinstance(value, int)}
TIMES_OUT_AFTER_THE_WORK = frozenset(
    (
        api_keys.PRODUCE, api_keys.WRITE_TXN_MARKERS, api_keys.DELETE_RECORDS, api_keys.OFFSET_COMMIT,
        api_keys.TXN_OFFSET_COMMIT, api_keys.DELETE_GROUPS, api_keys.ALTER_SHARE_GROUP_OFFSETS,
        api_keys.DELETE_SHARE_GROUP_OFFSETS, api_keys.CREATE_TOPICS, api_keys.DELETE_TOPICS, api_keys.CREATE_PARTITIONS,
        api_keys.ELECT_LEADERS, api_keys.ALTER_PARTITION_REASSIGNMENTS, api_keys.ALTER_CONFIGS,
        api_keys.INCREMENTAL_ALTER_CONFIGS, api_keys.CREATE_ACLS, api_keys.DELETE_ACLS, api_keys.ALTER_CLIENT_QUOTAS,
        api_keys.ALTER_USER_SCRAM_CREDENTIALS, api_keys.UPDATE_FEATURES,
    )
)  # fmt: skip
"""The APIs that a broker may have carried out when it answers REQUEST_TIMED_OUT (as in kfake 1.22)."""
HINTS = frozenset((api_keys.PRODUCE, api_keys.FETCH))


def works_by_default(api_key: int, error_code: int) -> str:
    """When a broker answers with this error: mostly before the work, with some errors after it."""
    if error_code == errors.REQUEST_TIMED_OUT and api_key in TIMES_OUT_AFTER_THE_WORK:
        return AFTER
    if error_code == errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND and api_key in (
        api_keys.PRODUCE, api_keys.WRITE_TXN_MARKERS,
    ):  # fmt: skip
        return AFTER
    return BEFORE


class ErrorAction:
    """code: the error code. level: `top` fails the whole request, `entity` the matched entities; None: entities if the
    response has errors for them. work: `before` refuses, `after` does the work and then answers with the error; None:
    as a broker does with this code. leader_hint: True names the partition's leader in the answer, a number this broker.
    """

    kind: ClassVar[str] = "error"
    shorthand: ClassVar[str] = "code"

    def __init__(self, code: int, level: str | None, work: str | None, leader_hint: "bool | int") -> None:
        self.code = code
        self.level = level
        self.work = work
        self.leader_hint = leader_hint

    @classmethod
    def read(cls, reader: "Reader") -> "ErrorAction":
        """Its members."""
        level = reader.choice("level", (TOP, ENTITY), "") or None
        work = reader.choice("work", (BEFORE, AFTER), "") or None
        hint = reader.take("leader_hint")
        if hint is not None and not isinstance(hint, bool) and (not isinstance(hint, int) or hint < 0):
            reader.mistake("leader_hint", "give true for the partition's leader, or a broker's id")
        return cls(_code(reader), level, work, False if hint is None else hint)

    def check(self, reader: "Reader", selectors: "Selectors") -> None:
        """Entities need an API that has them, hints Produce or Fetch."""
        from kafkacompat.broker.faults.selectors import versions_of
        from kafkacompat.broker.registry import APIS

        if self.level == ENTITY or self.leader_hint is not False:
            with_errors = {
                key
                for key in selectors.keys
                if any(shape_of(key, version).has_errors for version in versions_of(APIS[key]))
            }
            if self.level == ENTITY and selectors.keys and not with_errors:
                names = ", ".join(APIS[key].stem for key in sorted(selectors.keys))
                reader.cannot("level", f"{names} has errors for whole requests only: use level top")
        if self.leader_hint is not False and not selectors.keys & HINTS:
            reader.cannot("leader_hint", "only the answers of produce and fetch name leaders")

    def work_for(self, turn: "Turn") -> str:
        """Whether the work is done first."""
        return self.work or works_by_default(turn.api.key, self.code)

    def is_of_entities(self, turn: "Turn", match: "Match") -> bool:
        """Whether it fails some entities."""
        return self.level != TOP and (match.is_listing or (turn.shape.has_errors and bool(match.entities)))

    def act(self, turn: "Turn", match: "Match") -> None:  # noqa: ARG002 (as Action)
        """Fail the whole request."""
        from kafkacompat.broker.faults.entity_answers import fail_unanswered, is_unanswered

        if is_unanswered(turn):
            fail_unanswered(turn, self.code, does_work=self.work_for(turn) == AFTER)
        elif self.work_for(turn) == BEFORE:
            turn.answer(failure_of(turn.shape, turn.request, turn.entities, self.code))
        else:

            def answered(response: "Response") -> None:
                release(response)
                turn.answer(failure_of(turn.shape, turn.request, turn.entities, self.code))

            turn.proceed(answered)

    def as_dict(self) -> "dict[str, Any]":
        """As written in a rule."""
        found: dict[str, Any] = {"code": errors.name(self.code) if self.code in CODES.values() else self.code}
        if self.level:
            found["level"] = self.level
        if self.work:
            found["work"] = self.work
        if self.leader_hint is not False:
            found["leader_hint"] = self.leader_hint
        return found


def _code(reader: "Reader") -> int:
    given = reader.take("code")
    if given is None:
        return errors.UNKNOWN_SERVER_ERROR
    if isinstance(given, str) and given.upper() in CODES:
        given = CODES[given.upper()]
    if type(given) is not int or not errors.UNKNOWN_SERVER_ERROR <= given < 2**15:
        hint = near(given, [name.lower() for name in CODES]).upper() if isinstance(given, str) else ""
        reader.mistake("code", f"{given!r:.60} is no error code of Kafka", hint)
        return errors.UNKNOWN_SERVER_ERROR
    if given == errors.NONE:
        reader.mistake("code", "NONE is no error: to count requests use observe")
    return given
