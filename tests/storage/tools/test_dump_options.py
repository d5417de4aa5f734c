"""The options of a dump."""

from kafkacompat.storage import record_decoders
from kafkacompat.storage.tools.dump_options import EVERYTHING, DumpOptions


def test_a_decoder_means_each_record() -> None:
    assert not DumpOptions().is_deep
    assert DumpOptions(is_deep=True).decoder is None
    assert DumpOptions(decoder=record_decoders.contents()).is_deep
    assert DumpOptions().max_bytes == EVERYTHING
