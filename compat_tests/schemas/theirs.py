"""Kafka's schema files as facts. The files are JSON with comments, read from a release's jars and kept nowhere."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from compat_tests.schemas.facts import FieldFacts, MessageFacts, Schema, StructFacts, default_of
from compat_tests.schemas.ours import written
from kafkacompat.protocol.notation.compiler.schema import parse_versions, snake_case

_FILE = re.compile(r"(?:common/)?(?:message|metadata)/\w+\.json")
_STRING_OR_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*')
UNDERSTOOD = {
    "about", "apiKey", "commonStructs", "default", "entityType", "fields", "flexibleVersions", "ignorable",
    "latestVersionUnstable", "listeners", "mapKey", "name", "nullableVersions", "tag", "taggedVersions", "type",
    "validVersions", "versions", "zeroCopy",
}  # fmt: skip
"""Every word that a schema file may use; another one would be something that nobody compares."""


def schema(jars: Path) -> Schema:
    """Every message that the jars in a folder describe, but for those that have no version left (such as LeaderAndIsr).

    Raises ValueError for a word that is not understood.
    """
    found: Schema = {}
    for jar in sorted(jars.glob("kafka-*.jar")):
        with ZipFile(jar) as archive:
            for name in filter(_FILE.fullmatch, archive.namelist()):
                described = read(archive.read(name).decode())
                assert described["name"] not in found, f"{described['name']} stands in two jars"
                if described["validVersions"] != "none":
                    found[described["name"]] = message_facts(described)
    return found


def read(text: str) -> dict[str, Any]:
    """The JSON of one file without its comments."""
    described: dict[str, Any] = json.loads(_STRING_OR_COMMENT.sub(r"\1", text), object_pairs_hook=_understood)
    return described


def _understood(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    new = {name for name, _ in pairs} - UNDERSTOOD
    if new:
        raise ValueError(f"a schema file says {', '.join(sorted(new))}, which is not compared")
    return dict(pairs)


def message_facts(described: dict[str, Any]) -> MessageFacts:
    """One message of a schema file."""
    structs: dict[str, StructFacts] = {}
    valid = described["validVersions"]
    _collect(structs, described["name"], valid, described["fields"])
    for struct in described.get("commonStructs", ()):
        _collect(structs, struct["name"], struct["versions"], struct["fields"])
    listeners = described.get("listeners")
    return MessageFacts(
        _versions(valid), _versions(described.get("flexibleVersions")), described.get("apiKey"),
        tuple(listeners) if listeners else None, described.get("latestVersionUnstable", False), structs,
    )  # fmt: skip


def _collect(structs: dict[str, StructFacts], name: str, versions: str, fields: list[dict[str, Any]]) -> None:
    """Put a struct and those that are written inside its fields into `structs`."""
    structs[name] = StructFacts(_versions(versions), {snake_case(f["name"]): field_facts(f) for f in fields})
    for each in fields:
        if "fields" in each:
            _collect(structs, each["type"].removeprefix("[]"), _field_versions(each), each["fields"])


def field_facts(described: dict[str, Any]) -> FieldFacts:
    """One field. Where Kafka's JSON has the default null (not the text "null"), its generator takes it for none."""
    default = described.get("default")
    text = None if default is None else str(default).lower() if isinstance(default, bool) else str(default)
    return FieldFacts(
        described["type"], _versions(_field_versions(described)), _versions(described.get("nullableVersions")),
        described.get("tag"), _versions(described.get("taggedVersions")), default_of(described["type"], text),
        described.get("ignorable", False), described.get("mapKey", False), described.get("flexibleVersions") == "none",
    )  # fmt: skip


def _field_versions(described: dict[str, Any]) -> str:
    """A field that is only ever tagged may leave its versions out."""
    versions: str = described.get("versions") or described["taggedVersions"]
    return versions


def _versions(text: str | None) -> str:
    return written(parse_versions(text or "none"))
