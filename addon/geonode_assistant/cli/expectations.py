# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what a manifest expects with the report of its run and the scene. Changes nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..host import digest
from ..run import measure
from .manifest import Check


@dataclass(frozen=True)
class Measured:
    """The evaluated objects that a manifest measures, at one frame."""

    evidence: Mapping[str, Any]
    """The host's Evidence of them."""
    attributes: Mapping[str, Mapping[str, Any]]
    """Their attributes by object and name."""


@dataclass(frozen=True)
class Scene:
    """The state after a run that a manifest is compared with."""

    document: dict[str, Any]
    """The host's Document of all objects and node groups."""
    measured: Mapping[int | None, Measured]
    """What was measured, by frame; None is the present one."""
    before: Mapping[Any, Any] | None
    """What every data-block held before the run, by kind and name; None where the file was too large to read."""
    after: Mapping[Any, Any] | None
    """The same after the run."""
    seconds: float
    """How long the prompts took."""
    placed: tuple[Mapping[str, Any], Mapping[str, Any]] = ({}, {})
    """Which object each name stands for and whether it is in sight, before the run and after it."""


def compare(expect: dict[str, Any], runs: Sequence[dict[str, Any]], scene: Scene) -> list[Check]:
    """Checks every expectation of a manifest against the reports of its prompts and the scene."""
    return list(_compare(expect, runs, scene))


def _compare(expect: dict[str, Any], runs: Sequence[dict[str, Any]], scene: Scene) -> Iterator[Check]:
    run = runs[-1]
    yield _equal("status", expect["status"], run.get("status"))
    yield from _reported(expect, runs, scene)
    yield from _existing(expect, scene)
    for wanted in expect.get("untouched", ()):
        yield _untouched(wanted, scene)
    for wanted in expect.get("geometry", ()):
        frame = wanted.get("frame")
        yield from _geometry(wanted, scene.measured[frame], "" if frame is None else f" at frame {frame}")


def _reported(expect: dict[str, Any], runs: Sequence[dict[str, Any]], scene: Scene) -> Iterator[Check]:
    run = runs[-1]
    codes = reported_codes(run)
    for code in expect.get("codes", ()):
        yield Check(f"code {code}", code in codes, code, sorted(codes))
    if "steps" in expect:
        yield _within("steps", expect["steps"], len(run.get("steps") or ()))
    if "failed_gates" in expect:
        failed = sorted((run.get("gates") or {}).get("failed_gates", ()))
        yield _equal("failed gates", sorted(expect["failed_gates"]), failed)
    budget = expect.get("budget", {})
    if "seconds" in budget:
        yield _within("seconds", [0, budget["seconds"]], scene.seconds)
    if "tokens" in budget:
        used = [run.get("usage") or {} for run in runs]
        tokens = sum((one.get("input_tokens") or 0) + (one.get("output_tokens") or 0) for one in used)
        yield _within("tokens", [0, budget["tokens"]], tokens)


def _existing(expect: dict[str, Any], scene: Scene) -> Iterator[Check]:
    objects = scene.document["objects"]
    for name in expect.get("absent", ()):
        yield Check(f"object {name}", name not in objects, "missing", "exists" if name in objects else "missing")
    for name in expect.get("objects", ()):
        yield Check(f"object {name}", name in objects, "exists", "exists" if name in objects else "missing")
    for wanted in expect.get("modifiers", ()):
        found = _modifier(objects, wanted["object"], wanted["name"])
        yield _equal(
            f"modifier {wanted['name']} on {wanted['object']}", wanted["type"], found["type"] if found else "missing"
        )
    for wanted in expect.get("node_types", ()):
        found = _modifier(objects, wanted["object"], wanted["modifier"])
        trees = list(_trees(scene.document["trees"], found.get("node_group") if found else None))
        if not trees:
            # An expectation of none of these nodes must not hold for a modifier that is not there.
            title = f"nodes of modifier {wanted['modifier']} on {wanted['object']}"
            yield Check(title, False, "exist", "missing" if found is None else "has no nodes")
            continue
        types = [node["type"] for tree in trees for node in tree["nodes"]]
        for node_type, number in wanted["contains"].items():
            least, most = number if isinstance(number, list) else (number, math.inf)
            shown = f"{least} to {most}" if isinstance(number, list) else f"at least {least}"
            there = types.count(node_type)
            yield Check(f"{node_type} in {wanted['modifier']}", least <= there <= most, shown, there)
        for link in wanted.get("links", ()):
            line = f"{'.'.join(link['from'])} → {'.'.join(link['to'])}"
            there = any(_links(tree, link["from"], link["to"]) for tree in trees)
            yield Check(f"link {line} in {wanted['modifier']}", there, "exists", "exists" if there else "missing")


def _links(tree: dict[str, Any], source: Sequence[str], target: Sequence[str]) -> bool:
    """Whether a tree has a link between these ends, each a node by ID or type, and a socket by identifier."""
    types = {node["id"]: node["type"] for node in tree["nodes"]}

    def is_end(end: Sequence[str], wanted: Sequence[str]) -> bool:
        return end[1] == wanted[1] and wanted[0] in (end[0], types.get(end[0]))

    return any(is_end(link["from"], source) and is_end(link["to"], target) for link in tree["links"])


def _untouched(wanted: dict[str, Any], scene: Scene) -> Check:
    kind, name, nodes = wanted["kind"], wanted["name"], wanted.get("nodes", ())
    title = f"{kind} {name} untouched" + (f" ({', '.join(nodes)})" if nodes else "")
    if scene.before is None or scene.after is None:
        return Check(title, False, "as before", "the file is too large to compare")
    one: Any = scene.before.get((kind, name))
    other: Any = scene.after.get((kind, name))
    if one is None:
        return Check(title, False, "as before", "was not there before")
    if nodes:
        one, other = ([_node(tree, node) for node in nodes] for tree in (one, other))
        if None in one:
            return Check(title, False, "as before", "a node was not there before")
    changed = digest.difference(one, other)
    if kind == "objects" and changed is None:
        before, after = scene.placed
        changed = digest.difference(before.get(name), after.get(name), "/place")
    return Check(title, changed is None, "as before", "as before" if changed is None else f"other {changed}")


def _node(tree: Any, name: str) -> Any:
    """A node as a digest has it, with the links that lead to it."""
    for node in (tree or {}).get("nodes", ()):
        if node.get("name") == name:
            into = [link for link in tree.get("links", ()) if (link.get("to_node") or (None, None))[1] == name]
            return (node, into)
    return None


def _geometry(wanted: dict[str, Any], measured: Measured, at: str) -> Iterator[Check]:
    item = next((one for one in measured.evidence.get("objects", []) if one["name"] == wanted["object"]), None)
    name = wanted["object"] + at
    if item is None:
        yield Check(f"geometry of {name}", False, "measured", "missing, or of a kind without geometry")
        return
    evaluated = item.get("evaluated") or {}
    if "warnings" in wanted:
        warnings = [one for modifier in item.get("modifiers", ()) for one in modifier.get("warnings") or ()]
        known = all(modifier.get("warnings") is not None for modifier in item.get("modifiers", ()))
        yield _within(f"warnings of {name}", wanted["warnings"], len(warnings) if known else None)
    for attribute, properties in wanted.get("attributes", {}).items():
        found: Any = measured.attributes.get(wanted["object"], {}).get(attribute)
        yield Check(f"attribute {attribute} of {name}", found is not None, "exists", "exists" if found else "missing")
        for key, value in properties.items() if found is not None else ():
            title, actual = f"{key} of {attribute} of {name}", found[key]
            yield _within(title, value, actual) if key in ("min", "max") else _equal(title, value, actual)
    counts = measure.counts(evaluated)
    for kind in measure.COUNTS:
        if kind in wanted:
            yield _within(f"{kind} of {name}", wanted[kind], counts[kind])
    extent, bounds = measure.size(evaluated), evaluated.get("bounds")
    for axis, span in wanted.get("size", {}).items():
        actual = None if extent is None else extent[measure.AXES.index(axis)]
        yield _within(f"size {axis} of {name}", span, actual)
    if "bounds" in wanted:
        tolerance = wanted["bounds"]["tolerance"]
        for index, end in enumerate(("min", "max")):
            expected, actual = wanted["bounds"][end], bounds[index] if bounds else None
            near = actual is not None and all(abs(a - e) <= tolerance for a, e in zip(actual, expected, strict=True))
            yield Check(f"bounds {end} of {name}", near, expected, actual)


def reported_codes(run: dict[str, Any]) -> set[str]:
    """All codes in a run's messages and gate findings."""
    gates = run.get("gates") or {}
    codes = {message.get("code") for message in run.get("messages", [])}
    codes |= set(gates.get("failed_gates", ())) | {finding.get("code") for finding in gates.get("findings", ())}
    return {code for code in codes if code}


def measured_objects(expect: dict[str, Any]) -> dict[int | None, list[str]]:
    """The objects whose evaluated geometry the manifest checks, by frame; None is the present one."""
    found: dict[int | None, set[str]] = {}
    for item in expect.get("geometry", ()):
        found.setdefault(item.get("frame"), set()).add(item["object"])
    return {frame: sorted(names) for frame, names in found.items()}


def _modifier(objects: dict[str, Any], object_name: str, name: str) -> dict[str, Any] | None:
    modifiers = objects.get(object_name, {}).get("modifiers", [])
    return next((modifier for modifier in modifiers if modifier["name"] == name), None)


def _trees(trees: dict[str, Any], root: str | None) -> Iterable[dict[str, Any]]:
    """A tree and the groups it uses, each once."""
    todo, seen = [root], set()
    while todo:
        name = todo.pop()
        if name in seen or name not in trees:
            continue
        seen.add(name)
        yield trees[name]
        for node in trees[name]["nodes"]:
            group = node.get("props", {}).get("node_tree")
            if isinstance(group, dict):
                todo.append(group.get("node_group"))


def _equal(name: str, expected: Any, actual: Any) -> Check:
    return Check(name, expected == actual, expected, actual)


_GRAIN = 1e-6
"""Blender stores lengths as numbers of seven digits: what differs by less is equal."""


def _within(name: str, expected: Any, actual: float | None) -> Check:
    low, high = expected if isinstance(expected, list) else (expected, expected)
    more = 0.0
    if isinstance(actual, float):
        more = _GRAIN * max(1.0, *(abs(end) for end in (low, high) if math.isfinite(end)))
    return Check(name, actual is not None and low - more <= actual <= high + more, expected, actual)
