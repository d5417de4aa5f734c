"""How the descriptors of a process are divided."""

import pytest

from kafkacompat.server.descriptors import connection_capacity, segment_files


@pytest.mark.parametrize("limit", [256, 1024, 4096, 1 << 20])
def test_connections_and_segments_leave_some(limit: int) -> None:
    assert segment_files(limit) >= limit // 8
    assert connection_capacity(limit) + segment_files(limit) <= limit * 7 // 8
