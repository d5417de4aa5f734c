"""A request survives the way to another process."""

from kafkacompat.storage.compaction.request import Request
from kafkacompat.storage.memfs import MemFs
from tests.storage.compaction.logs import request, write
from tests.storage.support import open_log


def test_a_request_is_one_line_that_says_all() -> None:
    log = open_log(MemFs())
    put = [("put", producer, [(b"k", b"v")], 0) for producer in (1, 2, None)]
    write(log, [*put, ("abort", 1), ("commit", 2), ("roll",), *put, ("abort", 1)])
    sent, _ = request(log)
    assert sent.aborted
    assert sent.indexed
    line = sent.encode()
    assert "\n" not in line
    got = Request.decode(line)
    assert {name: getattr(got, name) for name in Request.__slots__} == {
        name: getattr(sent, name) for name in Request.__slots__
    }
