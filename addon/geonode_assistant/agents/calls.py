# SPDX-License-Identifier: GPL-3.0-or-later
"""What the calls of other programs do: reading at once, changing as a run that the artist approves in the panel,
writing files after a question.
"""

from __future__ import annotations

import difflib
import json
import time
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from .. import native
from ..host import catalogue, exchange, export, mainfile, model_tools, modifiers, with_values
from ..host import context as host_context
from ..messages import AssistantError, failure, one_line
from ..run import checking, history, preset_files, presets, starting, tools
from ..run.driver import RunHandle
from ..run.report import RunReport
from . import pictures, project
from .views import View

if TYPE_CHECKING:
    from ..run.protocol import Message

# Lines of a refusal, changes of a run, earlier runs: what a program reads costs its model.
_LINES, _CHANGES, _RUNS = 8, 20, 20

Arguments = Mapping[str, Any]
Reading = Callable[[Arguments], Mapping[str, Any] | tools.Steps]


def _check_plan(arguments: Arguments) -> tools.Steps:
    verdict = yield from checking.check_in_steps(json.dumps(arguments["plan"]), arguments.get("object"))
    return {"ok": verdict["ok"], "messages": verdict["messages"]}


def _list_presets(arguments: Arguments) -> dict[str, Any]:
    wanted = arguments.get("preset")
    if wanted:
        known = presets.load(_preset_of(wanted))
        return {"presets": [{key: known[key] for key in ("id", "title", "description", "targets", "parameters")}]}
    return {"presets": [{key: one[key] for key in ("id", "title", "description")} for one in presets.list()]}


def _history(arguments: Arguments) -> tools.Steps:
    began = time.perf_counter()
    for _ in history.read_in_steps():
        if time.perf_counter() >= began + export.STEP_S:
            yield "Reading the conversations that are kept."
            began = time.perf_counter()
    kept = ("id", "at", "prompt", "object", "status", "message")
    runs = history.list(arguments.get("search") or "")[:_RUNS]
    shown = [{**{key: run[key] for key in kept}, "changes": len(run["changes"])} for run in runs]  # type: ignore[literal-required]
    return {"runs": shown}


def _scene(arguments: Arguments) -> dict[str, Any]:
    """The scene, with what a program can use of the marks of trees: whether one is as the assistant left it."""
    scene: dict[str, Any] = dict(_of_models("scene_summary")(arguments))
    for modifier in (one for obj in scene["objects"] for one in obj["modifiers"]):
        if "made" in modifier:
            modifier["made"] = {"as_left": modifier["made"]["as_left"]}
    return scene


def _modifiers(arguments: Arguments) -> dict[str, Any]:
    """The modifiers of an object; the inputs of a tree have the names that the artist reads."""
    stack = dict(_of_models("modifier_stack")(arguments))
    for shown, modifier in zip(stack["modifiers"], modifiers.object_named(stack["object"]).modifiers, strict=True):
        if shown["type"] == "NODES":
            shown.pop("left", None)
            shown["inputs"] = host_context.named_values(modifier)
    return stack


def _tree(arguments: Arguments) -> tools.Steps:
    name = model_tools.tree_named(arguments, model_tools.active_target())
    bundle = yield from checking.read_in_steps(name, False)
    return model_tools.tree_document(name, bundle["trees"])


def _export(arguments: Arguments) -> tools.Steps:
    return {"document": (yield from checking.read_in_steps(arguments["node_group_name"], True))}


def _diff(arguments: Arguments) -> tools.Steps:
    before = yield from _one(arguments["before"])
    after = yield from _one(arguments["after"])
    lines = yield from checking.aside("Comparing.", lambda: exchange.diff(before, after))
    return {"lines": lines}


def _one(name: str) -> Generator[str, None, Mapping[str, Any]]:
    """The document of a tree, or of a file of one."""
    if name.lower().endswith(".json") and name not in host_context.names("node_group"):
        place, version = project.inside(name, ".json"), bpy.app.version[:2]
        return (yield from checking.aside("Reading the file.", lambda: exchange.read(place, version)))
    return (yield from checking.read_in_steps(name, True))


def _of_models(tool: str) -> Callable[[Arguments], Mapping[str, Any]]:
    def call(arguments: Arguments) -> Mapping[str, Any]:
        return model_tools.TOOLS[tool](arguments, model_tools.active_target())

    return call


READING: dict[str, Reading] = {
    **{tool: _of_models(tool) for tool in model_tools.TOOLS},
    "scene_summary": _scene,
    "modifier_stack": _modifiers,
    "tree_ir": _tree,
    "picture": pictures.take,
    "check_plan": _check_plan,
    "explain_tree": model_tools.explain_tree,
    "tree_export": _export,
    "tree_diff": _diff,
    "list_presets": _list_presets,
    "history": _history,
}
"""Tools that change nothing, by their IDs."""


def reading(tool: str) -> Reading | None:
    """What carries out a tool that changes nothing: one that ships, or one that a script has added."""
    if tool not in READING and tools.is_registered(tool):
        return lambda arguments: tools.call(tool, arguments)
    return READING.get(tool)


def seen(tool: str, arguments: Arguments, result: Mapping[str, Any]) -> dict[str, View | None]:
    """The trees that a program knows from this result."""
    if tool == "tree_ir":
        name = str(result["node_group"])
        return {name: View(export.document(name, result["document"]["trees"]), False)}
    return {str(arguments["node_group_name"]): View(result["document"], True)} if tool == "tree_export" else {}


class Question(NamedTuple):
    """What the artist is asked before something is written outside a run."""

    text: str
    act: Callable[[], Mapping[str, Any]]


def _tree_save(arguments: Arguments) -> Question:
    name = arguments["node_group_name"]
    place = _free(arguments, ".json")
    bundle = export.export_tree(mainfile.geometry_tree(name))
    return Question(
        _to_write(f"the tree “{name}”", place),
        lambda: {"path": project.shown(exchange.write(bundle, place))},
    )


def _preset_export(arguments: Arguments) -> Question:
    place = _free(arguments, ".toml")
    preset = _preset_of(arguments["preset"])
    title = presets.load(preset)["title"]
    overwrite = bool(arguments.get("overwrite"))
    return Question(
        _to_write(f"the preset “{title}”", place),
        lambda: {"path": project.shown(presets.export_file(preset, place, overwrite))},
    )


def _preset_import(arguments: Arguments) -> Question:
    place = project.inside(arguments["path"], preset_files.ENDING)
    overwrite = bool(arguments.get("overwrite"))
    # What is wrong with it is said before anybody is asked.
    shown = native.core().check_preset(place.name, exchange.read_text(place), catalogue.path())
    is_there = any(one["own"] and one["id"] == shown["id"] for one in presets.list())
    if is_there and not overwrite:
        raise AssistantError("file_exists", f"There is a preset “{shown['title']}” already.", "Say `overwrite`.")
    return Question(
        f"{'replace' if is_there else 'add'} the preset “{one_line(shown['title'], 80)}” "
        f"{'by that of' if is_there else 'from'} {project.shown(place)}",
        lambda: {"preset": presets.import_file(place, overwrite)["id"]},
    )


def _to_write(what: str, place: Path) -> str:
    shown = project.shown(place)
    return f"replace {shown} by {what}" if place.exists() else f"write {what} to {shown}"


def _free(arguments: Arguments, ending: str) -> Path:
    """The file to write. What is wrong with it is said before anybody is asked."""
    place = project.inside(arguments["path"], ending)
    if not place.parent.is_dir():
        raise AssistantError(
            "file_not_found", f"There is no folder {project.shown(place.parent)}.", "Name a folder that is there."
        )
    if place.exists() and not place.is_file():
        raise AssistantError("invalid_path", f"{project.shown(place)} is not a file.", "Choose another name.")
    if place.exists() and not arguments.get("overwrite"):
        raise AssistantError(
            "file_exists", f"{project.shown(place)} is there already.", "Choose another name, or say `overwrite`."
        )
    return place


WRITING: dict[str, Callable[[Arguments], Question]] = {
    "tree_save": _tree_save,
    "preset_export": _preset_export,
    "preset_import": _preset_import,
}
"""Tools that write files, by their IDs. Each says what it would do, and does it once the artist agrees."""


def _plan(arguments: Arguments, _client: str) -> tuple[Any, str]:
    return dict(arguments["plan"]), "a plan"


def _preset(arguments: Arguments, _client: str) -> tuple[Any, str]:
    known = presets.load(_preset_of(arguments["preset"]))
    wanted = {"id": known["id"], "values": dict(arguments.get("values", {})), "presets": preset_files.read()}
    return native.core().preset_plan(wanted, host_context.capture_context(arguments.get("object"))), known["title"]


def _preset_of(name: str) -> str:
    """The ID of a preset that is named by its ID or its title."""
    titles = {one["id"]: one["title"] for one in presets.list()}
    if name in titles:
        return name
    plain = name.strip().casefold()
    for preset, title in titles.items():
        if plain in (preset, title.casefold()):
            return preset
    close = difflib.get_close_matches(plain.replace(" ", "_"), titles, n=3)
    fix = f"Did you mean {', '.join(close)}?" if close else "`search_presets` finds presets by words."
    raise AssistantError("unknown_preset", f"There is no preset “{name}”.", fix)


def _generated(arguments: Arguments, _client: str) -> tuple[Any, str]:
    return None, one_line(arguments["description"], 200)


def _imported(arguments: Arguments, _client: str) -> tuple[Any, str]:
    text = json.dumps(arguments["document"], allow_nan=False)
    native.core().check_tree(text)
    return _of_tree(json.loads(text), arguments.get("object"))


def _loaded(arguments: Arguments, _client: str) -> tuple[Any, str]:
    bundle = exchange.read(project.inside(arguments["path"], ".json"), bpy.app.version[:2])
    return _of_tree(bundle, arguments.get("object"))


def _of_tree(bundle: dict[str, Any], target: str | None) -> tuple[Any, str]:
    title = one_line(str(bundle["root"]), 60)
    draft = native.core().preset_draft(bundle, catalogue.path(), {"title": title, "metres": with_values.metres(None)})
    files = [{"name": f"{draft['id']}{preset_files.ENDING}", "text": draft["text"]}]
    wanted = {"id": draft["id"], "values": {}, "presets": files}
    return native.core().preset_plan(wanted, host_context.capture_context(target)), f"the tree {title}"


RUNS: dict[str, Callable[[Arguments, str], tuple[Any, str]]] = {
    "apply_plan": _plan,
    "apply_preset": _preset,
    "tree_generate": _generated,
    "tree_import": _imported,
    "tree_load": _loaded,
}
"""Tools that change the file, by their IDs: the plan (none: the built-in planner makes it) and what it is called."""


def begin(tool: str, arguments: Arguments, client: str, is_allowed: bool) -> RunHandle:
    """Starts the run of a tool that changes the file; the panel asks before anything is written, unless the artist
    allows this client to make changes. What always asks, such as scripts, asks all the same.
    """
    if tool not in RUNS:
        raise AssistantError("unknown_tool", f"There is no tool “{tool}”.")
    plan, what = RUNS[tool](arguments, client)
    target = arguments.get("object") or checking.target(json.dumps(plan) if tool == "apply_plan" else "")
    title = f"{client}: {what}"
    # Every plan is shown first, whatever it says about itself.
    settings = {} if is_allowed else {"preview": True}
    prompt = title if plan is not None else what
    request = starting.request_of(prompt, target, "offline", approve="ask", settings=settings)
    if plan is not None:
        request["plan"] = plan if isinstance(plan, str) else json.dumps(plan)
    return starting.launch(request, "ask", title)


def outcome(report: RunReport) -> dict[str, Any]:
    """The answer to a call whose run has ended: why it failed is said with the places and what to do."""
    if report.ok:
        changes = _cut(list(report.diff or ()), _CHANGES)
        return {"ok": True, "result": {"status": report.status, "message": report.final_message, "changes": changes}}
    errors = [message for message in report.messages if message["severity"] == "error"]
    first = next((message for message in report.messages if message["code"] == "user_rejected"), None)
    shown = [first] if first else errors
    lines = _cut(list(dict.fromkeys(map(_line, shown))), _LINES)
    text = "\n".join(lines) or report.final_message or "The run was cancelled in Blender."
    return {"ok": False, "error": {"code": shown[0]["code"] if shown else "cancelled", "message": project.named(text)}}


def _cut(lines: list[str], most: int) -> list[str]:
    return [*lines[:most], f"… and {len(lines) - most} more."] if len(lines) > most else lines


def _line(message: Message) -> str:
    """Place, cause and fix of a message, in the words for whoever wrote the plan."""
    told = message.get("planner") or {}
    where, text = message.get("path"), told.get("text") or message["text"]
    return f"{where}: {_with_fix(text, told.get('hint'))}" if where else _with_fix(text, told.get("hint"))


def _with_fix(text: str, fix: str | None) -> str:
    return f"{text} {fix}" if fix and fix not in text else text


def refused(error: BaseException) -> dict[str, Any]:
    """The answer to a call that an exception ended: cause and fix, with files named from the project's folder on."""
    known = failure(error)
    text = _with_fix(known["message"], getattr(error, "hint", None))
    return {"ok": False, "error": {"code": known["code"], "message": project.named(text)}}


def instructions() -> str:
    """What the server tells clients about itself."""
    return (
        "Geometry Nodes in the Blender that runs on this machine. Look (scene_summary, tree_ir), search (search_nodes, "
        "search_presets), read how plans are written (how_to_plan), check a plan (check_plan), then apply it. What "
        "changes the file waits until the artist approves it in Blender's sidebar (N, GeoNode); a rejection is final. "
        "One change at a time, one undo step each."
    )


def catalogue_path() -> str:
    """The nodes of this Blender."""
    return catalogue.path()
