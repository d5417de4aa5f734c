"""Java artifacts that the compatibility tests need, resolved with Maven once and kept in a cache folder.

The cache is `KAFKACOMPAT_CACHE`, or `~/.cache/kafkacompat`. A set of artifacts is one folder named by the hash of the
pom that describes it, so that two versions live side by side and a changed set is resolved anew. A folder appears whole
or not at all; a missing one is filled, never skipped.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

KAFKA_VERSION = "4.3.1"
RESOLVE_TIMEOUT_S = 600
"""How long Maven may take to fill a cache folder from nothing (about 30 s on a fast line)."""

_UNRESOLVED = re.compile(r"\b([\w.-]+:[\w.-]+:(?:jar|pom):[\w.-]+)")


class MissingToolError(RuntimeError):
    """A program that the tests cannot do without (java, mvn) is not installed."""


class ArtifactError(RuntimeError):
    """An artifact could not be fetched; the message names it and says what to do."""


@dataclass(frozen=True)
class Artifact:
    """One Maven dependency. `excludes` are `group:name` pairs that must not be pulled in by it."""

    group: str
    name: str
    version: str
    excludes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.group}:{self.name}:{self.version}"


def kafka_artifacts(version: str = KAFKA_VERSION) -> list[Artifact]:
    """What makes up a broker and the command-line tools of Apache Kafka.

    Of 4.4.0 neither kafka-tools nor kafka-tools-api can be had: there are no tools but those inside the broker (for
    formatting storage, for example), and the broker takes kafka-tools-api from 4.3.1.
    """
    if version == "4.4.0":
        found = [
            Artifact("org.apache.kafka", "kafka_2.13", version, ("org.apache.kafka:kafka-tools-api",)),
            Artifact("org.apache.kafka", "kafka-tools-api", "4.3.1"),
        ]
    else:
        found = [Artifact("org.apache.kafka", name, version) for name in ("kafka_2.13", "kafka-tools")]
    if version.startswith("3."):
        return [*found, Artifact("org.slf4j", "slf4j-reload4j", "1.7.36")]
    return [*found, Artifact("org.apache.logging.log4j", "log4j-slf4j-impl", "2.25.4")]


def kafka_clients_artifacts(version: str) -> list[Artifact]:
    """The Java client alone; its log goes nowhere unless the program brings a place for it."""
    return [Artifact("org.apache.kafka", "kafka-clients", version)]


def kafka_clients_jars(version: str) -> Path:
    """Folder with the Java client of `version` and what it depends on (the codecs, slf4j's API)."""
    return resolve(f"kafka-clients-{version}", kafka_clients_artifacts(version))


def kafka_jars(version: str = KAFKA_VERSION) -> Path:
    """Folder with every jar of Apache Kafka `version` and its tools; use it as the class path `FOLDER/*`."""
    return resolve(f"kafka-{version}", kafka_artifacts(version))


def java_program() -> str:
    """Path of `java`. Raises MissingToolError."""
    return _program("java", "a Java runtime (17 or newer)")


def resolve(label: str, artifacts: Sequence[Artifact], *, transitive: bool = True) -> Path:
    """Folder that holds the jars of `artifacts`, with what they depend on if `transitive`.

    Raises MissingToolError without Maven, ArtifactError when something cannot be fetched.
    """
    pom = _pom(artifacts)
    digest = hashlib.sha256(f"{pom}{transitive}".encode()).hexdigest()[:12]
    target = cache_root() / f"{label}-{digest}"
    if target.is_dir():
        return target
    with locked(target.parent / f"{target.name}.lock"):
        if not target.is_dir():
            _fill(target, pom, artifacts, transitive=transitive)
    return target


def _fill(target: Path, pom: str, artifacts: Sequence[Artifact], *, transitive: bool) -> None:
    maven = _program("mvn", "Maven")
    with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as scratch:
        (Path(scratch) / "pom.xml").write_text(pom)
        jars = Path(scratch) / "lib"
        command = [
            maven, "-q", "-B", "-f", f"{scratch}/pom.xml", "dependency:copy-dependencies",
            f"-DoutputDirectory={jars}", f"-DexcludeTransitive={str(not transitive).lower()}",
        ]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=RESOLVE_TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            raise ArtifactError(_cannot_fetch(artifacts, f"Maven took more than {RESOLVE_TIMEOUT_S} s")) from None
        if done.returncode != 0:
            raise ArtifactError(_cannot_fetch(artifacts, done.stdout + done.stderr))
        missing = [str(a) for a in artifacts if not (jars / f"{a.name}-{a.version}.jar").is_file()]
        if missing:
            raise ArtifactError(_cannot_fetch(artifacts, "Maven copied no jar for " + ", ".join(missing)))
        jars.rename(target)


def _cannot_fetch(artifacts: Sequence[Artifact], output: str) -> str:
    found = {name for name in _UNRESOLVED.findall(output) if not name.startswith("kafkacompat:")}
    named = sorted(found) or [str(a) for a in artifacts]
    first_line = next((line for line in output.splitlines() if "ERROR" in line), output)[:1000]
    return (
        f"cannot fetch {', '.join(named)} with Maven.\n"
        "What to do: check that this machine reaches a Maven repository (a mirror goes into ~/.m2/settings.xml), or "
        f"point KAFKACOMPAT_CACHE at a cache folder that was filled elsewhere (now: {cache_root()}), "
        "or test this broker alone with --broker kafkacompat.\n"
        f"Maven said: {first_line}"
    )


def _pom(artifacts: Sequence[Artifact]) -> str:
    def entry(artifact: Artifact) -> str:
        exclusions = "".join(
            "<exclusion><groupId>{}</groupId><artifactId>{}</artifactId></exclusion>".format(*pair.split(":"))
            for pair in artifact.excludes
        )
        return (
            f"<dependency><groupId>{artifact.group}</groupId><artifactId>{artifact.name}</artifactId>"
            f"<version>{artifact.version}</version><exclusions>{exclusions}</exclusions></dependency>"
        )

    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>kafkacompat</groupId><artifactId>compat-tests</artifactId><version>1</version>"
        f"<dependencies>{''.join(map(entry, artifacts))}</dependencies></project>\n"
    )


def _program(name: str, what: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise MissingToolError(
            f"{name} is not on the PATH. The comparison with Apache Kafka needs {what}: install it, "
            "or choose --broker kafkacompat to test this broker alone."
        )
    return found


def cache_root() -> Path:
    """The folder that keeps what is fetched and built, made if it is not there."""
    configured = os.environ.get("KAFKACOMPAT_CACHE")
    root = Path(configured).expanduser() if configured else Path.home() / ".cache" / "kafkacompat"
    root.mkdir(parents=True, exist_ok=True)
    return root


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """One process at a time fills a folder; the others wait and then find it."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
