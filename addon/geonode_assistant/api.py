# SPDX-License-Identifier: GPL-3.0-or-later
"""The scripting surface of the add-on. Call it from Blender's main thread.

Errors of these calls are ``messages.AssistantError`` or the host's and core's own errors; all carry ``code`` and
``message``. A prompt or a plan that is refused gives a report with status ``error``, not an exception.
"""

from __future__ import annotations

import json
import threading
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

from . import native, scripting
from .cli import e2e
from .cli.manifest import ManifestReport
from .host import build, catalogue, exchange, export
from .host import context as host_context
from .host.documents import Bundle
from .messages import AssistantError
from .run import checking, choices, connection, driver, extensions, history, presets, scripts, starting
from .run import tools as own_tools
from .run.connection import begin as begin_connection_test
from .run.driver import Approve, RunHandle
from .run.extensions import register_executor, register_op
from .run.report import RunReport
from .run.starting import resume, run, start
from .run.tools import register_tool, tool_egress
from .scripting import ScriptResult, Verdict, check_script

__all__ = [
    "Checked",
    "ManifestReport",
    "RunHandle",
    "RunReport",
    "ScriptResult",
    "Verdict",
    "apply_plan",
    "begin_connection_test",
    "build_tree",
    "check_plan",
    "check_script",
    "context",
    "diff_trees",
    "export_tree",
    "history",
    "let_manage",
    "load_tree",
    "local_servers",
    "make_mine",
    "presets",
    "register_executor",
    "register_op",
    "register_tool",
    "resume",
    "run",
    "run_manifest",
    "run_script",
    "save_tree",
    "start",
    "telemetry",
    "test_connection",
    "tool_egress",
    "tools",
    "unregister",
]


@dataclass(frozen=True)
class Checked:
    """The result of validating a plan."""

    ok: bool
    messages: list[dict[str, Any]]
    """Findings: ``severity, code, path`` (JSON Pointer), ``message, hint?``, ``changes?`` (JSON Patch, as hinted)."""
    plan: dict[str, Any] | None
    """The plan after repairs whose meaning is certain; None when it cannot be read at all."""


def export_tree(tree: bpy.types.NodeTree) -> Bundle:
    """The complete, deterministic description of a node tree and its nested groups, as JSON-serialisable data.

    Raises ``invalid_argument`` for what is not a Geometry Nodes tree.
    """
    return export.export_tree(_geometry_tree(tree))


def build_tree(ir: dict[str, Any], name: str | None = None) -> bpy.types.NodeTree:
    """Builds a new node tree from a description made by ``export_tree``; ``name`` replaces the name of the root.

    Objects, materials and other data-blocks that this file does not have are left empty; a ``UserWarning`` names them.
    """
    missing: list[tuple[str, str]] = []
    tree = build.build_tree(ir, name, missing)
    if missing:
        warnings.warn(exchange.missing_text(missing), stacklevel=2)
    return tree


def make_mine(tree: bpy.types.NodeTree) -> None:
    """Makes the tree the artist's: from now on a run asks before it removes anything from it."""
    from .host import ownership

    ownership.assign_to_artist(_local(tree))


def let_manage(tree: bpy.types.NodeTree) -> None:
    """Marks the tree, in its current state, as made by the assistant, which may then replace its content.

    Any edit by hand makes it the artist's again. Raises ``library_data`` for a linked tree.
    """
    from .host import ownership

    ownership.assign_to_assistant(_local(tree))


def _local(tree: Any) -> bpy.types.NodeTree:
    from .host import modifiers

    return modifiers.editable(_geometry_tree(tree))


def save_tree(tree: bpy.types.NodeTree, path: str | Path) -> Path:
    """Writes a tree and its nested groups to a JSON file for version control; returns the file's absolute path.

    Writing is atomic; equal trees give equal bytes. Errors: those of ``exchange.write``.
    """
    return exchange.write(export_tree(tree), path)


def load_tree(path: str | Path, name: str | None = None) -> bpy.types.NodeTree:
    """Builds a new tree from a file made by ``save_tree``; ``name`` replaces the name of the root.

    If the name is taken in this .blend file, the tree gets Blender's next free one. A file that is refused changes
    nothing. Errors: those of ``exchange.read`` and ``build_tree``.
    """
    return build_tree(exchange.read(path, bpy.app.version[:2]), name)


def diff_trees(a: bpy.types.NodeTree | dict[str, Any] | str | Path, b: Any) -> list[str]:
    """The changes from ``a`` to ``b``, one sentence each; an empty list for equal trees.

    Each is a tree, a description made by ``export_tree``, or the path of a file made by ``save_tree``.
    """
    return exchange.diff(_document(a), _document(b))


def _document(tree: Any) -> Mapping[str, Any]:
    if isinstance(tree, dict):
        return tree
    return exchange.read(tree) if isinstance(tree, str | Path) else export_tree(tree)


def _geometry_tree(tree: Any) -> bpy.types.NodeTree:
    if isinstance(tree, bpy.types.NodeTree) and tree.bl_idname == "GeometryNodeTree":
        return tree
    raise AssistantError(
        "invalid_argument",
        f"{getattr(tree, 'name', tree)!r} is not a Geometry Nodes tree.",
        "Pass one of bpy.data.node_groups whose type is GeometryNodeTree.",
    )


def context(
    object: str | None = None, budget_tokens: int = 4000, slices: Sequence[str | dict[str, Any]] = ()
) -> dict[str, Any]:
    """What a model is shown of the scene within ``budget_tokens``. Changes nothing; the default object is the active
    one.

    What does not fit is cut, least important first; ``…_left_out`` gives the number. ``tree`` is the active node group
    as a page of tree text. ``slices`` are names (``modifier_stack, node_tree_summary, scene_summary, node_tree_ir,
    geometry_stats, node_docs``) or ``{"slice", "object_name"?, "node_group_name"?, "query"?}``; their answers come as
    ``slices``, in order. ``hash`` is equal for equal content.
    """
    # Below this not even the names of the target and the units fit.
    fewest, _ = native.bounds("context_tokens")
    if isinstance(budget_tokens, bool) or not isinstance(budget_tokens, int) or budget_tokens < fewest:
        raise AssistantError("invalid_argument", f"budget_tokens must be an integer of at least {fewest}.")
    requests = [{"slice": entry} if isinstance(entry, str) else entry for entry in slices]
    snapshot = host_context.capture_context(object)
    objects = [r["object_name"] for r in requests if r.get("object_name")] + [snapshot["target_object"]]
    trees = [r["node_group_name"] for r in requests if r.get("node_group_name")] + [snapshot["target_node_group"]]
    known = requests and host_context.inspect(filter(None, objects), filter(None, trees))
    return native.core().shown_context(snapshot, known or {}, catalogue.path(), budget_tokens, requests)


def check_plan(plan: str | dict[str, Any]) -> Checked:
    """Validates a plan against the protocol, the nodes of this Blender and the trees of this file; changes nothing.

    Missing objects and data-blocks are warnings: they may be created before the plan is applied.
    """
    verdict = checking.check(_plan_text(plan))
    return Checked(verdict["ok"], verdict["messages"], verdict["plan"])


def _plan_text(plan: Any) -> str:
    """A plan as text, whatever a script passed: what JSON cannot hold becomes a finding, not an exception."""
    if isinstance(plan, str):
        return plan
    try:
        return json.dumps(plan, default=repr, skipkeys=True)
    except (RecursionError, ValueError):  # nested without an end: as text, deeper than is read
        return "[" * 1000


def apply_plan(
    plan: str | dict[str, Any],
    object: str | None = None,
    approve: Approve = None,
    *,
    settings: Mapping[str, Any] | None = None,
) -> RunReport:
    """Applies a plan as one undo step, or leaves the file unchanged and reports why. ``settings`` as in ``start``."""
    starting.refuse_in_window("apply_plan")
    request = starting.request_of("", object, "offline", approve=approve, settings=settings) | {
        "plan": _plan_text(plan)
    }
    return driver.drive(starting.launch(request, approve))


def test_connection(
    provider: str | None = None,
    model: str | None = None,
    *,
    base_url: str | None = None,
    key_variable: str | None = None,
) -> connection.Outcome:
    """Tests whether a provider answers; the result says what to do if it does not. Omitted arguments come from the
    preferences.

    Blocks for up to a minute; in a window use the button in the preferences.
    """
    starting.refuse_in_window("test_connection")
    return begin_connection_test(provider, model, base_url=base_url, key_variable=key_variable).result()


def local_servers() -> list[connection.LocalServer]:
    """Servers of language models that answer on their usual ports on this machine. Takes at most a second."""
    return connection.find_local(native.core()).result()


def telemetry(reset: bool = False) -> dict[str, Any]:
    """Counters and times of the runs of this Blender process, as JSON-serialisable data that never leaves this machine.

    ``{"runs": {status: count}, "retries", "tool_calls", "gate_failures": {code: count}, "tokens": {"input", "output"},
    "spans": {name: {"count", "p50_ms", "p95_ms", "max_ms"}}}``; the spans of one run are in its report. ``reset`` sets
    everything back afterwards. Runs with the setting ``telemetry`` off are not counted.
    """
    core = native.core()
    found = core.telemetry()
    if reset:
        core.reset_telemetry()
    return found


def run_script(
    source: str,
    mode: str = "safe",
    timeout_ms: int = 4000,
    *,
    approve: Approve = None,
    settings: Mapping[str, Any] | None = None,
) -> ScriptResult:
    """Runs a Python script as one undo step, or leaves the file unchanged and raises.

    Without ``approve`` it runs at once, and may remove what it has made itself; a script that removes anything that was
    there is stopped (``approval_required``, or ``script_failed`` where its text does not say so).
    With ``approve`` (as of ``apply_plan``) the script is a plan of one step: it is tried and asked about as the setting
    ``try_scripts`` says, and what came of its trial is carried out; then ``namespace`` is empty, since the script did
    not run here. ``settings`` as in ``start``. Such a call waits, so it is refused in a window (``would_block``).

    Errors: those of ``scripting.execute``, and of the run, such as ``user_rejected`` and ``trial_failed``. Scripts
    cannot run scripts. ``mode="trusted"`` runs without the rules of safe mode: it needs the setting ``python`` to be
    ``trusted`` (else ``python_not_allowed``) and a callable ``approve``, which gets ``{"reason": "trusted_script",
    "mode", "script"}``; nothing else can approve it (``approval_required``, ``user_rejected``). After a failure
    references to Blender's data are invalid, as after every undo.
    """
    if threading.current_thread() is not threading.main_thread():
        raise AssistantError("wrong_thread", "Blender's data can only be used from its main thread.")
    if mode == "trusted":
        if {**choices.settings(), **(settings or {})}.get("python") != "trusted":
            raise AssistantError(
                "python_not_allowed",
                "Trusted scripts are switched off.",
                "Use mode='safe', or set Python Scripts to Safe and Trusted in the add-on's preferences.",
            )
        if not callable(approve):
            raise AssistantError("approval_required", "A trusted script needs your approval each time it runs.")
        if approve({"reason": "trusted_script", "mode": mode, "script": source}) != "approved":
            raise AssistantError("user_rejected", "The script was not approved.")
        native.core().audit_trusted_script(source)
    elif mode == "safe" and approve is None:
        return scripts.run_unasked(source, timeout_ms)
    elif mode == "safe":
        starting.refuse_in_window("run_script")
        scripting.check_arguments(mode, timeout_ms)
        scripting.check(source)
        return scripts.run(source, timeout_ms, approve, settings)
    return scripting.run(source, mode, timeout_ms)


def run_manifest(path: str | Path) -> ManifestReport:
    """Runs one end-to-end manifest in a fresh scene. Background only: it replaces the open file."""
    starting.refuse_in_window("run_manifest")
    return e2e.run_manifest(Path(path))


def tools() -> list[dict[str, Any]]:
    """Everything that a run can use beyond the built-in protocol: tools, step types and operations.

    Each has ``kind`` (``tool``, ``step_type`` or ``operation``), ``id`` and ``description``; tools bring their whole
    contract (``input_schema, output_schema, access, pure, runs, requires_approval, timeout_s, quota, egress,
    built_in``), step types and operations ``input_schema``.
    """
    return native.core().tools()


def unregister(name: str) -> bool:
    """Removes an operation, a step type or a tool that a script registered; returns whether there was one."""
    gone = extensions.unregister(name)
    return own_tools.unregister(name) or gone
