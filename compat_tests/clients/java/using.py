"""The program in Java, built with the client of a version."""

from __future__ import annotations

import os
from pathlib import Path

from compat_tests.artifacts import java_program, kafka_clients_jars
from compat_tests.clients.java.resident import Resident
from compat_tests.clients.program import JAVAC, build

SOURCES = Path(__file__).parent / "program"
JVM_OPTIONS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx256m")
VERSION_SOURCES = {"4.4.0": "since_4.1", "4.3.1": "since_4.1", "3.9.2": "since_3.1", "2.8.2": "until_3.0"}
"""The versions under test, and the folder with what the program calls by a name of that time."""


def java_client(version: str) -> Resident:
    """The program with the client of `version`, started. Close it in the end."""
    jars = sorted(kafka_clients_jars(version).glob("*.jar"))
    compile_all = (
        "javac", "--release", "17", "-cp", os.pathsep.join(map(str, jars)),
        "-sourcepath", os.pathsep.join((".", VERSION_SOURCES[version])), "-d", "built", "compat/Main.java",
    )  # fmt: skip
    folder = build(f"java-{version}", SOURCES, [JAVAC], [compile_all])
    class_path = os.pathsep.join(map(str, [*jars, folder / "built"]))
    return Resident([java_program(), *JVM_OPTIONS, "-cp", class_path, "compat.Main"])
