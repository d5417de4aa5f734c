import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacompat.storage import checkpoints as c
from kafkacompat.storage.memfs import MemFs


@pytest.fixture
def fs():
    return MemFs()


def put(fs, text):
    fs.write_atomic("f", text if isinstance(text, bytes) else text.encode(), sync=False)


def test_offsets_are_written_as_kafka_does(fs):
    c.write_offsets(fs, "f", {("b", 0): 100, ("a.b-c", 11): 7, ("a.b-c", 2): 0}, sync=True)
    assert fs.read_bytes("f") == b"0\n3\na.b-c 2 0\na.b-c 11 7\nb 0 100\n"
    c.write_offsets(fs, "f", {}, sync=False)
    assert fs.read_bytes("f") == b"0\n0\n"


names = st.from_regex(r"[a-zA-Z0-9._-]{1,20}", fullmatch=True)


@given(st.dictionaries(st.tuples(names, st.integers(0, 9999)), st.integers(0, 2**63 - 1), max_size=8))
def test_offsets_round_trip(offsets):
    fs = MemFs()
    c.write_offsets(fs, "f", offsets, sync=False)
    assert c.read_offsets(fs, "f") == offsets


def test_offsets_of_a_missing_or_empty_file(fs):
    assert c.read_offsets(fs, "f") == {}
    put(fs, "")
    assert c.read_offsets(fs, "f") == {}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("1\n0\n", "line 1"),
        ("0\n", "line 2"),
        ("0\n-1\n", "line 2"),
        ("0\n1\n", "line 2"),
        ("0\n0\nt 0 1\n", "line 2"),
        ("0\n2\nt 0 1\nt 1\n", "line 4"),
        ("0\n1\nt zero 1\n", "line 3"),
        ("0\n1\nt 0 1.5\n", "line 3"),
        (b"0\n1\n\xff\xfe 0 1\n", "f: is no text"),
        ("0\n2\nt 0 1\nt 1 1\n", ""),
        ("0\n2\nt 0 1\nt 1 14", "line 4: the line has no end"),
    ],
)
def test_corrupt_offsets(fs, text, place):
    put(fs, text)
    if not place:
        assert c.read_offsets(fs, "f") == {("t", 0): 1, ("t", 1): 1}
        return
    with pytest.raises(c.CheckpointError, match=place) as caught:
        c.read_offsets(fs, "f")
    assert str(caught.value).startswith("f")


META = """#
#Sat Nov 21 09:14:52 UTC 2026
node.id=1
directory.id=Sl3dTU9aQlmHxaJmZ8RjQA
version=1
cluster.id=MkU3OEVBNTcwNTJENDM2Qg
"""


def test_meta_properties(fs):
    put(fs, META)
    meta = c.read_meta_properties(fs, "f")
    assert (meta.cluster_id, meta.node_id) == ("MkU3OEVBNTcwNTJENDM2Qg", 1)
    assert len(meta.directory_id) == 16
    c.write_meta_properties(fs, "g", meta, wall_ms=1_795_252_492_123)
    assert fs.read_bytes("g").decode() == META


def test_meta_properties_of_others(fs):
    assert c.read_meta_properties(fs, "f") is None
    put(fs, "! comment\r\n version = 1\r\nnode.id:7\r\ncluster.id=a\\=b\\:c\\\\d\\#\r\nother\r\n")
    meta = c.read_meta_properties(fs, "f")
    assert (meta.cluster_id, meta.node_id, meta.directory_id) == ("a=b:c\\d#", 7, None)


@given(st.text(st.characters(codec="ascii", categories=("L", "N", "P", "S")), min_size=1))
def test_any_cluster_id_survives(cluster_id):
    fs = MemFs()
    c.write_meta_properties(fs, "f", c.MetaProperties(cluster_id, 3, bytes(15) + b"\1"), wall_ms=0)
    meta = c.read_meta_properties(fs, "f")
    assert (meta.cluster_id, meta.node_id, meta.directory_id) == (cluster_id, 3, bytes(15) + b"\1")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("version=1", "version=2"), "version '2'"),
        (("version=1\n", ""), "broker.id is missing"),
        (("node.id=1\n", ""), "node.id is missing"),
        (("cluster.id", "cluster"), "cluster.id is missing"),
        (("node.id=1", "node.id=one"), "node.id or directory.id"),
        (("=Sl3dTU9aQlmHxaJmZ8RjQA", "=short"), "node.id or directory.id"),
    ],
)
def test_corrupt_meta_properties(fs, change, reason):
    put(fs, META.replace(*change))
    with pytest.raises(c.CheckpointError, match=reason):
        c.read_meta_properties(fs, "f")


def test_empty_meta_properties(fs):
    put(fs, "")
    with pytest.raises(c.OwnerlessError, match=r"f: cluster\.id is missing"):
        c.read_meta_properties(fs, "f")


@pytest.mark.parametrize("version", ["version=0\n", "version= 0 \n", ""])
def test_version_0_has_a_broker_id_and_keeps_its_version(fs, version):
    put(fs, META.replace("version=1\n", version).replace("node.id", "broker.id"))
    meta = c.read_meta_properties(fs, "f")
    assert (meta.version, meta.node_id) == (0, 1)
    c.write_meta_properties(fs, "f", meta, wall_ms=0)
    text = fs.read_bytes("f").decode()
    assert "version=0\n" in text
    assert "broker.id=1\n" in text
    assert "node.id" not in text


def test_partition_metadata(fs):
    assert c.read_partition_metadata(fs, "f") is None
    c.write_partition_metadata(fs, "f", bytes(range(16)), sync=False)
    assert fs.read_bytes("f") == b"version: 0\ntopic_id: AAECAwQFBgcICQoLDA0ODw"
    assert fs.size("f") == 43
    assert c.read_partition_metadata(fs, "f") == bytes(range(16))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("version: 1\ntopic_id: AAECAwQFBgcICQoLDA0ODw", 1),
        ("version: 0", 2),
        ("version: 0\ntopic: AAECAwQFBgcICQoLDA0ODw", 2),
        ("version: 0\ntopic_id: AAECAwQFBgcICQoLDA0OD", 2),
        ("version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA", 2),
    ],
)
def test_corrupt_partition_metadata(fs, text, line):
    put(fs, text)
    with pytest.raises(c.CheckpointError) as caught:
        c.read_partition_metadata(fs, "f")
    assert caught.value.line == line


def test_clean_shutdown_marker(fs):
    assert c.read_clean_shutdown(fs, "f") is None
    c.write_clean_shutdown(fs, "f", 935)
    assert fs.read_bytes("f") == b'{"version":0,"brokerEpoch":935}'
    assert c.read_clean_shutdown(fs, "f") == 935


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"brokerEpoch":"9"}', '{"brokerEpoch":true}', b"\xff"])
def test_marker_without_a_known_epoch(fs, text):
    put(fs, text)
    assert c.read_clean_shutdown(fs, "f") == -1


def test_durable_ones_survive_a_power_loss(fs):
    c.write_clean_shutdown(fs, "a", 1)
    c.write_offsets(fs, "b", {("t", 0): 5}, sync=True)
    c.write_meta_properties(fs, "c", c.MetaProperties("x", 1, bytes(15) + b"\1"), wall_ms=0)
    fs.crash()
    assert c.read_clean_shutdown(fs, "a") == 1
    assert c.read_offsets(fs, "b") == {("t", 0): 5}
    assert c.read_meta_properties(fs, "c").node_id == 1
