"""Decode functions: one for each struct and wire layout.

The functions check no string or bytes length against the bytes left: a slice past the end is short, the position moves
past the end and never back, so that either a later read fails or the message's end is missed, which the caller checks.
"""

from kafkacompat.protocol.notation.compiler.schema import (
    FIXED,
    Field,
    Message,
    Struct,
    first_alike,
    has_arrays,
    min_field_size,
    snake_case,
)
from kafkacompat.protocol.notation.compiler.source import (
    Source,
    default_source,
    element_type,
    fixed_format,
    is_nullable,
    local,
)

_SIZES = {"B": 1, **dict(FIXED.values())}


def function_name(message: Message, struct: Struct, version: int) -> str:
    return f"_decode_{snake_case(struct.class_name)}_v{first_alike(message, struct, version)}"


def call(message: Message, struct: Struct, version: int) -> str:
    budget = ", budget" if has_arrays(struct) else ""
    return f"{function_name(message, struct, version)}(buf, pos{budget})"


class DecodeFunction:
    """Writes the function for one struct in one version, and in all versions with the same layout."""

    def __init__(self, source: Source, message: Message, struct: Struct, version: int) -> None:
        self.source = source
        self.message = message
        self.struct = struct
        self.version = version
        self.run: list[tuple[str, str]] = []  # fixed-size items not read yet: format, name of the local

    def write(self) -> None:
        add, struct = self.source.add, self.struct
        budget = ", budget: list[int]" if has_arrays(struct) else ""
        name = function_name(self.message, struct, self.version)
        add(f"def {name}(buf: Buffer, pos: int{budget}) -> tuple[{struct.class_name}, int]:")
        self.source.depth += 1
        for each in struct.present(self.version):
            self.field(each)
        if self.message.is_flexible(self.version):
            self.tags()
        self.flush()
        arguments = ", ".join(self.argument(each) for each in struct.fields)
        add(f"return {struct.class_name}({arguments}), pos")
        self.source.depth -= 1
        add("")
        add("")

    def argument(self, each: Field) -> str:
        if self.version in each.versions or self.version in each.tagged:
            return local(each)
        return default_source(each)

    def flush(self) -> None:
        """Read the pending fixed-size items with one call."""
        if not self.run:
            return
        formats = tuple(item for item, _ in self.run)
        names = [name for _, name in self.run]
        self.run = []
        size = sum(_SIZES[item] for item in formats)
        if formats == ("B",):
            self.source.add(f"{names[0]} = buf[pos]")
        elif formats == ("?",):
            self.source.add(f"{names[0]} = buf[pos] != 0")
        else:
            targets = ", ".join(names) if len(names) > 1 else f"({names[0]},)"
            self.source.add(f"{targets} = {self.source.reader(formats)}(buf, pos)")
        self.source.add(f"pos += {size}")

    def field(self, each: Field) -> None:
        name = local(each)
        if each.is_fixed:
            self.run.append((fixed_format(each), name))
        elif each.struct is not None and not each.is_array:
            self.struct_field(each, name)
        else:
            self.sized(each, name)

    def struct_field(self, each: Field, name: str) -> None:
        add = self.source.add
        assert each.struct is not None
        read = call(self.message, each.struct, self.version)
        if self.version not in each.nullable:
            self.flush()
            add(f"{name}, pos = {read}")
            return
        # Kafka marks null by a negative byte, in tagged fields by the varint 0.
        in_tag = self.version in each.tagged
        self.run.append(("B" if in_tag else "b", "n"))
        self.flush()
        self.declare(each, f"{name}: {each.struct.class_name} | None")
        add("if not n:" if in_tag else "if n < 0:")
        add(f"    {name} = None")
        add("else:")
        add(f"    {name}, pos = {read}")

    def declare(self, each: Field, line: str) -> None:
        """Annotate a local, unless it is annotated with its default, as tagged fields are."""
        if self.version not in each.tagged:
            self.source.add(line)

    def compact(self, each: Field) -> bool:
        return self.message.is_flexible(self.version) and not each.never_flexible

    def sized(self, each: Field, name: str) -> None:
        """Read a string, bytes, records or an array: first the length `n`, then the content."""
        add = self.source.add
        compact = self.compact(each)
        self.run.append(("B" if compact else "h" if each.type == "string" and not each.is_array else "i", "n"))
        self.flush()
        if compact:
            self.long_length(each)
        null = "if not n:" if compact else "if n < 0:"
        if self.version in each.nullable:
            kind = f"list[{element_type(each)}]" if each.is_array else element_type(each)
            self.declare(each, f"{name}: {kind} | None")
            add(null)
            add(f"    {name} = None")
            add("else:")
            self.source.depth += 1
            self.body(each, name, compact=compact)
            self.source.depth -= 1
        else:
            add(null)
            add(f'    raise {self.source.use("null_error")}("{self.struct.name}.{each.name}")')
            self.body(each, name, compact=compact)

    def long_length(self, each: Field) -> None:
        tail = "string_length_tail" if each.type == "string" and not each.is_array else "uvarint_tail"
        self.source.add("if n > 127:")
        self.source.add(f"    n, pos = {self.source.use(tail)}(buf, pos, n)")

    def body(self, each: Field, name: str, *, compact: bool) -> None:
        add = self.source.add
        if each.is_array:
            self.array(each, name, compact=compact)
            return
        add(f"end = pos + n{' - 1' if compact else ''}")
        add(f"{name} = {self.slice(each.type)}")
        add("pos = end")

    def slice(self, kind: str) -> str:
        texts = {
            "string": "buf[pos:end].decode()",
            "bytes": "bytes(buf[pos:end])",
            "records": "memoryview(buf)[pos:end]",
        }
        return texts[kind]

    def array(self, each: Field, name: str, *, compact: bool) -> None:
        add = self.source.add
        if compact:
            add("n -= 1")
        size = min_field_size(self.message, each, self.version, as_element=True)
        left = "len(buf) - pos"
        too_many = f"n > {left}" if size == 1 else f"n * {size} > {left}"
        too_many = f"n > budget[0] or {too_many}" if size else "n > budget[0]"
        add(f"if {too_many}:")
        add(f'    raise {self.source.use("count_error")}("{self.struct.name}.{each.name}", n)')
        add("budget[0] -= n")
        if each.struct is not None:
            add(f"{name} = []")
            add("for _ in range(n):")
            add(f"    {name}_item, pos = {call(self.message, each.struct, self.version)}")
            add(f"    {name}.append({name}_item)")
        elif each.type == "uuid":
            add(f"{name} = [bytes(buf[end : end + 16]) for end in range(pos, pos + n * 16, 16)]")
            add("pos += n * 16")
        elif each.type in FIXED:
            add(f'{name} = list({self.source.use("unpack_from")}(f">{{n}}{fixed_format(each)}", buf, pos))')
            add(f"pos += n * {size}" if size > 1 else "pos += n")
        else:
            self.string_array(each, name, compact=compact)

    def string_array(self, each: Field, name: str, *, compact: bool) -> None:
        assert each.type == "string", each
        add = self.source.add
        add(f"{name} = []")
        add("for _ in range(n):")
        self.source.depth += 1
        self.run.append(("B" if compact else "h", "n"))
        self.flush()
        if compact:
            self.source.add("if n > 127:")
            self.source.add(f"    n, pos = {self.source.use('string_length_tail')}(buf, pos, n)")
        add("if not n:" if compact else "if n < 0:")
        add(f'    raise {self.source.use("null_error")}("{self.struct.name}.{each.name}")')
        add(f"end = pos + n{' - 1' if compact else ''}")
        add(f"{name}.append(buf[pos:end].decode())")
        add("pos = end")
        self.source.depth -= 1

    def tags(self) -> None:
        """Read the tagged fields; unknown tags are skipped."""
        add, use = self.source.add, self.source.use
        self.run.append(("B", "n"))
        self.flush()
        known = self.struct.tagged(self.version)
        if not known:
            add("if n:")
            add(f"    pos = {use('skip_tags')}(buf, pos, n)")
            return
        for each in known:
            kind = f"list[{element_type(each)}] | tuple[()]" if each.is_array else element_type(each)
            null = " | None" if is_nullable(each) else ""
            add(f"{local(each)}: {kind}{null} = {default_source(each)}")
        add("if n:")
        self.source.depth += 1
        add(f"if n > {use('MAX_TAGGED_FIELDS')}:")
        add(f'    raise {use("tag_count_error")}("{self.struct.name}")')
        add("for _ in range(n):")
        self.source.depth += 1
        add(f"tag, stop, pos = {use('read_tag')}(buf, pos)")
        for number, each in enumerate(known):
            add(f"{'el' if number else ''}if tag == {each.tag}:")
            self.source.depth += 1
            self.field(each)
            self.flush()
            self.source.depth -= 1
        add("else:")
        add("    pos = stop")
        add("if pos != stop:")
        add(f'    raise {use("tag_error")}("{self.struct.name}", tag)')
        self.source.depth -= 2
