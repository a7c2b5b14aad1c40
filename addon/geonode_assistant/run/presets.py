# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets: listed, saved from a tree, applied, and exchanged as files.

A preset is data: a head in TOML and a page of tree text (``rust/planner/presets/README.md``), read strictly. No preset
holds Python, and nothing in one is executed. The user's presets are files in the private folder of the extension; the
offline planner finds them by their titles and words. Errors are AssistantError or those of the core, with ``code``.
"""

from __future__ import annotations

import builtins
import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import bpy

from .. import native
from ..host import catalogue, current, exchange, folders, modifiers, ownership, picture, with_values
from ..host import context as host_context
from ..host.replacing import replace
from ..messages import AssistantError, os_code
from . import background, driver, preset_files, starting
from .driver import Approve, RunHandle
from .report import RunReport

# Of the presets that ship; `tests/blender/preset_pictures.py` writes them.
PICTURES, SHIPPED = Path(__file__).parent.parent / "data" / "presets", ".jpg"
_PICTURE_SIZE = (256, 192)
_listed: tuple[Any, dict[str, Any]] = (None, {})


def list() -> builtins.list[dict[str, Any]]:
    """Every preset, those that ship first, then the user's.

    Each has ``id, title, description, example, since, targets, parameters, asks, own, picture``. ``since`` is the first
    Blender that has its nodes, or None; ``targets`` are types of objects, none for any with geometry; ``asks`` says
    that a second object has to be chosen, in the parameter of the kind ``object``. A parameter has
    ``name, title, kind, unit, description, default, hard, advised, options``; its default is None where it follows from
    the target. ``picture`` is the path of a picture, or None. Cheap: nothing is read again as long as no file changes.
    """
    return [dict(one) for one in _found()["presets"]]


def unreadable() -> builtins.list[dict[str, Any]]:
    """The files among the user's presets that are not valid: ``file, code, message``."""
    return [dict(one) for one in _found()["unfit"]]


def begin_reading() -> background.Check[None] | None:
    """Reads what ``list`` tells on a thread, where a window must not wait for it; None if it is known already."""
    now, files = preset_files.signature(), preset_files.read()
    return None if _listed[0] == now else background.Check(lambda: _take(now, native.core().presets(files)))


def _found() -> dict[str, Any]:
    now = preset_files.signature()
    if _listed[0] != now:
        _take(now, native.core().presets(preset_files.read()))
    return _listed[1]


def _take(now: Any, found: dict[str, Any]) -> None:
    global _listed
    for one in found["presets"]:
        own = _file(one["id"]).with_suffix(preset_files.PICTURE)
        place = own if one["own"] else PICTURES / f"{one['id']}{SHIPPED}"
        one["picture"] = str(place) if place.is_file() else None
    _listed = (now, found)


def load(preset: str) -> dict[str, Any]:
    """What ``list`` tells of a preset, and of one of the user's also ``text``: its file. Raises ``unknown_preset``."""
    known = _known(preset)
    if known["own"]:
        known["text"] = exchange.read_text(_file(preset))
    return known


def _known(preset: str) -> dict[str, Any]:
    known = next((one for one in list() if one["id"] == preset), None)
    if known is None:
        raise AssistantError("unknown_preset", f"There is no preset “{preset}”.", native.fix("unknown_preset"))
    return known


def save(
    title: str,
    source: Any = None,
    *,
    description: str = "",
    example: str = "",
    words: Sequence[str] = (),
    parameters: Sequence[str] | None = None,
    overwrite: bool = False,
    with_picture: bool = False,
) -> dict[str, Any]:
    """Keeps a tree as a preset and returns what ``load`` tells of it, with ``losses``: what could not be kept.

    ``source`` is a Geometry Nodes tree, a modifier, or an object (or its name), whose last result of a run, else whose
    last tree, is kept; by default the active object. The values of a modifier become the defaults. ``words`` are
    further phrases that call for the preset. ``parameters`` are the inputs that can be set, by name or identifier; the
    others keep their values and are hidden in the modifiers of the preset; None: all. ``with_picture`` renders the
    object, which takes about a second. Raises ``file_exists`` where a preset of this title is there, unless
    ``overwrite``.
    """
    tree, modifier = _source(source)
    bundle, losses = with_values.document(tree, modifier)
    if parameters is not None:
        _hide_others(bundle, modifiers.inputs_of(tree), parameters)
    head = {
        "title": " ".join(title.split()),
        "description": description,
        "example": example,
        "words": [*words],
        "metres": with_values.metres(modifier),
    }
    draft = native.core().preset_draft(bundle, catalogue.path(), head)
    _keep(draft["id"], draft["text"], overwrite)
    if with_picture and modifier is not None:
        picture.render(modifier.id_data, _file(draft["id"]).with_suffix(preset_files.PICTURE), _PICTURE_SIZE)
        _forget()
    return load(draft["id"]) | {"losses": [*losses, *draft["losses"]]}


def keep_picture(preset: str, picture: bytes) -> str:
    """Gives one of the user's presets a picture, a PNG file, and returns its path. One that cannot be written is left
    out.
    """
    path = _file(preset).with_suffix(preset_files.PICTURE)
    with contextlib.suppress(OSError):
        path.write_bytes(picture)
    _forget()
    return str(path)


def _source(source: Any) -> tuple[Any, Any]:
    """The tree, and the modifier that runs it, if one is known."""
    if isinstance(source, bpy.types.NodeTree) and source.bl_idname == "GeometryNodeTree":
        return source, None
    if isinstance(source, bpy.types.NodesModifier) and source.node_group is not None:
        return source.node_group, source
    if isinstance(source, str):
        source = modifiers.object_named(source)
    obj = source if source is not None else current.view_layer().objects.active
    if isinstance(obj, bpy.types.Object):
        stack: builtins.list[Any] = [*reversed(obj.modifiers)]
        shown = [one for one in stack if one.type == "NODES" and one.node_group is not None]
        made = next((one for one in shown if ownership.read_mark(one.node_group) is not None), None)
        if shown:
            found = made or shown[0]
            return found.node_group, found
        raise AssistantError(
            "invalid_argument", f"{obj.name} has no Geometry Nodes modifier.", "Choose an object that has one."
        )
    raise AssistantError(
        "invalid_argument", "There is no tree to keep.", "Choose an object with a Geometry Nodes modifier."
    )


def _hide_others(bundle: dict[str, Any], inputs: Sequence[Any], parameters: Sequence[str]) -> None:
    """Hides the inputs that are not named. Raises ``invalid_argument`` for a name that no input has."""
    for name in parameters:
        if not any(name in (item.name, item.identifier) for item in inputs):
            raise AssistantError("invalid_argument", f"The tree has no input “{name}”.", "Check its spelling.")
    others = {i.identifier for i in inputs if i.name not in parameters and i.identifier not in parameters}
    for item in bundle["trees"][bundle["root"]]["interface"]:
        if item.get("identifier") in others:
            item["props"]["hide_in_modifier"] = True


def _file(preset: str) -> Path:
    return folders.presets_folder() / f"{preset}{preset_files.ENDING}"


def _keep(preset: str, text: str, overwrite: bool) -> None:
    target = _file(preset)
    if target.exists() and not overwrite:
        raise AssistantError("file_exists", f"There is a preset “{preset}” already.", native.fix("file_exists"))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AssistantError(
            os_code(error),
            f"The folder {target.parent} cannot be made ({error.strerror or error}).",
            "Check its place.",
        ) from error
    exchange.write_text(text, target)
    with contextlib.suppress(OSError):
        target.with_suffix(preset_files.PICTURE).unlink(missing_ok=True)
    _forget()


def _forget() -> None:
    global _listed
    _listed = (None, {})


def start(
    preset: str,
    object: str | None = None,
    values: Mapping[str, Any] | None = None,
    *,
    approve: Approve | str = None,
    settings: Mapping[str, Any] | None = None,
) -> RunHandle:
    """Starts a run that applies a preset to an object, the active one by default, and returns at once.

    ``values`` by the names of the parameters: lengths in metres, angles in degrees, whatever the units of the scene.
    The plan is checked, applied and judged as any other, as one undo step; each call makes a new result. Raises
    ``unknown_preset``, ``invalid_argument`` or ``out_of_range`` before anything begins; else as ``api.start``.
    """
    known = _known(preset)
    wanted = {"id": preset, "values": {**(values or {})}, "presets": preset_files.read()}
    return _launch(wanted, known["title"], object, approve, settings)


def start_tree(
    bundle: Mapping[str, Any], metres: float, title: str, object: str | None = None, *, approve: Approve | str = None
) -> tuple[RunHandle, builtins.list[str]]:
    """Starts a run that applies the document of a tree to an object as ``start`` does with a preset, without keeping
    it; returns also what of the tree cannot be applied. ``metres`` are those of a unit of its lengths.
    """
    draft = native.core().preset_draft({**bundle}, catalogue.path(), {"title": title, "metres": metres})
    files = [{"name": f"{draft['id']}{preset_files.ENDING}", "text": draft["text"]}]
    return _launch({"id": draft["id"], "values": {}, "presets": files}, title, object, approve), draft["losses"]


def _launch(
    wanted: dict[str, Any],
    title: str,
    object: str | None,
    approve: Approve | str,
    settings: Mapping[str, Any] | None = None,
) -> RunHandle:
    plan = native.core().preset_plan(wanted, host_context.capture_context(object))
    request = starting.request_of(title, object, "offline", approve=approve, settings=settings)
    return starting.launch(request | {"plan": plan}, approve, title)


def apply(
    preset: str,
    object: str | None = None,
    values: Mapping[str, Any] | None = None,
    *,
    approve: Approve = None,
    settings: Mapping[str, Any] | None = None,
) -> RunReport:
    """Applies a preset as ``start`` does and returns when it is done.

    For scripts in the background; in a window it raises ``would_block``.
    """
    starting.refuse_in_window("presets.apply")
    return driver.drive(start(preset, object, values, approve=approve, settings=settings))


def export_file(preset: str, path: str | Path, overwrite: bool = False) -> Path:
    """Writes one of the user's presets to a file and returns its absolute path.

    Raises ``unknown_preset``, ``invalid_argument`` for a preset that ships, ``file_exists``, or as ``api.save_tree``.
    """
    text = _own(preset, "exported")["text"]
    target = Path(path)
    if target.exists() and not overwrite:
        raise AssistantError("file_exists", f"{target} is there already.", native.fix("file_exists"))
    return exchange.write_text(text, target)


def import_file(path: str | Path, overwrite: bool = False) -> dict[str, Any]:
    """Adds the preset of a file to the user's and returns what ``load`` tells of it.

    Each field and the page are checked first; ``preset_invalid`` names the one that is wrong. The name of the file does
    not matter: the title names the preset. Raises ``file_exists`` where one of this title is there, unless
    ``overwrite``, and what reading and writing a file raise.
    """
    source = Path(path)
    text = exchange.read_text(source)
    shown = native.core().check_preset(source.name, text, catalogue.path())
    _keep(shown["id"], text, overwrite)
    return load(shown["id"])


def rename(preset: str, title: str) -> dict[str, Any]:
    """Gives one of the user's presets another title, by which it is found from now on; returns what ``load`` tells of
    it.

    Raises ``unknown_preset``, ``invalid_argument`` for one that ships, ``file_exists`` where another has that title,
    ``preset_invalid`` for a title that cannot be one.
    """
    known = _own(preset, "renamed")
    text = preset_files.renamed(known["text"], known["title"], " ".join(title.split()))
    shown = native.core().check_preset(_file(preset).name, text, catalogue.path())
    _keep(shown["id"], text, shown["id"] == preset)
    if shown["id"] != preset:
        with contextlib.suppress(OSError):
            old = _file(preset).with_suffix(preset_files.PICTURE)
            if old.is_file():
                replace(old, _file(shown["id"]).with_suffix(preset_files.PICTURE))
        delete(preset)
    return load(shown["id"])


def prompt(preset: str) -> str | None:
    """A prompt that calls for a preset that ships, with ``{object}`` in place of the object's name; None where words
    alone cannot.
    """
    return native.core().preset_prompt(preset)


def delete(preset: str) -> None:
    """Deletes one of the user's presets with its picture.

    Raises ``unknown_preset``, or ``invalid_argument`` for one that ships.
    """
    _own(preset, "deleted")
    try:
        for place in (_file(preset), _file(preset).with_suffix(preset_files.PICTURE)):
            place.unlink(missing_ok=True)
    except OSError as error:
        raise AssistantError(
            os_code(error), f"{error.filename} cannot be deleted ({error.strerror or error}).", "Check its permissions."
        ) from error
    finally:
        _forget()


def _own(preset: str, done: str) -> dict[str, Any]:
    known = load(preset)
    if not known["own"]:
        raise AssistantError(
            "invalid_argument",
            f"“{known['title']}” ships with the add-on and cannot be {done}.",
            "Choose one of yours.",
        )
    return known
