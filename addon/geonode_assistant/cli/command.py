# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: ``run``, ``e2e``, ``export``, ``import`` and ``diff``.

From ``python -m geonode_assistant`` and ``blender --command geonode``.

Exit status: 0 done, 1 not done, 2 invalid command line, 130 interrupted.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from .. import native
from ..messages import AssistantError, error_lines
from ..run import measure
from . import outputs
from .console import Console, Interrupt

DEFAULT_OUT = "geonode-run"
NOT_DONE, SENSELESS, INTERRUPTED = 1, 2, 130


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise AssistantError("invalid_argument", f"{message[:1].upper()}{message[1:]}.", f"See {self.prog} --help")


def parser(prog: str) -> argparse.ArgumentParser:
    """The options of all commands."""
    top = _Parser(prog=prog, description="A sentence becomes a Geometry Nodes tree.")
    commands = top.add_subparsers(
        dest="command", required=True, metavar="run|e2e|export|import|diff", parser_class=_Parser
    )

    run = commands.add_parser("run", help="carry out a prompt", description="Carries out a prompt in the background.")
    run.add_argument("prompt", nargs="+", metavar="PROMPT", help='for example: "scatter 200 rocks on the plane"')
    run.add_argument("--blend", type=Path, metavar="FILE", help="start from this file, which is never changed")
    run.add_argument("--object", metavar="NAME", help="the object to work on (default: the active one)")
    run.add_argument("--provider", metavar="NAME", help="who plans: offline (default), openai-compatible, …")
    run.add_argument("--model", metavar="NAME", help="name of the model")
    run.add_argument("--base-url", metavar="URL", help="address of the server with its version segment: …/v1")
    run.add_argument("--key-variable", metavar="NAME", help="name of the environment variable that holds the API key")
    run.add_argument(
        "--set",
        type=_setting,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of this run, as settings.md lists them; may be repeated",
    )
    run.add_argument("--out", type=Path, default=Path(DEFAULT_OUT), metavar="DIR", help="folder of the results")
    run.add_argument("--yes", action="store_true", help="approve everything except trusted scripts")
    _common(run)
    run.set_defaults(action=run_command)

    e2e = commands.add_parser("e2e", help="run end-to-end manifests", description="Runs end-to-end manifests.")
    e2e.add_argument("manifests", nargs="+", type=Path, metavar="MANIFEST", help="JSON files")
    e2e.add_argument("--report", type=Path, metavar="FILE", help="write the checks as JSON")
    e2e.add_argument("--provider", metavar="NAME", help="who plans, instead of the manifests' own provider")
    e2e.add_argument("--model", metavar="NAME", help="name of the model")
    e2e.add_argument("--base-url", metavar="URL", help="address of the server with its version segment: …/v1")
    e2e.add_argument("--key-variable", metavar="NAME", help="name of the environment variable that holds the API key")
    e2e.add_argument("--pictures", type=Path, metavar="DIR", help="put a picture of each result there: 0.jpg, 1.jpg …")
    e2e.add_argument(
        "--keep-pictures",
        action="store_true",
        help="write the pictures that manifests compare with and that are not there yet",
    )
    e2e.add_argument("--progress", type=Path, help=argparse.SUPPRESS)
    # Of a process that holds the other end of standard input.
    e2e.add_argument("--with-input", action="store_true", help=argparse.SUPPRESS)
    _common(e2e)
    e2e.set_defaults(action=e2e_command)

    text = "Writes a node tree and its nested groups to a JSON file for version control."
    export = commands.add_parser("export", help="write a tree to a file", description=text)
    export.add_argument("tree", metavar="TREE", help="name of the node group")
    export.add_argument("file", type=Path, metavar="FILE", help="the JSON file; an existing one is replaced")
    export.add_argument("--text", action="store_true", help="write a page of tree text, to be read, instead of JSON")
    export.add_argument("--full", action="store_true", help="with --text: also places, sizes, colours, hidden sockets")
    _from_blend(export, "take the tree from this file (default: the open one)")
    export.set_defaults(action=export_command)

    text = "Adds the tree of an exported file to a .blend file."
    load = commands.add_parser("import", help="add the tree of an exported file", description=text)
    load.add_argument("file", type=Path, metavar="FILE", help="a JSON file that export wrote")
    load.add_argument("--out", type=Path, required=True, metavar="FILE.blend", help="where to save the result")
    load.add_argument("--name", metavar="NAME", help="name of the tree (default: as in the file)")
    _from_blend(
        load, "add it to a copy of this file, which is never changed (default: the open one, else an empty one)"
    )
    load.set_defaults(action=import_command)

    text = "Lists what changed from A to B, one change per line."
    diff = commands.add_parser("diff", help="compare two trees", description=text)
    for name in ("a", "b"):
        diff.add_argument(name, metavar=name.upper(), help="a JSON file that export wrote, or the name of a node group")
    _from_blend(diff, "take node groups from this file (default: the open one)")
    diff.set_defaults(action=diff_command)
    return top


def _from_blend(command: argparse.ArgumentParser, text: str) -> None:
    command.add_argument("--blend", type=Path, metavar="FILE", help=text)
    _debug(command)


def _common(command: argparse.ArgumentParser) -> None:
    command.add_argument("--timeout", type=_seconds, metavar="SECONDS", help="cancel a run that takes longer")
    _debug(command)


def _debug(command: argparse.ArgumentParser) -> None:
    command.add_argument("--debug", type=Path, metavar="FILE", help="append Blender's output and tracebacks to FILE")


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        value = float(text)
        if 0 < value < 1e6:
            return value
    raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")


def _setting(text: str) -> tuple[str, Any]:
    """``name=value``: the value is JSON, or, if it is none, a word. The core knows names, types and ranges."""
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    try:
        return name.strip(), json.loads(value)
    except ValueError:
        return name.strip(), value.strip()


def main(argv: Sequence[str], prog: str) -> int:
    """Carries out a command line; returns the exit status. Never prints a traceback."""
    try:
        arguments = parser(prog).parse_args(argv)
    except AssistantError as error:
        print(*error_lines(error.code, error.message, error.hint), sep="\n", file=sys.stderr)
        return SENSELESS
    except SystemExit as end:
        # --help
        return int(end.code or 0)
    try:
        with Console(arguments.debug) as console:
            try:
                return arguments.action(arguments, console)
            except BaseException as error:
                console.log_traceback()
                known = AssistantError.of(error)
                console.error(known.code, known.message, known.hint or native.fix(known.code))
                return _status(known.code)
    except OSError as error:
        # The debug file itself cannot be written.
        print(*error_lines("output_not_writable", f"Cannot write {error.filename}: {error.strerror}"), file=sys.stderr)
        return NOT_DONE


def run_command(arguments: argparse.Namespace, console: Console) -> int:
    """Prompt → result.blend, result.png, report.json."""
    started = time.monotonic()
    source: Path | None = arguments.blend
    folder = outputs.OutputFolder(arguments.out, source)
    with Interrupt() as interrupt:
        from ..host import mainfile

        if source is not None:
            mainfile.check(source)
        folder.prepare()
        console.progress("Opening the scene")
        open_scene(source)
        interrupt.check()
        try:
            return _run(arguments, console, folder, interrupt, started)
        finally:
            folder.discard()


def _run(
    arguments: argparse.Namespace,
    console: Console,
    folder: outputs.OutputFolder,
    interrupt: Interrupt,
    started: float,
) -> int:
    import bpy

    from ..run import driver, starting

    handle = starting.start(
        _readable(" ".join(arguments.prompt)),
        object=arguments.object,
        provider=arguments.provider,
        model=arguments.model,
        base_url=arguments.base_url,
        key_variable=arguments.key_variable,
        approve="all" if arguments.yes else None,
        settings=dict(arguments.set),
    )
    with interrupt.cancels(handle):
        report = driver.drive(handle, console.event, arguments.timeout)
    data = report.to_dict() | {"blender": bpy.app.version_string}
    if not report.ok:
        folder.stage_json(outputs.REPORT, data | _closing(started, {}, None))
        folder.publish()
        worst: Mapping[str, Any] = report.error or {}
        code = worst.get("code", "cancelled" if report.status == "cancelled" else "internal_error")
        text = worst.get("text") or report.final_message or "The prompt was not carried out."
        planner = worst.get("planner") or {}
        told = " ".join(part for part in (text, planner.get("text")) if part)
        console.error(code, told, planner.get("hint") or worst.get("hint") or native.fix(code))
        return _status(code)

    evidence: Mapping[str, Any] = handle.evidence or {"objects": []}
    console.progress("Saving")
    save_copy(folder.stage(outputs.BLEND), folder)
    interrupt.check()
    console.progress("Rendering the picture")
    render(_subject(evidence, arguments.object), folder.stage(outputs.PICTURE), folder)
    interrupt.check()
    files = {"blend": outputs.BLEND, "picture": outputs.PICTURE, "report": outputs.REPORT}
    folder.stage_json(outputs.REPORT, data | _closing(started, files, evidence))
    paths = folder.publish()
    console.warnings(report.messages)
    console.say(report.final_message)
    for line in measure.describe(evidence):
        console.say(f"Made: {line}")
    console.say(f"Files: {', '.join(str(path) for path in paths)}")
    console.say(f"Time: {time.monotonic() - started:.1f} s with Blender {bpy.app.version_string}")
    return 0


def e2e_command(arguments: argparse.Namespace, console: Console) -> int:
    """Runs each manifest in a fresh scene; one line per check."""
    from . import attended, e2e

    if arguments.with_input:
        attended.end_with_input()
    planner = e2e.Planner(arguments.provider, arguments.model, arguments.base_url, arguments.key_variable)
    target = None
    if arguments.report is not None:
        target = outputs.OutputFolder(arguments.report.parent)
        target.prepare()
    reports = []
    with Interrupt() as interrupt:

        def around(number: int) -> e2e.Circumstances:
            picture = None if arguments.pictures is None else arguments.pictures / f"{number}.jpg"
            keep = arguments.keep_pictures
            return e2e.Circumstances(arguments.timeout, interrupt, console.event, planner, picture, keep)

        try:
            for report in e2e.run_each(arguments.manifests, around, console, e2e.Progress(arguments.progress)):
                reports.append(report)
                for line in report.lines():
                    console.say(line)
                if report.error is not None:
                    code = report.error["code"]
                    console.error(code, report.error["message"], report.error["hint"] or native.fix(code))
        finally:
            # What was interrupted has a report of what was done.
            if target is not None:
                target.stage_json(arguments.report.name, {"manifests": [report.to_dict() for report in reports]})
                target.publish()
    passed = sum(report.ok for report in reports)
    console.say(f"{passed} of {len(reports)} manifests passed, {sum(len(r.checks) for r in reports)} checks")
    return 0 if passed == len(reports) else NOT_DONE


def export_command(arguments: argparse.Namespace, console: Console) -> int:
    """A tree → a JSON file, or a page of tree text."""
    from ..host import exchange, export

    if arguments.full and not arguments.text:
        raise AssistantError("invalid_argument", "--full is for --text.", "JSON has everything: leave --full out.")
    tree = _tree(_readable(arguments.tree), arguments.blend, console)
    bundle = export.export_tree(tree)
    if arguments.text:
        text, losses = exchange.page(bundle, arguments.full)
        path = exchange.write_text(text, arguments.file)
        for loss in losses:
            console.say(f"The page cannot say: {loss}")
    else:
        path = exchange.write(bundle, arguments.file)
    console.say(f"Exported “{tree.name}” ({measure.describe_tree(bundle)}): {path}")
    return 0


def import_command(arguments: argparse.Namespace, console: Console) -> int:
    """A JSON file → a tree in a .blend file."""
    import bpy

    from ..host import build, exchange

    target: Path = arguments.out
    if target.suffix != ".blend":
        raise AssistantError("invalid_path", f"{target} does not end in .blend.", "Name a .blend file with --out.")
    outputs.OutputFolder(target.parent, arguments.blend).refuse_input(target.name)
    folder = outputs.OutputFolder(target.parent)
    bundle = exchange.read(arguments.file, bpy.app.version[:2])
    _open(arguments.blend, console)
    folder.prepare()
    console.progress("Building the tree")
    try:
        missing: list[tuple[str, str]] = []
        tree = build.build_tree(bundle, arguments.name and _readable(arguments.name), missing)
        # Blender saves no data-block that nothing uses.
        tree.use_fake_user = True
        save_copy(folder.stage(target.name), folder)
        (path,) = folder.publish()
    finally:
        folder.discard()
    if missing:
        console.say(exchange.missing_text(missing))
    console.say(f"Imported “{tree.name}” ({measure.describe_tree(bundle)}): {path}")
    return 0


def diff_command(arguments: argparse.Namespace, console: Console) -> int:
    """Prints what changed between two trees or files. Comparing two files needs no Blender."""
    from ..host import exchange

    documents: list[Mapping[str, Any]] = []
    for word in (arguments.a, arguments.b):
        if word.endswith(".json") or Path(word).is_file():
            documents.append(exchange.read(word))
        else:
            from ..host import export

            documents.append(export.export_tree(_tree(_readable(word), arguments.blend, console)))
    lines = exchange.diff(*documents)
    for line in lines or ["No differences."]:
        console.say(line)
    return 0


def _tree(name: str, source: Path | None, console: Console) -> Any:
    """A Geometry Nodes tree of the file."""
    from ..host import mainfile

    _open(source, console)
    return mainfile.geometry_tree(name)


def _open(source: Path | None, console: Console) -> None:
    """Opens the file unless it is open already; without a file, the open one is used, else an empty one."""
    from ..host import mainfile

    if source is None:
        if mainfile.is_unused():
            mainfile.open_empty()
    elif not mainfile.is_open(source):
        mainfile.check(source)
        console.progress("Opening the file")
        mainfile.open_file(source)


def open_scene(source: Path | None) -> None:
    """Opens the file, which must have been checked, or builds the starter scene."""
    from ..host import mainfile, starter

    if source is None:
        starter.build_starter_scene()
    else:
        mainfile.open_file(source)


def save_copy(path: Path, folder: outputs.OutputFolder) -> None:
    """Saves the open file under another name; the open file keeps its own."""
    from ..host import mainfile
    from ..host.errors import HostError

    try:
        mainfile.save_copy(path)
    except HostError as error:
        raise _write_error(folder, error.message) from error


def render(object_name: str, path: Path, folder: outputs.OutputFolder) -> None:
    """Renders the picture of one object."""
    from ..host import picture

    try:
        picture.render(object_name, path)
    except OSError as error:
        raise _write_error(folder, str(error)) from error
    if not path.is_file() or path.stat().st_size == 0:
        raise _write_error(folder, "Blender could not write the picture.")


def _write_error(folder: outputs.OutputFolder, reason: str) -> AssistantError:
    if "No space left" in reason or not _has_space(folder.folder):
        return outputs.disk_full(folder.folder)
    return AssistantError(
        "output_not_writable", f"Cannot write into {folder.folder}: {reason}", "Choose another folder with --out."
    )


def _has_space(folder: Path) -> bool:
    import shutil

    # A .blend file and a picture need more than this; less means that the disk is full.
    return shutil.disk_usage(folder).free > 1 << 20


def _subject(evidence: Mapping[str, Any], wanted: str | None) -> str:
    """The object to render: one that the run created or changed, else the named one or the active one."""
    from ..host import mainfile

    names = [item["name"] for item in evidence.get("objects", [])]
    if names:
        return wanted if wanted is not None and wanted in names else names[0]
    subject = wanted or mainfile.active_object()
    if subject is None:
        raise AssistantError("unknown_object", "There is no object to render.")
    return subject


def _status(code: str) -> int:
    return INTERRUPTED if code == "cancelled" else NOT_DONE


def _readable(argument: str) -> str:
    """The argument with U+FFFD in place of bytes that are not UTF-8."""
    return argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _closing(started: float, files: dict[str, str], evidence: Mapping[str, Any] | None) -> dict[str, Any]:
    """The fields that the command adds to the core's report."""
    measured = [
        {"name": item["name"], "modifiers": item.get("modifiers", []), "evaluated": item.get("evaluated")}
        for item in (evidence or {}).get("objects", [])
    ]
    return {"measured": measured, "files": files, "seconds": round(time.monotonic() - started, 3)}
