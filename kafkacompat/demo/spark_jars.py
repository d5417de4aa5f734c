"""The four jars that pyspark needs for `format("kafka")`. They are downloaded once into a cache folder."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from kafkacompat.demo.errors import DemoError

SPARK_VERSION = "4.2.0"
"""The version of pyspark to install. The connector has the same one."""
MIN_JAVA = 17
RESOLVE_TIMEOUT_S = 300.0
JAVA_TIMEOUT_S = 30.0

CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13"
TOKEN_PROVIDER = "org.apache.spark:spark-token-provider-kafka-0-10_2.13"  # noqa: S105 (a library)
"""The connector asks for that of its own version."""
JARS: dict[str, tuple[str, ...]] = {
    "4.0.0": (
        f"{CONNECTOR}:4.0.0",
        f"{TOKEN_PROVIDER}:4.0.0",
        "org.apache.kafka:kafka-clients:3.9.0",
        "org.apache.commons:commons-pool2:2.12.0",
    ),
    "4.2.0": (
        f"{CONNECTOR}:4.2.0",
        f"{TOKEN_PROVIDER}:4.0.0",
        "org.apache.kafka:kafka-clients:3.9.2",
        "org.apache.commons:commons-pool2:2.12.0",
    ),
}
"""The connector and those of its dependencies that are not inside pyspark, by the version of pyspark, oldest first. Not
every repository has the token provider of 4.2.0; that of 4.0.0 fits."""

_JAVA_VERSION = re.compile(r'version "(?:1\.)?(\d+)')


def why_not() -> str | None:
    """The reason why Spark cannot run here; None if it can."""
    version = java_version()
    if version is None:
        return "no Java was found (JAVA_HOME, PATH)"
    if version < MIN_JAVA:
        return f"Java {version} is too old for Spark {SPARK_VERSION}, which needs {MIN_JAVA}"
    found = pyspark_version()
    if found is None:
        return f"pyspark is not installed: pip install pyspark=={SPARK_VERSION}"
    if found not in JARS:
        return f"pyspark is {found}, and not {' or '.join(JARS)}: pip install pyspark=={SPARK_VERSION}"
    return None


def pyspark_version() -> str | None:
    """The version that is installed, if any."""
    try:
        from pyspark.version import __version__ as found
    except ImportError:
        return None
    return str(found)


def java_version() -> int | None:
    """Major version of the Java that Spark would start; None if there is no Java."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home, "bin"))) if home else shutil.which("java")
    if java is None:
        return None
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=JAVA_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _JAVA_VERSION.search(done.stderr + done.stdout)
    return int(found.group(1)) if found and done.returncode == 0 else None


def session_settings(version: str) -> dict[str, str]:
    """The settings that give a session of that Spark the connector. Raises DemoError if Maven cannot download it.

    Without Maven, Spark downloads the connector itself.
    """
    maven = shutil.which("mvn")
    if maven is None:
        return {"spark.jars.packages": f"{CONNECTOR}:{version}", "spark.jars.ivy": str(_cache_root() / "ivy")}
    return {"spark.jars": ",".join(map(str, _resolve(maven, version)))}


def _resolve(maven: str, version: str) -> list[Path]:
    """The four jars, in a folder named by a hash of its content. The folder is created atomically."""
    pom = _pom(JARS[version])
    target = _cache_root() / f"spark-{version}-{hashlib.sha256(pom.encode()).hexdigest()[:12]}"
    if not target.is_dir():
        _fill(target, pom, maven)
    return sorted(target.glob("*.jar"))


def _fill(target: Path, pom: str, maven: str) -> None:
    with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as scratch:
        Path(scratch, "pom.xml").write_text(pom)
        jars = Path(scratch, "jars")
        command = [
            maven, "-q", "-B", "-f", str(Path(scratch, "pom.xml")), "dependency:copy-dependencies",
            f"-DoutputDirectory={jars}", "-DexcludeTransitive=true",
        ]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=RESOLVE_TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            raise DemoError(_cannot_fetch(f"it took more than {RESOLVE_TIMEOUT_S:.0f} s")) from None
        if done.returncode != 0:
            errors = [line for line in done.stdout.splitlines() if "ERROR" in line] or [done.stderr.strip()]
            raise DemoError(_cannot_fetch(errors[0][:300]))
        if not target.is_dir():  # another demo may have created it meanwhile
            jars.rename(target)


def _cannot_fetch(reason: str) -> str:
    return (
        f"Maven cannot fetch Spark's Kafka connector ({CONNECTOR}): {reason}. Is a Maven repository in reach "
        "(a mirror goes into ~/.m2/settings.xml)? --no-spark leaves this part out"
    )


def _pom(jars: Sequence[str]) -> str:
    group, name = TOKEN_PROVIDER.split(":")
    without = f"<exclusion><groupId>{group}</groupId><artifactId>{name}</artifactId></exclusion>"
    entries = "".join(
        "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>"
        "<exclusions>{}</exclusions></dependency>".format(*jar.split(":"), without)
        for jar in jars
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>kafkacompat</groupId><artifactId>spark-jars</artifactId><version>1</version>"
        f"<dependencies>{entries}</dependencies></project>\n"
    )


def _cache_root() -> Path:
    """`KAFKACOMPAT_CACHE`, or a folder in the user's cache folder."""
    configured = os.environ.get("KAFKACOMPAT_CACHE")
    root = Path(configured).expanduser() if configured else Path.home() / ".cache" / "kafkacompat"
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DemoError(
            f"cannot keep Spark's jars in {root}: {error.strerror}; KAFKACOMPAT_CACHE names another folder"
        ) from None
    return root
