# SPDX-License-Identifier: GPL-3.0-or-later
"""End-to-end manifests: their form, and what they expect of a scene. No Blender in here.

A manifest is one JSON object; ``_MANIFEST`` below is its form, ``addon/docs/guide.md`` explains the fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..messages import AssistantError, os_code
from ..run import measure

VERSION = 1
MAX_BYTES = 16 << 20
PRIMITIVES = (
    "plane",
    "cube",
    "uv_sphere",
    "ico_sphere",
    "cylinder",
    "cone",
    "grid",
    "bezier_curve",
    "circle_curve",
    "monkey",
)
STATUSES = ("done", "error", "cancelled")

Rule = Callable[[Any, str], Iterator[str]]
"""Yields ``pointer: problem`` for a value at a JSON Pointer."""


def _is(kind: type | tuple[type, ...], words: str) -> Rule:
    def rule(value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            yield f"{at or '/'}: must be {words}"

    return rule


_text = _is(str, "a string")
_bool = _is(bool, "true or false")
_number = _is((int, float), "a number")
_whole = _is(int, "a whole number")


def _name(value: Any, at: str) -> Iterator[str]:
    if not isinstance(value, str) or not value:
        yield f"{at}: must be a name"


def _positive(value: Any, at: str) -> Iterator[str]:
    if any(_number(value, at)) or not 0 < value < 1e9:
        yield f"{at}: must be a number above 0"


def _one_of(*words: str) -> Rule:
    def rule(value: Any, at: str) -> Iterator[str]:
        if value not in words:
            yield f"{at}: must be one of {', '.join(words)}"

    return rule


def _exactly(wanted: Any) -> Rule:
    def rule(value: Any, at: str) -> Iterator[str]:
        if value != wanted or isinstance(value, bool):
            yield f"{at}: must be {wanted}"

    return rule


def _list(item: Rule, length: int | None = None) -> Rule:
    def rule(value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, list) or (length is not None and len(value) != length):
            yield f"{at}: must be a list" + (f" of {length}" if length is not None else "")
            return
        for index, element in enumerate(value):
            yield from item(element, f"{at}/{index}")

    return rule


def _map(item: Rule) -> Rule:
    def rule(value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, dict) or not value:
            yield f"{at}: must be an object with at least one field"
            return
        for key, element in value.items():
            yield from item(element, _child(at, key))

    return rule


def _object(required: dict[str, Rule], optional: dict[str, Rule]) -> Rule:
    known = required | optional

    def rule(value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{at or '/'}: must be an object"
            return
        for key in required:
            if key not in value:
                yield f"{_child(at, key)}: is missing"
        for key, element in value.items():
            if key in known:
                yield from known[key](element, _child(at, key))
            else:
                yield f"{_child(at, key)}: is not a field (known: {', '.join(known)})"

    return rule


def _range(item: Rule) -> Rule:
    """``N`` or ``[min, max]``."""

    def rule(value: Any, at: str) -> Iterator[str]:
        if not isinstance(value, list):
            yield from item(value, at)
        elif len(value) != 2 or any(any(item(end, at)) for end in value) or value[0] > value[1]:
            yield f"{at}: must be [min, max]"

    return rule


def _child(at: str, key: str) -> str:
    return f"{at}/{key.replace('~', '~0').replace('/', '~1')}"


def _start(value: Any, at: str) -> Iterator[str]:
    if isinstance(value, dict) and "blend" in value:
        return _object({"blend": _name}, {})(value, at)
    return _object({"objects": _list(_primitive)}, {"active": _name})(value, at)


def _at_least_one(value: Any, at: str) -> Iterator[str]:
    if any(_whole(value, at)) or value < 1:
        yield f"{at}: must be a whole number from 1"


_vector = _list(_number, 3)
_primitive = _object(
    {"name": _name, "primitive": _one_of(*PRIMITIVES)},
    {"size": _positive, "location": _vector, "scale": _vector, "rotation": _vector},
)
_sizes = _object({}, {axis: _range(_number) for axis in measure.AXES})
_expect = _object(
    {"status": _one_of(*STATUSES)},
    {
        "codes": _list(_name),
        "objects": _list(_name),
        "modifiers": _list(_object({"object": _name, "name": _name, "type": _name}, {})),
        "node_types": _list(_object({"object": _name, "modifier": _name, "contains": _map(_at_least_one)}, {})),
        "geometry": _list(
            _object(
                {"object": _name},
                {kind: _range(_whole) for kind in measure.COUNTS}
                | {
                    "bounds": _object({"min": _vector, "max": _vector, "tolerance": _positive}, {}),
                    "size": _sizes,
                },
            )
        ),
        "undo_restores": _bool,
    },
)
_manifest = _object(
    {"manifest": _exactly(VERSION), "name": _name, "prompt": _text, "timeout_s": _positive, "expect": _expect},
    {"provider": _name, "replies": _list(_is((str, dict), "a plan or a text")), "start": _start, "object": _name},
)


def load(path: Path) -> dict[str, Any]:
    """A manifest that has its form. Raises AssistantError ``manifest_invalid`` with every problem's JSON Pointer."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise AssistantError("file_too_large", f"{path} is larger than {MAX_BYTES >> 20} MB.")
        data = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_unique)
    except OSError as error:
        raise AssistantError(os_code(error), f"Cannot read the manifest {path} ({error.strerror}).") from error
    except (ValueError, RecursionError) as error:
        raise AssistantError("manifest_invalid", f"{path} is not JSON: {error}") from error
    problems = list(_manifest(data, ""))
    if not problems and (data.get("provider") == "replay") != ("replies" in data):
        problems.append("/replies: belongs to the provider replay, and only to it")
    if problems:
        more = f" … and {len(problems) - 10} more" if len(problems) > 10 else ""
        raise AssistantError("manifest_invalid", f"{path}: {'; '.join(problems[:10])}{more}")
    return data


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for key, value in pairs:
        if key in seen:
            raise ValueError(f"the key {key!r} is there twice")
        seen[key] = value
    return seen


@dataclass(frozen=True)
class Check:
    """One comparison."""

    name: str
    ok: bool
    expected: Any
    actual: Any

    def line(self) -> str:
        """For a terminal."""
        shown = f"ok    {self.name}" if self.ok else f"FAIL  {self.name}"
        return f"{shown}: {_short(self.actual)}" + ("" if self.ok else f", expected {_short(self.expected)}")


@dataclass
class ManifestReport:
    """What became of a manifest."""

    name: str
    path: str
    checks: list[Check] = field(default_factory=list)
    run: dict[str, Any] = field(default_factory=dict)
    """The run's own report."""
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether everything was as expected; a manifest that checked nothing is not."""
        return bool(self.checks) and all(check.ok for check in self.checks)

    def lines(self) -> list[str]:
        """One line per check under a line with the verdict."""
        head = f"{'PASS' if self.ok else 'FAIL'} {self.name} ({len(self.checks)} checks, {self.seconds:.1f} s)"
        lines = [head, *(f"  {check.line()}" for check in self.checks)]
        if not self.ok:
            lines += [f"  {m['severity']} [{m['code']}]: {m['text']}" for m in self.run.get("messages", [])]
        return lines

    def to_dict(self) -> dict[str, Any]:
        """The JSON-able report."""
        return {"ok": self.ok, **asdict(self)}


@dataclass(frozen=True)
class Scene:
    """What a manifest is compared with after its run."""

    document: dict[str, Any]
    """The host's Document of all objects and node groups."""
    evidence: dict[str, Any]
    """The host's Evidence of the objects that the manifest measures."""


def compare(expect: dict[str, Any], run: dict[str, Any], scene: Scene) -> list[Check]:
    """Every expectation of a manifest against the run's report and the scene."""
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
    """The objects whose evaluated geometry the manifest asks for."""
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


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return "[" + ", ".join(_short(item) for item in value) + "]"
    return str(value)
