# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees as files fit for version control, and what differs between two of them. Needs the core, but no Blender.

A file is the document of ``rust/graph/FORMATS.md`` ("Tree IR"), one node, link and interface item per line, so that a
small edit is a small difference in text. Equal trees give equal bytes.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import native
from ..messages import AssistantError, os_code
from .replacing import replace

_CHANGED = "Export the tree again with this version of the add-on, or take back what was changed in the file by hand."
_TOO_LARGE = "Export the nested groups one by one."
_CATALOGUES = Path(__file__).parent.parent / "data" / "catalogue"
# What grows line by line; the rest of a tree is one line each.
_LISTS = frozenset({"interface", "nodes", "links"})


def text(bundle: Mapping[str, Any]) -> str:
    """The document as it is written to a file: the root first, nested groups by name."""
    return "".join(_pieces(bundle))


def _pieces(bundle: Mapping[str, Any]) -> Iterator[str]:
    root, trees = bundle.get("root"), bundle["trees"]
    head = "".join(f'"{key}": {_json(bundle[key])},\n' for key in ("ir", "blender", "root"))
    yield "{\n" + head + '"trees": {'
    for number, name in enumerate(sorted(trees, key=lambda name: (name != root, name))):
        yield ("" if number == 0 else ",") + f"\n{_json(name)}: {{"
        for position, (key, value) in enumerate(trees[name].items()):
            yield ("" if position == 0 else ",") + f'\n  "{key}": '
            if key in _LISTS and value:
                yield "[\n    " + ",\n    ".join(map(_json, value)) + "\n  ]"
            else:
                yield _json(value)
        yield "\n}"
    yield "\n}\n}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write(bundle: Mapping[str, Any], path: str | Path) -> Path:
    """Writes a document whole or not at all, and returns its absolute path.

    Raises AssistantError as ``write_text``.
    """
    return write_text(text(bundle), path)


def page(bundle: Mapping[str, Any], full: bool = False) -> tuple[str, list[str]]:
    """The document as tree text (``rust/text/FORM.md``), ``full`` with places and looks, and what that cannot say."""
    catalogue = _catalogue(tuple(bundle["blender"][:2]))
    found = native.core().tree_text(dict(bundle), catalogue, full=full)
    return found["text"], found["losses"]


def write_text(content: str, path: str | Path) -> Path:
    """Writes a text whole or not at all, and returns its absolute path.

    Raises AssistantError: ``bad_name`` (a name that is no Unicode), ``disk_full``, ``file_not_found`` (the folder),
    ``file_too_large``, ``invalid_path``, ``output_not_writable``.
    """
    # Through a link to the file that it names: the link stays.
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise AssistantError("invalid_path", f"{path} is not a file.", "Name a file, for example tree.json.")
    try:
        data = content.encode()
    except UnicodeEncodeError as error:
        broken = error.object[max(error.start - 20, 0) : error.end].encode("utf-8", "replace").decode()
        raise AssistantError(
            "bad_name", f"A name or text in the tree is not valid Unicode: …{broken}", "Rename it."
        ) from error
    limit = native.limits().tree_bytes
    if len(data) > limit:
        raise AssistantError(
            "file_too_large", f"The tree document has {len(data):,} bytes; {limit:,} are allowed.", _TOO_LARGE
        )
    staged = target.with_name(f".{target.name[:80]}-{os.getpid()}.tmp")
    try:
        with staged.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        replace(staged, target)
    except OSError as error:
        code = os_code(error)
        if code == "file_not_found":
            raise AssistantError(code, f"There is no folder {target.parent}.", "Make it first.") from error
        if code == "disk_full":
            raise AssistantError(code, f"No space left in {target.parent}.", "Free some space.") from error
        raise AssistantError(
            "output_not_writable", f"Cannot write {path} ({error.strerror or error}).", "Choose another place."
        ) from error
    finally:
        with contextlib.suppress(OSError):
            staged.unlink(missing_ok=True)
    return target


def read(path: str | Path, blender: tuple[int, int] | None = None) -> dict[str, Any]:
    """The document in a file, after a strict check.

    ``blender`` (major, minor) refuses what a newer Blender wrote. Raises AssistantError: ``file_not_found``,
    ``permission_denied``, ``invalid_path``, ``file_too_large``, ``newer_blend``, ``unsupported_version``, and what is
    wrong with the content: ``invalid_json, too_deep, duplicate_key, invalid_document, duplicate_id, unknown_node,
    cycle``.
    """
    content = read_text(Path(path))
    core = native.core()
    try:
        core.check_tree(content)
    except core.ProtocolError as error:
        raise AssistantError(error.code, f"{path}: {error.message}", _CHANGED) from error
    bundle: dict[str, Any] = json.loads(content)
    wrote = bundle["blender"]
    if blender is not None and tuple(wrote[:2]) > blender:
        raise AssistantError(
            "newer_blend",
            f"{path} was written by Blender {wrote[0]}.{wrote[1]}; this is Blender {blender[0]}.{blender[1]}.",
            f"Use Blender {wrote[0]}.{wrote[1]} or newer.",
        )
    return bundle


def read_text(path: Path) -> str:
    """The text of a file of at most the size of a tree document. Raises AssistantError as ``read``."""
    limit = native.limits().tree_bytes
    try:
        if path.exists() and not path.is_file():
            raise AssistantError("invalid_path", f"{path} is not a file.", "Name a file that export wrote.")
        with path.open("rb") as stream:
            # What is too large is not read first.
            size = os.fstat(stream.fileno()).st_size
            data = stream.read(limit + 1) if size <= limit else b""
    except OSError as error:
        code = os_code(error)
        reason = "There is no file" if code == "file_not_found" else f"Cannot read ({error.strerror or error})"
        hint = "Check the spelling of the path." if code == "file_not_found" else "Check the file's permissions."
        raise AssistantError(code, f"{reason} {path}.", hint) from error
    if max(size, len(data)) > limit:
        raise AssistantError("file_too_large", f"{path} is larger than {limit:,} bytes.", _TOO_LARGE)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise AssistantError("invalid_json", f"{path} is not UTF-8 text (byte {error.start}).", _CHANGED) from error


def missing_text(missing: Sequence[tuple[str, str]]) -> str:
    """Names the data-blocks, as (kind, name), that a tree refers to and the file does not have."""
    named = ", ".join(f"{kind.replace('_', ' ')} “{name}”" for kind, name in missing)
    return f"This file does not have what the tree refers to; left empty: {named}."


def diff(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The changes between two documents in plain words; nothing for equal trees."""
    # Names and units as in the Blender that wrote the later document.
    wrote = after.get("blender") if isinstance(after, Mapping) else None
    version = wrote[:2] if isinstance(wrote, list) and all(isinstance(part, int) for part in wrote) else ()
    return list(native.core().diff(before, after, _catalogue(tuple(version))))


def _catalogue(blender: tuple[int, ...]) -> Path:
    """The shipped catalogue nearest to a version: the last one that is not newer, else the first."""
    shipped = sorted(
        (tuple(int(part) for part in path.stem.split(".")), path) for path in _CATALOGUES.glob("[0-9]*.json")
    )
    return max((entry for entry in shipped if entry[0] <= blender), default=shipped[0])[1]
