"""Writes the message modules and the tables of API keys from the notation (`--check`: only lists stale files)."""

import argparse
import importlib
import pkgutil
import sys
import textwrap
from pathlib import Path
from types import ModuleType

from kafkacompat.protocol import notation
from kafkacompat.protocol.notation import internal
from kafkacompat.protocol.notation.compiler import module
from kafkacompat.protocol.notation.compiler.schema import Message, parse

HERE = Path(__file__).parent
HAND_WRITTEN = {"__init__.py", "framing.py"}


def notation_modules(package: ModuleType) -> dict[str, ModuleType]:
    """Return the notation's modules in `package` by stem."""
    names = sorted(info.name for info in pkgutil.iter_modules(package.__path__) if not info.ispkg)
    return {name: importlib.import_module(f"{package.__name__}.{name}") for name in names}


def apis() -> dict[str, tuple[ModuleType, Message, Message]]:
    """Return notation module, request and response of each API by stem, ordered by API key."""
    found = {
        stem: (source, parse(source.REQUEST)[0], parse(source.RESPONSE)[0])
        for stem, source in notation_modules(notation).items()
    }
    return dict(sorted(found.items(), key=lambda item: item[1][0].KEY))


def generated_files() -> dict[Path, str]:
    """Return the source of every generated file."""
    files = {}
    every = apis()
    for stem, (source, request, response) in every.items():
        name = request.name.removesuffix("Request")
        files[HERE / "messages" / f"{stem}.py"] = module.api_module(name, source.KEY, request, response)
    for stem, source in notation_modules(internal).items():
        text = module.records_module(source.__doc__ or "", source.FRAMING, parse(source.RECORDS))
        files[HERE / "internal" / f"{stem}.py"] = text
    files[HERE / "api_keys.py"] = api_keys_module(every)
    return files


def api_keys_module(every: dict[str, tuple[ModuleType, Message, Message]]) -> str:
    """Source of `api_keys.py`."""
    requests = {source.KEY: request for source, request, _ in every.values()}
    stems = {source.KEY: stem for stem, (source, *_) in every.items()}
    listeners = {source.KEY: source.LISTENERS for source, *_ in every.values()}
    lines = ['"""API keys, their names, and the first flexible version of each."""', "", module.NOTE, ""]
    lines += [f"{stem.upper()} = {key}" for key, stem in stems.items()]
    lines += ["", *_table("NAMES", {key: f'"{each.name.removesuffix("Request")}"' for key, each in requests.items()})]
    lines += ["KEYS = {name: key for key, name in NAMES.items()}"]
    lines += ["", "# Modules of `messages`.", *_table("STEMS", {key: f'"{stem}"' for key, stem in stems.items()})]
    lines += ["", "# First version with compact lengths, tagged fields and the newer headers; 32767 if there is none."]
    lines += _table("FLEXIBLE_SINCE", {key: str(each.flexible_since) for key, each in requests.items()})
    lines += ["", "# All versions that the messages have, whether or not a broker offers them."]
    lines += _table("VERSIONS", {key: f"({each.versions.low}, {each.versions.high})" for key, each in requests.items()})
    lines += ["", "# Listeners on which Kafka serves the key."]
    lines += _table("LISTENERS", {key: str(names).replace("'", '"') for key, names in listeners.items()})
    lines += ["", "", "def name(api_key: int) -> str:"]
    lines += ['    """Return the API\'s name as Kafka prints it, or a text with the number of an unknown key."""']
    lines += ['    return NAMES.get(api_key) or f"unknown API key {api_key}"', ""]
    return "\n".join(lines)


def _table(name: str, rows: dict[int, str]) -> list[str]:
    glued = " ".join(f"{key}: {value},".replace(" ", "~") for key, value in rows.items())  # no line break inside a row
    wrapped = textwrap.wrap(glued, 116, break_on_hyphens=False)
    return [f"{name} = {{", *("    " + line.replace("~", " ") for line in wrapped), "}  # fmt: skip"]


def stale_files(files: dict[Path, str]) -> list[Path]:
    """Return files that differ from `files`, are missing, or should not be there."""
    wrong = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    for folder in ("messages", "internal"):
        wrong += [p for p in (HERE / folder).glob("*.py") if p.name not in HAND_WRITTEN and p not in files]
    return wrong


def main(arguments: list[str]) -> int:
    """Write or check; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m kafkacompat.protocol.generate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is not current")
    options = parser.parse_args(arguments)
    files = generated_files()
    wrong = stale_files(files)
    for path in wrong:
        sys.stdout.write(f"{'not current' if options.check else 'writing'}: {path.relative_to(HERE)}\n")
        if not options.check:
            if path in files:
                path.write_text(files[path])
            else:
                path.unlink()
    return 1 if options.check and wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
