"""Helpers for generating Python source: indented lines, names of locals, types and defaults of fields."""

from kafkacompat.protocol.notation.compiler.schema import FIXED, Field, Struct

# Names that generated functions use themselves.
RESERVED = frozenset(
    {"buf", "pos", "n", "end", "stop", "tag", "tags", "size", "budget", "m", "w", "out", "t", "bytes", "list"}
)

PYTHON_TYPES = {
    "bool": "bool", "float64": "float", "string": "str", "bytes": "bytes", "uuid": "bytes", "records": "Records",
}  # fmt: skip

FORMAT_NAMES = {"?": "t", "16s": "u"}


class Source:
    """Lines of Python, and the `struct` formats that they use."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.formats_read: set[tuple[str, ...]] = set()
        self.formats_written: set[tuple[str, ...]] = set()
        self.imports: set[str] = set()
        self.depth = 0

    def add(self, line: str) -> None:
        self.lines.append("    " * self.depth + line if line else "")

    def use(self, name: str) -> str:
        """Record that `name` must be imported from primitives."""
        self.imports.add(name)
        return name

    def reader(self, formats: tuple[str, ...]) -> str:
        self.formats_read.add(formats)
        return "_read_" + format_name(formats)

    def writer(self, formats: tuple[str, ...]) -> str:
        self.formats_written.add(formats)
        return "_write_" + format_name(formats)


def format_name(formats: tuple[str, ...]) -> str:
    return "".join(FORMAT_NAMES.get(f, f) for f in formats)


def local(each: Field) -> str:
    return each.name + "_" if each.name in RESERVED else each.name


def element_type(each: Field) -> str:
    if each.struct is not None:
        return each.struct.class_name
    return PYTHON_TYPES.get(each.type, "int")


def is_nullable(each: Field) -> bool:
    return each.nullable.low <= each.nullable.high


def annotation(each: Field) -> str:
    """Type of the attribute."""
    base = f"Sequence[{element_type(each)}]" if each.is_array else element_type(each)
    return base + " | None" if is_nullable(each) or each.default == "null" else base


def default_name(struct: Struct) -> str:
    return f"_DEFAULT_{struct.class_name}"


def default_source(each: Field) -> str:
    """Python expression for the field's default."""
    if each.default == "null":
        return "None"
    if each.is_array:
        return "()"
    if each.struct is not None:
        return default_name(each.struct)
    if each.default is not None:
        return {"true": "True"}.get(each.default, repr(each.default) if each.type == "string" else each.default)
    simple = {"bool": "False", "float64": "0.0", "string": '""', "bytes": 'b""', "records": "None", "uuid": "ZERO_UUID"}
    return simple.get(each.type, "0")


def differs(each: Field, value: str) -> str:
    """Python condition: `value` is not the field's default."""
    default = default_source(each)
    if default == "None":
        return f"{value} is not None"
    if each.is_array:
        return f"{value} is None or {value}" if is_nullable(each) else value
    if each.struct is not None:
        return f"{value} is not {default} and {value} != {default}"
    if each.type == "bool":
        return value if default == "False" else f"not {value}"
    return f"{value} != {default}"


def fixed_format(each: Field) -> str:
    return FIXED[each.type][0]
