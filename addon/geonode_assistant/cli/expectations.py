# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what a manifest expects with the report of its run and the scene. Does not use Blender."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..run import measure
from .manifest import Check


@dataclass(frozen=True)
class Scene:
    """The state after a run that a manifest is compared with."""

    document: dict[str, Any]
    """The host's Document of all objects and node groups."""
    evidence: Mapping[str, Any]
    """The host's Evidence of the objects that the manifest measures."""


def compare(expect: dict[str, Any], run: dict[str, Any], scene: Scene) -> list[Check]:
    """Checks every expectation of a manifest against the run's report and the scene."""
    return list(_compare(expect, run, scene))


def _compare(expect: dict[str, Any], run: dict[str, Any], scene: Scene) -> Iterator[Check]:
    yield _equal("status", expect["status"], run.get("status"))
    codes = reported_codes(run)
    for code in expect.get("codes", ()):
        yield Check(f"code {code}", code in codes, code, sorted(codes))
    objects = scene.document["objects"]
    for name in expect.get("objects", ()):
        yield Check(f"object {name}", name in objects, "exists", "exists" if name in objects else "missing")
    for wanted in expect.get("modifiers", ()):
        found = _modifier(objects, wanted["object"], wanted["name"])
        yield _equal(
            f"modifier {wanted['name']} on {wanted['object']}", wanted["type"], found["type"] if found else "missing"
        )
    for wanted in expect.get("node_types", ()):
        found = _modifier(objects, wanted["object"], wanted["modifier"])
        types = list(_node_types(scene.document["trees"], found.get("node_group") if found else None))
        for node_type, least in wanted["contains"].items():
            number = types.count(node_type)
            yield Check(f"{node_type} in {wanted['modifier']}", number >= least, f"at least {least}", number)
    measured = {item["name"]: item.get("evaluated") or {} for item in scene.evidence.get("objects", [])}
    for wanted in expect.get("geometry", ()):
        yield from _geometry(wanted, measured.get(wanted["object"]))


def _geometry(wanted: dict[str, Any], evaluated: dict[str, Any] | None) -> Iterator[Check]:
    name = wanted["object"]
    if evaluated is None:
        yield Check(f"geometry of {name}", False, "measured", "missing")
        return
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


def measured_objects(expect: dict[str, Any]) -> list[str]:
    """The objects whose evaluated geometry the manifest checks."""
    return sorted({item["object"] for item in expect.get("geometry", ())})


def _modifier(objects: dict[str, Any], object_name: str, name: str) -> dict[str, Any] | None:
    modifiers = objects.get(object_name, {}).get("modifiers", [])
    return next((modifier for modifier in modifiers if modifier["name"] == name), None)


def _node_types(trees: dict[str, Any], root: str | None) -> Iterable[str]:
    """Types of the nodes of a tree and of the groups it uses, each group once."""
    todo, seen = [root], set()
    while todo:
        name = todo.pop()
        if name in seen or name not in trees:
            continue
        seen.add(name)
        for node in trees[name]["nodes"]:
            yield node["type"]
            group = node.get("props", {}).get("node_tree")
            if isinstance(group, dict):
                todo.append(group.get("node_group"))


def _equal(name: str, expected: Any, actual: Any) -> Check:
    return Check(name, expected == actual, expected, actual)


def _within(name: str, expected: Any, actual: float | None) -> Check:
    low, high = expected if isinstance(expected, list) else (expected, expected)
    return Check(name, actual is not None and low <= actual <= high, expected, actual)
