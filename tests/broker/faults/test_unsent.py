"""Files behind responses that are not sent are released."""

from __future__ import annotations

from typing import Any

from kafkacompat.broker.answers import NO_RESPONSE, Encoded
from kafkacompat.broker.faults.unsent import release, release_records
from kafkacompat.protocol.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData


class Slice:
    """Records in a file."""

    def __init__(self) -> None:
        self.released = 0

    def __len__(self) -> int:
        return 1

    def release(self) -> None:
        self.released += 1


def test_the_records_of_fetches_and_of_encoded_responses_are_released() -> None:
    slices = [Slice() for _ in range(3)]
    answers = [PartitionData(0, records=slices[0]), PartitionData(1, records=b"")]
    release(FetchResponse(responses=[FetchableTopicResponse("t", partitions=answers)]))
    encoded: list[Any] = [b"head", memoryview(b"more"), slices[1]]
    release(Encoded(encoded))
    release(NO_RESPONSE)
    release_records([PartitionData(0, records=slices[2])])
    assert [each.released for each in slices] == [1, 1, 1]
