"""A Kafka with TLS and credentials, as the target of a replay and as the source of all jobs that read a cluster."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from compat_tests.apache_kafka import ApacheKafka
from compat_tests.clients.verbs_of_ours.test_protected import CERTIFICATES, SASL
from compat_tests.spark.archives.test_archive_writer import settings
from compat_tests.spark.test_log_source import fill
from compat_tests.spark.workbench import WAIT_S, Workbench
from kafkacompat import Cluster
from kafkacompat.client.errors import ClientError
from kafkacompat.config.properties import write_properties
from kafkacompat.spark import (
    ArchiveSpec,
    CaptureSpec,
    ReplaySpec,
    archive,
    audit_clusters,
    audit_ledger,
    capture,
    load,
    replay,
    verify_archive,
)
from kafkacompat.spark.archives.kafka_properties import client_of
from kafkacompat.spark.restore.replay_target import CLIENT_ID

pytestmark = [pytest.mark.api("Metadata"), pytest.mark.once]  # what is protected is always Apache Kafka
PER_CODEC = 40
RECORDS = 2 * PER_CODEC * 5
CONFIG = {
    **SASL, "listener.security.protocol.map": "PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT",
    "ssl.keystore.type": "PEM", "ssl.keystore.location": str(CERTIFICATES / "localhost.pem"),
    "ssl.truststore.type": "PEM", "ssl.truststore.location": str(CERTIFICATES / "ca.pem"),
}  # fmt: skip
ADMIN = {
    "security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.username": "admin", "sasl.password": "secret",
    "ssl.truststore.location": str(CERTIFICATES / "ca.pem"),
}  # fmt: skip


@pytest.fixture(scope="module")
def protected() -> Iterator[str]:
    """Bootstrap servers of an Apache Kafka with SASL_SSL: this broker has neither SASL nor TLS yet."""
    kafka = ApacheKafka(config=CONFIG)
    try:
        kafka.start()
        yield kafka.bootstrap_servers
    finally:
        kafka.close()


def verb(folder: Path, properties: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """A verb of `kafkacompat spark` with these properties in a file."""
    file = folder / "client.properties"
    file.write_text(write_properties(properties))
    command = [sys.executable, "-m", "kafkacompat", "spark", *arguments, "--command-config", str(file), *settings()]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=3 * WAIT_S)


@pytest.mark.sampled
@pytest.mark.parametrize("transactional", [False, True], ids=["plain", "transactional"])
@pytest.mark.spark_behaviour
def test_a_replay_into_a_protected_kafka_and_an_archive_of_it(
    bench: Workbench, topic: str, tmp_path: Path, protected: str, transactional: bool
) -> None:
    fill(bench, topic, PER_CODEC)
    path = str(tmp_path / "archive")
    archive(bench.spark, ArchiveSpec(path, bench.bootstrap_servers, topics=topic))
    spec = ReplaySpec(path, protected, properties=ADMIN, is_transactional=transactional)
    report = replay(bench.spark, spec)
    assert (report.sent, report.found) == (RECORDS, 0)
    again = replay(bench.spark, ReplaySpec(path, protected, resume=report.replay_id, properties=ADMIN))
    assert (again.sent, again.found) == (0, RECORDS)
    back = ArchiveSpec(str(tmp_path / "back"), protected, topics=topic, properties=ADMIN, isolation="read_committed")
    assert archive(bench.spark, back._replace(allow_gaps=transactional)).records == RECORDS
    assert verify_archive(bench.spark, back.path).findings == ()
    align = "order" if transactional else "offset"
    with_markers = {"isolation.level": "read_committed"}
    compared = audit_clusters(
        bench.spark, bench.bootstrap_servers, protected, topics=topic, align=align, b_properties=ADMIN | with_markers
    )
    bench.saw("compared", [compared.findings, compared.totals])
    assert compared.is_clean
    for file in (tmp_path / "archive").rglob("*.json"):
        assert "secret" not in file.read_text(), "no credential is kept"


@pytest.mark.spark_behaviour
def test_load_its_audit_and_a_capture_of_a_protected_kafka(
    bench: Workbench, topic: str, tmp_path: Path, protected: str
) -> None:
    bench.create(topic, 1)
    with client_of(protected, ADMIN, CLIENT_ID) as client:
        client.partitions(topic, auto_create=True)
    ledger = str(tmp_path / "ledger")
    loaded = load(bench.spark, protected, topic, ledger, rate=500, duration_s=1, properties=ADMIN)
    assert loaded.acknowledged > 0
    audited = audit_ledger(bench.spark, ledger, bootstrap_servers=protected, properties=ADMIN)
    assert (audited.findings, audited.totals["stored"]) == ((), loaded.acknowledged)
    spec = CaptureSpec(str(tmp_path / "it.kcf"), protected, topics=topic, properties=ADMIN)
    assert capture(bench.spark, spec).records == loaded.acknowledged
    with Cluster(fixture=spec.out) as kafka:
        assert len(kafka.records(topic)) == loaded.acknowledged
    bench.saw("is clean", audited.is_clean)


@pytest.mark.spark_behaviour
def test_a_verb_with_a_properties_file(bench: Workbench, topic: str, tmp_path: Path, protected: str) -> None:
    bench.create(topic, 1)
    bench.send(topic, 0, range(7))
    path, there = str(tmp_path / "archive"), {**ADMIN, "bootstrap.servers": protected}
    archive(bench.spark, ArchiveSpec(path, bench.bootstrap_servers, topics=topic))
    done = verb(tmp_path, there, "replay", "--from", path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["sent"] == 7
    again = str(tmp_path / "again")
    done = verb(tmp_path, there, "archive", "--topics", topic, "--to", again)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["records"] == 7
    refused = verb(tmp_path, {**there, "sasl.password": "wrong"}, "archive", "--topics", topic, "--to", again)
    assert (refused.returncode, refused.stdout) == (7, "")
    assert "refuses user 'admin'" in refused.stderr
    assert "wrong" not in refused.stderr
    bench.saw("status", refused.returncode)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"sasl.password": "wrong"}, "refuses user 'admin'"),
        ({"security.protocol": "SASL_PLAINTEXT"}, "TLS|SSL"),
        ({"ssl.truststore.location": str(CERTIFICATES / "localhost.pem")}, "certificate"),
        ({"ssl.truststore.type": "JKS"}, "PEM only"),
    ],
    ids=["password", "no TLS", "another authority", "JKS"],
)
@pytest.mark.spark_behaviour
def test_what_a_protected_kafka_refuses_is_said_before_spark_tries(
    bench: Workbench, topic: str, tmp_path: Path, protected: str, changed: dict[str, str], told: str
) -> None:
    bench.create(topic, 1)
    bench.send(topic, 0, range(3))
    path = str(tmp_path / "archive")
    archive(bench.spark, ArchiveSpec(path, bench.bootstrap_servers, topics=topic))
    properties = ADMIN | changed
    with pytest.raises(ClientError, match=told):
        replay(bench.spark, ReplaySpec(path, protected, properties=properties))
    with pytest.raises(ClientError, match=told):
        archive(bench.spark, ArchiveSpec(str(tmp_path / "no"), protected, topics=topic, properties=properties))
    assert not (tmp_path / "archive" / "replays").exists()
    bench.saw("records", bench.read(subscribe=topic).count())
