"""Error codes are Kafka's."""

from kio.schema.errors import ErrorCode

from kafkacompat.protocol import error_codes


def constants() -> dict[str, int]:
    return {key: value for key, value in vars(error_codes).items() if key.isupper() and isinstance(value, int)}


def test_all_codes_of_kafka() -> None:
    assert constants() == {code.name.upper(): int(code) for code in ErrorCode}
    assert {int(code) for code in ErrorCode if code.retriable} == error_codes.RETRIABLE


def test_names() -> None:
    assert error_codes.name(error_codes.NONE) == "NONE"
    assert error_codes.name(-1) == "UNKNOWN_SERVER_ERROR"
    assert error_codes.name(12345) == "unknown error 12345"
