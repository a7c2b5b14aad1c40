# SPDX-License-Identifier: GPL-3.0-or-later
"""Derives `rust/script/policy/names.json` from the running Blender and the reviewed decisions.

`python tests/host/policy.py` in each of the four environments updates what that Blender knows; an entry holds one bit
per version (`VERSIONS`), so that a name can be allowed in one version and refused in another; `test_policy.py`
compares.
"""

from __future__ import annotations

import fnmatch
import functools
import json
import os
import types as python_types
from pathlib import Path
from typing import Any

# isort: off
import bpy  # first: it brings the others
import bmesh
import mathutils
import mathutils.bvhtree
import mathutils.kdtree
# isort: on

POLICY = Path(__file__).resolve().parents[2] / "rust" / "script" / "policy"
VERSIONS = ("4.2", "4.5", "5.0", "5.2")
PATHS = {"FILE_PATH", "DIR_PATH", "FILE_NAME", "PASSWORD"}
PATH_NAMES = {"filepath", "directory", "filename", "files", "path", "relpath", "filepath_raw"}
# Attributes that lead from a Python object to the interpreter.
INTERNALS = (
    python_types.FrameType,
    python_types.CodeType,
    python_types.TracebackType,
    python_types.ModuleType,
    python_types.CoroutineType,
    python_types.AsyncGeneratorType,
    python_types.GeneratorType,
    python_types.FunctionType,
    python_types.BuiltinFunctionType,
    python_types.MethodType,
    python_types.CellType,
    BaseException,
    type,
)
_OWNERS = {"view_layer": "ViewLayer"}
SAFE_CLASSES = (
    mathutils.Vector,
    mathutils.Matrix,
    mathutils.Quaternion,
    mathutils.Euler,
    mathutils.Color,
    mathutils.kdtree.KDTree,
    mathutils.bvhtree.BVHTree,
)


@functools.cache
def reviewed() -> dict[str, Any]:
    """The reviewed decisions."""
    return json.loads((POLICY / "reviewed.json").read_text(encoding="utf-8"))


def this_version() -> str:
    """The running Blender, for example `5.2`."""
    return "{}.{}".format(*bpy.app.version[:2])


def takes_path(one: bpy.types.Property) -> bool:
    """Whether a property contains the path of a file or a folder, or a secret."""
    return getattr(one, "subtype", "") in PATHS or one.identifier in PATH_NAMES


def matches(name: str, patterns: Any) -> bool:
    """Whether a name fits one of the patterns."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _structs() -> dict[str, Any]:
    found = {}
    for name in dir(bpy.types):
        struct = getattr(getattr(bpy.types, name), "bl_rna", None)
        if struct is not None:
            found[struct.identifier] = struct
    for name in ("scene", "object", "view_layer", "camera", "light", "world", "material"):
        # Cycles' settings are not in any list of types.
        pointer = found[_OWNERS.get(name, name.capitalize())].properties.get("cycles")
        if pointer is not None:
            found[pointer.fixed_type.identifier] = pointer.fixed_type
    return found


def _refused_struct(struct: Any, patterns: Any) -> bool:
    if matches(struct.identifier, reviewed()["types_allowed"]):
        return False
    while struct is not None:
        if matches(struct.identifier, patterns):
            return True
        struct = struct.base
    return False


def attributes() -> tuple[set[str], dict[str, str]]:
    """Attribute names that are safe on every object which a script can reach, and the others with their causes."""
    decisions = reviewed()
    patterns = decisions["types_refused"]
    structs = _structs()
    refused_structs = {name for name, struct in structs.items() if _refused_struct(struct, patterns)}
    safe: set[str] = set()
    refused: dict[str, str] = {}
    elsewhere: set[str] = set()
    for name, struct in structs.items():
        if name in refused_structs:
            elsewhere.update(one.identifier for one in (*struct.properties, *struct.functions))
            continue
        for one in struct.properties:
            target = getattr(one, "fixed_type", None) if one.type in ("POINTER", "COLLECTION") else None
            own = getattr(one, "srna", None) if one.type == "COLLECTION" else None
            if takes_path(one):
                refused[one.identifier] = "path"
            elif any(t is not None and t.identifier in refused_structs for t in (target, own)):
                refused.setdefault(one.identifier, "type")
            else:
                safe.add(one.identifier)
        for one in struct.functions:
            if any(takes_path(parameter) for parameter in one.parameters):
                refused[one.identifier] = "path"
            elif one.identifier in decisions["functions"]:
                safe.add(one.identifier)
            else:
                refused.setdefault(one.identifier, "function")
    for group in (bmesh.types, bmesh.ops):
        for name in dir(group):
            one = getattr(group, name)
            names = dir(one) if isinstance(one, type) else (name,)
            safe.update(n for n in names if not n.startswith("_"))
    for one in SAFE_CLASSES:
        safe.update(n for n in dir(one) if not n.startswith("_"))
    for names in decisions["attributes"].values():
        safe.update(names)
        for name in names:
            refused.pop(name, None)
    for name in decisions["attributes_allowed"]:
        if name in refused or name in safe:
            refused.pop(name, None)
            safe.add(name)
    internal = {n for one in INTERNALS for n in dir(one)} - {
        n for names in decisions["attributes"].values() for n in names
    }
    for name in internal | set(decisions["attributes_refused"]):
        if name in safe or not name.startswith("_"):
            refused.setdefault(name, "reviewed")
    for name in elsewhere - safe:
        refused.setdefault(name, "elsewhere")
    return safe - set(refused), refused


def operators() -> dict[str, str]:
    """Every operator with `""` if it is allowed, else the cause of its refusal."""
    decisions = reviewed()
    found = {}
    for module in dir(bpy.ops):
        for name in dir(getattr(bpy.ops, module)):
            full = f"{module}.{name}"
            if name.startswith("_") or module.startswith("_"):
                continue
            properties = getattr(getattr(bpy.ops, module), name).get_rna_type().properties
            if any(takes_path(one) for one in properties):
                found[full] = "path"
            elif full in decisions["operators_allowed"]:
                found[full] = ""
            elif module not in decisions["operator_modules"]:
                found[full] = "module"
            elif matches(full, decisions["operators_refused"]):
                found[full] = "reviewed"
            else:
                found[full] = ""
    return found


def observed() -> dict[str, dict[str, str]]:
    """What this Blender knows: for attributes, operators and types each name with `""` or the cause of its refusal."""
    safe, refused = attributes()
    patterns = reviewed()["types_refused"]
    structs = _structs()
    return {
        "attributes": {**dict.fromkeys(safe, ""), **refused},
        "operators": operators(),
        "types": {name: "" for name in structs if not _refused_struct(structs[name], patterns)},
        "bmesh.ops": {name: "" for name in dir(bmesh.ops) if not name.startswith("_")},
    }


def shipped() -> dict[str, dict[str, dict[str, int]]]:
    """The policy file: for each kind and cause (`""`: allowed) the names with their versions as bits."""
    file = POLICY / "names.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def merged(known: dict[str, dict[str, dict[str, int]]], now: dict[str, dict[str, str]]) -> dict[str, Any]:
    """The policy file with this version's bit as observed."""
    bit = 1 << VERSIONS.index(this_version())
    result: dict[str, dict[str, dict[str, int]]] = {}
    for kind, names in now.items():
        causes: dict[str, dict[str, int]] = {}
        for cause, entries in known.get(kind, {}).items():
            for name, bits in entries.items():
                causes.setdefault(cause, {})[name] = bits & ~bit
        for name, cause in names.items():
            entry = causes.setdefault(cause, {})
            entry[name] = entry.get(name, 0) | bit
        result[kind] = {
            cause: {name: causes[cause][name] for name in sorted(causes[cause]) if causes[cause][name]}
            for cause in sorted(causes)
        }
    return result


def dumps(policy: dict[str, Any]) -> str:
    """Text with one line per kind and cause and initial letter, so that differences can be read."""
    kinds = []
    for kind, causes in policy.items():
        blocks = []
        for cause, names in causes.items():
            lines: dict[str, list[str]] = {}
            for name, bits in names.items():
                lines.setdefault(name[:1], []).append(f'"{name}":{bits}')
            blocks.append(
                '    "{}": {{\n{}\n    }}'.format(cause, ",\n".join("      " + ",".join(one) for one in lines.values()))
            )
        kinds.append('  "{}": {{\n{}\n  }}'.format(kind, ",\n".join(blocks)))
    return "{\n" + ",\n".join(kinds) + "\n}\n"


if __name__ == "__main__":
    (POLICY / "names.json").write_text(dumps(merged(shipped(), observed())), encoding="utf-8", newline="\n")
    os._exit(0)
