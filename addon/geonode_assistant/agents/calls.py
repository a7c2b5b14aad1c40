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


def _scene(arguments: Arguments) -> tools.Steps:
    """The scene, with what a program can use of the marks of trees: whether one is as the assistant left it."""
    marks = yield from checking.marks_in_steps()
    scene: dict[str, Any] = dict(model_tools.scene_summary(arguments, model_tools.active_target(), marks))
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


def seen(tool: str, arguments: Arguments, result: Mapping[str, Any]) -> dict[str, View]:
    """The trees that a program knows from this result."""
    if tool == "tree_ir":
        name = str(result["node_group"])
        return {name: View(export.document(name, result["document"]["trees"]), False)}
    return {str(arguments["node_group_name"]): View(result["document"], True)} if tool == "tree_export" else {}


class Question(NamedTuple):
    """What the artist is asked before something is written outside a run."""

    text: str
    act: Callable[[], Mapping[str, Any] | tools.Steps]
    always: bool = False
    """Whether also a program is asked about that may make changes: what is replaced comes back with no undo."""


Asking = Generator[str, None, Question]


def _tree_save(arguments: Arguments) -> Asking:
    name = arguments["node_group_name"]
    mainfile.geometry_tree(name)
    place = _free(arguments, ".json")
    bundle = yield from checking.read_in_steps(name, True)

    def write() -> tools.Steps:
        file = yield from checking.aside("Writing the file.", lambda: exchange.write(bundle, place))
        return {"path": project.shown(file)}

    return _to_write(f"the tree “{name}”", place, arguments, write)


def _preset_export(arguments: Arguments) -> Asking:
    place = _free(arguments, ".toml")
    preset = _preset_of(arguments["preset"])
    title = presets.load(preset)["title"]
    overwrite = bool(arguments.get("overwrite"))
    yield from ()
    return _to_write(
        f"the preset “{title}”",
        place,
        arguments,
        lambda: {"path": project.shown(presets.export_file(preset, place, overwrite))},
    )


def _preset_import(arguments: Arguments) -> Asking:
    place = project.inside(arguments["path"], preset_files.ENDING)
    overwrite = bool(arguments.get("overwrite"))
    # What is wrong with it is said before anybody is asked.
    path = catalogue.path()
    read = lambda: native.core().check_preset(place.name, exchange.read_text(place), path)  # noqa: E731
    shown = yield from checking.aside("Reading the file.", read)
    is_there = any(one["own"] and one["id"] == shown["id"] for one in presets.list())
    if is_there and not overwrite:
        raise AssistantError("file_exists", f"There is a preset “{shown['title']}” already.", "Say `overwrite`.")
    return Question(
        f"{'replace' if is_there else 'add'} the preset “{one_line(shown['title'], 80)}” "
        f"{'by that of' if is_there else 'from'} {project.shown(place)}",
        lambda: {"preset": presets.import_file(place, overwrite)["id"]},
        is_there,
    )


def _to_write(what: str, place: Path, arguments: Arguments, write: Callable[[], Any]) -> Question:
    shown, replaces = project.shown(place), place.exists()

    def act() -> Mapping[str, Any] | tools.Steps:
        # While the artist was asked, something else may have come there: a file that nobody was asked about, or a link.
        _free({**arguments, "overwrite": replaces}, place.suffix.lower())
        return write()

    return Question(f"replace {shown} by {what}" if replaces else f"write {what} to {shown}", act, replaces)


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


WRITING: dict[str, Callable[[Arguments], Asking]] = {
    "tree_save": _tree_save,
    "preset_export": _preset_export,
    "preset_import": _preset_import,
}
"""Tools that write files, by their IDs. Each says what it would do, and does it once the artist agrees."""


class Wish(NamedTuple):
    """What a run is to do."""

    plan: str | None
    """The text of its plan; None: the built-in planner makes one of the words."""
    words: str
    target: str | None
    """The object that is meant where none is named."""


Wishing = Generator[str, None, Wish]


def _plan(arguments: Arguments) -> Wishing:
    plan = json.dumps(dict(arguments["plan"]))
    return Wish(plan, "a plan", arguments.get("object") or (yield from checking.target_in_steps(plan)))


def _preset(arguments: Arguments) -> Wishing:
    known = presets.load(_preset_of(arguments["preset"]))
    wanted = {"id": known["id"], "values": dict(arguments.get("values", {})), "presets": preset_files.read()}
    return (yield from _of_preset(wanted, known["title"], arguments))


def _of_preset(wanted: dict[str, Any], words: str, arguments: Arguments) -> Wishing:
    target = arguments.get("object") or host_context.active_object()
    marks = yield from checking.marks_in_steps()
    scene = host_context.capture_context(arguments.get("object"), with_tree=False, marks=marks)
    if (tree := scene["target_node_group"]) is not None:
        scene["tree"] = yield from checking.read_in_steps(tree, False)
    plan = yield from checking.aside("Planning.", lambda: native.core().preset_plan(wanted, scene))
    return Wish(plan if isinstance(plan, str) else json.dumps(plan), words, target)


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


def _generated(arguments: Arguments) -> Wishing:
    yield from ()
    return Wish(None, one_line(arguments["description"], 200), arguments.get("object") or host_context.active_object())


def _imported(arguments: Arguments) -> Wishing:
    text = json.dumps(arguments["document"], allow_nan=False)
    yield from checking.aside("Reading the tree.", lambda: native.core().check_tree(text))
    return (yield from _of_tree(json.loads(text), arguments))


def _loaded(arguments: Arguments) -> Wishing:
    place, version = project.inside(arguments["path"], ".json"), bpy.app.version[:2]
    bundle = yield from checking.aside("Reading the file.", lambda: exchange.read(place, version))
    return (yield from _of_tree(bundle, arguments))


def _of_tree(bundle: dict[str, Any], arguments: Arguments) -> Wishing:
    title = one_line(str(bundle["root"]), 60)
    path, about = catalogue.path(), {"title": title, "metres": with_values.metres(None)}
    draft = yield from checking.aside("Planning.", lambda: native.core().preset_draft(bundle, path, about))
    files = [{"name": f"{draft['id']}{preset_files.ENDING}", "text": draft["text"]}]
    wanted = {"id": draft["id"], "values": {}, "presets": files}
    return (yield from _of_preset(wanted, f"the tree {title}", arguments))


RUNS: dict[str, Callable[[Arguments], Wishing]] = {
    "apply_plan": _plan,
    "apply_preset": _preset,
    "tree_generate": _generated,
    "tree_import": _imported,
    "tree_load": _loaded,
}
"""Tools that change the file, by their IDs."""


def changing(
    tool: str, arguments: Arguments, changes: Generator[str, None, list[str]]
) -> Generator[str, None, Wish | Question]:
    """What a tool that writes is to do, or to ask. ``changes``: what is no longer as the program has read it, which
    matters to a plan that it has made itself.
    """
    if tool == "approval":
        return Question(f"call {arguments['tool']}, and asks you first", dict, True)
    if tool in WRITING:
        return (yield from WRITING[tool](arguments))
    if tool not in RUNS:
        raise AssistantError("unknown_tool", f"The tool {tool} is no longer there.")
    wish = yield from RUNS[tool](arguments)
    if tool == "apply_plan" and (told := (yield from changes)):
        lines = "\n".join(told)
        raise AssistantError("stale_base", f"Since you read it, this has changed:\n{lines}\nPlan again with it.")
    return wish


def begin(wish: Wish, client: str, is_allowed: bool) -> RunHandle:
    """Starts the run of a tool that changes the file; the panel asks before anything is written, unless the artist
    allows this client to make changes. What always asks, such as scripts, asks all the same.
    """
    title = f"{client}: {wish.words}"
    # Every plan is shown first, whatever it says about itself.
    settings = {} if is_allowed else {"preview": True}
    prompt = title if wish.plan is not None else wish.words
    request = starting.request_of(prompt, wish.target, "offline", approve="ask", settings=settings)
    if wish.plan is not None:
        request["plan"] = wish.plan
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
