"""The parsed notation: messages, structs and fields, and their layout in each version."""

import re
from dataclasses import dataclass, field

FOREVER = 32767

# Kafka's fixed-size types: format character of `struct`, size in bytes.
FIXED = {
    "bool": ("?", 1), "int8": ("b", 1), "int16": ("h", 2), "uint16": ("H", 2), "int32": ("i", 4), "uint32": ("I", 4),
    "int64": ("q", 8), "float64": ("d", 8), "uuid": ("16s", 16),
}  # fmt: skip


@dataclass(frozen=True)
class Versions:
    """An inclusive range of versions; empty when `low > high`."""

    low: int
    high: int

    def __contains__(self, version: int) -> bool:
        return self.low <= version <= self.high


NO_VERSIONS = Versions(1, 0)


def parse_versions(text: str) -> Versions:
    """Read `4-18`, `12+`, `3` or `none`."""
    if text == "none":
        return NO_VERSIONS
    if text.endswith("+"):
        return Versions(int(text[:-1]), FOREVER)
    low, _, high = text.partition("-")
    return Versions(int(low), int(high or low))


@dataclass
class Field:
    """One field. `type` is without the `[]` of an array; `struct` is set if the type is a struct.

    in_pieces: whether items of the array may be given as already encoded bytes.
    """

    name: str
    type: str
    is_array: bool
    versions: Versions
    nullable: Versions = NO_VERSIONS
    tag: int | None = None
    tagged: Versions = NO_VERSIONS
    default: str | None = None
    ignorable: bool = False
    is_key: bool = False
    never_flexible: bool = False
    in_pieces: bool = False
    struct: "Struct | None" = None

    @property
    def is_fixed(self) -> bool:
        return not self.is_array and self.type in FIXED


@dataclass
class Struct:
    """A struct over all its versions; `class_name` differs from `name` if two messages of a module share the name."""

    name: str
    versions: Versions
    fields: list[Field] = field(default_factory=list)
    class_name: str = ""

    def present(self, version: int) -> list[Field]:
        """The untagged fields of `version`, in order."""
        return [f for f in self.fields if version in f.versions and version not in f.tagged]

    def tagged(self, version: int) -> list[Field]:
        """The tagged fields of `version`, by tag."""
        return sorted((f for f in self.fields if version in f.tagged), key=lambda f: f.tag or 0)

    def absent(self, version: int) -> list[Field]:
        return [f for f in self.fields if version not in f.versions and version not in f.tagged]


@dataclass
class Message:
    """A request, a response or a record."""

    struct: Struct
    versions: Versions
    flexible: Versions
    key: int | None
    structs: list[Struct]
    unstable: bool = False
    """Whether the highest version is not released in Kafka yet."""

    @property
    def name(self) -> str:
        return self.struct.name

    @property
    def flexible_since(self) -> int:
        """First flexible version; 32767 if there is none."""
        return self.flexible.low if self.flexible.low <= self.flexible.high else FOREVER

    def is_flexible(self, version: int) -> bool:
        return version in self.flexible

    def all_versions(self) -> range:
        return range(self.versions.low, self.versions.high + 1)


def snake_case(name: str) -> str:
    """Turn `KRaftVersionRecord` into `kraft_version_record`."""
    name = name.replace("KRaft", "Kraft")
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def _options(words: list[str]) -> dict[str, str]:
    return dict(word.partition("=")[::2] for word in words)


def _parse_field(line: str) -> Field:
    name, kind, versions, *words = line.split()
    options = _options(words)
    result = Field(name, kind.removeprefix("[]"), kind.startswith("[]"), parse_versions(versions))
    if "nullable" in options:
        result.nullable = parse_versions(options["nullable"] or versions)
    if "tag" in options:
        result.tag = int(options["tag"])
        result.tagged = parse_versions(options.get("tagged", versions))
    result.default = options.get("default")
    result.ignorable = "ignorable" in options
    result.is_key = "key" in options
    result.in_pieces = "pieces" in options
    result.never_flexible = options.get("flexible") == "none"
    return result


def parse(text: str) -> list[Message]:
    """Read the messages of one text, which are separated by blank lines."""
    return [_parse_message(block.splitlines()) for block in re.split(r"\n\s*\n", text.strip("\n"))]


def _parse_message(lines: list[str]) -> Message:
    name, versions, *words = lines[0].split()
    options = _options(words)
    structs: dict[str, Struct] = {}
    path: list[Struct] = []  # the struct to which fields belong, by depth of indentation
    last: Field | None = None
    for line in lines:
        depth = (len(line) - len(line.lstrip())) // 4
        if depth == 0:
            head = line.split()
            path = [structs.setdefault(head[0], Struct(head[0], parse_versions(head[1])))]
            continue
        if depth > len(path):
            assert last is not None, line
            path.append(structs.setdefault(last.type, Struct(last.type, last.versions)))
        del path[depth:]
        last = _parse_field(line)
        path[-1].fields.append(last)
    for struct in structs.values():
        for each in struct.fields:
            each.struct = structs.get(each.type)
            assert each.struct or each.type in FIXED or each.type in {"string", "bytes", "records"}, each
    flexible = parse_versions(options.get("flexible", "none"))
    key = int(options["key"]) if "key" in options else None
    children = _children_first(structs[name])
    return Message(structs[name], parse_versions(versions), flexible, key, children, "unstable" in options)


def _children_first(top: Struct) -> list[Struct]:
    found: list[Struct] = []

    def visit(struct: Struct) -> None:
        for each in struct.fields:
            if each.struct is not None and each.struct not in found:
                visit(each.struct)
        if struct not in found:
            found.append(struct)

    visit(top)
    return found


def name_classes(messages: list[Message]) -> None:
    """Set the class name of every struct: Kafka's, prefixed with the message's name if two messages of a module share
    it.
    """
    owners: dict[str, int] = {}
    for message in messages:
        for struct in message.structs:
            owners[struct.name] = owners.get(struct.name, 0) + 1
    for message in messages:
        for struct in message.structs:
            struct.class_name = struct.name if owners[struct.name] == 1 else message.name + struct.name


def layout(message: Message, struct: Struct, version: int) -> tuple[object, ...]:
    """A value that is equal for two versions if one function can serve both."""
    described: list[object] = [message.is_flexible(version)]
    for each in struct.fields:
        place = "tagged" if version in each.tagged else "present" if version in each.versions else "absent"
        inner = layout(message, each.struct, version) if each.struct is not None and place != "absent" else None
        described.append((place, place != "absent" and version in each.nullable, inner))
    return tuple(described)


def first_alike(message: Message, struct: Struct, version: int) -> int:
    """Return the lowest version of the message in which `struct` has the layout that it has in `version`."""
    wanted = layout(message, struct, version)
    return next(v for v in message.all_versions() if layout(message, struct, v) == wanted)


def min_size(message: Message, struct: Struct, version: int) -> int:
    """The size of the shortest encoding of `struct` in bytes."""
    flexible = message.is_flexible(version)
    total = 1 if flexible else 0
    for each in struct.present(version):
        total += min_field_size(message, each, version, as_element=False)
    return total


def min_field_size(message: Message, each: Field, version: int, *, as_element: bool) -> int:
    """The size of the shortest encoding of a field, or of one element of an array field, in bytes."""
    flexible = message.is_flexible(version) and not each.never_flexible
    if each.is_array and not as_element:
        return 1 if flexible else 4
    if each.type in FIXED:
        return FIXED[each.type][1]
    if each.struct is not None:
        return 1 if version in each.nullable and not each.is_array else min_size(message, each.struct, version)
    if flexible:
        return 1
    return 2 if each.type == "string" else 4


def has_arrays(struct: Struct) -> bool:
    return any(f.is_array or (f.struct is not None and has_arrays(f.struct)) for f in struct.fields)


def has_records(struct: Struct) -> bool:
    return any(f.type == "records" or (f.struct is not None and has_records(f.struct)) for f in struct.fields)
