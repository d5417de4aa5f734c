"""Encode functions: one for each struct and wire layout.

A function appends to the bytearray `w`. If a struct contains records, it gets the list of all parts, `out`, whose last
part is the bytearray to append to. Records are added to the list without copying, followed by a new bytearray.
"""

from struct import calcsize

from kafkacompat.protocol.notation.compiler.schema import (
    FIXED,
    FOREVER,
    Field,
    Message,
    Struct,
    first_alike,
    has_records,
    snake_case,
)
from kafkacompat.protocol.notation.compiler.source import Source, differs, fixed_format, is_nullable


def function_name(message: Message, struct: Struct, version: int) -> str:
    return f"_encode_{snake_case(struct.class_name)}_v{first_alike(message, struct, version)}"


def _versions_text(each: Field) -> str:
    low, high = each.versions.low, each.versions.high
    if high == FOREVER:
        return f"{low}+"
    return f"{low}-{high}" if high > low else str(low)


class EncodeFunction:
    """Writes the function for one struct in one version, and in all versions with the same layout."""

    def __init__(self, source: Source, message: Message, struct: Struct, version: int) -> None:
        self.source = source
        self.message = message
        self.struct = struct
        self.version = version
        self.sink = "w"
        self.run: list[tuple[str, str]] = []  # fixed-size items not written yet: format, expression

    def write(self) -> None:
        add, struct = self.source.add, self.struct
        parts = has_records(struct)
        name = function_name(self.message, struct, self.version)
        add(f"def {name}(m: {struct.class_name}, {'out: Parts' if parts else 'w: bytearray'}) -> None:")
        self.source.depth += 1
        before = len(self.source.lines)
        self.refuse_absent()
        if parts:
            add("w = out[-1]")
        for each in struct.present(self.version):
            self.field(each)
        if self.message.is_flexible(self.version):
            self.tags()
        self.flush()
        if len(self.source.lines) == before:
            add("pass")
        self.source.depth -= 1
        add("")
        add("")

    def refuse_absent(self) -> None:
        for each in self.struct.absent(self.version):
            if not each.ignorable:
                self.source.add(f"if {differs(each, 'm.' + each.name)}:")
                text = f'"{self.struct.name}.{each.name}", "{_versions_text(each)}"'
                self.source.add(f"    raise {self.source.use('UnsupportedFieldError')}({text})")

    def flush(self) -> None:
        """Write the pending fixed-size items with one call."""
        if not self.run:
            return
        formats = tuple(item for item, _ in self.run)
        values = ", ".join(value for _, value in self.run if value)
        self.run = []
        if formats == ("x",):
            self.source.add(f"{self.sink}.append(0)")
        else:
            self.source.add(f"{self.sink} += {self.source.writer(formats)}({values})")

    def field(self, each: Field) -> None:
        value = f"m.{each.name}"
        if each.is_fixed:
            self.run.append((fixed_format(each), value))
            return
        self.flush()
        if each.is_array:
            self.array(each, value)
        elif each.struct is not None:
            self.struct_field(each, each.struct, value)
        elif each.type == "records":
            put = self.put(each, "records")
            self.source.add(f"w = {put}(out, {value})")
        else:
            self.refuse_null(each, value)
            self.source.add(f"{self.put(each, each.type)}({self.sink}, {value})")

    def refuse_null(self, each: Field, value: str) -> None:
        """Refuse None in a nullable field that is not nullable in this version."""
        if is_nullable(each) and self.version not in each.nullable:
            self.source.add(f"if {value} is None:")
            self.source.add(f'    raise {self.source.use("null_field_error")}("{self.struct.name}.{each.name}")')

    def compact(self, each: Field) -> bool:
        return self.message.is_flexible(self.version) and not each.never_flexible

    def put(self, each: Field, kind: str) -> str:
        compact = "compact_" if self.compact(each) else ""
        nullable = "nullable_" if self.version in each.nullable else ""
        return self.source.use(f"put_{compact}{nullable}{kind}")

    def struct_call(self, struct: Struct, value: str) -> None:
        name = function_name(self.message, struct, self.version)
        if has_records(struct):
            assert self.sink == "w", "records inside a tagged field"
            self.source.add(f"{name}({value}, out)")
        else:
            self.source.add(f"{name}({value}, {self.sink})")

    def struct_field(self, each: Field, struct: Struct, value: str) -> None:
        add = self.source.add
        if self.version not in each.nullable:
            self.struct_call(struct, value)
        else:
            add(f"if {value} is None:")
            add(f"    {self.sink}.append({0 if self.version in each.tagged else 255})")
            add("else:")
            self.source.depth += 1
            add(f"{self.sink}.append(1)")
            self.struct_call(struct, value)
            self.source.depth -= 1
        if has_records(struct):
            add("w = out[-1]")

    def array(self, each: Field, value: str) -> None:
        add = self.source.add
        compact = self.compact(each)
        if self.version in each.nullable:
            add(f"if {value} is None:")
            add(f"    {self.sink}.append(0)" if compact else f"    {self.sink} += {self.source.use('NULL_INT32')}")
            add("else:")
            self.source.depth += 1
            self.elements(each, value, compact=compact)
            self.source.depth -= 1
        else:
            self.refuse_null(each, value)
            self.elements(each, value, compact=compact)

    def elements(self, each: Field, value: str, *, compact: bool) -> None:
        add, sink = self.source.add, self.sink
        add(f"n = len({value})")
        is_plain = each.type in FIXED and each.type != "uuid"
        if compact:
            add(f"{self.source.use('put_uvarint')}({sink}, n + 1)")
        elif not is_plain:
            add(f"{sink} += {self.source.writer(('i',))}(n)")
        if is_plain:
            prefix, count = ("", "") if compact else ("i", "n, ")
            add(f'{sink} += {self.source.use("pack")}(f">{prefix}{{n}}{fixed_format(each)}", {count}*{value})')
            return
        item = f"{each.name}_item"
        add(f"for {item} in {value}:")
        self.source.depth += 1
        if each.struct is not None and each.in_pieces:
            add(f"if isinstance({item}, bytes):")
            add(f"    {sink} += {item}")
            add("else:")
            self.source.depth += 1
            self.struct_call(each.struct, item)
            self.source.depth -= 1
        elif each.struct is not None:
            self.struct_call(each.struct, item)
        elif each.type == "uuid":
            add(f"{sink} += {self.source.writer(('16s',))}({item})")
        else:
            put = self.source.use("put_compact_string" if compact else "put_string")
            add(f"{put}({sink}, {item})")
        self.source.depth -= 1
        if each.struct is not None and has_records(each.struct):
            add("w = out[-1]")

    def tags(self) -> None:
        """Write the tagged fields whose values differ from their defaults."""
        known = self.struct.tagged(self.version)
        if not known:
            self.run.append(("x", ""))
            return
        add = self.source.add
        self.flush()
        add("tags: Tags = []")
        for each in known:
            add(f"if {differs(each, 'm.' + each.name)}:")
            self.source.depth += 1
            if each.is_fixed:
                assert each.tag is not None
                item = fixed_format(each)
                start = bytes((each.tag, calcsize(f">{item}")))  # both are varints of one byte
                add(f"tags.append({start!r} + {self.source.writer((item,))}(m.{each.name}))")
            else:
                add("t = bytearray()")
                self.sink = "t"
                self.field(each)
                self.flush()
                self.sink = "w"
                add(f"tags.append({self.source.use('tagged')}({each.tag}, t))")
            self.source.depth -= 1
        add("if tags:")
        add(f"    {self.source.use('put_tags')}(w, tags)")
        add("else:")
        add("    w.append(0)")
