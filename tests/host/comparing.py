# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparison of bundles."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any


def differences(a: Any, b: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """(JSON Pointer, left, right) for everything that differs."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in [*a, *(k for k in b if k not in a)]:
            if key in a and key in b:
                yield from differences(a[key], b[key], f"{path}/{key}")
            else:
                yield f"{path}/{key}", a.get(key, "absent"), b.get(key, "absent")
    elif isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            yield f"{path}/#", len(a), len(b)
        for number, (x, y) in enumerate(zip(a, b, strict=False)):
            yield from differences(x, y, f"{path}/{number}")
    elif a != b or type(a) is not type(b):
        yield path, a, b


def rename(bundle: dict[str, Any], back: dict[str, str]) -> dict[str, Any]:
    """The bundle with its trees renamed by the mapping `back`."""

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            if set(value) == {"node_group"} and isinstance(value["node_group"], str):
                return {"node_group": back.get(value["node_group"], value["node_group"])}
            return {k: walk(v) for k, v in value.items()}
        return [walk(v) for v in value] if isinstance(value, list) else value

    out = walk(bundle)
    out["root"] = back.get(out["root"], out["root"])
    out["trees"] = {back.get(k, k): v for k, v in out["trees"].items()}
    return out


def without_identifiers(bundle: dict[str, Any]) -> dict[str, Any]:
    """The bundle with interface identifiers replaced by their position in the interface."""
    out = copy.deepcopy(bundle)
    maps = {}
    for name, tree in out["trees"].items():
        maps[name] = {item["identifier"]: f"#{number}" for number, item in enumerate(tree["interface"])}
        for item in tree["interface"]:
            item["identifier"] = maps[name][item["identifier"]]
            if "parent" in item:
                item["parent"] = maps[name][item["parent"]]
    for name, tree in out["trees"].items():
        of_node = {}
        for node in tree["nodes"]:
            used = node["props"].get("node_tree")
            group = used["node_group"] if isinstance(used, dict) else None
            if node["type"] in {"NodeGroupInput", "NodeGroupOutput"}:
                group = name
            of_node[node["id"]] = maps.get(group, {})
            for side in ("inputs", "outputs"):
                renamed = {of_node[node["id"]].get(k, k): v for k, v in node[side].items()}
                node[side] = dict(sorted(renamed.items())) if group else renamed
            if "stored" in node:
                parts = ((path.split("."), value) for path, value in node["stored"].items())
                known = of_node[node["id"]]
                node["stored"] = {".".join(known.get(p, p) for p in path): value for path, value in parts}
        for link in tree["links"]:
            for end in ("from", "to"):
                node_id, socket = link[end]
                link[end] = [node_id, of_node[node_id].get(socket, socket)]
    return out


def strip_suffix(name: str) -> str:
    """A name without Blender's `.001`."""
    return re.sub(r"\.\d{3}$", "", name)
