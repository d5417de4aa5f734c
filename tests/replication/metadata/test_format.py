"""The directories of a new cluster: the same voters in each, and no loss when formatting is repeated."""

import random

import pytest

from kafkacompat.errors import StartupError
from kafkacompat.now import Now
from kafkacompat.protocol.internal.control_records import VotersRecord
from kafkacompat.replication.metadata.format import NewNode, format_cluster
from kafkacompat.replication.metadata.image import Endpoint
from kafkacompat.replication.raft import checkpoint, election_state
from kafkacompat.replication.raft.election_state import ElectionState
from kafkacompat.storage.checkpoints import read_meta_properties
from kafkacompat.storage.memfs import MemFs

NOW = Now(0, 1_700_000_000_000)
NODES = [NewNode(id_, f"/node-{id_}", Endpoint("CONTROLLER", "localhost", 20_000 + id_)) for id_ in (1, 2, 3)]


def format_(fs, nodes=NODES, seed=1, cluster_id=None):
    return format_cluster(fs, nodes, now=NOW, rng=random.Random(seed), cluster_id=cluster_id)


def voters(fs, node):
    (end_offset, epoch, path) = checkpoint.newest(fs, f"{node.data_dir}/__cluster_metadata-0")
    assert (end_offset, epoch) == (0, 0)
    records = [record for batch in checkpoint.read(fs, path) for record in batch.records]
    (record,) = [record for record in records if isinstance(record, VotersRecord)]
    return checkpoint.voters_of(record)


def meta(fs, node):
    return read_meta_properties(fs, f"{node.data_dir}/meta.properties")


def test_every_voter_knows_all_of_them_by_directory_and_address():
    fs = MemFs()
    cluster_id = format_(fs)
    for node in NODES:
        assert (meta(fs, node).cluster_id, meta(fs, node).node_id) == (cluster_id, node.node_id)
        assert fs.exists(f"{node.data_dir}/bootstrap.checkpoint")
        assert [(voter.id, voter.directory_id, voter.endpoints) for voter in voters(fs, node)] == [
            (each.node_id, meta(fs, each).directory_id, (("CONTROLLER", "localhost", 20_000 + each.node_id),))
            for each in NODES
        ]
    assert len({meta(fs, node).directory_id for node in NODES}) == 3


def test_a_broker_alone_is_no_voter():
    fs = MemFs()
    broker = NewNode(4, "/node-4", None)
    format_(fs, [*NODES, broker], cluster_id="c")
    assert meta(fs, broker).cluster_id == "c"
    assert not fs.exists("/node-4/__cluster_metadata-0")
    assert [voter.id for voter in voters(fs, NODES[0])] == [1, 2, 3]


def test_an_interrupted_formatting_is_finished_with_the_same_ids():
    fs = MemFs()
    cluster_id = format_(fs)
    before = [meta(fs, node).directory_id for node in NODES]
    fs.remove("/node-2/__cluster_metadata-0/00000000000000000000-0000000000.checkpoint")
    assert format_(fs, seed=2) == cluster_id
    assert [meta(fs, node).directory_id for node in NODES] == before
    assert [voter.directory_id for voter in voters(fs, NODES[1])] == before


def test_a_cluster_that_has_run_stays_as_it_is():
    fs = MemFs()
    cluster_id = format_(fs)
    election_state.store(fs, "/node-1/__cluster_metadata-0", ElectionState(3, leader_id=2))
    fs.remove("/node-2/__cluster_metadata-0/00000000000000000000-0000000000.checkpoint")
    more = [*NODES, NewNode(4, "/node-4", Endpoint("CONTROLLER", "localhost", 20_004))]
    assert format_(fs, more) == cluster_id
    assert not fs.exists("/node-2/__cluster_metadata-0/00000000000000000000-0000000000.checkpoint")
    assert not fs.exists("/node-4")


def test_a_voter_that_lost_its_directory_does_not_come_back_empty():
    fs = MemFs()
    format_(fs)
    election_state.store(fs, "/node-1/__cluster_metadata-0", ElectionState(3, leader_id=2))
    fs.rmtree("/node-2")
    with pytest.raises(StartupError, match="node 2 is a voter and its data directory /node-2 is missing"):
        format_(fs)
    assert not fs.exists("/node-2")


def test_directories_of_different_clusters_are_refused():
    fs = MemFs()
    format_(fs, NODES[:1], seed=1)
    format_(fs, NODES[1:2], seed=2)
    with pytest.raises(StartupError, match="different clusters"):
        format_(fs)
    assert not fs.exists("/node-3")


def test_the_directory_of_another_node_is_refused():
    fs = MemFs()
    format_(fs)
    with pytest.raises(StartupError, match="/node-1 belongs to node 1, not to 5"):
        format_(fs, [NewNode(5, "/node-1", NODES[0].controller)])


@pytest.mark.parametrize("without", [[1], [1, 2, 3]])
def test_a_metadata_log_without_its_identity_is_refused(without):
    fs = MemFs()
    format_(fs)
    for node_id in (1, 2, 3):
        election_state.store(fs, f"/node-{node_id}/__cluster_metadata-0", ElectionState(3, leader_id=2))
    for node_id in without:
        fs.remove(f"/node-{node_id}/meta.properties")
    with pytest.raises(
        StartupError, match=r"^/node-1 holds a metadata log and no meta\.properties: .*empty the data directory"
    ):
        format_(fs)
    assert meta(fs, NODES[0]) is None
